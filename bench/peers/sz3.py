#!/usr/bin/env python3
# sz3.py: SZ3 on a folder of arrays, within the bounds of a run of the bench, beside its CSV.
"""Usage: sz3.py FOLDER BOUND[=OURS.csv]...

    pip install numpy pysz                                         SZ3 as PyPI has it
    ./bench-padic --data FOLDER --bound 1e-3 --mode range --clock cpu --csv b3.csv ...
    python3 bench/peers/sz3.py FOLDER 1e-3=b3.csv 1e-5=b5.csv

FOLDER holds NAME.bin and MANIFEST.tsv, as the bench has it. A bound is a share of max - min. All
finite f32 and f64 arrays are packed by three algorithms of SZ3; of each array the one with the best
ratio is compared. Times: processor time, the least of three runs; SZ3 makes its output's memory in
each call, which the bench has made before. Exits 1 where a value of SZ3 is outside the bound, by
more than the rounding of this check."""
import csv
import importlib.metadata
import math
import os
import re
import sys
import time

import numpy as np
from pysz import sz, szAlgorithm, szConfig, szErrorBoundMode

ALGORITHMS = ("INTERP_LORENZO", "INTERP", "LORENZO_REG")


def arrays(folder):
    """(name, class, array) of all finite f32 and f64 arrays; class as origin_of() of the bench."""
    bench = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench.c")
    with open(bench) as file:
        names = re.search(r"decoded\[\] = \{(.*?)\}", file.read(), re.S)[1]
    decoded = re.findall(r'"(\w+)"', names)
    with open(os.path.join(folder, "MANIFEST.tsv"), newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        name, kind = row["name"], {"f32": "<f4", "f64": "<f8"}.get(row["dtype"])
        shape = [int(n) for n in row["dims(slow..fast)"].split("x")]
        x = np.fromfile(os.path.join(folder, name + ".bin"), kind).reshape(shape) if kind else None
        if kind and np.isfinite(x).all() and x.max() > x.min():
            while x.ndim > 4:  # the most that SZ3 knows
                x = x.reshape((-1,) + x.shape[2:])
            yield name, row.get("class") or ("native", "decoded")[name in decoded], x


def measure(x, algorithm, bound):
    """ratio, packing and unpacking in MB/s, largest error by bound."""
    config = szConfig()
    config.errorBoundMode = szErrorBoundMode.ABS
    config.absErrorBound = bound
    config.cmprAlgo = getattr(szAlgorithm, algorithm)
    pack, unpack = [], []
    for _ in range(3):
        start = time.process_time()
        packed, _ = sz.compress(x, config)
        pack.append(time.process_time() - start)
        start = time.process_time()
        y, _ = sz.decompress(packed, x.dtype, x.shape)
        unpack.append(time.process_time() - start)
    error = float(np.abs(x.astype("f8") - y.astype("f8")).max())
    rate = x.nbytes / 1e6
    return x.nbytes / packed.nbytes, rate / min(pack), rate / min(unpack), error / bound


def ours(path):
    """{method: {array: (ratio, pack, unpack)}} of a CSV of the bench."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["op"] in ("pack", "unpack") and row["threads"] == "1" and row["median_us"]:
                rates = found.setdefault(row["method"], {}).setdefault(row["case"], {})
                rates[row["op"]] = float(row["bytes"]) / float(row["median_us"])
                if row["size_ratio"]:
                    rates["ratio"] = 1 / float(row["size_ratio"])
    return {method: {name: (r["ratio"], r["pack"], r["unpack"])
                     for name, r in of.items() if len(r) == 3} for method, of in found.items()}


def mean(rows):
    return [math.exp(sum(map(math.log, column)) / len(rows)) for column in zip(*rows)]


def compare(folder, share, path):
    best, classes, wrong, runs = {}, {}, 0, 0
    print(f"\nbound {share:g} of the range{'':8}{'ratio':>10}{'pack':>7}{'unpack':>7}  error/bound")
    for name, origin, x in arrays(folder):
        classes[name] = origin
        for algorithm in ALGORITHMS:
            row = measure(x, algorithm, share * (float(x.max()) - float(x.min())))
            runs += 1
            wrong += row[3] > 1 + 1e-7
            print(f"{name:25} {algorithm:15}{row[0]:9.2f}{row[1]:7.0f}{row[2]:7.0f}  {row[3]:.7f}",
                  flush=True)
            best[name] = max(best.get(name, row[:3]), row[:3])
    print(f"{runs} runs of SZ3, {wrong} outside the bound")
    for method, rows in {"sz3": best, **(ours(path) if path else {})}.items():
        for origin in ("all", "native", "decoded"):
            names = [n for n in best if n in rows and origin in ("all", classes[n])]
            if not names:
                continue
            ratio, pack, unpack = mean([rows[n] for n in names])
            line = f"{method:12} {origin:8}{len(names):4} {ratio:8.3f}{pack:7.0f}{unpack:7.0f}"
            if method != "sz3":
                by = [a / b for a, b in zip((ratio, pack, unpack), mean([best[n] for n in names]))]
                line += "   by SZ3's: ratio x %.3f, pack x %.3f, unpack x %.3f" % tuple(by)
            print(line)
        behind = [n for n in best if n in rows and rows[n][0] < best[n][0]]
        if behind:
            print(f"{method}: SZ3 is ahead on " +
                  ", ".join(f"{n} ({rows[n][0]:.2f} to {best[n][0]:.2f})" for n in behind))
    return wrong


if len(sys.argv) < 3:
    sys.exit(__doc__)
print("SZ3 of pysz", importlib.metadata.version("pysz"), "NumPy", np.__version__)
failed = 0
for word in sys.argv[2:]:
    number, _, table = word.partition("=")
    failed += compare(sys.argv[1], float(number), table)
sys.exit(failed > 0)
