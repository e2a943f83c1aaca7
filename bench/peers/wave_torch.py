#!/usr/bin/env python3
"""wave_torch.py GPU_WAVE [CASE...]: superposition of waves, ours beside PyTorch, JAX and Triton.

    cc -O2 -DPADIC_NO_CODEC bench/gpu_wave.c -o gpu_wave -lm -lpthread -ldl
    python3 bench/peers/wave_torch.py ./gpu_wave plane_1e7_1e4 >results.csv

Each peer in the form that a user would write who wants speed: real and imaginary parts apart, f32,
the points in chunks that fit the memory, coordinates as columns. All take turns on the same data;
ours runs in a process of its own between them. Milliseconds are medians, by CUDA events for PyTorch
and Triton, by a wait for the device for ours and JAX. error is the largest error of the field at
200 points against float64, over the sum of |A|/r: what f32 phases lose.

    case,peer,points,sources,ms,best_ms,pairs_per_s,first_ms,error,ours_over_peer
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

REPEAT = int(os.environ.get("REPEAT", "7"))
CASES = ["suite_large", "suite_extreme", "list_1e7_1e4", "plane_1e7_1e4"]


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("gpu_wave ended")
        return answer

    def run(self):
        return float(self.ask("run"))


def torch_peers(torch, case):
    x, y, z = (case["points"][:, j].contiguous() for j in range(3))
    sx, sy, sz = (case["sources"][:, j].contiguous() for j in range(3))
    amplitude, phase, k = case["amplitude"], case["phase"], case["k"]
    n, m = x.numel(), sx.numel()

    def field(px, py, pz):
        dx, dy, dz = px[:, None] - sx, py[:, None] - sy, pz[:, None] - sz
        r = torch.sqrt(dx * dx + dy * dy + dz * dz)
        w, angle = amplitude / r, k * r + phase
        return (w * torch.cos(angle)).sum(1), (w * torch.sin(angle)).sum(1)

    def chunked(function, chunk):
        re, im = torch.empty_like(x), torch.empty_like(x)

        def all_of_it():
            for i in range(0, n, chunk):
                a, b = function(x[i:i + chunk], y[i:i + chunk], z[i:i + chunk])
                re[i:i + chunk], im[i:i + chunk] = a, b
            return re, im
        return all_of_it

    def measured(function):
        def ms():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            result = function()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end), result
        return ms

    # Eager makes about ten arrays of chunk x m; a fused program none, so it gets larger pieces.
    eager = max(1, min(n, (1 << 29) // m))
    fused = n if n <= 1 << 20 else -(-n // 16)
    yield "torch_eager", measured(chunked(field, eager))
    yield "torch_compile", measured(chunked(torch.compile(field), fused))
    yield "torch_max_autotune", measured(chunked(torch.compile(field, mode="max-autotune"), fused))
    yield from triton_peer(torch, case, (x, y, z), (sx, sy, sz), measured)


def triton_peer(torch, case, points, sources, measured):
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return
    n, m = points[0].numel(), sources[0].numel()

    @triton.autotune(configs=[triton.Config({"B": b, "S": s}, num_warps=w)
                              for b in (128, 256) for s in (8, 32) for w in (4, 8)], key=[])
    @triton.jit
    def kernel(x, y, z, sx, sy, sz, sa, sp, re, im, k, n, m, B: tl.constexpr, S: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        px, py = tl.load(x + i, i < n, 0.0)[:, None], tl.load(y + i, i < n, 0.0)[:, None]
        pz = tl.load(z + i, i < n, 0.0)[:, None]
        a, b = tl.zeros((B,), tl.float32), tl.zeros((B,), tl.float32)
        for at in range(0, m, S):
            j = at + tl.arange(0, S)
            dx = px - tl.load(sx + j, j < m, 1e9)[None, :]
            dy = py - tl.load(sy + j, j < m, 1e9)[None, :]
            dz = pz - tl.load(sz + j, j < m, 1e9)[None, :]
            q = tl.rsqrt(dx * dx + dy * dy + dz * dz)
            angle = k / q + tl.load(sp + j, j < m, 0.0)[None, :]
            w = tl.load(sa + j, j < m, 0.0)[None, :] * q
            a += tl.sum(w * tl.cos(angle), 1)
            b += tl.sum(w * tl.sin(angle), 1)
        tl.store(re + i, a, i < n)
        tl.store(im + i, b, i < n)

    re, im = torch.empty_like(points[0]), torch.empty_like(points[0])

    def run():
        kernel[lambda meta: (triton.cdiv(n, meta["B"]),)](
            *points, *sources, case["amplitude"], case["phase"], re, im, case["k"], n, m)
        return re, im
    yield "triton", measured(run)


def jax_peer(case):
    try:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jax.numpy as jnp
    except ImportError:
        return
    host = {key: case[key].cpu().numpy() for key in ("points", "sources", "amplitude", "phase")}
    n = host["points"].shape[0]
    pieces = 1 if n <= 1 << 20 else 16
    size = -(-n // pieces)
    columns = [jnp.pad(jnp.asarray(host["points"][:, j]), (0, size * pieces - n)).reshape(
        pieces, size) for j in range(3)]
    s = [jnp.asarray(host["sources"][:, j]) for j in range(3)]
    amplitude, phase, k = jnp.asarray(host["amplitude"]), jnp.asarray(host["phase"]), case["k"]

    @jax.jit
    def field(columns):
        def piece(p):
            d = [p[j][:, None] - s[j] for j in range(3)]
            r = jnp.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            w, angle = amplitude / r, k * r + phase
            return (w * jnp.cos(angle)).sum(1), (w * jnp.sin(angle)).sum(1)
        return jax.lax.map(piece, columns)

    def ms():
        begin = time.perf_counter()
        re, im = field(columns)
        re.block_until_ready()
        im.block_until_ready()
        return (time.perf_counter() - begin) * 1e3, (re.reshape(-1)[:n], im.reshape(-1)[:n])
    yield "jax_jit", ms


def error_of(torch, case, result):
    import numpy
    re, im = (torch.as_tensor(numpy.asarray(v)) if not torch.is_tensor(v) else v for v in result)
    n = case["points"].shape[0]
    pick = torch.linspace(0, n - 1, 200, dtype=torch.float64).long()
    p, s = case["points"].double().cpu()[pick], case["sources"].double().cpu()
    r = (p[:, None, :] - s[None]).square().sum(2).sqrt()
    w = case["amplitude"].double().cpu() / r
    angle = case["k"] * r + case["phase"].double().cpu()
    a, b = (w * angle.cos()).sum(1), (w * angle.sin()).sum(1)
    a -= re.cpu()[pick].double()
    b -= im.cpu()[pick].double()
    return ((a * a + b * b).sqrt() / w.abs().sum(1)).max().item()


def main():
    import numpy
    import torch
    ours = Ours(sys.argv[1])
    print("case,peer,points,sources,ms,best_ms,pairs_per_s,first_ms,error,ours_over_peer")
    for name in sys.argv[2:] or CASES:
        n, m, k = ours.ask("open " + name).split()
        n, m = int(n), int(m)
        with tempfile.NamedTemporaryFile() as file:
            ours.ask("dump " + file.name)
            data = torch.from_numpy(numpy.fromfile(file.name, dtype=numpy.float32)).cuda()
        case = {"k": float(k), "points": data[:3 * n].view(n, 3),
                "sources": data[3 * n:3 * (n + m)].view(m, 3),
                "amplitude": data[3 * (n + m):3 * n + 4 * m].clone(),
                "phase": data[3 * n + 4 * m:].clone()}
        first = ours.run()
        rows = [("padic", [], first, float("nan"))]
        for source in (torch_peers(torch, case), jax_peer(case)):
            while True:
                try:
                    peer, run = next(source)
                    begin = time.perf_counter()
                    _, result = run()
                    begin = (time.perf_counter() - begin) * 1e3
                    error = error_of(torch, case, result)
                    times = []
                    for _ in range(REPEAT): # in turns
                        rows[0][1].append(ours.run())
                        times.append(run()[0])
                    rows.append((peer, times, begin, error))
                    del result
                    torch.cuda.empty_cache()
                except StopIteration:
                    break
                except Exception as problem: # a peer that cannot do the case is a line, not an end
                    print(f"{name}: {type(problem).__name__}: {str(problem)[:200]}",
                          file=sys.stderr)
                    torch.cuda.empty_cache()
        for _ in range(REPEAT if not rows[0][1] else 0):
            rows[0][1].append(ours.run())
        base = statistics.median(rows[0][1])
        for peer, times, begin, error in rows:
            ms = statistics.median(times)
            print(f"{name},{peer},{n},{m},{ms:.4f},{min(times):.4f},{n * m / ms * 1e3:.4g},"
                  f"{begin:.1f},{error:.3g},{ms / base:.3f}", flush=True)
    ours.process.stdin.write("quit\n")
    ours.process.stdin.close()


main()
