#!/usr/bin/env python3
"""The picture of decoder.c: tokens per second and error as the context grows; what lists hold.

    python3 examples/decoder.py examples/decoder.png

Builds the program (cc), runs it twice and needs matplotlib.
"""
import os
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = ["any keys", "the last keys", "codes 2 x 64", "codes 4 x 256", "codes 16 x 16",
         "16 x 16, 4 k reranked", "codes 16 x 256", "the best keys"]
COLOURS = ["#aaaaaa", "#777777", "#f1b6da", "#d01c8b", "#7fbf7b", "#1b7837", "#5aa0e0", "#000000"]


def rows(program, argument):
    """Lines of what it prints, after the first."""
    out = subprocess.run([program, argument], check=True, text=True, stdout=subprocess.PIPE).stdout
    print(out)
    return out.splitlines()[1:]


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "decoder")
        source = os.path.join(ROOT, "examples", "decoder.c")
        subprocess.run(["cc", "-O2", "-o", program, source, "-lm"], check=True)
        grown = [[float(x) for x in line.split()] for line in rows(program, "65536")]
        held = {}
        for line in rows(program, "lists"):
            *_, k, recall, mass, error = line.split()
            name = line[:22].strip()
            held.setdefault(name, []).append((int(k), float(recall), float(mass), float(error)))
        pyplot.rcParams.update({"font.size": 8, "axes.spines.top": False,
                                "axes.spines.right": False, "lines.linewidth": 1.5})
        figure, axes = pyplot.subplots(1, 4, figsize=(10, 2.9), dpi=100)
        contexts = [row[0] for row in grown]
        axes[0].loglog(contexts, [row[1] for row in grown], "o-", color="#777777", markersize=3)
        axes[0].loglog(contexts, [row[2] for row in grown], "o-", color="#1b7837", markersize=3)
        axes[0].text(contexts[2], grown[4][1], "all keys", color="#777777", ha="right")
        axes[0].text(contexts[-1], grown[1][2] * 1.2, "260 keys, by the index", color="#1b7837",
                     ha="right")
        axes[0].set_ylim(grown[-1][1] / 1.5, grown[1][2] * 2)
        axes[0].set_title("tokens per second", loc="left")
        axes[0].set_xlabel("keys in the context")
        axes[1].semilogx(contexts, [row[4] for row in grown], "o-", color="#1b7837", markersize=3)
        axes[1].set_ylim(0)
        axes[1].set_title("relative error", loc="left")
        axes[1].set_xlabel("keys in the context")
        for axis, column, title in ((axes[2], 2, "share of the softmax"),
                                    (axes[3], 3, "relative error")):
            for name, colour in zip(LISTS, COLOURS):
                axis.plot([row[0] for row in held[name]], [row[column] for row in held[name]], "o-",
                          color=colour, markersize=3, label=name)
            axis.set_xscale("log", base=2)
            axis.set_xticks([64, 256, 1024], ["64", "256", "1024"])
            axis.set_title(title, loc="left")
            axis.set_xlabel("keys in the list, of 8,192")
            axis.set_ylim(0)
        figure.legend(*axes[2].get_legend_handles_labels(), loc="center right", frameon=False)
        figure.subplots_adjust(left=0.045, right=0.845, top=0.9, bottom=0.17, wspace=0.3)
        path = os.path.join(folder, "all.png")
        figure.savefig(path)
        Image.open(path).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(
            sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
