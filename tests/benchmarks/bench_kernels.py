#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU kernels beside NumPy, in turn: prints name -> [ns, NumPy's ns] for each round, as JSON."""
import collections
import json
import sys
import time

import numpy

import strideweave as sw

SIZES = {"1": 1, "64": 64, "4k": 4096, "256k": 1 << 18, "4M": 1 << 22}


def time_call(function, arguments, budget_ns=20_000_000):
    """Nanoseconds a call, over as many calls as fit in about the budget."""
    start = time.perf_counter_ns()
    function(*arguments)
    n = max(1, min(2000, budget_ns // max(1, time.perf_counter_ns() - start)))
    start = time.perf_counter_ns()
    for _ in range(n):
        function(*arguments)
    return (time.perf_counter_ns() - start) / n


def make_cases():
    """name, our function and arguments, NumPy's function and arguments"""
    random = numpy.random.default_rng(1)
    for size, n in SIZES.items():
        a = random.standard_normal(n).astype(numpy.float32)
        b = random.standard_normal(n).astype(numpy.float32)
        ta, tb = sw.Tensor.from_numpy(a), sw.Tensor.from_numpy(b)
        yield f"add {size}", sw.add, (ta, tb), numpy.add, (a, b)
        yield f"mul by a number {size}", sw.mul, (ta, 2.0), numpy.multiply, (a, numpy.float32(2))
        yield f"maximum {size}", sw.maximum, (ta, tb), numpy.maximum, (a, b)
        yield f"relu {size}", sw.relu, (ta,), numpy.maximum, (a, numpy.float32(0))
        yield f"exp {size}", sw.exp, (ta,), numpy.exp, (a,)
        positive = numpy.abs(a) + numpy.float32(0.1)
        tp = sw.Tensor.from_numpy(positive)
        for name in "sqrt", "log", "sin", "tanh":
            yield f"{name} {size}", getattr(sw, name), (tp,), getattr(numpy, name), (positive,)
        yield f"less {size}", sw.lt, (ta, tb), numpy.less, (a, b)
        yield f"cumsum {size}", sw.cumsum, (ta, 0), numpy.cumsum, (a,)
        yield f"sort {size}", sw.sort, (ta, 0), numpy.sort, (a,)
        yield f"reduce_sum {size}", sw.reduce_sum, (ta,), numpy.sum, (a,)
        yield f"reduce_max {size}", sw.reduce_max, (ta,), numpy.max, (a,)
        yield f"argmax {size}", sw.argmax, (ta,), numpy.argmax, (a,)
    for n in (8, 64, 256, 512):
        a = random.standard_normal((n, n)).astype(numpy.float32)
        ta = sw.Tensor.from_numpy(a)
        yield f"matmul {n}x{n}", sw.matmul, (ta, ta), numpy.matmul, (a, a)
    a = random.standard_normal((2048, 1024)).astype(numpy.float32)
    transposed, every_other = a.T, a[:, ::2]
    ta, tt, te = (sw.Tensor.from_numpy(array) for array in (a, transposed, every_other))
    yield "relu 2M, transposed", sw.relu, (tt,), numpy.maximum, (transposed, numpy.float32(0))
    yield "relu 1M, every other", sw.relu, (te,), numpy.maximum, (every_other, numpy.float32(0))
    row = random.standard_normal((1, 1024)).astype(numpy.float32)
    tr = sw.broadcast_to(sw.Tensor.from_numpy(row), sw.Shape(2048, 1024))
    yield "add 2M, rows broadcast", sw.add, (ta, tr), numpy.add, (a, row)


def main():
    samples = collections.defaultdict(list)
    for _ in range(int(sys.argv[1])):
        for name, ours, our_arguments, numpys, numpy_arguments in make_cases():
            samples[name].append([time_call(ours, our_arguments), time_call(numpys, numpy_arguments)])
    json.dump(samples, sys.stdout)


if __name__ == "__main__":
    main()
