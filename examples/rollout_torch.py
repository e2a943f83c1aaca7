#!/usr/bin/env python3
"""Networks of PyTorch as operators of padic_rollout_: nodes and weights as arrays in C.

    pip install torch && python3 examples/rollout_torch.py >operators.h

writes the two networks below, each with an input and its output, evaluated in f64. Yours:

    from rollout_torch import operator
    print(operator('mine', module, state))      # state: a tensor (B, C, H, W)

The module is one that torch.fx can trace, made of Conv2d, ConvTranspose2d (kernel and stride 2),
InstanceNorm2d, GroupNorm, BatchNorm2d (as in evaluation), GELU, ReLU, SiLU, Tanh, AvgPool2d(2),
Upsample(scale_factor=2), sums and concatenations of two. What has no node is an error.
"""
import operator as python_operator
import textwrap

import torch
from torch import fx, nn

BOUNDARY = {'zeros': 'ZERO', 'circular': 'PERIODIC', 'reflect': 'REFLECT', 'replicate': 'REPLICATE'}
FIELDS = ('kind', 'input', 'skip', 'channels', 'kernel', 'stride', 'boundary', 'norm', 'groups',
          'act', 'up', 'flags', 'eps', 'modes', 'scale')
PREFIX = {'kind': 'KIND', 'boundary': 'BOUNDARY', 'norm': 'NORM', 'act': 'ACT', 'up': 'UP'}


class Node:
    """One padic_rollout_node, and its weights in their order."""

    def __init__(self, kind, given, **fields):
        self.fields = dict(kind=kind, input=given, skip=0, channels=0, kernel=0, stride=0,
                           boundary='ZERO', norm='INSTANCE', groups=0, act='GELU_ERF',
                           up='BILINEAR', flags=0, eps=0, modes=0, scale=0)
        if kind in ('CONV', 'NORM'):
            self.fields.update(norm='NONE', act='NONE')
        self.fields.update(fields)
        self.weights, self.uses = [], 0

    def text(self):
        words = [f'PADIC_ROLLOUT_{PREFIX[name]}_{self.fields[name]}' if name in PREFIX else
                 f'{self.fields[name]:.9g}f' if name == 'eps' and self.fields[name] else
                 str(self.fields[name]) for name in FIELDS]
        return textwrap.fill('{' + ', '.join(words) + ', NULL},', 96, initial_indent='    ',
                             subsequent_indent='     ')


class Export(fx.Interpreter):
    """Runs the traced module with numbers of nodes for tensors; 0 is the state."""

    def __init__(self, module, state):
        graph = fx.symbolic_trace(module)
        super().__init__(graph)
        self.nodes, self.channels = [], [state.shape[1]]
        self.users = {}
        for step in graph.graph.nodes:  # a tensor that more than one reads stays a node
            for given in step.all_input_nodes:
                self.users[given] = self.users.get(given, 0) + 1

    def run_node(self, n):
        self.alone = all(self.users.get(given, 0) == 1 for given in n.all_input_nodes)
        return super().run_node(n)

    def add(self, node, channels):
        self.nodes.append(node)
        self.channels.append(channels)
        return len(self.nodes)

    def call_module(self, target, args, kwargs):
        module = self.fetch_attr(target)
        for kind, way in ((nn.Conv2d, self.conv), (nn.ConvTranspose2d, self.transposed),
                          (nn.modules.batchnorm._NormBase, self.norm), (nn.GroupNorm, self.norm),
                          (nn.AvgPool2d, self.mean), (nn.Upsample, self.upsample),
                          ((nn.Identity, nn.Dropout, nn.Dropout2d), lambda at, m: at)):
            if isinstance(module, kind):
                return way(args[0], module)
        return self.act(args[0], self.name_of(module))

    def call_function(self, target, args, kwargs):
        if target in (python_operator.add, python_operator.iadd, torch.add):
            return self.pair('ADD', args[0], args[1])
        if target in (torch.cat, torch.concat):
            both, axis = args[0], kwargs.get('dim', args[1] if len(args) > 1 else 0)
            if len(both) == 2 and axis == 1:
                return self.pair('CONCAT', *both)
        if target in (nn.functional.gelu, nn.functional.relu, nn.functional.silu, torch.relu,
                      torch.tanh):
            name = {'gelu': 'GELU_ERF', 'relu': 'RELU', 'silu': 'SILU', 'tanh': 'TANH'}
            tanh = kwargs.get('approximate') == 'tanh'
            return self.act(args[0], 'GELU_TANH' if tanh else name[target.__name__])
        raise NotImplementedError(f'{target} with {args} and {kwargs} has no node')

    def call_method(self, target, args, kwargs):
        raise NotImplementedError(f'the method {target} has no node')

    def name_of(self, module):
        for kind, name in ((nn.GELU, 'GELU_ERF'), (nn.ReLU, 'RELU'), (nn.SiLU, 'SILU'),
                           (nn.Tanh, 'TANH')):
            if isinstance(module, kind):
                return 'GELU_TANH' if getattr(module, 'approximate', '') == 'tanh' else name
        raise NotImplementedError(f'{module} has no node')

    def pair(self, kind, a, b):
        if kind == 'ADD' and self.channels[a] != self.channels[b]:
            raise NotImplementedError('a sum of fields with different channels')
        both = self.channels[a] + (self.channels[b] if kind == 'CONCAT' else 0)
        return self.add(Node(kind, a, skip=b), both)

    def conv(self, at, m):
        k, s = m.kernel_size[0], m.stride[0]
        want = ((k, k), (s, s), ((k - 1) // 2,) * 2, (1, 1), 1)
        pad = m.padding if m.padding != 'same' else want[2]
        if (m.kernel_size, m.stride, pad, m.dilation, m.groups) != want or k % 2 == 0 or s > 2:
            raise NotImplementedError(f'{m} has no node')
        node = Node('CONV', at, channels=m.out_channels, kernel=k, stride=s,
                    boundary=BOUNDARY[m.padding_mode])
        node.biased = m.bias is not None
        node.weights = [m.weight, m.bias if node.biased else torch.zeros(m.out_channels)]
        return self.add(node, m.out_channels)

    def transposed(self, at, m):
        if (m.kernel_size, m.stride, m.padding, m.output_padding, m.dilation, m.groups) != (
                (2, 2), (2, 2), (0, 0), (0, 0), (1, 1), 1):
            raise NotImplementedError(f'{m} has no node')
        node = Node('UP', at, channels=m.out_channels, up='TRANSPOSED')
        node.weights = [m.weight, torch.zeros(m.out_channels) if m.bias is None else m.bias]
        return self.add(node, m.out_channels)

    def norm(self, at, m):
        last = self.nodes[at - 1] if at else None
        fused = last and self.alone and last.fields['kind'] == 'CONV' and not last.biased and \
            last.fields['norm'] == last.fields['act'] == 'NONE'
        if not fused:  # of another node, of one with a bias, or of one that others read, too
            at = self.add(Node('NORM', at), self.channels[at])
            last = self.nodes[-1]
        else:
            del last.weights[1]
        f = last.fields
        f['eps'] = m.eps
        if isinstance(m, nn.GroupNorm):
            layer = m.num_groups == 1
            f['norm'], f['groups'] = ('LAYER', 0) if layer else ('GROUP', m.num_groups)
            affine = m.affine
        else:
            if isinstance(m, nn.InstanceNorm2d) and m.track_running_stats:
                raise NotImplementedError(f'{m} with running statistics')
            f['norm'] = 'INSTANCE' if isinstance(m, nn.InstanceNorm2d) else 'FROZEN'
            affine = m.affine
        flags = []
        if affine:
            flags.append('PADIC_ROLLOUT_AFFINE')
            last.weights += [m.weight, m.bias]
        if f['norm'] == 'FROZEN':
            flags.append('PADIC_ROLLOUT_STATISTICS')
            last.weights += [m.running_mean, m.running_var]
        f['flags'] = ' | '.join(flags) or 0
        return at

    def act(self, at, name):
        last = self.nodes[at - 1] if at else None
        if not (last and self.alone and last.fields['kind'] in ('CONV', 'NORM') and
                last.fields['act'] == 'NONE'):
            at = self.add(Node('NORM', at), self.channels[at])
            last = self.nodes[-1]
        last.fields['act'] = name
        return at

    def mean(self, at, m):
        if (m.kernel_size, m.stride, m.padding) not in ((2, 2, 0), ((2, 2), (2, 2), 0)):
            raise NotImplementedError(f'{m} has no node')
        return self.add(Node('MEAN', at), self.channels[at])

    def upsample(self, at, m):
        if m.scale_factor != 2 or m.align_corners or m.mode not in ('nearest', 'bilinear'):
            raise NotImplementedError(f'{m} has no node')
        return self.add(Node('UP', at, up=m.mode.upper()), self.channels[at])


def numbers(kind, name, values, digits):
    rows, row = [], '   '
    for value in values:
        word = f' {value:.{digits}g}'
        word += ('' if '.' in word or 'e' in word else '.0') + ('f,' if kind == 'float' else ',')
        if len(row) + len(word) > 100:
            rows.append(row)
            row = '   '
        row += word
    return f'static const {kind} {name}[{len(values)}] = {{\n' + '\n'.join(rows + [row]) + '\n};\n'


def operator(name, module, state):
    """The text in C: {name}_operator, {name}_weights, {name}_state and {name}_output."""
    module.eval()
    export = Export(module, state)
    last = export.run(0)
    if last != len(export.nodes):
        raise NotImplementedError('the output is not the last node')
    weights = torch.cat([w.detach().float().flatten() for node in export.nodes
                         for w in node.weights])
    with torch.no_grad():
        out = module.double()(state.double()).flatten()
    b, c, h, w = state.shape
    return '\n'.join([
        f'static const padic_rollout_node {name}_nodes[{len(export.nodes)}] = {{',
        *(node.text() for node in export.nodes), '};',
        f'static const padic_rollout_operator {name}_operator = {{',
        f'    {name}_nodes, {len(export.nodes)}, {c}, {h}, {w}}};',
        numbers('float', f'{name}_weights', weights.tolist(), 9),
        f'// ({b}, {c}, {h}, {w}), and what PyTorch makes of it in f64',
        numbers('float', f'{name}_state', state.float().flatten().tolist(), 9),
        numbers('double', f'{name}_output', out.tolist(), 17)])


class UShaped(nn.Module):
    """A small network in the shape of a U: one level, a residual block at its bottom."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, padding_mode='reflect', bias=False),
                                  nn.BatchNorm2d(4), nn.SiLU())
        self.down = nn.Sequential(nn.Conv2d(4, 6, 3, stride=2, padding=1), nn.GroupNorm(2, 6),
                                  nn.ReLU())
        self.first = nn.Conv2d(6, 6, 3, padding=1, padding_mode='replicate', bias=False)
        self.norm = nn.GroupNorm(1, 6, affine=False)
        self.second = nn.Conv2d(6, 6, 1)
        self.up = nn.ConvTranspose2d(6, 4, 2, stride=2)
        self.join = nn.Conv2d(8, 4, 3, padding=1)
        self.coarse = nn.Sequential(nn.AvgPool2d(2), nn.Upsample(scale_factor=2, mode='bilinear'))
        self.last = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        skip = self.stem(x)
        low = self.down(skip)
        low = nn.functional.gelu(low + self.second(torch.tanh(self.norm(self.first(low)))))
        y = self.join(torch.cat((self.up(low), skip), 1))
        return self.last(torch.relu(y) + self.coarse(skip))


def main():
    torch.manual_seed(20261127)
    plain = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1, padding_mode='circular', bias=False),
        nn.InstanceNorm2d(4), nn.GELU(),
        nn.Conv2d(4, 5, 5, padding=2, bias=False), nn.InstanceNorm2d(5, affine=True),
        nn.GELU(approximate='tanh'), nn.Conv2d(5, 3, 1))
    u = UShaped()
    for module in [*plain.modules(), *u.modules()]:  # as if they had been trained
        if hasattr(module, 'eps'):
            module.eps = 2 ** -17  # a number of F32, in which nodes have it
        for name in ('weight', 'bias', 'running_mean', 'running_var'):
            value = getattr(module, name, None)
            if value is not None and not isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.uniform_(value, *((0.5, 1.5) if name != 'bias' else (-0.5, 0.5)))
    print('// Made by examples/rollout_torch.py with PyTorch ' + torch.__version__.split('+')[0])
    print(operator('sequential', plain, torch.rand(1, 3, 7, 9) * 2 - 1))
    print(operator('u_shaped', u, torch.rand(2, 2, 8, 6) * 2 - 1), end='')


if __name__ == '__main__':
    main()
