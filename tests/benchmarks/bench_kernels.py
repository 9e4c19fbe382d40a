#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU kernels beside NumPy, torch and what lies underneath, in turn.

Usage: bench_kernels.py ROUNDS [THREADS [WORD]...]

Prints {"threads": ..., "torch": ..., "cases": {name: {peer: [ns for each round]}}} as JSON; the peer "ours" is this library.
With words, only cases whose name has one of them.
"""
import collections
import ctypes
import ctypes.util
import json
import os
import statistics
import sys
import time

N_THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
os.environ["OPENBLAS_NUM_THREADS"] = str(N_THREADS)

import numpy

import strideweave as sw

try:
    import torch

    torch.set_num_threads(N_THREADS)
except ImportError:
    torch = None

SIZES = {"1": 1, "64": 64, "4k": 4096, "256k": 1 << 18, "4M": 1 << 22}
WORDS = sys.argv[3:]


# Alone, what other programs take of the processor is not counted.
CLOCK = time.thread_time_ns if N_THREADS == 1 else time.perf_counter_ns


def time_calls(calls, budget_ns=4_000_000, turns=5):
    """Nanoseconds a call, for each of the calls: the medians of some turns, which alternate."""
    counts = []
    for call in calls:
        call()
        start = CLOCK()
        call()
        counts.append(max(1, min(1000, budget_ns // max(1, CLOCK() - start))))
    times = [[] for _ in calls]
    for _ in range(turns):
        for call, count, taken in zip(calls, counts, times):
            start = CLOCK()
            for _ in range(count):
                call()
            taken.append((CLOCK() - start) / count)
    return [statistics.median(taken) for taken in times]


def torch_call(name, *arrays, **options):
    """A function of torch with its tensors made, or None without torch."""
    if torch is None:
        return None
    tensors = [torch.from_numpy(a) if isinstance(a, numpy.ndarray) else a for a in arrays]
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    return lambda: function(*tensors, **options)


def load_blas():
    name = ctypes.util.find_library("openblas") or ctypes.util.find_library("blas")
    return ctypes.CDLL(name) if name else None


BLAS = load_blas()


def gemm_call(a, b, out):
    """A direct cblas_sgemm of matrices whose rows lie value by value."""
    pointer = ctypes.POINTER(ctypes.c_float)
    (m, k), n = a.shape, b.shape[1]
    arguments = (
        101, 111, 111, m, n, k, ctypes.c_float(1), a.ctypes.data_as(pointer), k, b.ctypes.data_as(pointer), n,
        ctypes.c_float(0), out.ctypes.data_as(pointer), n,
    )
    return lambda: BLAS.cblas_sgemm(*arguments)


def copy_call(n_bytes):
    """memcpy () of as many bytes as a kernel reads and writes together."""
    source, target = numpy.ones(n_bytes // 2, numpy.uint8), numpy.ones(n_bytes // 2, numpy.uint8)
    pointers = ctypes.c_void_p(target.ctypes.data), ctypes.c_void_p(source.ctypes.data), ctypes.c_size_t(n_bytes // 2)
    memcpy = ctypes.CDLL(None).memcpy
    memcpy.keep = source, target
    return lambda: memcpy(*pointers)


def numpy_gelu(a):
    return a * 0.5 * (1 + numpy.tanh(numpy.float32(0.7978845608) * (a + numpy.float32(0.044715) * a * a * a)))


def numpy_sigmoid(a):
    return 1 / (1 + numpy.exp(-a))


def numpy_softplus(a):
    return numpy.maximum(a, numpy.float32(0)) + numpy.log1p(numpy.exp(-numpy.abs(a)))


def numpy_elu(a):
    return numpy.where(a > 0, a, numpy.exp(a) - 1)


def numpy_softmax(a):
    powers = numpy.exp(a - a.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def numpy_layer_norm(a):
    mean = a.mean(axis=-1, keepdims=True)
    return (a - mean) / numpy.sqrt(a.var(axis=-1, keepdims=True) + numpy.float32(1e-5))


def elementwise_cases(size, n, random):
    """name, ours, {peer: call}"""
    zero, two = numpy.float32(0), numpy.float32(2)
    a, b = random.standard_normal((2, n)).astype(numpy.float32)
    positive = numpy.abs(a) + numpy.float32(0.1)
    ta, tb, tp = (sw.Tensor.from_numpy(array) for array in (a, b, positive))
    copies2 = {"memcpy": copy_call(8 * n)} if n >= 1 << 20 else {}
    copies3 = {"memcpy": copy_call(12 * n)} if n >= 1 << 20 else {}
    for name, numpys in ("add", numpy.add), ("mul", numpy.multiply), ("maximum", numpy.maximum):
        yield f"{name} {size}", lambda f=getattr(sw, name): f(ta, tb), {
            "NumPy": lambda f=numpys: f(a, b), "torch": torch_call(name, a, b), **copies3}
    yield f"mul by a number {size}", lambda: sw.mul(ta, 2.0), {"NumPy": lambda: a * two}
    yield f"relu {size}", lambda: sw.relu(ta), {
        "NumPy": lambda: numpy.maximum(a, zero), "torch": torch_call("relu", a), **copies2}
    for name, x, tx in ("abs", a, ta), ("sqrt", positive, tp), ("exp", a, ta), ("log", positive, tp), ("sin", a, ta), ("tanh", a, ta):
        yield f"{name} {size}", lambda f=getattr(sw, name), tx=tx: f(tx), {
            "NumPy": lambda f=getattr(numpy, name), x=x: f(x), "torch": torch_call(name, x),
            **(copies2 if name in ("abs", "sqrt") else {})}
    for name, numpys in ("sigmoid", numpy_sigmoid), ("gelu", numpy_gelu), ("softplus", numpy_softplus), ("elu", numpy_elu):
        yield f"{name} {size}", lambda f=getattr(sw, name): f(ta), {
            "NumPy": lambda f=numpys: f(a), "torch": torch_call(name, a)}
    yield f"pow {size}", lambda: sw.pow(tp, tb), {"NumPy": lambda: positive**b, "torch": torch_call("pow", positive, b)}
    yield f"clamp {size}", lambda: sw.clamp(ta, -1.0, 1.0), {
        "NumPy": lambda: numpy.clip(a, -1, 1), "torch": torch_call("clamp", a, min=-1, max=1)}
    condition = a > b
    tc = sw.Tensor.from_numpy(condition)
    yield f"select {size}", lambda: sw.operation.select(tc, ta, tb), {
        "NumPy": lambda: numpy.where(condition, a, b), "torch": torch_call("where", condition, a, b)}
    yield f"erf {size}", lambda: sw.erf(ta), {"torch": torch_call("erf", a)}
    for name, numpys in ("eq", numpy.equal), ("lt", numpy.less), ("le", numpy.less_equal):
        yield f"{name} {size}", lambda f=getattr(sw, name): f(ta, tb), {
            "NumPy": lambda f=numpys: f(a, b), "torch": torch_call(name, a, b),
            **({"memcpy": copy_call(9 * n)} if n >= 1 << 20 else {})}


def reduction_cases(size, n, random):
    a = random.standard_normal(n).astype(numpy.float32)
    ta = sw.Tensor.from_numpy(a)
    read = {"memcpy": copy_call(4 * n)} if n >= 1 << 20 else {}
    for name, numpys, torchs in ("reduce_sum", numpy.sum, "sum"), ("reduce_max", numpy.max, "max"), ("argmax", numpy.argmax, "argmax"):
        yield f"{name} {size}", lambda f=getattr(sw, name): f(ta), {
            "NumPy": lambda f=numpys: f(a), "torch": torch_call(torchs, a), **read}
    yield f"cumsum {size}", lambda: sw.cumsum(ta, 0), {"NumPy": lambda: numpy.cumsum(a), "torch": torch_call("cumsum", a, 0)}
    yield f"sort {size}", lambda: sw.sort(ta, 0), {"NumPy": lambda: numpy.sort(a), "torch": torch_call("sort", a)}
    whole = random.integers(-(1 << 31), 1 << 31, n).astype(numpy.int32)
    tw = sw.Tensor.from_numpy(whole)
    yield f"sort of int32 {size}", lambda: sw.sort(tw, 0), {"NumPy": lambda: numpy.sort(whole), "torch": torch_call("sort", whole)}


def line_cases(random):
    for rows, columns in (64, 64), (256, 1024), (4096, 1024):
        a = random.standard_normal((rows, columns)).astype(numpy.float32)
        ta = sw.Tensor.from_numpy(a)
        size = f"{rows}x{columns}"
        yield f"softmax {size}", lambda: sw.softmax(ta, 1), {
            "NumPy": lambda: numpy_softmax(a), "torch": torch_call("softmax", a, 1)}
        yield f"layer_norm {size}", lambda: sw.layer_norm(ta, 1), {
            "NumPy": lambda: numpy_layer_norm(a), "torch": torch_call("layer_norm", a, (columns,))}
        t = a.T
        tt = sw.Tensor.from_numpy(t)
        yield f"softmax {size}, transposed", lambda: sw.softmax(tt, 1), {"NumPy": lambda: numpy_softmax(t)}
        yield f"layer_norm {size}, transposed", lambda: sw.layer_norm(tt, 1), {"NumPy": lambda: numpy_layer_norm(t)}


def strided_cases(random):
    zero = numpy.float32(0)
    a = random.standard_normal((2048, 1024)).astype(numpy.float32)
    transposed, every_other = a.T, a[:, ::2]
    ta, tt, te = (sw.Tensor.from_numpy(array) for array in (a, transposed, every_other))
    yield "relu 2M, transposed", lambda: sw.relu(tt), {"NumPy": lambda: numpy.maximum(transposed, zero)}
    yield "relu 1M, every other", lambda: sw.relu(te), {"NumPy": lambda: numpy.maximum(every_other, zero)}
    row = random.standard_normal((1, 1024)).astype(numpy.float32)
    tr = sw.broadcast_to(sw.Tensor.from_numpy(row), sw.Shape(2048, 1024))
    yield "add 2M, rows broadcast", lambda: sw.add(ta, tr), {"NumPy": lambda: numpy.add(a, row)}
    column = random.standard_normal((2048, 1)).astype(numpy.float32)
    tc = sw.broadcast_to(sw.Tensor.from_numpy(column), sw.Shape(2048, 1024))
    yield "add 2M, columns broadcast", lambda: sw.add(ta, tc), {"NumPy": lambda: numpy.add(a, column)}
    yield "add 2M, transposed to plain", lambda: sw.add(tt, sw.permute(tr, 1, 0)), {
        "NumPy": lambda: numpy.add(transposed, row.T)}
    tb = sw.Tensor.from_numpy(numpy.asfortranarray(a))
    yield "add 2M, across each other", lambda: sw.add(ta, tb), {
        "NumPy": lambda a=a, b=numpy.asfortranarray(a): numpy.add(a, b)}
    for name, numpys in (
        ("reduce_max", numpy.max), ("argmax", numpy.argmax), ("cumsum", numpy.cumsum), ("sort", numpy.sort),
    ):
        for mode, way in enumerate(("columns", "rows")):
            yield f"{name} 2M by {way}", lambda f=getattr(sw, name), m=mode: f(ta, m), {
                "NumPy": lambda f=numpys, m=mode: f(a, axis=m)}
    yield "reduce_sum 2M by rows", lambda: sw.reduce_sum(ta, 1), {"NumPy": lambda: numpy.sum(a, axis=1)}
    yield "reduce_sum 2M by columns", lambda: sw.reduce_sum(ta, 0), {"NumPy": lambda: numpy.sum(a, axis=0)}
    short = random.standard_normal((1 << 17, 7)).astype(numpy.float32)
    wide = short.T.copy()
    ts, tw = sw.Tensor.from_numpy(short), sw.Tensor.from_numpy(wide)
    for name, numpys in ("reduce_sum", numpy.sum), ("reduce_max", numpy.max), ("argmax", numpy.argmax):
        yield f"{name} 128k rows of 7", lambda f=getattr(sw, name): f(ts, 1), {"NumPy": lambda f=numpys: f(short, axis=1)}
        yield f"{name} 7 rows of 128k", lambda f=getattr(sw, name): f(tw, 0), {
            "NumPy": lambda f=numpys: f(wide, axis=0)}


def product_cases(random):
    for n in 8, 64, 256, 512, 1024:
        a = random.standard_normal((n, n)).astype(numpy.float32)
        out = numpy.empty_like(a)
        ta = sw.Tensor.from_numpy(a)
        peers = {"NumPy": lambda: a @ a, "torch": torch_call("matmul", a, a)}
        if BLAS is not None:
            peers["sgemm"] = gemm_call(a, a, out)
        yield f"matmul {n}x{n}", lambda: sw.matmul(ta, ta), peers
    a = random.standard_normal((64, 64, 64)).astype(numpy.float32)
    ta = sw.Tensor.from_numpy(a)
    yield "matmul 64 of 64x64", lambda: sw.matmul(ta, ta), {"NumPy": lambda: a @ a, "torch": torch_call("matmul", a, a)}


def depthwise_case(random):
    x = random.standard_normal((1, 64, 58, 58)).astype(numpy.float32)
    w = random.standard_normal((64, 1, 3, 3)).astype(numpy.float32)
    tx, tw = sw.Tensor.from_numpy(x), sw.Tensor.from_numpy(w)

    def add_shifted():
        total = x[:, :, :56, :56] * w[None, :, 0, 0, 0, None, None]
        for i, j in list(numpy.ndindex(3, 3))[1:]:
            total += x[:, :, i : i + 56, j : j + 56] * w[None, :, 0, i, j, None, None]
        return total

    return "conv 3x3 of 64 groups 56x56", lambda: sw.conv_general(tx, tw, groups=64), {
        "NumPy": add_shifted, "torch": torch_call("conv2d", x, w, groups=64)}


def convolution_cases(random):
    yield depthwise_case(random)
    for name, images, channels, extent, outputs, window in (
        ("conv 3x3 16>32 56x56", 1, 16, 58, 32, 3), ("conv 3x3 64>64 28x28", 4, 64, 30, 64, 3),
        ("conv 1x1 64>128 56x56", 1, 64, 56, 128, 1), ("conv 5x5 3>16 128x128", 1, 3, 132, 16, 5),
    ):
        x = random.standard_normal((images, channels, extent, extent)).astype(numpy.float32)
        w = random.standard_normal((outputs, channels, window, window)).astype(numpy.float32)
        tx, tw = sw.Tensor.from_numpy(x), sw.Tensor.from_numpy(w)
        count = extent - window + 1
        terms = channels * window * window
        windows = numpy.lib.stride_tricks.sliding_window_view(x, (window, window), axis=(2, 3)).transpose(0, 1, 4, 5, 2, 3)
        columns = numpy.empty((images, terms, count * count), numpy.float32)
        out = numpy.empty((images, outputs, count * count), numpy.float32)
        weights = w.reshape(outputs, terms)
        calls = [gemm_call(weights, columns[i], out[i]) for i in range(images)] if BLAS else []

        def multiply():
            for call in calls:
                call()

        def unfold_and_multiply():
            numpy.copyto(columns.reshape(windows.shape), windows)
            multiply()

        peers = {"torch": torch_call("conv2d", x, w)}
        if BLAS is not None:
            peers.update({"sgemm": multiply, "im2col+sgemm": unfold_and_multiply})
        yield name, lambda: sw.conv_general(tx, tw), peers
    x = random.standard_normal((8, 32, 64, 64)).astype(numpy.float32)
    tx = sw.Tensor.from_numpy(x)
    tiles = x.reshape(8, 32, 32, 2, 32, 2)
    yield "max_pool 2x2", lambda: sw.max_pool(tx, [2, 2], [2, 2]), {
        "NumPy": lambda: tiles.max(axis=(3, 5)), "torch": torch_call("max_pool2d", x, 2)}
    yield "avg_pool 2x2", lambda: sw.avg_pool(tx, [2, 2], [2, 2]), {
        "NumPy": lambda: tiles.mean(axis=(3, 5)), "torch": torch_call("avg_pool2d", x, 2)}


def make_cases():
    random = numpy.random.default_rng(1)
    for size, n in SIZES.items():
        yield from elementwise_cases(size, n, random)
        yield from reduction_cases(size, n, random)
    yield from line_cases(random)
    yield from strided_cases(random)
    yield from product_cases(random)
    yield from convolution_cases(random)


def main():
    cases = collections.defaultdict(lambda: collections.defaultdict(list))
    sw.CPU.set_n_threads(N_THREADS)
    for _ in range(int(sys.argv[1])):
        for name, ours, peers in make_cases():
            if WORDS and not any(word in name for word in WORDS):
                continue
            calls = {"ours": ours, **{peer: call for peer, call in peers.items() if call is not None}}
            for peer, taken in zip(calls, time_calls(list(calls.values()))):
                cases[name][peer].append(taken)
    json.dump({"threads": N_THREADS, "torch": torch is not None, "cases": cases}, sys.stdout)


if __name__ == "__main__":
    main()
