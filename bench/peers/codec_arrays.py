"""Arrays on which the codec was behind its peers, and the peers' sizes.

    python3 bench/peers/codec_arrays.py make FOLDER         writes arrays and their MANIFEST.tsv
    python3 bench/peers/codec_arrays.py peers FOLDER OUT    sizes of all peers there, as lines of
                                                            array, peer, bytes
    python3 bench/peers/codec_arrays.py table PEERS RUN...  beside rows of bench-padic --csv

Peers (pip install numpy zstandard blosc2 pcodec): byte shuffle of the whole array and zstd 3, 9
and 19, zstd 19 alone, xz 6, Blosc2 with zstd and shuffle, bytedelta or bitshuffle, 5 and 9,
pcodec 8 and 12. The arrays are made from fixed seeds, as a record of kinds and not of sizes: one
of them changes little when its seed does.
"""
import lzma
import os
import sys

import numpy as np

NAMES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i64": "<i8", "i32": "<i4",
         "i16": "<i2", "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i8": "i1"}


def smooth(rng, shape, waves=12, rough=4.0):
    """A sum of plane waves, larger ones stronger."""
    axes = np.meshgrid(*[np.linspace(0, 1, n) for n in shape], indexing="ij", sparse=True)
    out = np.zeros(shape)
    for _ in range(waves):
        k = rng.normal(0, rough, len(shape))
        phase = sum(a * b for a, b in zip(k, axes)) * 2 * np.pi + rng.uniform(0, 6.3)
        out += np.sin(phase) / (1 + np.abs(k).sum())
    return out


def far_repeats(rng):
    """59 % of the values are copies of pieces 180,000 to 900,000 elements back."""
    x = (smooth(rng, (4, 512, 512)) + rng.normal(0, 0.02, (4, 512, 512))).astype("<f4").ravel()
    at = 200000
    while at < x.size - 400:
        n = int(rng.integers(8, 160))
        if rng.uniform() < 0.62:
            back = int(rng.integers(180000, min(at, 900000)))
            x[at:at + n] = x[at - back:at - back + n]
        at += n
    return "f32", x.reshape(4, 512, 512)


def half_fill(rng):
    """A field of three axes whose lower half, by a coast line, is one fill value."""
    x = smooth(rng, (24, 170, 180)) * 20 + 280 + rng.normal(0, 0.05, (24, 170, 180))
    x[:, smooth(rng, (170, 180), 8, 3.0) < 0] = 1e20
    return "f32", x.astype("<f4")


def table_columns(rng):
    """Nine columns of other kinds, one after the other: [9, n]."""
    n = 25000
    c = [np.cumsum(rng.integers(1, 4, n)) * 1.0, np.round(rng.normal(20, 5, n), 1),
         np.round(np.cumsum(rng.normal(0, 0.02, n)) + 100, 2), rng.integers(0, 5, n) * 1.0,
         rng.normal(0, 1, n), np.round(rng.uniform(0, 360, n), 0),
         np.repeat(np.round(rng.normal(1000, 9, n // 50), 3), 50),
         (1.6e9 + np.arange(n) * 60.0), np.where(rng.uniform(size=n) < .9, 0, rng.uniform(size=n))]
    return "f64", np.array(c)


def records(rng):
    """Records of six components of other kinds: [n, 6]."""
    n = 80000
    c = [np.cumsum(rng.normal(0, 1, n)), np.cumsum(rng.normal(0, .01, n)) + 50,
         np.round(rng.normal(0, 3, n), 2), rng.integers(0, 256, n) / 255.0,
         np.sin(np.arange(n) / 900.0), rng.integers(0, 32, n) * 1.0]
    return "f32", np.array(c).T.astype("<f4")


def two_quantities(rng):
    """Two quantities side by side on a short leading axis."""
    a = np.round(smooth(rng, (360, 720)) * 30 + 280, 2)
    b = smooth(rng, (360, 720), 20, 9.0) * 5 + rng.normal(0, .01, (360, 720))
    return "f32", np.array([a, b]).astype("<f4")


def prices(rng):
    """Two decimals, and 0.03 % values with all digits."""
    x = np.round(np.cumsum(rng.normal(0, .05, 400000)) + 500, 2)
    at = rng.uniform(size=x.size) < 3e-4
    x[at] += rng.normal(0, 1e-3, at.sum())
    return "f64", x


def components16(rng):
    """Components of 16 bits as floats, 0.1 % others."""
    x = rng.normal(0, 1, (100000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x = np.round(np.sort(x, axis=0) * 32767) / 32767
    at = rng.uniform(size=x.shape) < 1e-3
    x[at] += rng.normal(0, 1e-5, at.sum())
    return "f32", x.astype("<f4")


def model_output(rng):
    """A smooth field of a model."""
    x = smooth(rng, (20, 128, 256), 30, 3.0)
    return "f32", (x * 50 + 300).astype("<f4")


def one_odd(rng):
    """One odd value among 10^6 equal ones."""
    x = np.full(1000000, 1.5, "<f4")
    x[654321] = 7
    return "f32", x


def ordered_ids(rng):
    """Ordered ids whose low part repeats."""
    low = np.cumsum(rng.integers(1, 900, 1000))
    high = np.cumsum(rng.integers(1, 50, 300)) << 22
    return "i64", (high[:, None] + low[None, :]).ravel().astype("<i8")


def latent_rows(rng):
    """Rows of 16 that follow one latent value."""
    z = rng.normal(0, 1, (40000, 1))
    x = z * rng.normal(0, 1, 16) + rng.normal(0, 1, 16)
    return "f32", x.astype("<f4")


def timestamps(rng):
    """Milliseconds: a steady rate, now and then a late one or a gap."""
    d = np.full(500000, 100)
    late = rng.uniform(size=d.size) < .01
    d[late] += rng.integers(1, 4, late.sum())
    d[rng.uniform(size=d.size) < 1e-4] += 86400
    return "i64", (1700000000000 + np.cumsum(d)).astype("<i8")


def one_hot(rng):
    """Rows of 256 bytes with one 1."""
    x = np.zeros((8000, 256), "u1")
    x[np.arange(8000), rng.integers(0, 256, 8000)] = 1
    return "u8", x


def tokens(rng):
    """Tokens of a text with its phrases."""
    words = (rng.pareto(1.0, 4000) * 40).astype(int) % 32000
    phrases = [rng.choice(words, int(rng.integers(2, 12))) for _ in range(3000)]
    pick = np.minimum((rng.pareto(0.9, 60000) * 6).astype(int), 2999)
    return "i32", np.concatenate([phrases[p] for p in pick]).astype("<i4")[:300000]


def stripes(rng):
    """Noisy rows with stripes of NaN and of a sentinel."""
    x = (smooth(rng, (1000, 700)) * 9 + rng.normal(0, .3, (1000, 700))).astype("<f4")
    for k in range(0, 1000, 10):
        x[k:k + int(rng.integers(2, 5))] = np.nan
        x[k + 5:k + 5 + int(rng.integers(1, 4)), int(rng.integers(0, 300)):] = -9999
    return "f32", x


MAKERS = [far_repeats, half_fill, table_columns, records, two_quantities, prices, components16,
          model_output, one_odd, ordered_ids, latent_rows, timestamps, one_hot, tokens, stripes]


def make(folder, seed=24):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "MANIFEST.tsv"), "w") as out:
        out.write("category\tname\tdtype\tdims(slow..fast)\tbytes\n")
        for k, maker in enumerate(MAKERS):
            dtype, x = maker(np.random.default_rng([seed, k]))
            x = np.ascontiguousarray(x)
            name = "syn_" + maker.__name__
            x.tofile(os.path.join(folder, name + ".bin"))
            out.write("\t".join(["synthetic", name, dtype, "x".join(map(str, x.shape)),
                                 str(x.nbytes)]) + "\n")


def manifest(folder):
    with open(os.path.join(folder, "MANIFEST.tsv")) as lines:
        head = lines.readline().rstrip("\n").split("\t")
        for line in lines:
            row = dict(zip(head, line.rstrip("\n").split("\t")))
            yield row["name"], row["dtype"]


def peer_sizes(x, dtype):
    import blosc2
    import zstandard
    from pcodec import ChunkConfig, standalone
    raw = x.tobytes()
    shuffled = np.ascontiguousarray(np.frombuffer(raw, "u1").reshape(-1, x.itemsize).T).tobytes()
    for level in (3, 9, 19):
        yield "zstd%ds" % level, len(zstandard.ZstdCompressor(level=level).compress(shuffled))
    yield "zstd19", len(zstandard.ZstdCompressor(level=19).compress(raw))
    yield "xz6", len(lzma.compress(raw, preset=6))
    f = blosc2.Filter
    for level in (5, 9):
        for name, filters in (("shuffle", [f.SHUFFLE]), ("bytedelta", [f.SHUFFLE, f.BYTEDELTA]),
                              ("bitshuffle", [f.BITSHUFFLE])):
            meta = [x.itemsize if k == f.BYTEDELTA else 0 for k in filters]
            c = blosc2.compress2(x, typesize=x.itemsize, codec=blosc2.Codec.ZSTD, clevel=level,
                                 filters=filters, filters_meta=meta, nthreads=1)
            yield "blosc2-%s%d" % (name, level), len(c)
    y = x if dtype not in ("u8", "i8") else x.astype("<u2" if dtype == "u8" else "<i2")
    for level in (8, 12):
        config = ChunkConfig(compression_level=level)
        yield "pcodec%d" % level, len(standalone.simple_compress(y.ravel(), config))


def peers(folder, out):
    with open(out, "w") as lines:
        for name, dtype in manifest(folder):
            x = np.fromfile(os.path.join(folder, name + ".bin"), NAMES[dtype])
            for peer, size in peer_sizes(x, dtype):
                lines.write("%s,%s,%d\n" % (name, peer, size))
            lines.flush()


def table(sizes, runs):
    best, ours = {}, {}
    for line in open(sizes):
        name, peer, size = line.strip().split(",")
        if name not in best or int(size) < best[name][0]:
            best[name] = (int(size), peer)
    levels = set()
    for run in runs:
        head = None
        for line in open(run):
            row = line.rstrip("\n").split(",")
            if head is None or row[0] == "machine":
                head = row
                continue
            row = dict(zip(head, row))
            if row["op"] != "codec_pack" and row["op"] != "codec":
                continue
            if row["method"].startswith("padic"):
                level = int(row["method"][5])
                levels.add(level)
                ours[row["case"], level] = float(row["size_ratio"]) * float(row["bytes"])
    levels = sorted(levels)
    print("| array | best peer | bytes |" + "".join(" level %d | |" % k for k in levels))
    print("|---|---|---|" + "---|---|" * len(levels))
    for name, (size, peer) in best.items():
        cells = ""
        for k in levels:
            got = ours.get((name, k))
            cells += " %.0f | %+.1f %% |" % (got, 100 * (got / size - 1)) if got else " | |"
        print("| %s | %s | %d |%s" % (name, peer, size, cells))


if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "make" and len(sys.argv) == 3:
        make(sys.argv[2])
    elif command == "peers" and len(sys.argv) == 4:
        peers(sys.argv[2], sys.argv[3])
    elif command == "table" and len(sys.argv) > 3:
        table(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
