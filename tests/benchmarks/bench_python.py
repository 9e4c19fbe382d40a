#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What calls and results cost in Python: prints name -> nanoseconds for each round, as JSON."""
import collections
import contextlib
import gc
import json
import sys
import tempfile
import time
import types

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


class Slots:
    """An object of as many fields as an event has numbers: what any list of a hundred thousand objects costs."""

    __slots__ = ("a", "b", "c", "d", "e", "f")


def time_new_objects(n):
    gc.disable()
    try:
        return time_once(lambda: [Slots() for _ in range(n)], n)
    finally:
        gc.enable()


def time_attribute(value, name):
    read = eval(f"lambda value, calls: [value.{name} for _ in calls]")
    start = time.perf_counter_ns()
    read(value, range(N_CALLS))
    return (time.perf_counter_ns() - start) / N_CALLS


def time_scope(make, *arguments):
    start = time.perf_counter_ns()
    for _ in range(N_CALLS):
        with make(*arguments):
            pass
    return (time.perf_counter_ns() - start) / N_CALLS


def measure_zones(samples):
    samples["Python: with nullcontext ()"].append(time_scope(contextlib.nullcontext))
    samples["Python: zone without a profiler"].append(time_scope(sw.profile_zone, "zone"))
    profiler = sw.ZoneProfiler(thread_event_capacity=1 << 16)
    with profiler:
        samples["Python: zone, recorded"].append(time_scope(sw.profile_zone, "zone"))
        profiler.enabled = False
        samples["Python: zone while disabled"].append(time_scope(sw.profile_zone, "zone"))


def time_spans(context):
    start = time.perf_counter_ns()
    for _ in range(N_CALLS):
        with context.span("span"):
            pass
    return (time.perf_counter_ns() - start) / N_CALLS


def time_spans_with_arguments(context):
    start = time.perf_counter_ns()
    for number in range(N_CALLS):
        with context.span("span", number=number, text="text"):
            pass
    return (time.perf_counter_ns() - start) / N_CALLS


def measure_spans(samples):
    with tempfile.NamedTemporaryFile(suffix=".pftrace") as file:
        context = sw.TraceContext(sw.FileCollector(file.name, sw.TraceFormat.PERFETTO))
        traced = context.traced(nothing)
        samples["Python: span, recorded"].append(time_spans(context))
        context.flush()
        samples["Python: span with 2 arguments, recorded"].append(time_spans_with_arguments(context))
        context.flush()
        samples["Python: instant, recorded"].append(time_calls(context.instant, "instant"))
        context.flush()
        samples["Python: counter, recorded"].append(time_calls(context.counter, "counter", 1))
        context.flush()
        samples["Python: a traced function, recorded"].append(time_calls(traced))
        context.flush()
        context.verbosity = sw.TraceVerbosity.DECISIONS
        samples["Python: span above the verbosity"].append(time_spans(context))
        samples["Python: span with 2 arguments above the verbosity"].append(time_spans_with_arguments(context))
        samples["Python: a traced function above the verbosity"].append(time_calls(traced))
        context.enabled = False
        samples["Python: span while disabled"].append(time_spans(context))
        context.collector.close()


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
        samples["Python: a call of an empty function of C"].append(time_calls(gc.isenabled))
        samples["Python: relu of 1 element"].append(time_calls(sw.relu, tensor))
        samples["Python: numpy.maximum (1 element, 0)"].append(time_calls(numpy.maximum, array, 0))
        samples["Python: add of 1 element"].append(time_calls(sw.add, tensor, tensor))
        samples["Python: numpy.add (1 element)"].append(time_calls(numpy.add, array, array))
        samples["Python: mul by 2.0"].append(time_calls(sw.mul, tensor, 2.0))
        samples["Python: mul by 2"].append(time_calls(sw.mul, tensor, 2))
        samples["Python: numpy.multiply (1 element, 2)"].append(time_calls(numpy.multiply, array, 2))
        measure_zones(samples)
        measure_spans(samples)
        with sw.profile():
            samples["Python: relu of 1 element, recorded"].append(time_calls(sw.relu, tensor))
        for n, size in ((100_000, "100k"), (1_000_000, "1M")):
            profiler = record(tensor, n)
            samples[f"Python: {size} objects of 6 slots, ns an object"].append(time_new_objects(n))
            for name in ("key_averages", "table", "events"):
                samples[f"Python: {name} () of {size}, ns an event"].append(time_once(getattr(profiler, name), n))
            event = profiler.events()[n // 2]
            samples["Python: attribute of an event"].append(time_attribute(event, "duration_ns"))
            samples["Python: attribute of a SimpleNamespace"].append(
                time_attribute(types.SimpleNamespace(duration_ns=1), "duration_ns")
            )
            del profiler, event
    json.dump(samples, sys.stdout)


if __name__ == "__main__":
    main()
