#!/usr/bin/env python3
"""Compares bench results: flags what moved.

    python3 bench/compare.py OLD.csv NEW.csv [--limit 0.05]
    python3 bench/compare.py HISTORY.csv              each case's last row with the one before it

A median is flagged when it moved by more than the limit and lies outside the other run's spread
(10th to 90th percentile), both ways. A packed size is flagged when it changed at all, because it
does not depend on the machine. Exits 1 when something got slower, larger or wrong, else 0.
"""

import argparse
import csv
import sys

# What makes two rows the same measurement.
KEY = ("machine", "cpu", "compiler", "flags", "threads", "clock",
       "op", "area", "case", "dtype", "shape", "method", "backend", "device")


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def key(row):
    return tuple(row.get(name) or "" for name in KEY)


def label(row):
    words = [row.get(name) or "" for name in ("op", "case", "dtype", "method")]
    threads = row.get("threads") or "1"
    return " ".join(w for w in words if w) + ("" if threads == "1" else " x%s" % threads)


def number(row, name):
    try:
        return float(row.get(name) or "nan")
    except ValueError:
        return float("nan")


def pairs(old, new):
    """(old row, new row) of each key; of several rows of one key the last one counts."""
    if new is None:
        history = {}
        for row in old:
            history.setdefault(key(row), []).append(row)
        return [(rows[-2], rows[-1]) for rows in history.values() if len(rows) > 1]
    before = {key(row): row for row in old}
    after = {key(row): row for row in new}
    return [(before[k], row) for k, row in after.items() if k in before]


def compare(a, b, limit):
    """Sentences about one pair: (worse, text)."""
    out = []
    if b.get("verdict") == "wrong" and a.get("verdict") != "wrong":
        out.append((True, "WRONG OUTPUT"))
    old, new = number(a, "median_us"), number(b, "median_us")
    if old > 0 and new > 0 and abs(new / old - 1) > limit:
        apart = not number(a, "p10_us") <= new <= number(a, "p90_us")
        apart = apart and not number(b, "p10_us") <= old <= number(b, "p90_us")
        if apart:
            word = "slower" if new > old else "faster"
            out.append((new > old, "%s: %.1f -> %.1f us (%+.1f %%)"
                        % (word, old, new, 100 * (new / old - 1))))
    old, new = number(a, "size_ratio"), number(b, "size_ratio")
    if old > 0 and new > 0 and old != new and b.get("op") == "pack":
        word = "larger" if new > old else "smaller"
        out.append((new > old, "%s: ratio %.4f -> %.4f" % (word, 1 / old, 1 / new)))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--limit", type=float, default=0.05, help="share, default 0.05")
    args = parser.parse_args()
    found = pairs(read(args.old), read(args.new) if args.new else None)
    if not found:
        print("nothing to compare: no case is in both with the same machine, compiler and flags")
        return 2
    worse = better = 0
    for a, b in found:
        for bad, text in compare(a, b, args.limit):
            worse += bad
            better += not bad
            print("%s %-44s %s" % ("-" if bad else "+", label(b), text))
    print("%d cases compared, %d worse, %d better" % (len(found), worse, better))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
