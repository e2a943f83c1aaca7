#!/usr/bin/env python3
"""Operator rollouts of PyTorch, in the sizes of bench/rollout.c and bench/gpu_rollout.c.

    pip install torch && python3 bench/peers/rollout.py [threads] [compile]
    python3 bench/peers/rollout.py cuda [compile [autotune]]

On a GPU: microseconds a step with noise before the output, as CSV: calls one after the other, a
CUDA graph of ten steps, the same of compiled code, and the seconds that compiling took. Else:

Milliseconds a step of five trajectories, the least of some; eager in channels-last, which is the
faster layout, and with `compile` torch.compile's code.
"""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 1)
torch.set_grad_enabled(False)
clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter


class Block(nn.Module):
    def __init__(self, inputs, outputs, mode):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False, padding_mode=mode)
        self.norm = nn.InstanceNorm2d(outputs)

    def forward(self, x):
        return nn.functional.gelu(self.norm(self.conv(x)))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, mode):
        super().__init__()
        self.body = nn.Sequential(Block(inputs, outputs, mode), Block(outputs, outputs, mode))
        self.skip = nn.Identity()
        if inputs != outputs:
            self.skip = nn.Conv2d(inputs, outputs, 1, bias=False)

    def forward(self, x):
        return self.body(x) + self.skip(x)


def network(width, layers, mode):
    parts, at = [Block(3, width, mode)], width
    for i in range(layers):
        to = width << min(i, 2)
        parts.append((Residual if layers > 3 else Block)(at, to, mode))
        at = to
    return nn.Sequential(*parts, nn.Conv2d(at, 3, 1))


SHAPES = ('small', 16, 2), ('large', 64, 4)


def on_the_cpu():
    for name, width, layers in SHAPES:
        for mode in 'zeros', 'circular':
            net = network(width, layers, mode).to(memory_format=torch.channels_last)
            step = lambda x: 0.5 * x + 0.5 * net(x)
            if 'compile' in sys.argv:
                step = torch.compile(step)
            x = (torch.rand(5, 3, 128, 128) - 0.5).to(memory_format=torch.channels_last)
            step(x)
            least, end = 1e9, clock() + 5
            while clock() < end:
                start = clock()
                step(x)
                least = min(least, clock() - start)
            print('| %s, %s | %.2f |' % (name, mode, least * 1e3), flush=True)


def microseconds(call, count=20, repeat=9):
    times = []
    for _ in range(repeat):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e6 / count)
    return sorted(times)[repeat // 2]


def recorded(step, x, steps=10):
    """Microseconds of a step in a CUDA graph of `steps`."""
    for _ in range(3):
        step(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x
        for _ in range(steps):
            y = step(y)
    return microseconds(graph.replay, 5) / steps


def on_a_gpu():
    mode = 'max-autotune-no-cudagraphs' if 'autotune' in sys.argv else 'default'
    print('name,dtype,trajectories,eager,recorded,compiled_recorded,compile_s')
    for name, width, layers in SHAPES:
        if name + '-not' in sys.argv:
            continue
        for dtype in torch.float32, torch.bfloat16:
            net = network(width, layers, 'zeros')
            net = net.to('cuda', dtype, memory_format=torch.channels_last)
            body, last = net[:-1], net[-1]

            def step(x):
                h = body(x.to(dtype))
                return 0.5 * x + 0.5 * last(h + 0.01 * torch.randn_like(h)).float()
            for count in (5, 16, 64) if name == 'small' else (5, 16):
                torch._dynamo.reset()
                x = (torch.rand(count, 3, 128, 128, device='cuda') - 0.5).to(
                    memory_format=torch.channels_last)
                step(x)
                eager, graph = microseconds(lambda: step(x)), recorded(step, x)
                start = time.perf_counter()
                fast = torch.compile(step, mode=mode) if 'compile' in sys.argv else step
                fast(x)
                torch.cuda.synchronize()
                seconds = time.perf_counter() - start
                print('%s,%s,%d,%.1f,%.1f,%.1f,%.1f' % (
                    name, str(dtype)[6:], count, eager, graph, recorded(fast, x), seconds),
                      flush=True)


on_a_gpu() if 'cuda' in sys.argv else on_the_cpu()
