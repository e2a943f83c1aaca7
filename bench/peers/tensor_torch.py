#!/usr/bin/env python3
"""tensor_torch.py GPU_TENSOR [CASE...]: complex matrix products, ours beside what frameworks have.

    cc -O2 -std=gnu99 -DPADIC_NO_CODEC bench/gpu_tensor.c -o gpu_tensor -lm -lpthread -ldl
    python3 bench/peers/tensor_torch.py ./gpu_tensor d16 d32 >results.csv

The same numbers for all. In each of REPEAT rounds every peer and ours have one turn; milliseconds
are medians over the rounds, by CUDA events for PyTorch, Triton and CuPy, by a wait for the device
for ours (a process of its own) and JAX. `error` is relative, in the Frobenius norm, against
complex128 for one matrix of the batch. PEERS=torch_matmul,torch_loop has only these products.

    case,peer,ms,best_ms,tflops,first_ms,error,split_speedup,exact_speedup
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

REPEAT = int(os.environ.get("REPEAT", "7"))
PEERS = [x for x in os.environ.get("PEERS", "").split(",") if x]  # of products; none: all
CASES = ["d16", "d32", "d8", "d4", "legs16", "svd64", "svdvals64", "svd16", "svdvals16", "qr64",
         "eigh64", "eigh16", "entropy64", "entropy8", "entropy32"]
FACTORS = ("svd", "qr", "eigh", "entropy")


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "cuda", "--serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("gpu_tensor ended")
        return answer


def load(torch, ours, name):
    with tempfile.NamedTemporaryFile() as file:
        batch, m, n, k, most_a, most_b = map(int, ours.ask(f"case {name} {file.name}").split())
        numbers = torch.from_file(file.name, size=2 * (most_a + most_b), dtype=torch.float32).cuda()
    legs = name.startswith("legs")
    shape_a, shape_b = ((m,) * 4, (m,) * 4) if legs else ((m, k), (k, n))

    def operand(flat, shape):
        flat = torch.view_as_complex(flat.reshape(-1, 2))
        one = flat.reshape(-1, *shape)
        return one.repeat(-(-batch // one.shape[0]), *[1] * len(shape))[:batch].contiguous()
    size = (m * m, n * n, k * k) if legs else (m, n, k)
    return (operand(numbers[:2 * most_a], shape_a), operand(numbers[2 * most_a:], shape_b),
            8.0 * batch * size[0] * size[1] * size[2], legs)


def events(torch, function):
    def ms():
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        inner = ms.inner
        begin.record()
        for _ in range(inner):
            result = function()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / inner, result
    ms.inner = 1
    return ms


def triton_peer(torch, a, b):
    """Planar 3xTF32 by tl.dot: four real products a block."""
    import triton
    import triton.language as tl

    @triton.autotune([triton.Config({"BM": x, "BN": y, "BK": z}, num_warps=w, num_stages=s)
                      for x, y, z, w, s in [(64, 64, 32, 4, 2), (128, 64, 32, 8, 2),
                                            (64, 64, 16, 4, 3), (128, 64, 16, 4, 3)]],
                     key=["m", "n", "k"])
    @triton.jit
    def kernel(ar, ai, br, bi, cr, ci, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr):
        t = tl.program_id(1).to(tl.int64)
        across = tl.cdiv(n, BN)
        rows = tl.program_id(0) // across * BM + tl.arange(0, BM)
        columns = tl.program_id(0) % across * BN + tl.arange(0, BN)
        re = tl.zeros((BM, BN), tl.float32)
        im = tl.zeros((BM, BN), tl.float32)
        for base in range(0, k, BK):
            inner = base + tl.arange(0, BK)
            x = t * m * k + rows[:, None] * k + inner[None, :]
            y = t * k * n + inner[:, None] * n + columns[None, :]
            xr, xi, yr, yi = tl.load(ar + x), tl.load(ai + x), tl.load(br + y), tl.load(bi + y)
            re += tl.dot(xr, yr, input_precision="tf32x3")
            re -= tl.dot(xi, yi, input_precision="tf32x3")
            im += tl.dot(xr, yi, input_precision="tf32x3")
            im += tl.dot(xi, yr, input_precision="tf32x3")
        z = t * m * n + rows[:, None] * n + columns[None, :]
        tl.store(cr + z, re)
        tl.store(ci + z, im)

    ar, ai, br, bi = (x.contiguous() for x in (a.real, a.imag, b.real, b.imag))
    batch, m, k = a.shape
    n = b.shape[2]
    if m % 128 or n % 64 or k % 32:
        return None
    cr, ci = (torch.empty(batch, m, n, device="cuda") for _ in range(2))

    def run():
        kernel[lambda q: (m // q["BM"] * (n // q["BN"]), batch)](ar, ai, br, bi, cr, ci, m, n, k)
        return cr, ci
    return run


def torch_peers(torch, a, b, legs):
    if legs:
        text = "tabcd,tbedf->taecf"
        yield "torch_einsum", lambda: torch.einsum(text, a, b)
        yield "torch_einsum_compile", torch.compile(lambda: torch.einsum(text, a, b))
        return
    yield "torch_matmul", lambda: torch.matmul(a, b)
    yield "torch_einsum", lambda: torch.einsum("tij,tjk->tik", a, b)
    out = torch.empty(a.shape[0], a.shape[1], b.shape[2], dtype=a.dtype, device="cuda")
    if a.shape[0] <= 512:
        def looped():
            for t in range(a.shape[0]):
                torch.matmul(a[t], b[t], out=out[t])
            return out
        yield "torch_loop", looped
        yield "torch_loop_einsum", lambda: [torch.einsum("ij,jk->ik", a[t], b[t])
                                            for t in range(a.shape[0])][-1]
    if PEERS and not any(x.startswith(("torch_compile", "torch_planar", "triton")) for x in PEERS):
        return
    yield "torch_compile", torch.compile(lambda: torch.matmul(a, b))
    ar, ai, br, bi = (x.contiguous() for x in (a.real, a.imag, b.real, b.imag))

    def planar(ar, ai, br, bi):
        return ar @ br - ai @ bi, ar @ bi + ai @ br
    yield "torch_planar", lambda: planar(ar, ai, br, bi)
    tuned = torch.compile(planar, mode="max-autotune")
    yield "torch_planar_max_autotune", lambda: tuned(ar, ai, br, bi)
    yield "triton_3xtf32_planar", lambda: None


def other_peers(torch, a, b, legs):
    text = "tabcd,tbedf->taecf" if legs else "tij,tjk->tik"
    try:
        import cupy
        x, y = cupy.from_dlpack(a), cupy.from_dlpack(b)
        yield "cupy", lambda: torch.from_dlpack(cupy.einsum(text, x, y) if legs else x @ y), False
    except Exception as error:  # not installed, or it cannot
        print(f"cupy: {error}", file=sys.stderr)
    try:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        x, y = jax.dlpack.from_dlpack(a), jax.dlpack.from_dlpack(b)
        fast = jax.jit(lambda x, y: jax.numpy.einsum(text, x, y, precision="highest"))
        yield "jax", lambda: fast(x, y).block_until_ready(), True
    except Exception as error:
        print(f"jax: {error}", file=sys.stderr)


def error_of(torch, result, a, b, legs):
    try:
        if isinstance(result, tuple):
            result = torch.complex(result[0], result[1])
        if not isinstance(result, torch.Tensor):
            result = torch.from_dlpack(result)
    except Exception:
        return float("nan")
    x, y = a[-1].to(torch.complex128), b[-1].to(torch.complex128)
    want = torch.einsum("abcd,bedf->aecf", x, y) if legs else x @ y
    got = result[-1] if result.dim() > want.dim() else result
    return float((got - want).norm() / want.norm())


def clocked(function):
    def ms():
        begin = time.perf_counter()
        result = function()
        return (time.perf_counter() - begin) * 1e3, result
    ms.inner = 1
    return ms


def factor_peers(torch, a, kind):
    def entropy():
        p = torch.linalg.svdvals(a[0]) ** 2
        p = p / p.sum()
        return float(-(p * p.log()).sum())  # on the host, as ours

    def gram():
        x = a[0].to(torch.complex128)
        p = torch.linalg.eigvalsh(x @ x.mH).clamp(min=1e-12)
        p = p / p.sum()
        return float(-(p * p.log()).sum())
    if kind in (0, 1):
        for driver in ("gesvdj", "gesvda", "gesvd"):
            if kind:
                yield "torch_svdvals_" + driver, lambda d=driver: torch.linalg.svdvals(a, driver=d)
            else:
                yield "torch_svd_" + driver, lambda d=driver: torch.linalg.svd(
                    a, full_matrices=False, driver=d)
    elif kind == 2:
        yield "torch_qr", lambda: torch.linalg.qr(a)
    elif kind == 3:
        yield "torch_eigh", lambda: torch.linalg.eigh(a)
    else:
        yield "torch_svdvals", entropy
        yield "torch_gram_eigvalsh", gram


def factor_error(torch, result, a, kind):
    x = a[-1].to(torch.complex128)
    if kind == 4:
        p = torch.linalg.svdvals(x) ** 2
        p = p / p.sum()
        want = float(-(p * p.log()).sum())
        return abs(result - want) / want
    if kind == 1:
        want = torch.linalg.svdvals(x)
        return float((result[-1].double() - want).norm() / want.norm())
    last = [y[-1].to(torch.complex128) for y in result]
    made = last[0] @ (last[1] if kind == 2 else
                      last[1].unsqueeze(1) * (last[2] if kind == 0 else last[0].mH)) \
        if kind != 3 else last[1] @ (last[0].unsqueeze(1) * last[1].mH)
    return float((made - x).norm() / x.norm())


def factor_case(torch, ours, name):
    with tempfile.NamedTemporaryFile() as file:
        batch, m, n, kind, count, _ = map(int, ours.ask(f"case {name} {file.name}").split())
        numbers = torch.from_file(file.name, size=2 * count, dtype=torch.float32).cuda()
    a = torch.view_as_complex(numbers.reshape(-1, 2)).reshape(batch, m, n)
    times, first, errors, peers = {"ours": []}, {}, {}, {}
    for peer, function in factor_peers(torch, a, kind):
        try:
            ms = clocked(lambda f=function: (f(), torch.cuda.synchronize())[0])
            first[peer], result = ms()
            errors[peer] = factor_error(torch, result, a, kind)
            peers[peer], times[peer] = ms, []
        except Exception as error:
            print(f"{name} {peer}: {str(error)[:300]}", file=sys.stderr)
    first["ours"] = float(ours.ask("run exact"))
    errors["ours"] = float(ours.ask("error exact"))
    for _ in range(REPEAT):
        times["ours"].append(float(ours.ask("run exact")))
        for peer, ms in peers.items():
            times[peer].append(min(ms()[0] for _ in range(3)))
    ours.ask("end")
    middle = {peer: statistics.median(t) for peer, t in times.items()}
    for peer, t in times.items():
        print(f"{name},{peer},{middle[peer]:.4f},{min(t):.4f},,{first[peer]:.1f},"
              f"{errors[peer]:.2e},,{middle[peer] / middle['ours']:.2f}", flush=True)


def one_case(torch, ours, name):
    a, b, flop, legs = load(torch, ours, name)
    peers, first, errors, times = {}, {}, {}, {}
    candidates = [(x, events(torch, y)) for x, y in torch_peers(torch, a, b, legs)]
    for i, (peer, _) in enumerate(candidates):
        if peer.startswith("triton") and not (PEERS and peer not in PEERS):
            try:
                run = triton_peer(torch, a, b)
                candidates[i] = (peer, events(torch, run) if run else None)
            except Exception as error:
                print(f"triton: {error}", file=sys.stderr)
                candidates[i] = (peer, None)
    if not PEERS or {"cupy", "jax"} & set(PEERS):
        candidates += [(x, clocked(y) if wall else events(torch, y))
                       for x, y, wall in other_peers(torch, a, b, legs)]
    for peer, ms in candidates:
        if ms is None or (PEERS and peer not in PEERS):
            continue
        try:
            begin = time.perf_counter()
            _, result = ms()
            torch.cuda.synchronize()
            first[peer] = (time.perf_counter() - begin) * 1e3
            errors[peer] = error_of(torch, result, a, b, legs)
            del result
            for _ in range(3):
                once = ms()[0]
            ms.inner = max(1, min(100, int(20 / max(once, 0.05))))
            peers[peer], times[peer] = ms, []
        except Exception as error:
            print(f"{name} {peer}: {str(error)[:300]}", file=sys.stderr)
        torch.cuda.empty_cache()
    for math in ("exact", "gauss", "split", "tf32"):
        begin = time.perf_counter()
        ours.ask("run " + math)
        first["ours_" + math] = (time.perf_counter() - begin) * 1e3
        errors["ours_" + math] = float(ours.ask("error " + math))
        times["ours_" + math] = []
    for _ in range(REPEAT):
        for peer, ms in peers.items():
            times[peer].append(ms()[0])
            times["ours_split"].append(float(ours.ask("run split")))
        for math in ("exact", "gauss", "tf32"):
            times["ours_" + math].append(float(ours.ask("run " + math)))
    ours.ask("end")
    middle = {peer: statistics.median(t) for peer, t in times.items()}
    for peer, t in times.items():
        print(f"{name},{peer},{middle[peer]:.4f},{min(t):.4f},{flop / middle[peer] * 1e-9:.2f},"
              f"{first[peer]:.1f},{errors[peer]:.2e},{middle[peer] / middle['ours_split']:.2f},"
              f"{middle[peer] / middle['ours_exact']:.2f}", flush=True)


def main():
    import torch
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.backends.cuda.matmul.allow_tf32 = False
    ours = Ours(sys.argv[1])
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, REPEAT {REPEAT}, "
          f"{time.strftime('%Y-%m-%d')}")
    print("case,peer,ms,best_ms,tflops,first_ms,error,split_speedup,exact_speedup")
    for name in sys.argv[2:] or CASES:
        (factor_case if name.startswith(FACTORS) else one_case)(torch, ours, name)
        torch._dynamo.reset()
        torch.cuda.empty_cache()


main()
