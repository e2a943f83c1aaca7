#!/usr/bin/env python3
"""Operator rollouts of PyTorch on the CPU, in the sizes of bench/rollout.c.

    pip install torch && python3 bench/peers/rollout.py [threads] [compile]

Milliseconds a step of five trajectories, the least of some; eager in channels-last, which is the
faster layout, and with `compile` torch.compile's code.
"""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
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


for name, width, layers in ('small', 16, 2), ('large', 64, 4):
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
