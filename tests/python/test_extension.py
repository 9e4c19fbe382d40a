# SPDX-License-Identifier: LGPL-2.1-or-later
"""The module of C behind the override, and that nobody can tell whether it is there: meson runs this with it and without."""
import copy
import gc
import importlib.util
import inspect
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import types

import pytest
from gi.overrides._strideweave import extension as loading
from helpers import Boom, boom, in_thread, names, recorded, several, step, stepping_class, vector

import strideweave as sw

IS_USED = loading.extension is not None
needs_extension = pytest.mark.skipif(not IS_USED, reason="without the module of C")

UNARY = ["relu", "neg", "exp", "reduce_sum", "reduce_max", "argmax"]
BINARY = ["add", "sub", "mul", "div", "maximum"]


def values(tensor):
    return list(tensor)


def test_extension_is_used_where_it_is_built():
    expected = os.environ.get("STRIDEWEAVE_TEST_EXTENSION")
    if expected is None:
        pytest.skip("STRIDEWEAVE_TEST_EXTENSION does not say whether it is built")
    assert IS_USED == (expected == "1")
    assert isinstance(sw.relu, types.BuiltinFunctionType) == IS_USED


def run_python(program, **variables):
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)


def test_environment_turns_it_off():
    program = "import strideweave, types; print(isinstance(strideweave.relu, types.FunctionType))"
    assert run_python(program, STRIDEWEAVE_PURE_PYTHON=1).stdout == "True\n"
    is_there = importlib.util.find_spec("_strideweave") is not None
    for off in "0", "":
        assert run_python(program, STRIDEWEAVE_PURE_PYTHON=off).stdout == f"{not is_there}\n"


def test_another_version_is_not_used(tmp_path):
    (tmp_path / "_strideweave.py").write_text("version = '0.0.0'\n")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    result = run_python("import strideweave as sw; print(sw.relu.__name__)", PYTHONPATH=path, STRIDEWEAVE_PURE_PYTHON=0)
    assert result.stdout == "relu\n"
    assert "is of Strideweave 0.0.0" in result.stderr


# Functions


@pytest.mark.parametrize("name", sorted(name for name in sw.operation.__all__ if name[0].islower()))
def test_functions_describe_themselves(name):
    function = getattr(sw, name)
    assert function.__name__ == name and function.__doc__
    assert inspect.signature(function).parameters
    if function.__module__ == "strideweave.operation":
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", UNARY)
def test_one_tensor(name):
    function = getattr(sw, name)
    tensor = vector([-1.0, 2.0, 0.5])
    assert values(function(tensor=tensor)) == values(function(tensor))
    for wrong in (), (1, 2, 3, 4), (None,), ("x",), (3.0,):
        with pytest.raises(TypeError):
            function(*wrong)
    with pytest.raises(TypeError):
        function(tensor, tenser=1)


@pytest.mark.parametrize("name", BINARY)
def test_two_tensors_and_numbers(name):
    function = getattr(sw, name)
    tensor = vector([-1.0, 2.0, 0.5])
    assert values(function(rhs=tensor, lhs=tensor)) == values(function(tensor, tensor))
    assert values(function(tensor, 2)) == values(function(tensor, 2.0)) == values(function(tensor, rhs=2))
    for wrong in (), (tensor,), (tensor, tensor, tensor), (2.0, tensor), (tensor, "x"), (tensor, None), (None, None):
        with pytest.raises(TypeError):
            function(*wrong)


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**62 + 1, 7, -3])
def test_integers_keep_all_their_bits(number):
    tensor = sw.Tensor(sw.Generic([0], dtype=sw.DType.Int64), 0, sw.Layout(sw.Shape(1), sw.Stride(1)))
    assert values(sw.add(tensor, number)) == [number]
    with pytest.raises(ValueError, match="3000000000"):
        sw.add(vector([1], dtype=sw.DType.Int32), 3000000000)
    with pytest.raises(TypeError):
        sw.add(tensor, 2**70)


def test_carriers_of_objects_get_the_number_that_was_given():
    """Where values are Python's own, 2 is not 2.0."""
    (result,) = sw.add(vector([1], dtype=sw.DType.Any), 2)
    assert (type(result), result) == (int, 3)
    seen = []

    class Step(sw.Operation):
        def _forward(self, tensor, number):
            seen.append(number)
            return tensor

    cls = stepping_class("Numbered")
    cls._dispatch_op = lambda self, name: Step()
    for number in 2, 2.0, 2**60, True:
        sw.mul(vector([1.0], cls), number)
    assert [(type(number), number) for number in seen] == [(int, 2), (float, 2.0), (int, 2**60), (bool, True)]


def test_subclass_of_float_or_int_is_a_number_too():
    class Real(float):
        pass

    class Whole(int):
        pass

    for number in Real(2.0), Whole(2):
        try:
            assert values(sw.mul(vector([1.5]), number)) == [3.0]
        except TypeError as error:
            assert "rhs" in str(error)


def test_each_call_is_one_attempt():
    tensor = vector([1.0])

    def run():
        sw.mul(tensor, 2)
        sw.mul(tensor, 2.0)
        sw.add(tensor, tensor)
        for wrong in "x", None, vector([1.0, 2.0]):
            with pytest.raises((TypeError, ValueError)):
                sw.add(tensor, wrong)

    events = recorded(run, record_shapes=True).events()
    assert [event.name for event in events] == ["mul", "mul", "add", "add", "add", "add"]
    assert [event.succeeded for event in events] == [True, True, True, False, False, False]
    assert events[0].input_shapes == events[1].input_shapes == ((1,), None)


def test_exceptions_of_hooks_are_the_same_object():
    cls = stepping_class("Failing")
    error = Boom("this one")

    def raise_it(self, name):
        raise error

    cls._dispatch_op = raise_it
    for call in (lambda: sw.relu(vector([1.0], cls)), lambda: sw.add(vector([1.0], cls), vector([1.0], cls))):
        with pytest.raises(Boom) as info:
            call()
        assert info.value is error


@pytest.mark.parametrize("call", [
    lambda tensor: sw.relu(tensor),
    lambda tensor: sw.add(tensor, tensor),
    lambda tensor: sw.mul(tensor, 2),
    lambda tensor: sw.matmul(tensor, tensor),
    lambda tensor: sw.reduce_sum(tensor),
])  # fmt: skip
def test_others_run_while_a_long_operation_does(call):
    tensor = sw.Tensor(sw.CPU(256 * 256), 0, sw.Layout(sw.Shape(256, 256), sw.Stride(1, 256)))
    gate, ran = threading.Lock(), []
    gate.acquire()
    thread = threading.Thread(target=lambda: (gate.acquire(), ran.append(True)))
    thread.start()
    before = sys.getswitchinterval()
    # From now on a thread runs when the other one lets it, and only then.
    sys.setswitchinterval(1000)
    try:
        gate.release()
        for _ in range(10000):
            call(tensor)
            if ran:
                break
        assert ran
    finally:
        sys.setswitchinterval(before)
        thread.join()


# Events and aggregates


def results():
    profiler = recorded(several, record_shapes=True)
    return [*profiler.events(), *profiler.key_averages(group_by_input_shape=True)]


def constructed(record):
    return type(record)(*(getattr(record, field) for field in record._fields))


def test_events_are_made_once():
    profiler = recorded(several)
    assert profiler.events() is profiler.events()
    assert all(type(event) is sw.ProfilerEvent for event in profiler.events())


def test_records_are_what_the_namespace_calls_so():
    from gi.repository import Strideweave

    event, *_, row = results()
    assert type(event) is Strideweave.ProfilerEvent and type(row) is Strideweave.ProfilerAggregate
    assert event.get_name() == event.name and row.get_count() == row.count
    assert event.to_string().startswith("ProfilerEvent(id=0")


@pytest.mark.parametrize("duplicate", [
    copy.copy,
    copy.deepcopy,
    constructed,
    *(lambda record, protocol=protocol: pickle.loads(pickle.dumps(record, protocol)) for protocol in range(6)),
])  # fmt: skip
def test_records_are_copied_as_values(duplicate):
    for record in results():
        if record.name == "step":
            continue  # of a class that only a test knows
        other = duplicate(record)
        assert other == record and hash(other) == hash(record) and repr(other) == repr(record)
        assert copy.deepcopy({"deep": [other]}) == {"deep": [record]}


def test_repr_is_complete():
    for record in results():
        namespace = {"ProfilerEvent": sw.ProfilerEvent, "ProfilerAggregate": sw.ProfilerAggregate}
        text = repr(record)
        for field in record._fields:
            assert f"{field}={getattr(record, field)!r}" in text
        fields = {field: getattr(record, field) for field in record._fields}
        assert eval(f"{type(record).__name__}(**fields)", namespace, {"fields": fields}) == record


def test_constructed_records_keep_the_very_objects():
    marks = [object() for _ in range(11)]
    event = sw.ProfilerEvent(*marks)
    assert [getattr(event, field) for field in event._fields] == marks
    row = sw.ProfilerAggregate(*marks[:9])
    assert [getattr(row, field) for field in row._fields] == marks[:9]
    assert event != sw.ProfilerEvent(*marks[1:], None)


def test_records_cannot_be_changed():
    from dataclasses import FrozenInstanceError

    for record in results():
        before = repr(record)
        for field in [*record._fields, "other", "__dict__"]:
            with pytest.raises(FrozenInstanceError):
                setattr(record, field, 1)
            with pytest.raises(FrozenInstanceError):
                delattr(record, field)
        with pytest.raises(AttributeError):
            record.other
        assert repr(record) == before


def test_classes_of_records():
    first, second = stepping_class("Same"), stepping_class("Same")
    events = recorded(lambda: [step(cls) for cls in (first, second, first)]).events()
    assert [event.carrier_type for event in events] == [first, second, first]
    assert all(issubclass(event.implementation_type, sw.Operation) for event in events)


def test_names_and_shapes_of_many_kinds():
    """More of them than anything remembers, and at addresses that others had before."""
    for size in range(1, 400, 7):
        tensor = vector([1.0] * size)
        (event,) = recorded(lambda: sw.relu(tensor), record_shapes=True).events()  # noqa: B023
        assert (event.name, event.input_shapes) == ("relu", ((size,),))
    profiler = recorded(lambda: [sw.relu(vector([1.0] * size)) for size in range(1, 300)], record_shapes=True)
    assert [event.input_shapes for event in profiler.events()] == [((size,),) for size in range(1, 300)]


def test_events_outlive_their_profiler():
    events = recorded(several, record_shapes=True).events()
    before = [repr(event) for event in events]
    recorded(several, record_shapes=True)
    assert [repr(event) for event in events] == before
    last = events[-1]
    del events
    assert repr(last) == before[-1]


def test_many_events():
    """So many that they are not made one by one."""
    tensor, n = vector([1.0]), 80000

    def run():
        for _ in range(n):
            sw.relu(tensor)

    profiler = recorded(run, record_shapes=True)
    events = profiler.events()
    assert [event.id for event in events] == list(range(n))
    assert {(event.name, event.carrier_type, event.input_shapes) for event in events} == {("relu", sw.Generic, ((1,),))}
    del profiler
    some = events[:: n // 7]
    before = [repr(event) for event in some]
    del events
    gc.collect()
    assert [repr(event) for event in some] == before
    box = [some]
    del some
    in_thread(box.clear)


def test_early_events():
    with pytest.raises(RuntimeError, match="only after context exit"):
        sw.profile().events()


def test_hooks_may_fail_while_events_are_recorded():
    profiler = recorded(lambda: [pytest.raises(Boom, step, stepping_class("Bad"), boom) for _ in range(3)])
    assert names(profiler) == ["step"] * 3
    assert not any(event.succeeded for event in profiler.events())


@needs_extension
def test_misuse_of_the_module():
    module = loading.extension
    (event,) = recorded().events()
    for wrong in (), (event,), (event, []), (event, ()), (event, (1,) * 12), (3, (1,) * 11):
        with pytest.raises(TypeError):
            module.keep_fields(*wrong)
    for wrong in 3, None, event, vector([1.0]):
        with pytest.raises((TypeError, AttributeError)):
            module.read_events(wrong)
    for wrong in ((int, str), print), ((object, event.__class__.__mro__[2]), print), (3, print), ((), print):
        with pytest.raises(TypeError):
            module.event_class(*wrong)
    with pytest.raises(TypeError):
        module.use_tensors(int, str, bool, 3)
    made = sw.ProfilerEvent(*range(11))
    with pytest.raises(TypeError):
        module.keep_fields(made, (1,) * 11)
    assert made.id == 0


@needs_extension
def test_module_lies_where_it_was_built_or_installed():
    file = pathlib.Path(loading.extension.__file__)
    assert file.name.startswith("_strideweave.") and loading.extension.version == sw.__version__
