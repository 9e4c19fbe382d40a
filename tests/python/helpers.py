# SPDX-License-Identifier: LGPL-2.1-or-later
"""Carriers and operations written in Python, for the tests."""
import threading

import strideweave as sw


def vector(values, carrier=sw.Generic, **options):
    """A flat Tensor on Generic (or what @carrier makes of the values)."""
    values = list(values)
    return sw.Tensor(carrier(values, **options), 0, sw.Layout(sw.Shape(len(values)), sw.Stride(1)))


def cpu(values, dtype=sw.DType.Float32):
    values = list(values)
    carrier = sw.CPU(len(values), dtype=dtype)
    for index, value in enumerate(values):
        carrier[index] = value
    return sw.Tensor(carrier, 0, sw.Layout(sw.Shape(len(values)), sw.Stride(1)))


def evictable(values):
    return vector(values, lambda given: sw.Evictable(sw.Generic(given), sw.Generic([])))


class Listed(sw.Carrier):
    """Any Python objects in a list."""

    operations = {}

    def __init__(self, values, mutable=True, dtype=sw.DType.Any):
        super().__init__()
        self.values = list(values)
        self.mutable = mutable
        self.kind = dtype

    def size(self):
        return len(self.values)

    def dtype(self):
        return self.kind

    def get_value(self, index):
        return self.values[index]

    def set_value(self, index, value):
        self.values[index] = value

    def _is_mutable(self):
        return self.mutable

    def new_like(self, values, *, mutable=True, dtype=None):
        return type(self)(values, mutable, dtype or self.kind)

    def allocate_like(self, size, *, mutable=True, dtype=None, empty=False):
        return type(self)([0] * size, mutable, dtype or self.kind)

    def _dispatch_op(self, name):
        try:
            return self.operations[name]()
        except KeyError:
            raise NotImplementedError(name) from None


class Step(sw.Operation):
    """Does what its second input says: `step(tensor, function)`."""

    def _forward(self, tensor, function=None):
        return tensor if function is None else function(tensor)


def stepping_class(name):
    """A carrier class of its own, whose operation "step" is a Step."""
    return type(name, (Listed,), {"__module__": __name__, "operations": {"step": Step}})


Outer = stepping_class("Outer")
Middle = stepping_class("Middle")
Inner = stepping_class("Inner")


def step(cls, function=None):
    """Executes one dispatched "step" on a carrier of the class; inside of it, @function."""
    tensor = vector([1.0, 2.0], cls)
    return tensor.carrier.dispatch_op("step").forward(tensor, function)


class Boom(Exception):
    pass


def boom(*_):
    raise Boom("boom")


def recorded(run=lambda: sw.relu(vector([1.0, -2.0])), **options):
    """A completed Profiler around run()."""
    with sw.profile(**options) as profiler:
        run()
    return profiler


def names(profiler):
    return [event.name for event in profiler.events()]


def hierarchical(values, dtype=sw.DType.Floating):
    return sw.Tensor(sw.Generic(values, dtype=dtype), 0, sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6))))


def in_thread(function):
    """What function() returns or raises on a thread of its own."""
    outcome = []

    def run():
        try:
            outcome.append(("returned", function()))
        except BaseException as exception:
            outcome.append(("raised", exception))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    how, value = outcome[0]
    if how == "raised":
        raise value
    return value


def columns(line):
    return [part.strip() for part in line.split("  ") if part.strip()]


def several():
    for _ in range(3):
        sw.relu(vector([1.0]))
    sw.neg(vector([1.0]))
    sw.relu(evictable([1.0]))
    step(Inner)
