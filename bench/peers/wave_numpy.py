# wave_numpy.py: superposition by NumPy at the sizes of bench/cpu_wave.c: ms, pairs a second.
# Points in blocks, so that the arrays of a block stay in the cache.
import sys, time
import numpy as np


def field(points, sources, k, a, block=64):
    psi = np.empty(len(points), np.complex64)
    for i in range(0, len(points), block):
        d = points[i : i + block, None, :] - sources[None, :, :]
        r = np.sqrt(np.einsum("ijk,ijk->ij", d, d) + np.float32(a * a))
        psi[i : i + block] = (np.exp(1j * np.complex64(k) * r) / r).sum(axis=1)
    return psi


rng = np.random.default_rng(6)
for n, m in ((512, 10), (2048, 20), (8192, 50), (32768, 100), (32768, 1000)):
    points = rng.standard_normal((n, 3), np.float32)
    sources = (0.5 * rng.standard_normal((m, 3))).astype(np.float32)
    best = 1e9
    for block in (64, 1024):
        for _ in range(3):
            start = time.perf_counter()
            field(points, sources, 1.0, 0.1, block)
            best = min(best, time.perf_counter() - start)
    print(f"{n} x {m}: NumPy {np.__version__} {1e3 * best:9.3f} ms {n * m / best:9.3e} pairs/s")
    sys.stdout.flush()
