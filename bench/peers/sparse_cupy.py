#!/usr/bin/env python3
# sparse_cupy.py: dense to CSR on one GPU: ours (bench/gpu_sparse.c), cuSPARSE through CuPy, PyTorch
# and JAX on the same data, in one run.
"""Usage: sparse_cupy.py ./gpu_sparse [--scale N] [--repeat N]      CSV on standard output

./gpu_sparse is bench/gpu_sparse.c, compiled. --scale N divides the sizes by 2^N. What is not
installed is left out, with a line on standard error. Times: the median of `repeat` measurements
between two events of the device, each of so many calls that it takes about 20 ms, after 3 calls to
warm up; ours is measured by the program itself, before and after the peers. Every result is
compared with the others: row pointers, columns and values."""
import os
import subprocess
import sys
import tempfile

import numpy as np

CASES = [  # type, rows, cols
    ("u8", 1 << 14, 1 << 14), ("f32", 1 << 13, 1 << 13), ("u8", 10000, 10000),
    ("f32", 1 << 10, 1 << 10), ("u8", 1 << 10, 1 << 10), ("f32", 1 << 8, 1 << 8)]
DENSITIES = (0.001, 0.01, 0.1, 0.5)


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def number(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


def data_of(kind, rows, cols, density):
    random = np.random.default_rng(rows * 31 + cols + int(density * 1000))
    keep = random.random(rows * cols, dtype=np.float32) < density
    x = random.integers(1, 256, rows * cols, dtype=np.uint8) * keep
    return x.astype(np.float32 if kind == "f32" else np.uint8).reshape(rows, cols)


def median_events(record, elapsed, call, repeat):
    """ns of one call; record() makes an event, elapsed(a, b) waits and gives ms."""
    for _ in range(3):
        call()
    a = record()
    call()
    b = record()
    calls = int(20 / max(elapsed(a, b), 1e-3)) + 1
    times = []
    for _ in range(repeat):
        a = record()
        for _ in range(calls):
            call()
        b = record()
        times.append(elapsed(a, b) * 1e6 / calls)
    return sorted(times)[repeat // 2]


def torch_peer():
    import torch

    def record():
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed(a, b):
        b.synchronize()
        return a.elapsed_time(b)

    def open_case(x):
        dense = torch.from_numpy(x).cuda()
        return (lambda: dense.to_sparse_csr()), lambda r: (
            r.crow_indices().cpu().numpy(), r.col_indices().cpu().numpy(), r.values().cpu().numpy())
    return f"torch {torch.__version__} to_sparse_csr", record, elapsed, open_case


def cupy_tools():
    import cupy

    def record():
        event = cupy.cuda.Event()
        event.record()
        return event

    def elapsed(a, b):
        b.synchronize()
        return cupy.cuda.get_elapsed_time(a, b)
    return cupy, record, elapsed


def parts(r):
    return r.indptr.get(), r.indices.get(), r.data.get()


def cusparse_peer():
    cupy, record, elapsed = cupy_tools()
    from cupyx import cusparse

    def open_case(x):
        dense = cupy.asarray(x)
        return (lambda: cusparse.denseToSparse(dense, format="csr")), parts
    return f"cuSPARSE denseToSparse (CuPy {cupy.__version__})", record, elapsed, open_case


def cupy_peer():
    cupy, record, elapsed = cupy_tools()
    from cupyx.scipy import sparse

    def open_case(x):
        dense = cupy.asarray(x)
        return (lambda: sparse.csr_matrix(dense)), parts
    return f"CuPy {cupy.__version__} csr_matrix", record, elapsed, open_case


def jax_peer():
    import time

    import jax
    from jax.experimental import sparse

    def open_case(x):
        dense = jax.device_put(x)
        nse = int(np.count_nonzero(x))
        encode = jax.jit(lambda d: sparse.BCSR.fromdense(d, nse=nse))
        return (lambda: jax.block_until_ready(encode(dense))), lambda r: (
            np.asarray(r.indptr), np.asarray(r.indices), np.asarray(r.data))
    # no events: the host's clock around calls that wait
    return (f"JAX {jax.__version__} BCSR.fromdense", time.perf_counter,
            lambda a, b: (b - a) * 1e3, open_case)


def ours(program, folder, path, kind, cols, repeat):
    prefix = os.path.join(folder, "ours")
    text = subprocess.run([program, "cuda", "--data", path, "--type", kind, "--cols", str(cols),
                           "--repeat", str(repeat), "--dump", prefix],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.rsplit(",", 10) for line in text.splitlines()[1:]]
    kinds = {"row_ptr": np.int32, "col": np.int32,
             "value": np.float32 if kind == "f32" else np.uint8}
    got = tuple(np.fromfile(f"{prefix}.{name}", dtype=t) for name, t in kinds.items())
    return rows, got


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    scale, repeat = number("--scale", 0), number("--repeat", 9)
    peers = []
    for make in (cusparse_peer, cupy_peer, torch_peer, jax_peer):
        try:
            peers.append(make())
        except Exception as error:  # not installed, or no device for it
            say(f"{make.__name__}: left out: {error}")
    print("type,elements,cols,density,method,entries,ns,gbs,times_ours", flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dense")
        for kind, rows, cols in CASES:
            rows = max(rows >> scale, 1)
            for density in DENSITIES:
                x = data_of(kind, rows, cols, density)
                x.tofile(path)
                first, want = ours(sys.argv[1], folder, path, kind, cols, repeat)
                entries, size = len(want[1]), x.itemsize
                moved = x.size * size + entries * (4 + size) + rows * 4
                best = min(float(r[7]) for r in first if r[5] != "copy")

                def row(method, ns):
                    print(f"{kind},{x.size},{cols},{density},{method},{entries},{ns:.0f},"
                          f"{moved / ns:.1f},{ns / best:.2f}", flush=True)

                for r in first:
                    if r[5] == "copy":
                        print(f"u8,{r[2]},0,0,copy,0,{r[7]},{r[9]},")
                    else:
                        row(r[5], float(r[7]))
                for name, record, elapsed, open_case in peers:
                    try:
                        call, read = open_case(x)
                        ns = median_events(record, elapsed, call, repeat)
                        result = [np.asarray(part) for part in read(call())]
                    except Exception as error:
                        say(f"{name}: {kind} {rows} x {cols}: {str(error).splitlines()[0]}")
                        continue
                    same = all(np.array_equal(a, b) for a, b in zip(want, result))
                    wrong += not same
                    row(f'"{name}"' + ("" if same else " DIFFERS"), ns)
                again, _ = ours(sys.argv[1], folder, path, kind, cols, repeat)
                for r in again:
                    if r[5] in ("one_pass", "auto"):
                        row(r[5] + " again", float(r[7]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
