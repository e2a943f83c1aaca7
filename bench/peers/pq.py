#!/usr/bin/env python3
"""What bench/pq.c is compared with, one core, the same shapes and random codes.

    pip install numpy faiss-cpu && python3 bench/peers/pq.py

NumPy: tables by a matrix product, scores by gathers, argpartition. FAISS: an inner product index of
product quantised vectors, in one thread: IndexPQ (any codes), IndexPQFastScan (4 bits), one index
per head, search of one query. Neither leaves out a window, nor says which of equal scores it takes.
"""
import os
import sys
import time

os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = '1'
import numpy as np  # noqa: E402

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5


def median(call):
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 11 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e6


def numpy_heads(heads, n, m, cells, d, k):
    rng = np.random.default_rng(1)
    c = rng.standard_normal((heads, m, cells, d // m), dtype=np.float32)
    q = rng.standard_normal((heads, m, d // m), dtype=np.float32)
    codes = rng.integers(0, cells, (heads, m, n), dtype=np.uint8)

    def call():
        for h in range(heads):
            table = np.einsum('mkd,md->mk', c[h], q[h])
            score = table[0][codes[h, 0]]
            for j in range(1, m):
                score += table[j][codes[h, j]]
            np.argpartition(score, n - k)[n - k:]
    return median(call)


def faiss_heads(heads, n, m, bits, d, k, fast):
    import faiss
    faiss.omp_set_num_threads(1)
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, d), dtype=np.float32)
    q = rng.standard_normal((1, d), dtype=np.float32)
    kind = faiss.IndexPQFastScan if fast else faiss.IndexPQ
    index = kind(d, m, bits, faiss.METRIC_INNER_PRODUCT)
    index.train(x[:max(4096, 40 << bits) if n > 4096 else n])
    index.add(x)
    return heads * median(lambda: index.search(q, k))


def main():
    print('decoder: 32 heads, 31,872 keys, 2 x 64, k 128, us')
    print('  numpy                 %10.0f' % numpy_heads(32, 31872, 2, 64, 128, 128))
    try:
        import faiss
        print('  faiss %s IndexPQ  %10.0f (one head, times 32)' % (
            faiss.__version__, faiss_heads(32, 31872, 2, 6, 128, 128, False)))
    except ImportError:
        print('  no faiss')
        return
    print('general: one head, GB/s of codes')
    for n, m, bits, k in ((1 << 16, 16, 4, 128), (1 << 16, 32, 4, 128), (1 << 16, 8, 8, 128),
                          (1 << 16, 16, 8, 128), (1 << 16, 32, 8, 128)):
        rows = ['numpy %7.0f us' % numpy_heads(1, n, m, 1 << bits, 128, k)]
        for fast in (False, True) if bits == 4 else (False,):
            us = faiss_heads(1, n, m, bits, 128, k, fast)
            rows.append('%s %7.0f us, %5.2f GB/s' % (
                'IndexPQFastScan' if fast else 'IndexPQ', us, n * m * bits / 8 / us * 1e-3))
        print('  %7d keys, %2d x %3d: %s' % (n, m, 1 << bits, '; '.join(rows)))


if __name__ == '__main__':
    main()
