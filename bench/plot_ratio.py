#!/usr/bin/env python3
"""Ratio per array and the stage that won it, beside the peers: a table and a plot.

    python3 bench/plot_ratio.py STAGES.csv PEERS.csv LEVEL TABLE.md PLOT.svg

STAGES.csv is what `bench-padic --stages` wrote, PEERS.csv what `--csv` wrote in the same run. Needs
nothing but Python.
"""
import csv
import math
import sys


def stage(row):
    """The choices that most blocks took, as one word each."""
    words = [row["form"]]
    if row["predictor"] not in ("none", "-"):
        words.append(row["predictor"])
    if 2 * int(row["copied_blocks"]) >= int(row["blocks"]):
        words.append("repeats")
    elif row["pattern"] in ("runs", "lz"):
        words.append(row["pattern"])
    words.append(row["digits"] + "/" + row["coder"])
    return " + ".join(words)


def mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def main():
    stages_path, peers_path, level, table_path, plot_path = sys.argv[1:]
    with open(stages_path, newline="") as file:
        ours = [r for r in csv.DictReader(file) if r["level"] == level]
    names = {r["case"] for r in ours}
    ratios = {}  # of the peers, by array
    with open(peers_path, newline="") as file:
        for r in csv.DictReader(file):
            if r["op"] == "pack" and r["case"] in names and not r["method"].startswith("padic"):
                if r["size_ratio"]:
                    ratios.setdefault(r["case"], {})[r["method"]] = 1 / float(r["size_ratio"])
    peers = sorted({m for v in ratios.values() for m in v})
    with open(table_path, "w") as out:
        kinds = ("tokens", "bits", "planes", "patterns", "exceptions", "raw")
        out.write("| array | class | padic" + level + " | " + " | ".join(peers) +
                  " | stage | bytes in % of the packed: " + ", ".join(kinds) + " |\n")
        out.write("|---" * (5 + len(peers)) + "|\n")
        for r in sorted(ours, key=lambda r: (r["class"], r["category"], r["case"])):
            theirs = [ratios.get(r["case"], {}).get(p) for p in peers]
            best = max([v for v in theirs if v] or [0])
            mark = "**" if float(r["ratio"]) >= best else ""
            packed = int(r["packed_bytes"])
            share = ", ".join("%.0f" % (100 * int(r[k]) / packed) for k in kinds)
            out.write("| %s | %s | %s%.3f%s | %s | %s | %s |\n" % (
                r["case"], r["class"], mark, float(r["ratio"]), mark,
                " | ".join("%.3f" % v if v else "-" for v in theirs), stage(r), share))
        for name in ("native", "decoded", ""):
            rows = [r for r in ours if name in ("", r["class"])]
            if not rows:
                continue
            out.write("| geometric mean | %s | %.3f | %s | | |\n" % (
                name or "all", mean(float(r["ratio"]) for r in rows),
                " | ".join("%.3f" % mean(ratios[r["case"]][p] for r in rows
                                         if p in ratios.get(r["case"], {})) for p in peers)))
    plot(sorted(ours, key=lambda r: float(r["ratio"])), ratios, peers, level, plot_path)


def plot(ours, ratios, peers, level, path):
    left, top, step, width = 190, 56, 17, 560
    largest = max([float(r["ratio"]) for r in ours] +
                  [v for name in ratios.values() for v in name.values()])
    scale = width / math.log(largest * 1.05)
    height = top + step * len(ours) + 40
    forms = {"bits": "#4878a8", "fields": "#8068a8", "scale": "#3c9060", "decimal": "#c08830",
             "affine": "#a85848", "columns": "#707070", "raw": "#b0b0b0"}
    dots = ["#000000", "#d03030", "#e09000", "#009090"]

    def x(ratio):
        return left + scale * math.log(max(ratio, 1))

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="11">' % (left + width + 330, height),
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="18" font-size="14">Ratio of padic%s (bars, by form) and of the peers '
           '(dots), and the stage of most blocks</text>' % (left, level)]
    at = left
    for name, colour in forms.items():
        if any(r["form"] == name for r in ours):
            out.append('<rect x="%d" y="28" width="10" height="10" fill="%s"/>'
                       '<text x="%d" y="37">%s</text>' % (at, colour, at + 14, name))
            at += 75
    for k, name in enumerate(peers):
        out.append('<circle cx="%d" cy="33" r="3.5" fill="%s"/>'
                   '<text x="%d" y="37">%s</text>' % (
            at, dots[k % 4], at + 8, name))
        at += 75
    for tick in (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200):
        if tick > largest:
            break
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#dddddd"/><text x="%.1f" '
                   'y="%d" text-anchor="middle">%g</text>' % (
                       x(tick), x(tick), top - 6, height - 28, x(tick), height - 14, tick))
    for i, r in enumerate(ours):
        y = top + step * i
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (
            left - 6, y + 10, r["case"]))
        out.append('<rect x="%d" y="%d" width="%.1f" height="11" fill="%s"/>' % (
            left, y, x(float(r["ratio"])) - left, forms.get(r["form"], "#999999")))
        furthest = x(float(r["ratio"]))
        for k, name in enumerate(peers):
            if name in ratios.get(r["case"], {}):
                there = x(ratios[r["case"]][name])
                furthest = max(furthest, there)
                out.append('<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (
                    there, y + 5.5, dots[k % 4]))
        out.append('<text x="%.1f" y="%d" fill="#444444">%s</text>' % (
            furthest + 8, y + 10, stage(r)))
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
