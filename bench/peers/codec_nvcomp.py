#!/usr/bin/env python3
# codec_nvcomp.py: the codec's profiles on an NVIDIA GPU beside nvCOMP, same arrays, in one run.
"""Usage: codec_nvcomp.py ./gpu_codec ./codec_nvcomp [--scale N] [--repeat N] [FILE:TYPE ...]

./gpu_codec is bench/gpu_codec.c, ./codec_nvcomp is bench/peers/codec_nvcomp.c, both compiled. The
arrays are gpu_codec's cases without bounds, or those of the FILEs (raw, f32, f64 or f16), each
repeated up to 1 GiB (divided by 2^N). Ours is measured before and after nvCOMP. CSV on standard
output: case, codec, chunk (bytes; 0: ours, 65,536 elements), ratio, pack and unpack in GB/s of raw
bytes, and how many times as fast ours is in the profile CODED (first measurement)."""
import csv
import os
import subprocess
import sys
import tempfile

CASES = (("smooth f32", "f32"), ("smooth f64", "f64"), ("bits u16", "u16"), ("bits u8", "u8"),
         ("weights bf16", "bf16"), ("noise f32", "f32"))


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print("%s: %d" % (" ".join(command), done.returncode), file=sys.stderr)
    return done.stdout


def ours(program, folder, choose, when):
    rows = csv.DictReader(run(program, "cuda", "--scale", option("--scale", "0"), "--repeat",
                              option("--repeat", "9"), "--write", folder, *choose).splitlines())
    return [("padic " + r["profile"] + when, 0, float(r["ratio"]), float(r["pack_gbs"]),
             float(r["unpack_gbs"])) for r in rows if r["profile"]]


def theirs(program, path, kind, size):
    rows = []
    repeat = option("--repeat", "9")
    for line in run(program, path, kind, str(size), "--repeat", repeat).splitlines():
        peer, chunk, ratio, pack, unpack = line.split(",")[:5]
        wrong = " WRONG" if line.endswith("WRONG") else ""
        rows.append(("nvCOMP " + peer + wrong, int(chunk), float(ratio), size / float(pack),
                     size / float(unpack)))
    return rows


def main():
    mine, peer = sys.argv[1:3]
    size = int(2.0 ** (30 - int(option("--scale", "0"))))
    files = [w for w in sys.argv[3:] if ":" in w]
    print("case,codec,chunk,ratio,pack_gbs,unpack_gbs,coded_packs_times,coded_unpacks_times")
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in [w.rsplit(":", 1) for w in files] or CASES:
            choose = ("--file", name, kind) if files else ("--case", name)
            path = os.path.join(folder, "file" if files else name)
            rows = ours(mine, folder, choose, "")
            peer_kind = "bf16" if kind == "f16" else kind  # 16 bits; ANS takes both alike
            rows += theirs(peer, path, peer_kind, size) + ours(mine, folder, choose, " again")
            coded = next(r for r in rows if r[0] == "padic coded")
            for codec, chunk, ratio, pack, unpack in rows:
                print("%s,%s,%d,%.3f,%.1f,%.1f,%.2f,%.2f" % (
                    os.path.basename(name), codec, chunk, ratio, pack, unpack, coded[3] / pack,
                    coded[4] / unpack), flush=True)


main()
