#!/usr/bin/env python3
"""The picture of README.md: what terrain.c, vortices.c and owen.c compute, side by side.

    python3 examples/picture.py examples/picture.png

Builds and runs the three programs (cc, libpng) and needs matplotlib. The numbers in the titles
are those that the programs print.
"""
import os
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def program(folder, name, *arguments):
    """What examples/NAME.c prints; its pictures are in the folder then."""
    path = os.path.join(folder, name)
    source = os.path.join(ROOT, "examples", name + ".c")
    subprocess.run(["cc", "-O2", "-o", path, source, "-lpng", "-lm"], check=True)
    return subprocess.run([path, *arguments], check=True, cwd=folder, text=True,
                          stdout=subprocess.PIPE).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        land = program(folder, "terrain", os.path.join(ROOT, "tests/data/dem_bigtujunga.bin"))
        found = program(folder, "vortices", "interference.png", "lattice.png")
        noise = program(folder, "owen", "owen.png")
        layers = re.findall(r"(\S+\.pgm): after +(\d+) bytes, largest error (\S+) m", land)
        raw, = re.findall(r"raw (\d+) bytes", land)
        coarse = layers[0]
        exact = next(layer for layer in layers if float(layer[2]) == 0)
        coarse_size, exact_size = (format(int(layer[1]), ",") for layer in (coarse, exact))
        vortices = re.search(r"found (\d+)", found).group(1)
        times, = re.findall(r"\((\S+) times\)", noise)
        panels = [
            (coarse[0], "height map, first %s bytes:\nno height off by more than %.1f m" % (
                coarse_size, float(coarse[2]) + 0.05)),
            (exact[0], "%s bytes (raw: %s):\nevery bit" % (exact_size, format(int(raw), ","))),
            ("lattice.png", "phase of a field with %s vortices,\ncounted from the field" %
             vortices),
            ("owen.png", "27 Owen-scrambled paths per pixel:\nerror %s times smaller than random"
             % times),
        ]
        pyplot.rcParams["font.size"] = 8
        figure, axes = pyplot.subplots(1, 4, figsize=(10, 3), dpi=100)
        for axis, (name, title) in zip(axes, panels):
            image = Image.open(os.path.join(folder, name)).convert("RGB")
            side = min(image.size)
            left = (image.size[0] - side) // 2
            axis.imshow(image.crop((left, 0, left + side, side)), interpolation="lanczos")
            axis.set_title(title)
            axis.axis("off")
        figure.subplots_adjust(left=0.005, right=0.995, top=0.85, bottom=0.01, wspace=0.03)
        figure.savefig(os.path.join(folder, "all.png"))
        Image.open(os.path.join(folder, "all.png")).convert("RGB").quantize(
            160, dither=Image.Dither.NONE).save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
