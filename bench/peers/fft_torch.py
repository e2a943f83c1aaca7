#!/usr/bin/env python3
"""Usage: fft_torch.py ./gpu_fft [--repeat N]                        CSV on standard output

Fourier transforms on one GPU: ours (bench/gpu_fft.c, compiled) and torch.fft (cuFFT), complex,
forward, of the same sizes, ours before and after the peer. Times of the peer are medians between
two events of the device: `us` of eager calls, one after the other, `recorded_us` of 50 calls in a
CUDA graph. Then whole split steps of the Gross-Pitaevskii equation: phase, transform, phase,
inverse, eagerly, recorded and compiled.

    peer,name,us,recorded_us,compiled_us
"""
import csv
import subprocess
import sys

import torch

REPEAT = int(sys.argv[sys.argv.index("--repeat") + 1]) if "--repeat" in sys.argv else 9
STEPS = {"64^3", "128^3", "256^3", "512^3", "1024^2"}


def ours(which):
    out = subprocess.run([sys.argv[1], "cuda", "--repeat", str(REPEAT)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    rows = list(csv.DictReader(out.splitlines()))
    print("# " + out.replace("\n", "\n# ").rstrip("# \n"))
    for row in rows[1:]:
        print(f"padic.h {which},{row['name']},{row['us']},{row['recorded_us']},", flush=True)
    return [row["name"] for row in rows[1:]]


def shape_of(name):  # (shape, transformed axes), as in gpu_fft.c
    batch = {"64": 1 << 18, "256": 1 << 16, "1000": 1 << 14, "1024": 1 << 14, "2048": 1 << 13,
             "65536": 1 << 8, "1048576": 16, "1009": 1 << 13}
    if name in batch:
        return (batch[name], int(name)), (1,)
    n, axes = map(int, name.split("^"))
    return (n,) * axes, tuple(range(axes))


def median_us(call, calls):
    times = []
    for _ in range(REPEAT):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        a.record()
        for _ in range(calls):
            call()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b) * 1e3 / calls)
    return sorted(times)[REPEAT // 2]


def measure(call):
    for _ in range(3):
        call()
    return median_us(call, int(2e4 / max(median_us(call, 1), 1)) + 1)


def recorded(call, calls=50):
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return measure(graph.replay) / calls


def split_step(psi, potential, k_phase, g, dt):
    psi = psi * torch.exp(-0.5j * dt * (potential + g * (psi.real ** 2 + psi.imag ** 2)))
    psi = torch.fft.ifftn(k_phase * torch.fft.fftn(psi))
    return psi * torch.exp(-0.5j * dt * (potential + g * (psi.real ** 2 + psi.imag ** 2)))


def step_row(name):
    shape, axes = shape_of(name)
    psi = torch.randn(shape, dtype=torch.complex64, device="cuda")
    potential = torch.rand(shape, device="cuda")
    k_phase = torch.exp(-1j * torch.rand(shape, device="cuda"))
    state = [psi]

    def call(step=split_step):
        state[0] = step(state[0], potential, k_phase, 0.1, 0.001)

    def in_place():
        psi.copy_(split_step(psi, potential, k_phase, 0.1, 0.001))
    eager, graph = measure(call), recorded(in_place, 10)
    compiled = torch.compile(split_step)
    try:
        fast = f"{measure(lambda: call(compiled)):.2f}"
    except Exception as error:  # no complex numbers in this version, no compiler, ...
        print(f"torch.compile: {error}", file=sys.stderr)
        fast = ""
    print(f"torch split step,{name},{eager:.2f},{graph:.2f},{fast}", flush=True)


print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
print("peer,name,us,recorded_us,compiled_us")
names = ours("before")
for name in names:
    shape, axes = shape_of(name)
    x = torch.randn(shape, dtype=torch.complex64, device="cuda")
    eager = measure(lambda: torch.fft.fftn(x, dim=axes))
    try:
        graph = f"{recorded(lambda: torch.fft.fftn(x, dim=axes), 10):.2f}"
    except RuntimeError as error:
        print(f"{name}: {error}", file=sys.stderr)
        graph = ""
    print(f"torch.fft,{name},{eager:.2f},{graph},", flush=True)
for name in names:
    if name in STEPS:
        step_row(name)
ours("after")
