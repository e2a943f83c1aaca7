# suite.py: bench/suite.c beside NumPy and JAX (where they are installed), on one core, in turns.
#
#     python3 bench/peers/suite.py ./suite [--csv FILE] [CASE...] [SIZE...]
#                                         sizes: small medium large (and extreme); cases: all
#
# FILE gets the lines of suite.c, each with the medians of the peers, which do the LEGACY formulas.
# Each peer does the LEGACY formulas in its best form here: NumPy in blocks that fit the cache, JAX
# compiled, both in float32 and complex64. A turn is one run of ours and of each peer; the table has
# the medians of the turns, in microseconds, and how often ours fits into the best peer.
import csv, os, subprocess, sys, time

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the first one has interrupts
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"
import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

SHAPES = {
    "field": {"small": (512, 10), "medium": (2048, 20), "large": (8192, 50),
              "extreme": (32768, 100)},
    "vortex": {"small": (512, 3), "medium": (2048, 5), "large": (8192, 10), "extreme": (32768, 20)},
    "mera": {"small": (32, 4), "medium": (64, 8), "large": (128, 16), "extreme": (256, 32)},
    "condensate": {"small": (16, 3), "medium": (32, 3), "large": (64, 3), "extreme": (128, 3)},
    "gp": {"small": (16, 3), "medium": (32, 3), "large": (64, 3), "extreme": (128, 3)},
}
rng = np.random.default_rng(6)


def field(np, p, s):
    d = p[:, None, :] - s[None, :, :]
    r = np.maximum(np.sqrt((d * d).sum(-1)), np.float32(0.1))
    return (np.exp(1j * r.astype(np.complex64)) / r).sum(1)


def vortex(np, p, c, q):
    d = p[:, None, :] - c[None, :, :]
    r = np.sqrt((d * d).sum(-1))
    angle = (q * np.arctan2(d[..., 1], d[..., 0])).sum(1)
    return np.tanh(r / np.float32(0.1)).prod(1) * np.exp(1j * angle.astype(np.complex64))


def mera(np, t, u, w):
    v = t.reshape(u.shape[0], 1, -1)
    return ((v @ u) @ w)[:, 0]


def condensate(np, phi):
    density = phi.real**2 + phi.imag**2
    kinetic = sum((g.real**2 + g.imag**2).sum() for g in np.gradient(phi))
    return kinetic - 0.25 * density.sum() + 0.1 / 6 * (density * np.sqrt(density)).sum()


def gp(np, phi):
    laplacian = sum(np.roll(phi, way, axis) for axis in range(3) for way in (-1, 1)) - 6 * phi
    own = np.float32(-0.5) + np.float32(0.1) * np.abs(phi)
    return phi - np.complex64(0.01j) * (own * phi - laplacian)


def data(case, n, m):
    def normal(*shape):
        return rng.standard_normal(shape, np.float32)

    if case == "field":
        return normal(n, 3), np.float32(0.5) * normal(m, 3)
    if case in ("condensate", "gp"):
        return (np.float32(0.1 * 0.5**0.5) * normal(n, n, n, 2).view(np.complex64)[..., 0],)
    if case == "vortex":
        charges = rng.integers(-2, 3, m).astype(np.float32)
        return normal(n, 3), np.float32(0.3) * normal(m, 3), charges
    k = 2 * m * m

    def both(*shape):
        return normal(*shape, 2).view(np.complex64)[..., 0]

    return both(n, m, m), both(n // 2, k, k), both(n // 2, k, 2 * m)


def blocks(function, rows, arrays):
    def run():
        return np.concatenate([function(np, arrays[0][i : i + rows], *arrays[1:])
                               for i in range(0, len(arrays[0]), rows)])

    return run


def median(run, least=5, seconds=0.3):
    run()
    took = []
    begin = time.perf_counter()
    while len(took) < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return 1e6 * sorted(took)[len(took) // 2]


def ours(program, case, size):
    call = [program, case, size]
    text = subprocess.run(call, check=True, text=True, stdout=subprocess.PIPE).stdout
    return {"ours " + row["variant"]: row for row in csv.DictReader(text.splitlines())}


def middle(values):
    return sorted(values)[len(values) // 2]


def measure(program, case, size, function):
    """The rows of suite.c and the microseconds of the peers, medians of the turns."""
    n, m = SHAPES[case][size]
    arrays = data(case, n, m)
    large = case == "mera" and size == "extreme"  # 4.4 GB: one turn
    peers = {}
    if case not in ("field", "vortex"):
        peers["NumPy"] = lambda: function(np, *arrays)
    else:
        rows = min((64, 256, 1024), key=lambda k: median(blocks(function, k, arrays), 3, 0))
        peers["NumPy"] = blocks(function, rows, arrays)
    if jax:
        compiled = jax.jit(lambda *a, f=function: f(jnp, *a))
        there = [jax.device_put(a) for a in arrays]
        peers["JAX"] = lambda: compiled(*there).block_until_ready()
    turns = []
    for _ in range(1 if large else 3):
        turns.append((ours(program, case, size),
                      {name: median(run) for name, run in peers.items()}))
    medians = {name: middle([turn[1][name] for turn in turns]) for name in peers}
    rows = {name: middle_row([turn[0][name] for turn in turns]) for name in turns[0][0]}
    return rows, medians


def middle_row(rows):
    return sorted(rows, key=lambda row: float(row["median_us"]))[len(rows) // 2]


arguments = sys.argv[1:]
out = None
if "--csv" in arguments:
    at = arguments.index("--csv")
    out = open(arguments[at + 1], "w", newline="")
    del arguments[at : at + 2]
program = arguments[0]
cases = [word for word in arguments[1:] if word in SHAPES]
sizes = [word for word in arguments[1:] if word not in SHAPES] or ["small", "medium", "large"]
versions = f"NumPy {np.__version__}, JAX {jax.__version__ if jax else 'not installed'}"
print(versions)
if out:
    out.write(f"# {versions}\n")
writer = None
for case, function in (("field", field), ("vortex", vortex), ("mera", mera),
                       ("condensate", condensate), ("gp", gp)):
    if cases and case not in cases:
        continue
    for size in sizes:
        rows, peers = measure(program, case, size, function)
        for row in rows.values():
            row.update((name.lower() + "_us", f"{value:.1f}") for name, value in peers.items())
            if out and not writer:
                writer = csv.DictWriter(out, list(row))
                writer.writeheader()
            if out:
                writer.writerow(row)
        texts = [f"{name} {float(row['median_us']):.1f}"
                 + (f" ({row['percent']} % of the limit)" if row["percent"] else "")
                 for name, row in rows.items()]
        texts += [f"{name} {value:.1f}" for name, value in peers.items()]
        legacy = float(rows["ours legacy"]["median_us"])
        print(f"{case} {size}:", "  ".join(texts),
              f" best peer / ours legacy {min(peers.values()) / legacy:.2f}")
        sys.stdout.flush()
