# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs workload.txt in Python and prints what was recorded."""
import ast
import struct
import sys

import gi

gi.require_version("Fixture", "1")

import strideweave as sw  # noqa: E402
from gi.repository import Fixture, Strideweave  # noqa: E402
from strideweave.carriers.operation_policy import operation_execution_options  # noqa: E402

SORT_FIELDS = (
    "name carrier_type input_shapes count total_time_ns self_total_time_ns mean_time_ns min_time_ns max_time_ns".split()
)


class Thrown(Exception):
    pass


class Step(sw.Operation):
    """Runs a block of the script."""

    def _forward(self, tensor, block):
        block()
        return tensor


class Lowering(sw.Operation):
    def __init__(self, carrier, name):
        super().__init__()
        self.carrier = carrier
        self.name = name

    def _forward(self, *inputs, options=None):
        Fixture.advance_clock(self.carrier.cost)
        lowered = [self.carrier.lower(given) if isinstance(given, sw.Tensor) else given for given in inputs]
        result = self.carrier.inner.dispatch_op(self.name).lower(*lowered, options=options)
        if self.name == "exp" and isinstance(self.carrier, Twin):
            raise Thrown("Twin cannot take exponentials")
        return sw.Tensor(type(self.carrier)(result.carrier), result.offset, result.layout)


class Adapter(sw.Carrier):
    cost = 0

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def lower(self, tensor):
        if not isinstance(tensor.carrier, Adapter):
            return tensor
        return sw.Tensor(tensor.carrier.inner, tensor.offset, tensor.layout)

    def size(self):
        return self.inner.size()

    def dtype(self):
        return self.inner.dtype()

    def get_value(self, index):
        return self.inner[index]

    def _dispatch_op(self, name):
        return Step() if name == "step" else Lowering(self, name)


class First(Adapter):
    cost = 3


class Second(Adapter):
    cost = 20


class Twin(Adapter):
    pass


CLASSES = {cls.__name__: cls for cls in (sw.Generic, sw.CPU, sw.Evictable, First, Second, Twin, Step, Lowering)}


def values(size):
    return [(index + 1) * (-1.0 if index % 2 == 0 else 1.0) for index in range(size)]


def make_carrier(name, size):
    if name == "Generic":
        return sw.Generic(values(size), dtype=sw.DType.Float32)
    if name == "CPU":
        carrier = sw.CPU(size)
        for index, value in enumerate(values(size)):
            carrier[index] = value
        return carrier
    return sw.Evictable(make_carrier("Generic", size), make_carrier("Generic", 0))


def make_tensor(chain, shape):
    shape = sw.Shape(*ast.literal_eval(shape))
    *adapters, last = chain.split("/")
    carrier = make_carrier(last, shape.size)
    for name in reversed(adapters):
        carrier = CLASSES[name](carrier)
    return sw.Tensor(carrier, 0, sw.Layout(shape))


def kind_of(error):
    for kind, cls in {"thrown": Thrown, "type": TypeError, "value": ValueError, "state": sw.StrideweaveError}.items():
        if isinstance(error, cls):
            return kind
    raise error


class Runner:
    def __init__(self, lines, out):
        self.lines = lines
        self.out = out
        self.tensors = {}
        self.profilers = {}

    def block(self, place):
        """Runs the commands from a line on; returns the place after the "end"."""
        while place < len(self.lines):
            command, *words = self.lines[place]
            place += 1
            if command == "end":
                return place
            if command in ("profile", "step", "throw", "repeat"):
                getattr(self, command)(place, *words)
                place = self.skip(place)
            else:
                getattr(self, command)(*words)
        return place

    def skip(self, place):
        depth = 1
        while depth:
            command = self.lines[place][0]
            depth += {"end": -1, "profile": 1, "step": 1, "throw": 1, "repeat": 1}.get(command, 0)
            place += 1
        return place

    # --- Commands with a block ---

    def profile(self, place, name, *options):
        arguments = {"record_shapes": "shapes" in options}
        for option in options:
            if option.startswith("carriers="):
                arguments["carriers"] = [CLASSES[each] for each in option.split("=")[1].split(",") if each]
        with sw.profile(**arguments) as profiler:
            self.block(place)
        self.profilers[name] = profiler

    def step(self, place, name):
        tensor = self.tensors[name]
        tensor.carrier.dispatch_op("step").forward(tensor, lambda: self.block(place))

    def throw(self, place, name):
        tensor = self.tensors[name]

        thrown = Thrown("thrown")

        def block():
            self.block(place)
            raise thrown

        try:
            tensor.carrier.dispatch_op("step").forward(tensor, block)
        except Thrown as error:
            assert error is thrown
            print("caught throw", file=self.out)

    def repeat(self, place, times):
        for _ in range(int(times)):
            self.block(place)

    # --- Commands of one line ---

    def name(self, cls, text):
        Strideweave.Profiler.set_type_name(CLASSES[cls], text)

    def clock(self, now, step):
        Fixture.set_clock(int(now), int(step))

    def advance(self, ns):
        Fixture.advance_clock(int(ns))

    def tensor(self, name, chain, shape):
        self.tensors[name] = make_tensor(chain, shape)

    def release(self, name):
        self.tensors[name].carrier.release()

    def argument(self, word):
        if word.startswith("options:"):
            _, name, dtype = word.split(":")
            return {"options": operation_execution_options(name, accumulator_dtype=getattr(sw.DType, dtype))}
        return self.tensors[word] if word in self.tensors else ast.literal_eval(word)

    def call(self, name, words):
        arguments = [self.argument(word) for word in words]
        options = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        if name == "permute":
            arguments[1:] = arguments[1]
        elif name in ("broadcast_to", "reshape"):
            arguments[1] = sw.Shape(*arguments[1])
        return getattr(sw, name)(*arguments, **options)

    def run(self, name, *words):
        self.call(name, words)

    def let(self, result, name, *words):
        self.tensors[result] = self.call(name, words)

    def fail(self, name, *words):
        try:
            self.call(name, words)
        except Exception as error:
            print("caught", name, kind_of(error), file=self.out)
        else:
            raise AssertionError(f"{name} did not fail")

    def lookup(self, name, tensor):
        self.tensors[tensor].carrier.dispatch_op(name)

    def direct(self, tensor):
        Step().forward(self.tensors[tensor], lambda: None)

    def move(self):
        source = make_tensor("Generic", "(2,)")
        sw.move(source, make_carrier("CPU", 2))

    def refuse(self):
        profiler = sw.profile()
        for _ in range(2):
            try:
                profiler.__enter__()
            except RuntimeError as error:
                print("refused", kind_of(error), file=self.out)
            else:
                raise AssertionError("a second profiler was entered")

    # --- Results ---

    def print_event(self, event):
        parent = "-" if event.parent_id is None else event.parent_id
        print(
            f"event {event.id} parent={parent} name={event.name} carrier={event.carrier_type.__name__} "
            f"implementation={event.implementation_type.__name__} shapes={event.input_shapes} "
            f"start={event.start_time_ns} duration={event.duration_ns} self={event.self_time_ns} "
            f"{'succeeded' if event.succeeded else 'failed'}",
            file=self.out,
        )

    def print_row(self, row):
        print(
            f"row name={row.name} carrier={row.carrier_type.__name__} shapes={row.input_shapes} count={row.count} "
            f"total={row.total_time_ns} self={row.self_total_time_ns} mean={struct.pack('>d', row.mean_time_ns).hex()} "
            f"min={row.min_time_ns} max={row.max_time_ns}",
            file=self.out,
        )

    def print_table(self, profiler, title, **options):
        print(f"table {title}".rstrip(), file=self.out)
        print(profiler.table(**options), file=self.out)

    def show(self, name):
        profiler = self.profilers[name]
        print(f"profiler {name} threads={len({event.thread_id for event in profiler.events()})}", file=self.out)
        for event in profiler.events():
            self.print_event(event)
        self.summary(name)

    def summary(self, name):
        profiler = self.profilers[name]
        for by_shape in (False, True):
            print("rows by shape" if by_shape else "rows", file=self.out)
            for row in profiler.key_averages(group_by_input_shape=by_shape):
                self.print_row(row)
        self.print_table(profiler, "")

    def tables(self, name):
        profiler = self.profilers[name]
        for field in SORT_FIELDS:
            for descending in (True, False):
                for by_shape in (False, True):
                    title = f"{field}{' descending' if descending else ''}{' by shape' if by_shape else ''}"
                    self.print_table(
                        profiler, title, sort_by=field, descending=descending, group_by_input_shape=by_shape
                    )
        for limit in (0, 1, 2, 1000000):
            self.print_table(profiler, f"limit {limit}", row_limit=limit)


def main():
    with open(sys.argv[1]) as script:
        lines = [line.split() for line in script]
    runner = Runner([line for line in lines if line and line[0] != "#"], sys.stdout)
    runner.block(0)
    Fixture.unset_clock()


main()
