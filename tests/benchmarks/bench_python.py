#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What calls and results cost in Python: prints name -> nanoseconds for each round, as JSON."""
import collections
import json
import sys
import time

import numpy

import strideweave as sw

N_CALLS = 20000


def nothing():
    pass


def time_calls(function, *arguments):
    start = time.perf_counter_ns()
    for _ in range(N_CALLS):
        function(*arguments)
    return (time.perf_counter_ns() - start) / N_CALLS


def time_once(function, n):
    start = time.perf_counter_ns()
    function()
    return (time.perf_counter_ns() - start) / n


def record(tensor, n):
    with sw.profile(record_shapes=True) as profiler:
        for _ in range(n):
            sw.relu(tensor)
    return profiler


def main():
    tensor = sw.Tensor(sw.CPU(1), 0, sw.Layout(sw.Shape(1), sw.Stride(1)))
    array = numpy.zeros(1, numpy.float32)
    samples = collections.defaultdict(list)
    for _ in range(int(sys.argv[1])):
        samples["Python: a call of no arguments"].append(time_calls(nothing))
        samples["Python: relu of 1 element"].append(time_calls(sw.relu, tensor))
        samples["Python: numpy.maximum (1 element, 0)"].append(time_calls(numpy.maximum, array, 0))
        with sw.profile():
            samples["Python: relu of 1 element, recorded"].append(time_calls(sw.relu, tensor))
        for n, size in ((100_000, "100k"), (1_000_000, "1M")):
            profiler = record(tensor, n)
            for name in ("key_averages", "table", "events"):
                samples[f"Python: {name} () of {size}, ns an event"].append(time_once(getattr(profiler, name), n))
            del profiler
    json.dump(samples, sys.stdout)


if __name__ == "__main__":
    main()
