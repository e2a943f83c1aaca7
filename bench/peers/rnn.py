#!/usr/bin/env python3
"""Recurrent networks of PyTorch and ONNX Runtime on one core, in the sizes of bench/rnn.c.

    pip install torch onnxruntime onnx && python3 bench/peers/rnn.py [cuda]

Microseconds a step, the least of many calls: one row over a sequence of 64 steps, and many rows
over 16. ONNX Runtime only if the package onnx is there to write its models. With cuda: sequences on
a GPU, by cuDNN, in the sizes of ./bench-rnn --device cuda.
"""
import sys
import time

import torch

torch.set_num_threads(1)


def least(call, seconds=0.7):
    best, end = 1e9, time.perf_counter() + seconds
    call()
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def ort(kind, steps, rows, inputs, units):
    try:
        import numpy
        import onnx
        import onnxruntime
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        return None
    gates = {'GRU': 3, 'LSTM': 4}[kind]
    w, r, b = ((numpy.random.rand(*s).astype('f4') - 0.5) / units ** 0.5 for s in
               ((1, gates * units, inputs), (1, gates * units, units), (1, 2 * gates * units)))
    more = {'linear_before_reset': 1} if kind == 'GRU' else {}
    graph = helper.make_graph(
        [helper.make_node(kind, ['X', 'W', 'R', 'B'], ['Y'], hidden_size=units, **more)], 'g',
        [helper.make_tensor_value_info('X', TensorProto.FLOAT, [steps, rows, inputs])],
        [helper.make_tensor_value_info('Y', TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for a, n in ((w, 'W'), (r, 'R'), (b, 'B'))])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 14)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=['CPUExecutionProvider'])
    x = numpy.random.rand(steps, rows, inputs).astype('f4')
    return least(lambda: session.run(None, {'X': x})) / steps


def row(kind, steps, rows, inputs, units, layers=1):
    cell = getattr(torch.nn, kind)(inputs, units, layers)
    x = torch.rand(steps, rows, inputs)
    with torch.inference_mode():
        ours = least(lambda: cell(x)) / steps
    other = ort(kind, steps, rows, inputs, units) if layers == 1 else None
    print('| %s B=%d %d->%d x%d | %.2f | %s |' % (
        kind.lower(), rows, inputs, units, layers, ours * 1e6,
        '%.2f' % (other * 1e6) if other else '-'), flush=True)


def on_device(kind, steps, rows, inputs, units, layers=1, dtype=torch.float32):
    cell = getattr(torch.nn, kind)(inputs, units, layers).to('cuda', dtype)
    x = torch.rand(steps, rows, inputs, device='cuda', dtype=dtype)

    def call():
        cell(x)
        torch.cuda.synchronize()

    with torch.inference_mode():
        print('| %s B=%d %d->%d x%d %s | %d | %.2f |' % (
            kind.lower(), rows, inputs, units, layers, str(dtype).split('.')[-1], steps,
            least(call) / steps * 1e6), flush=True)


if sys.argv[1:] == ['cuda']:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print('| PyTorch %s on %s | T | us a step |\n|---|---|---|' % (
        torch.__version__, torch.cuda.get_device_name()))
    for n in (64, 128, 256, 512, 1024):
        for d in (torch.bfloat16, torch.float32):
            on_device('GRU', 256, 1, n, n, 1, d)
    on_device('LSTM', 256, 1, 256, 256, 1, torch.bfloat16)
    on_device('LSTM', 64, 4096, 4, 64, 2)
    on_device('LSTM', 64, 4096, 4, 64, 2, torch.bfloat16)
    on_device('GRU', 64, 8, 256, 256, 1, torch.bfloat16)
    on_device('GRU', 64, 256, 256, 256)
    on_device('GRU', 16, 64, 1024, 1024, 1, torch.bfloat16)
    sys.exit()
print('| us a step | PyTorch %s | ONNX Runtime |\n|---|---|---|' % torch.__version__)
for n in (64, 256, 1024):
    row('GRU', 64, 1, n, n)
row('LSTM', 16, 4096, 4, 64, 2)
row('GRU', 16, 256, 256, 256)
row('GRU', 16, 64, 1024, 1024)
