# SPDX-License-Identifier: LGPL-2.1-or-later
"""Carriers and operations written in Python, called by C; above all those that fail."""
import gc
import sys
import threading
import traceback
import weakref

import pytest
from gi.overrides._strideweave import errors
from gi.repository import GLib, GObject, Strideweave
from helpers import Inner, Listed, Outer, Step, step, vector

import strideweave as sw


class Boom(Exception):
    def __init__(self, *args, **kwargs):
        super().__init__(*args)
        self.extra = kwargs


class Final(BaseException):
    pass


def raiser(exception):
    def hook(self, *args, **kwargs):
        raise exception

    return hook


EXCEPTIONS = [
    Boom("boom", number=5),
    Final("final"),
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
    StopIteration(1),
    MemoryError(),
    KeyError("key"),
    OSError(2, "No such file", "name"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    GLib.Error("text", "some-domain", 4),
    errors.StrideweaveTypeError("text", errors.LIBRARY_DOMAIN, 1),
    Boom("with a \0 inside"),
    Boom("ünï\udcffcode"),
    RecursionError("deep"),
]

HOOKS = {
    "size": lambda carrier: Strideweave.Carrier.size(carrier),
    "dtype": lambda carrier: sw.Tensor(carrier, 0, sw.Layout(1, 1)).to_string(),
    "get_value": lambda carrier: carrier[0],
    "set_value": lambda carrier: carrier.__setitem__(0, 1),
    "_is_mutable": lambda carrier: carrier.is_mutable(),
    "new_like": lambda carrier: raw_call("new_like", carrier, errors.raw.ValueList.new_doubles([1.0]), True, 0),
    "allocate_like": lambda carrier: raw_call("allocate_like", carrier, 1, True, 0, False),
    "scatter": lambda carrier: raw_call(
        "scatter", carrier, vector([1.0], Listed), sw.Tensor(carrier, 0, sw.Layout(1, 1)), sw.Layout(1, 1), 0
    ),
    "_dispatch_op": lambda carrier: carrier.dispatch_op("step"),
}


def raw_call(name, *args):
    """The C function behind a method, not the Python hook of the same name."""
    return errors.call(getattr(errors.raw.Carrier, name), *args)


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda exception: type(exception).__name__)
@pytest.mark.parametrize("hook", [name for name in HOOKS if name not in ("size", "dtype")])
def test_same_object_from_carrier_hooks(hook, exception):
    cls = type("Failing", (Listed,), {hook: raiser(exception)})
    carrier = cls([1.0])
    with pytest.raises(type(exception)) as caught:
        HOOKS[hook](carrier)
    assert caught.value is exception
    assert not errors.pending


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda exception: type(exception).__name__)
@pytest.mark.parametrize("hook", ["size", "dtype"])
def test_same_object_from_inner_hooks(hook, exception):
    """These are asked for on the way to something else."""
    cls = type("Failing", (Listed,), {hook: raiser(exception)})
    carrier = cls([1.0])
    with pytest.raises(type(exception)) as caught:
        raw_call(hook, carrier)
    assert caught.value is exception
    if hook == "size":
        with pytest.raises(type(exception)) as caught:
            carrier[0]
        assert caught.value is exception
    assert not errors.pending


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda exception: type(exception).__name__)
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_same_object_from_operations(exception, depth):
    def nested(level):
        def run(_):
            if level == 0:
                raise exception
            return step(Inner, nested(level - 1))

        return run

    with sw.profile() as profiler:
        with pytest.raises(type(exception)) as caught:
            step(Outer, nested(depth))
    assert caught.value is exception
    assert [event.succeeded for event in profiler.events()] == [False] * (depth + 1)
    assert not errors.pending


def test_traceback_shows_the_hook():
    with pytest.raises(Boom) as caught:
        step(Outer, raiser(Boom("boom")))
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "hook" in names and "_forward" in names
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_history_of_an_exception_is_its_own():
    def hook(_):
        try:
            raise KeyError("first")
        except KeyError as first:
            raise Boom("second") from first

    with pytest.raises(Boom) as caught:
        step(Outer, hook)
    assert type(caught.value.__cause__) is KeyError
    assert caught.value.__suppress_context__


def test_handled_inside_a_hook():
    def hook(tensor):
        with pytest.raises(Boom):
            step(Inner, raiser(Boom()))
        assert not errors.pending
        return tensor

    step(Outer, hook)
    assert not errors.pending


class Refusing(Listed):
    def get_value(self, index):
        raise self.values[index]


class Swallowing:
    """Stands for C code that ignores what a hook says: calls it through C and drops the error."""

    def __init__(self, exception):
        self.exception = exception

    def __call__(self, tensor):
        failing = Refusing([self.exception])
        try:
            errors.raw.Carrier.get_value(failing, 0)
        except GLib.Error:
            pass
        return tensor


def test_swallowed_exceptions_do_not_stay():
    exception = Boom()
    alive = weakref.ref(exception)
    step(Outer, Swallowing(exception))
    assert not errors.pending
    del exception
    gc.collect()
    assert alive() is None


def test_swallowed_exceptions_go_with_the_next_call():
    Swallowing(Boom())(None)
    assert len(errors.pending) == 1
    vector([1.0])
    sw.relu(vector([1.0]))
    assert not errors.pending


def test_swallowed_is_not_taken_for_another():
    swallowed, raised = Boom("same text"), Boom("same text")

    def hook(tensor):
        Swallowing(swallowed)(tensor)
        raise raised

    with pytest.raises(Boom) as caught:
        step(Outer, hook)
    assert caught.value is raised
    assert not errors.pending


def test_exceptions_are_freed():
    def once():
        exception = Boom()
        alive = weakref.ref(exception)
        try:
            step(Outer, raiser(exception))
        except Boom:
            pass
        return alive

    alive = once()
    gc.collect()
    assert alive() is None


def test_threads_keep_their_exceptions_apart():
    failures = []

    def run(number):
        for turn in range(200):
            exception = Boom(number, turn)
            try:
                step(Outer, lambda _: step(Inner, raiser(exception)))
            except Boom as caught:
                if caught is not exception:
                    failures.append((number, turn))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert not errors.pending


# Carriers


def test_any_objects():
    marker = object()
    values = ["alpha", None, marker, [1], 2**80, 1.5, 7, True, b"bytes", ("a",)]
    carrier = Listed(values)
    for index, value in enumerate(values):
        assert carrier[index] == value
    assert carrier[0] == "alpha" and carrier[1] is None and carrier[2] is marker and carrier[3] is values[3]
    tensor = sw.Tensor(carrier, 0, sw.Layout(sw.Shape(len(values)), sw.Stride(1)))
    assert tensor[2] is marker
    tensor[2] = "beta"
    assert carrier.values[2] == "beta"
    assert list(carrier)[:2] == ["alpha", None]


def test_hooks_are_checked_from_outside():
    carrier = Listed([1.0, 2.0])
    for index in (2, -1, 2**40):
        with pytest.raises(IndexError):
            carrier[index]
        with pytest.raises(IndexError):
            carrier[index] = 1
    with pytest.raises(TypeError):
        carrier["one"]
    with pytest.raises(RuntimeError):
        Listed([1.0], mutable=False)[0] = 2.0
    version = carrier.version
    carrier[0] = 5.0
    assert carrier.version > version
    carrier.release()
    assert carrier.is_released()
    layout = sw.Layout(1, 1)
    for call in (lambda: carrier[0], lambda: carrier.dispatch_op("step"), lambda: sw.Tensor(carrier, 0, layout)):
        with pytest.raises(RuntimeError, match="released"):
            call()


def test_base_carrier_has_no_hooks():
    class Bare(sw.Carrier):
        pass

    with pytest.raises(TypeError):
        sw.Carrier()
    carrier = Bare()
    for call in (carrier.size, carrier.dtype, lambda: carrier.new_like([1.0]), lambda: carrier.dispatch_op("relu")):
        with pytest.raises(NotImplementedError):
            call()


def test_mixins_and_inheritance():
    class Mixin:
        def size(self):
            return 3

        def get_value(self, index):
            return index * 2

    class Mixed(Mixin, sw.Carrier):
        def dtype(self):
            return sw.DType.Int64

    class Derived(Mixed):
        def get_value(self, index):
            return super().get_value(index) + 1

    assert list(Mixed()) == [0, 2, 4]
    assert [Derived()[index] for index in range(3)] == [1, 3, 5]


def test_hooks_in_the_form_of_c():
    class Raw(sw.Carrier):
        def do_size(self):
            return 2

        def do_dtype(self):
            return sw.DType.Float64

        def do_get_value(self, index):
            return Strideweave.Value.new_double(index + 0.5)

        def do_is_mutable(self):
            return True

        def do_set_value(self, index, value):
            self.written = (index, value.get_double())

        def do_dispatch_op(self, name):
            if name == "fail":
                raise Boom(name)
            return RawStep()

    class RawStep(sw.Operation):
        def do_compute(self, inputs, options):
            return inputs.dup_tensor(0)

    carrier = Raw()
    assert carrier.size() == 2 and carrier.dtype() is sw.DType.Float64 and list(carrier) == [0.5, 1.5]
    carrier[1] = 4.0
    assert carrier.written == (1, 4.0)
    tensor = sw.Tensor(carrier, 0, sw.Layout(2, 1))
    assert list(carrier.dispatch_op("step").forward(tensor)) == [0.5, 1.5]
    with pytest.raises(Boom):
        carrier.dispatch_op("fail")


@pytest.mark.parametrize(
    "hook, value",
    [
        ("size", "many"),
        ("size", None),
        ("size", 1.5),
        ("size", True),
        ("dtype", 1),
        ("dtype", None),
        ("new_like", None),
        ("allocate_like", 5),
        ("_dispatch_op", None),
        ("_dispatch_op", "op"),
    ],
)
def test_nonsense_from_hooks(hook, value):
    cls = type("Nonsense", (Listed,), {hook: lambda self, *args, **kwargs: value})
    carrier = cls([1.0])
    with pytest.raises(TypeError, match=hook):
        if hook in ("size", "dtype"):
            raw_call(hook, carrier)
        else:
            HOOKS[hook](carrier)


@pytest.mark.parametrize("size", [-1, -(2**40)])
def test_negative_size(size):
    cls = type("Nonsense", (Listed,), {"size": lambda self: size})
    with pytest.raises((ValueError, RuntimeError)):
        cls([1.0])[0]


def test_stale_operations_are_refused():
    operation = Step()

    class Stale(Listed):
        def _dispatch_op(self, name):
            return operation

    carrier = Stale([1.0])
    carrier.dispatch_op("step")
    with pytest.raises(TypeError, match="fresh"):
        carrier.dispatch_op("step")


def test_operation_of_another_carrier():
    class Borrowing(Listed):
        def _dispatch_op(self, name):
            return sw.Generic([1.0])._dispatch_op(name)

    operation = Borrowing([1.0]).dispatch_op("relu")
    assert type(operation) is sw.GenericReLUOperation
    assert (operation.dispatch_name, operation.carrier_type) == ("relu", Borrowing)


@pytest.mark.parametrize("name", [5, None, b"relu", ["relu"]], ids=repr)
def test_dispatch_by_no_name(name):
    for carrier in (sw.Generic([1.0]), Listed([1.0])):
        with pytest.raises(TypeError, match="name"):
            carrier.dispatch_op(name)


def test_dispatch_on_a_class():
    for cls in (sw.Generic, sw.Carrier, Listed):
        with pytest.raises(TypeError):
            cls.dispatch_op("relu")


def test_unknown_names():
    for carrier in (sw.Generic([1.0]), sw.CPU(1), Listed([1.0])):
        with pytest.raises(NotImplementedError, match="frobnicate"):
            carrier.dispatch_op("frobnicate")


@pytest.mark.parametrize("cls", [sw.Generic, sw.CPU, sw.FileBacked, sw.Evictable])
def test_closed_carriers(cls):
    with pytest.raises(TypeError, match="closed.*subclass Carrier"):
        type("Sub", (cls,), {})


def test_closed_operations():
    for cls in (sw.GenericReLUOperation, sw.CPUMatmulOperation):
        with pytest.raises(TypeError, match="closed.*subclass Operation"):
            type("Sub", (cls,), {})


# Operations


def test_operation_without_hook():
    class Hookless(sw.Operation):
        pass

    with pytest.raises(TypeError):
        sw.Operation()
    with pytest.raises(TypeError, match="Hookless"):
        Hookless().forward(vector([1.0]))


@pytest.mark.parametrize("value", [None, 5, "tensor", sw.Shape(2)], ids=repr)
def test_operation_must_return_a_tensor(value):
    # Covers: 4.3, 4.8
    with sw.profile() as profiler:
        with pytest.raises(TypeError, match="Step.*must return a Tensor"):
            step(Outer, lambda _: value)
    assert [event.succeeded for event in profiler.events()] == [False]


def test_operation_takes_what_it_is_given():
    seen = []

    class Keeping(sw.Operation):
        def _forward(self, *inputs, options):
            seen.append((inputs, options, self.options))
            return inputs[0]

    class Old(sw.Operation):
        def _compute(self, tensor):
            seen.append(self.options)
            return tensor

    tensor, marker = vector([1.0]), object()
    options = sw.carriers.operation_policy.operation_execution_options("reduce_sum")
    result = Keeping().forward(tensor, marker, "text", None, 5, 1.5, [1, 2], {"a": 1}, options=None)
    (inputs, given, own), = seen
    assert inputs[0] is tensor and inputs[1] is marker and inputs[2:] == ("text", None, 5, 1.5, [1, 2], {"a": 1})
    assert given is own is None
    assert list(result) == [1.0]
    Old().forward(tensor, options=options)
    assert seen[1].get_operation_name() == "reduce_sum"


def test_operation_called_by_c_gets_values():
    class Seeing(sw.Operation):
        def _forward(self, *inputs):
            self.seen = inputs
            return inputs[0]

    tensor, marker = vector([1.0]), object()
    operation = Seeing()
    values = [tensor, marker, "text", None, 5, 1.5, True, sw.Shape(2, 3), (1, 2)]
    from gi.overrides._strideweave.values import to_inputs

    errors.call(errors.raw.Operation.forward, operation, to_inputs(values), None)
    seen = operation.seen
    assert list(seen[0]) == [1.0] and seen[1] is marker and list(seen[2:]) == values[2:]
    assert type(seen[6]) is bool


@pytest.mark.parametrize("bad", [{"speed": 1}, {"inputs": ()}, {"option": None}])
def test_unknown_keywords(bad):
    for operation in (Step(), sw.GenericReLUOperation()):
        with pytest.raises(TypeError):
            operation.forward(vector([1.0]), **bad)


def test_forward_of_nothing():
    with pytest.raises(TypeError):
        sw.GenericReLUOperation().forward()
    with pytest.raises(TypeError):
        sw.GenericReLUOperation().forward(5)
    with pytest.raises(TypeError):
        sw.GenericReLUOperation().forward(vector([1.0]), vector([1.0]), vector([1.0]))


def test_functions_reach_python_carriers():
    class Doubling(sw.Operation):
        def _forward(self, tensor):
            return vector([2 * value for value in tensor], type(tensor.carrier))

    class Numbers(Listed):
        operations = {"relu": Doubling, "add": Step}

    with sw.profile() as profiler:
        assert list(sw.relu(vector([1.0, 2.0], Numbers))) == [2.0, 4.0]
        with pytest.raises(NotImplementedError):
            sw.neg(vector([1.0], Numbers))
        broken = type("Broken", (sw.Operation,), {"_forward": raiser(EXCEPTIONS[0])})
        failing = vector([1.0], type("Failing", (Numbers,), {"operations": {"relu": broken}}))
        with pytest.raises(Boom) as caught:
            sw.relu(failing)
        assert caught.value is EXCEPTIONS[0]
    assert [event.succeeded for event in profiler.events()] == [True, False]


def test_registered_moves():
    class Far(Listed):
        def __init__(self, values):
            super().__init__(values, dtype=sw.DType.Floating)

    def moved(tensor, destination):
        if destination.values == [0.0]:
            raise failure
        return sw.Tensor(destination, 0, tensor.layout)

    failure = Boom("no room")
    sw.operation.register_move(sw.Generic, Far, moved)
    tensor = vector([1.0])
    assert sw.move(tensor, Far([4.0]))[0] == 4.0
    with pytest.raises(Boom) as caught:
        sw.move(vector([1.0]), Far([0.0]))
    assert caught.value is failure
    assert not errors.pending
    for bad in [(int, Far, moved), (sw.Generic, 5, moved), (sw.Generic, Far, None)]:
        with pytest.raises(TypeError):
            sw.operation.register_move(*bad)


def test_table_names_python_classes():
    class Local(Outer):
        pass

    with sw.profile() as profiler:
        step(Local)
    assert f"{__name__}.test_table_names_python_classes.<locals>.Local" in profiler.table()


def test_objects_go_when_nobody_has_them():
    class Payload:
        pass

    payload = Payload()
    alive = [weakref.ref(payload)]
    carrier = Listed([payload])
    alive.append(weakref.ref(carrier))
    tensor = sw.Tensor(carrier, 0, sw.Layout(1, 1))
    assert tensor[0] is payload
    del carrier, payload
    gc.collect()
    assert alive[1]() is not None and tensor.carrier is alive[1]()
    del tensor
    gc.collect()
    assert [ref() for ref in alive] == [None, None]


def test_hooks_do_not_leak_references():
    marker = object()
    carrier = Listed([marker])
    for _ in range(10):
        carrier[0]
    before = sys.getrefcount(marker)
    for _ in range(1000):
        carrier[0]
        carrier[0] = marker
    assert sys.getrefcount(marker) == before


def test_gobject_features_of_subclasses():
    class Signalling(Listed):
        changed = GObject.Signal("changed")
        label = GObject.Property(type=str, default="none")

    carrier = Signalling([1.0])
    heard = []
    carrier.connect("changed", heard.append)
    carrier.emit("changed")
    assert heard == [carrier] and carrier.label == "none"


def test_arguments_outlive_hooks_that_fail():
    """C lends a hook its arguments for the call, and whoever looks into the traceback has them, too."""
    kept = []

    def fail(*arguments):
        kept.extend(arguments)
        raise Boom

    class Failing(sw.Operation):
        def do_compute(self, inputs, options):
            fail(inputs, options)

    class Lent(Listed):
        def do_set_value(self, index, value):
            fail(value)

        def do_new_like(self, values, is_mutable, dtype):
            fail(values)

    sw.operation.register_move(Lent, sw.CPU, fail)
    for call in (
        lambda: Failing().forward(vector([1.0, 2.0]), 5),
        lambda: sw.Carrier.set_value(Lent([1.0]), 0, 2.5),
        lambda: sw.Carrier.new_like(Lent([1.0]), [7.0]),
        lambda: sw.operation.move(sw.Tensor(Lent([1.0, 2.0], dtype=sw.DType.Float32), 0, sw.Layout(2)), sw.CPU(2)),
    ):
        with pytest.raises(Boom):
            call()
    gc.collect()
    again = [sw.Layout(4) for _ in range(1000)]  # takes the memory of what was freed too early
    inputs, options, value, values, tensor, carrier = kept
    assert (inputs.get_length(), options, value.get_double(), values.get_length()) == (2, None, 2.5, 1)
    assert (tensor.shape, type(tensor.carrier), type(carrier)) == (sw.Shape(2), Lent, sw.CPU)
    del again
