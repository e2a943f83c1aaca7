#!/usr/bin/env python3
"""Usage: pq_torch.py [cpu|cuda] [--repeat N] [--filter NAME]      CSV on standard output

The shapes of bench/gpu_pq.c by PyTorch: the new key's codes by argmin and a store into the array
of codes; tables by a product, scores by torch.gather, torch.topk, lists by a concatenation;
attention over the entries by two gathers and scaled_dot_product_attention, and over all keys by the
latter alone. Codes are int64 where calls are eager, which is what gather takes, and bytes where
they are compiled. Microseconds, medians: of calls one after the other, `recorded` of a CUDA graph
of 20 steps, `cold` of one compiled step after 256 MB were copied. Which of equal scores are taken
is not said.

    device,name,rows,heads,keys,what,eager,recorded,compiled,compiled_recorded,compile_s,cold
"""
import sys
import time

import torch
import torch.nn.functional as F

D, EDGE = 128, 128
# name, rows, heads, heads of keys, keys, m, heavy, bits, attends
ROWS = [
    ('small', 1, 4, 2, 3000, 2, 64, 6, 1), ('PQ-32k', 1, 32, 32, 32000, 2, 128, 6, 1),
    ('PQ-32k g8', 1, 32, 8, 32000, 2, 128, 6, 1), ('PQ-32k g1', 1, 32, 1, 32000, 2, 128, 6, 1),
    ('4k', 1, 32, 32, 4096, 2, 128, 6, 1), ('128k', 1, 32, 32, 131072, 2, 128, 6, 1),
    ('1M', 1, 32, 32, 1 << 20, 2, 128, 6, 0), ('b 16', 16, 32, 32, 32000, 2, 128, 6, 0),
    ('b 64', 64, 32, 32, 32000, 2, 128, 6, 0), ('k 512', 1, 32, 32, 32000, 2, 512, 6, 1),
    ('k 4096', 1, 32, 32, 32000, 2, 4096, 6, 1), ('2 x 256', 1, 32, 32, 32000, 2, 128, 8, 0),
    ('4 x 16', 1, 32, 32, 32000, 4, 128, 4, 0), ('8 x 256', 1, 32, 32, 32000, 8, 128, 8, 0),
    ('16 x 16', 1, 32, 32, 32000, 16, 128, 4, 0), ('16 x 256', 1, 32, 32, 32000, 16, 128, 8, 0),
    ('32 x 16', 1, 32, 32, 32000, 32, 128, 4, 0), ('32 x 256', 1, 32, 32, 32000, 32, 128, 8, 0),
    ('PQ-1M', 1, 1, 1, 1 << 20, 32, 2048, 8, 0),
]


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


DEVICE = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in ('cpu', 'cuda') else 'cuda'
REPEAT = int(option('--repeat', 9))
CUDA = DEVICE == 'cuda'


def wait():
    if CUDA:
        torch.cuda.synchronize()


def timed(call, calls):
    wait()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    wait()
    return (time.perf_counter() - start) * 1e6 / calls


def median_us(call):
    for _ in range(3):
        call()
    calls = int(2e4 / max(timed(call, 1), 1)) + 1
    return sorted(timed(call, calls) for _ in range(REPEAT))[REPEAT // 2]


def recorded_us(call, calls=20):
    if not CUDA:
        return 0
    for _ in range(3):
        call()
    wait()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return median_us(graph.replay) / calls


def cold_us(call):
    a = torch.empty(1 << 26, device=DEVICE)
    b = torch.empty_like(a)
    times = []
    for _ in range(REPEAT):
        b.copy_(a)
        times.append(timed(call, 1))
    return sorted(times)[REPEAT // 2]


class Step:
    def __init__(self, b, h, g, keys, m, heavy, bits, attends):
        torch.manual_seed(1)
        n, ds = keys - EDGE, D // m
        self.b, self.h, self.g, self.keys, self.m, self.heavy = b, h, g, keys, m, heavy
        self.centroids = torch.randn(g, m, 1 << bits, ds, device=DEVICE)
        self.half_norms = self.centroids.square().sum(-1) / 2
        self.bytes = torch.randint(0, 1 << bits, (b, g, m, n), dtype=torch.uint8, device=DEVICE)
        self.wide = self.bytes.long()
        self.key = torch.randn(b, g, m, ds, device=DEVICE)
        self.query = torch.randn(b, g, h // g, m, ds, device=DEVICE)
        self.sink = torch.arange(EDGE, device=DEVICE).expand(b, h, EDGE)
        self.window = torch.arange(keys - EDGE, keys, device=DEVICE).expand(b, h, EDGE)
        if attends:
            dtype = torch.float16 if CUDA else torch.float32
            self.k = torch.randn(b, g, keys, D, device=DEVICE, dtype=dtype)
            self.v = torch.randn(b, g, keys, D, device=DEVICE, dtype=dtype)
            self.q = self.query.reshape(b, h, 1, D).to(dtype)

    def lists(self, codes):
        distance = self.half_norms - torch.einsum('bgmd,gmkd->bgmk', self.key, self.centroids)
        codes[..., -1] = distance.argmin(-1).to(codes.dtype)
        table = torch.einsum('bgxmd,gmkd->bgxmk', self.query, self.centroids)
        shape = (self.b, self.g, self.h // self.g, codes.shape[-1])
        score = 0
        for j in range(self.m):
            index = codes[:, :, None, j].long().expand(shape)
            score = score + torch.gather(table[:, :, :, j], 3, index)
        last = codes.shape[-1] - EDGE  # the window is no candidate
        best = score[..., :last].topk(self.heavy).indices + EDGE
        return torch.cat((self.sink, best.view(self.b, self.h, -1), self.window), -1)

    def attend(self, lists):
        rows = lists.view(self.b, self.g, -1, 1).expand(-1, -1, -1, D)
        shape = (self.b, self.h, -1, D)
        k = torch.gather(self.k, 2, rows).view(shape)
        v = torch.gather(self.v, 2, rows).view(shape)
        return F.scaled_dot_product_attention(self.q, k, v)

    def step(self, codes):
        return self.attend(self.lists(codes))

    def full(self):
        return F.scaled_dot_product_attention(self.q, self.k, self.v, enable_gqa=self.g != self.h)


def row(head, what, eager, compiled):
    torch._dynamo.reset()
    fast = torch.compile(compiled[0], mode='max-autotune-no-cudagraphs' if CUDA else 'default')
    start = time.perf_counter()
    fast(*compiled[1:])
    wait()
    seconds = time.perf_counter() - start

    def one():
        return eager[0](*eager[1:])

    def two():
        return fast(*compiled[1:])
    print(f"{head},{what},{median_us(one):.1f},{recorded_us(one):.1f},{median_us(two):.1f},"
          f"{recorded_us(two):.1f},{seconds:.1f},{cold_us(two):.1f}", flush=True)


@torch.no_grad()
def main():
    wanted = option('--filter', None)
    device = torch.cuda.get_device_name() if CUDA else 'cpu'
    print('device,name,rows,heads,keys,what,eager,recorded,compiled,compiled_recorded,compile_s,'
          'cold')
    for name, b, h, g, keys, m, heavy, bits, attends in ROWS:
        if wanted and wanted != name:
            continue
        s = Step(b, h, g, keys, m, heavy, bits, attends)
        head = f'"{device}",{name},{b},{h},{keys}'
        row(head, 'lists', (s.lists, s.wide), (s.lists, s.bytes))
        if attends:
            row(head, 'step', (s.step, s.wide), (s.step, s.bytes))
            row(head, 'full', (s.full,), (s.full,))


if __name__ == '__main__':
    main()
