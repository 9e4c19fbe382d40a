# SPDX-License-Identifier: LGPL-2.1-or-later
"""Towers of carriers in several languages, each of which owns the next one and lowers to it."""
import itertools
import weakref

import gi
import pytest

gi.require_version("Fixture", "1")
gi.require_version("ValaFixture", "1")

import strideweave as sw  # noqa: E402
from gi.repository import Fixture, GLib, ValaFixture  # noqa: E402
from helpers import in_thread  # noqa: E402

HOOKS = {
    "size": lambda tensor: tensor.carrier.size(),
    "dtype": lambda tensor: tensor.carrier.dtype(),
    "get_value": lambda tensor: tensor.carrier[1],
    "dispatch_op": lambda tensor: tensor.carrier.dispatch_op("relu"),
    "compute": sw.relu,
}


class Boom(Exception):
    pass


class PythonOperation(sw.Operation):
    def __init__(self, carrier, inner):
        super().__init__()
        self.carrier = carrier
        self.inner = inner

    def _forward(self, *inputs, options=None):
        self.carrier.check("compute")
        lowered = [
            sw.Tensor(given.carrier.inner, given.offset, given.layout) if isinstance(given, sw.Tensor) else given
            for given in inputs
        ]
        result = self.inner.lower(*lowered, options=options)
        return sw.Tensor(type(self.carrier)(result.carrier), result.offset, result.layout)


class PythonWrapper(sw.Carrier):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.failures = {}

    def check(self, hook):
        if hook in self.failures:
            raise self.failures[hook]

    def size(self):
        self.check("size")
        return self.inner.size()

    def dtype(self):
        self.check("dtype")
        return self.inner.dtype()

    def get_value(self, index):
        self.check("get_value")
        return self.inner[index]

    def _dispatch_op(self, name):
        self.check("dispatch_op")
        return PythonOperation(self, self.inner.dispatch_op(name))


WRAPPERS = {"python": PythonWrapper, "vala": ValaFixture.Wrapper.new, "c": Fixture.Wrapper.new}
CLASSES = {"python": PythonWrapper, "vala": ValaFixture.Wrapper, "c": Fixture.Wrapper, "generic": sw.Generic}
OPERATIONS = {"python": PythonOperation, "vala": ValaFixture.Operation, "c": Fixture.Operation}
ORDERS = list(itertools.permutations(WRAPPERS))


def inner_of(carrier):
    return carrier.inner if isinstance(carrier, PythonWrapper) else carrier.get_inner()


def tower(languages, values=(1.0, -2.0)):
    """A tensor on the outermost of the carriers, and all of them by language."""
    carrier = sw.Generic(values)
    levels = {}
    for language in reversed(languages):
        carrier = levels[language] = WRAPPERS[language](carrier)
    return sw.Tensor(carrier, 0, sw.Layout(len(values))), levels


@pytest.fixture
def clock():
    Fixture.set_clock(1000, 10)
    yield
    Fixture.unset_clock()


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
def test_values_come_from_the_bottom(languages):
    tensor, _ = tower(languages)
    assert (tensor.carrier.size(), tensor.dtype()) == (2, sw.DType.Floating)
    assert list(tensor.carrier) == [1.0, -2.0]
    result = sw.relu(tensor)
    assert list(result.carrier) == [1.0, 0.0]
    carrier = result.carrier
    for language in languages:
        assert type(carrier) is CLASSES[language]
        carrier = inner_of(carrier)
    assert type(carrier) is sw.Generic
    assert list(sw.add(tensor, result).carrier) == [2.0, -2.0]


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
def test_each_level_is_an_event_inside_the_one_above(languages, clock):
    tensor, _ = tower(languages)
    with sw.profile(record_shapes=True) as profiler:
        sw.relu(tensor)
    events = profiler.events()
    assert [event.carrier_type for event in events] == [CLASSES[language] for language in (*languages, "generic")]
    expected = [OPERATIONS[language] for language in languages] + [sw.GenericReLUOperation]
    assert [event.implementation_type for event in events] == expected
    assert [event.parent_id for event in events] == [None, 0, 1, 2]
    assert {event.name for event in events} == {"relu"}
    assert {event.input_shapes for event in events} == {((2,),)}
    # The clock moves on by ten with each of the eight readings.
    assert [event.duration_ns for event in events] == [70, 50, 30, 10]
    assert [event.self_time_ns for event in events] == [20, 20, 20, 10]


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
def test_selection_of_some_levels(languages):
    tensor, _ = tower(languages)
    levels = (*languages, "generic")
    for n in range(len(levels) + 1):
        for chosen in itertools.combinations(levels, n):
            with sw.profile(carriers=[CLASSES[language] for language in chosen]) as profiler:
                sw.relu(tensor)
            events = profiler.events()
            assert [event.carrier_type for event in events] == [CLASSES[language] for language in chosen]
            assert [event.parent_id for event in events] == [None, *range(n - 1)][:n]


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
@pytest.mark.parametrize("hook", HOOKS)
def test_an_exception_of_python_comes_out_as_the_same_object(languages, hook):
    tensor, levels = tower(languages)
    for exception in (Boom("boom"), KeyboardInterrupt(), TypeError("type"), GLib.Error("text", "own-domain", 5)):
        levels["python"].failures = {hook: exception}
        with sw.profile() as profiler, pytest.raises(type(exception)) as raised:
            HOOKS[hook](tensor)
        assert raised.value is exception
        depth = languages.index("python") + 1 if hook == "compute" else 0
        assert [event.succeeded for event in profiler.events()] == [False] * depth
    levels["python"].failures = {}
    assert list(sw.relu(tensor).carrier) == [1.0, 0.0]


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
@pytest.mark.parametrize("hook", HOOKS)
def test_an_error_of_c_keeps_domain_and_code(languages, hook):
    tensor, levels = tower(languages)
    levels["c"].fail(hook, "fixture-domain", 77, "broken in C")
    with pytest.raises(GLib.Error) as raised:
        HOOKS[hook](tensor)
    assert (raised.value.domain, raised.value.code, raised.value.message) == ("fixture-domain", 77, "broken in C")


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
@pytest.mark.parametrize("hook", HOOKS)
def test_an_error_of_vala_keeps_domain_and_code(languages, hook):
    tensor, levels = tower(languages)
    levels["vala"].fail(hook, "broken in Vala")
    with pytest.raises(GLib.Error) as raised:
        HOOKS[hook](tensor)
    assert raised.value.matches(GLib.quark_from_string(raised.value.domain), 1)
    assert (raised.value.domain, raised.value.message) == ("vala-fixture-hook-error-quark", "broken in Vala")


@pytest.mark.parametrize("languages", ORDERS, ids="-".join)
def test_an_error_of_the_library_keeps_its_meaning(languages):
    tensor, _ = tower(languages)
    with sw.profile() as profiler, pytest.raises(TypeError, match="rhs must be a Tensor"):
        sw.add(tensor, "x")
    assert [event.succeeded for event in profiler.events()] == [False] * 4
    with pytest.raises(NotImplementedError, match="nonsense"):
        tensor.carrier.dispatch_op("nonsense")


def test_an_error_that_python_handles_halfway():
    tensor, levels = tower(("vala", "python", "c"))
    levels["c"].fail("compute", "fixture-domain", 77, "broken in C")
    below = PythonOperation._forward

    class Forgiving(PythonOperation):
        def _forward(self, *inputs, options=None):
            try:
                return below(self, *inputs, options=options)
            except GLib.Error as error:
                assert error.code == 77
            return sw.Tensor(PythonWrapper(sw.Generic([5.0, 6.0])), 0, sw.Layout(2))

    levels["python"]._dispatch_op = lambda name: Forgiving(levels["python"], levels["c"].dispatch_op(name))
    with sw.profile() as profiler:
        result = sw.relu(tensor)
        sw.neg(result)
    assert list(result.carrier) == [5.0, 6.0]
    assert [event.succeeded for event in profiler.events()] == [True, True, False, True, True, True]
    assert [event.parent_id for event in profiler.events()] == [None, 0, 1, None, 3, 4]


def test_two_exceptions_of_one_tower():
    """The outer hook of Python fails after the inner one has: the outer exception comes out, the inner is its context."""
    inner = PythonWrapper(sw.Generic([1.0]))
    outer = PythonWrapper(ValaFixture.Wrapper.new(Fixture.Wrapper.new(inner)))
    first, second = Boom("first"), Boom("second")
    inner.failures["get_value"] = first

    class Raising(PythonOperation):
        def _forward(self, *inputs):
            try:
                self.carrier.inner[0]
            except Boom as error:
                assert error is first
                raise second

    outer._dispatch_op = lambda name: Raising(outer, None)
    with pytest.raises(Boom) as raised:
        sw.relu(sw.Tensor(outer, 0, sw.Layout(1)))
    assert raised.value is second and second.__context__ is first


def test_a_class_that_is_defined_again_is_another_exact_class():
    def define():
        class Again(PythonWrapper):
            pass

        return Again

    first, second, third = define(), define(), define()
    below = ValaFixture.Wrapper.new(Fixture.Wrapper.new(sw.Generic([1.0])))

    def run(profiler):
        with profiler:
            for cls in (second, first, second):
                sw.relu(sw.Tensor(cls(below), 0, sw.Layout(1)))
        return profiler

    assert [event.carrier_type for event in run(sw.profile(carriers=[second, third])).events()] == [second, second]
    profilers = [run(sw.profile(carriers=[first, second])) for _ in range(2)]
    rows = [[(row.carrier_type, row.count) for row in profiler.key_averages()] for profiler in profilers]
    assert rows[0] == rows[1] and sorted(count for _, count in rows[0]) == [1, 2]
    assert {cls for cls, _ in rows[0]} == {first, second}


def test_rows_are_in_the_order_of_what_classes_are_called(clock):
    tensors = [tower(languages)[0] for languages in ORDERS]
    tables = []
    for order in (tensors, tensors[::-1]):
        with sw.profile() as profiler:
            for tensor in order:
                sw.relu(tensor)
                sw.neg(tensor)
        called = [(row.name, row.carrier_type) for row in profiler.key_averages()]
        classes = [Fixture.Wrapper, ValaFixture.Wrapper, sw.Generic, PythonWrapper]
        assert called == [(name, cls) for name in ("neg", "relu") for cls in classes]
        assert [row.count for row in profiler.key_averages()] == [6] * 8
        tables.append(profiler.table(sort_by="count"))
    assert tables[0].splitlines()[2].split() == tables[1].splitlines()[2].split()
    assert [line.split()[:3] for line in tables[0].splitlines()] == [line.split()[:3] for line in tables[1].splitlines()]


def test_classes_of_other_libraries_are_found_before_anybody_used_them():
    """Also the exact class of an operation that the program never names."""
    carrier = Fixture.Wrapper.new(sw.Generic([1.0]))
    assert carrier.dispatch_op("relu").carrier_type is Fixture.Wrapper
    with sw.profile() as profiler:
        sw.relu(sw.Tensor(carrier, 0, sw.Layout(1)))
    assert profiler.events()[0].implementation_type.__name__ == "Operation"
    assert "Fixture" in repr(profiler.events()[0])


def test_a_tower_is_freed_as_a_whole():
    tensor, levels = tower(("python", "vala", "c"))
    with sw.profile(record_shapes=True) as profiler:
        sw.relu(tensor)
    references = [weakref.ref(carrier) for carrier in levels.values()]
    del tensor, levels
    assert [reference() for reference in references] == [None] * 3
    assert len(profiler.events()) == 4


def test_every_level_belongs_to_its_own_thread():
    tensor, _ = tower(("vala", "python", "c"))

    def other():
        with sw.profile() as profiler:
            sw.neg(tensor)
        return [event.name for event in profiler.events()]

    with sw.profile() as profiler:
        sw.relu(tensor)
        assert in_thread(other) == ["neg"] * 4
    assert [event.name for event in profiler.events()] == ["relu"] * 4
