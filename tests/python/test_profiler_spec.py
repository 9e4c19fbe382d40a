# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every scenario of the specification of operation profiling, by its title."""
import dataclasses
import threading
import time

import pytest
from helpers import Boom, Inner, Middle, Outer, Step, boom, columns, cpu, evictable
from helpers import hierarchical, in_thread, names, recorded, several, step, vector

import strideweave as sw
import strideweave.operation

EVENT = dict(
    id=7,
    parent_id=None,
    name="relu",
    carrier_type=sw.Generic,
    implementation_type=sw.GenericReLUOperation,
    input_shapes=((2, (3, 4)), None),
    start_time_ns=10,
    duration_ns=5,
    self_time_ns=3,
    thread_id=1,
    succeeded=True,
)
AGGREGATE = dict(
    name="relu",
    carrier_type=sw.CPU,
    input_shapes=((2,),),
    count=2,
    total_time_ns=30,
    self_total_time_ns=20,
    mean_time_ns=15.0,
    min_time_ns=10,
    max_time_ns=20,
)


def fail():
    with pytest.raises(TypeError, match="rhs must be a Tensor"):
        sw.add(vector([1.0, 2.0]), "not a tensor")


# Public profiling names share both supported import paths


def test_import_paths():
    """Import the profiling surface from either namespace"""
    # Covers: 1.1, 1.2, 1.3, 1.4, 1.5
    for name in ("profile", "Profiler", "ProfilerEvent", "ProfilerAggregate"):
        assert getattr(sw, name) is getattr(strideweave.operation, name)
        assert name in sw.__all__ and name in strideweave.operation.__all__
    assert type(sw.profile()) is sw.Profiler
    assert type(sw.Profiler()) is sw.Profiler
    assert type(sw.ProfilerEvent(**EVENT)) is sw.ProfilerEvent
    assert type(sw.ProfilerAggregate(**AGGREGATE)) is sw.ProfilerAggregate


# Profilers select exact carrier classes


@pytest.mark.parametrize("make", [sw.profile, sw.Profiler])
def test_all_carriers(make):
    """Record all carrier classes by default"""
    # Covers: 2.2, 2.3
    tensor = evictable([1.0, -2.0])
    with make() as profiler:
        sw.relu(tensor)
    assert [event.carrier_type for event in profiler.events()] == [sw.Evictable, sw.Generic]


def test_one_exact_class():
    """Select one exact carrier class"""
    # Covers: 2.5

    class Owning(Outer):
        def __init__(self, *args):
            super().__init__(*args)
            self.storage = sw.Generic([1.0])

    profiler = recorded(lambda: step(Owning), carriers=[sw.Generic])
    assert profiler.events() == ()
    # Neither do subclasses count as their base.
    assert recorded(lambda: step(Owning), carriers={Outer}).events() == ()
    assert [event.carrier_type for event in recorded(lambda: step(Owning), carriers=[Owning]).events()] == [Owning]


@pytest.mark.parametrize("carriers", [[], (), set(), iter(())], ids=lambda value: type(value).__name__)
def test_no_class(carriers):
    """Select no carrier classes"""
    # Covers: 2.4
    profiler = recorded(carriers=carriers)
    assert profiler.events() == ()
    assert profiler.key_averages() == ()


@pytest.mark.parametrize(
    "carriers",
    [
        sw.Generic,
        5,
        "Generic",
        [sw.Generic([1.0])],
        sw.Generic([1.0]),
        sw.Generic([]),  # can be iterated, and names no class
        sw.FileBacked(),
        [sw.Generic, int],
        [sw.Generic, object],
        [None],
        [sw.Operation],
        ["SwGeneric"],
        [sw.Tensor],
        [sw.Generic.__gtype__],
    ],
    ids=repr,
)
def test_invalid_filter(carriers):
    """Reject an invalid carrier filter"""
    # Covers: 2.6, 2.7
    for make in (sw.profile, sw.Profiler):
        with pytest.raises(TypeError, match="Carrier"):
            make(carriers=carriers)


@pytest.mark.parametrize("value", [1, 0, None, "yes", [], 1.0], ids=repr)
def test_invalid_shape_option(value):
    """Reject an invalid shape option"""
    # Covers: 2.10
    for make in (sw.profile, sw.Profiler):
        with pytest.raises(TypeError, match="record_shapes"):
            make(record_shapes=value)


# Profiler contexts are single-use and publish results on exit


def test_results_after_exit():
    """Read results after normal exit"""
    # Covers: 3.1, 3.6, 3.8, 5.1
    profiler = sw.profile()
    with profiler as entered:
        assert entered is profiler
        assert profiler._session is not None
        sw.relu(vector([1.0]))
    assert profiler._session is None
    assert isinstance(profiler.events(), tuple)
    assert profiler.events() is profiler.events()
    assert names(profiler) == ["relu"]
    sw.relu(vector([1.0]))
    assert names(profiler) == ["relu"]


def test_no_early_results():
    """Refuse results before exit"""
    # Covers: 3.6, 3.7
    profiler = sw.profile()

    def refused():
        for read in (profiler.events, profiler.key_averages, profiler.table):
            with pytest.raises(RuntimeError, match="only after context exit"):
                read()

    refused()
    with profiler:
        refused()
        sw.relu(vector([1.0]))
        refused()
    assert names(profiler) == ["relu"]


def test_reused_context():
    """Reject a reused context"""
    # Covers: 2.1, 3.4
    profiler = recorded()
    with pytest.raises(RuntimeError, match="single-use"):
        profiler.__enter__()
    assert names(profiler) == ["relu"]
    assert names(recorded()) == ["relu"]
    with sw.profile() as active:
        with pytest.raises(RuntimeError, match="single-use"):
            active.__enter__()


def test_nested_contexts():
    """Reject nested contexts on one thread"""
    # Covers: 3.2, 3.3, 3.5
    second = sw.profile()
    with sw.profile() as first:
        with pytest.raises(RuntimeError, match="already active"):
            second.__enter__()
        with pytest.raises(RuntimeError, match="single-use"):
            second.__enter__()
        sw.relu(vector([1.0]))
    with pytest.raises(RuntimeError, match="single-use"):
        second.__enter__()
    with pytest.raises(RuntimeError, match="only after context exit"):
        second.events()
    assert names(first) == ["relu"]


def test_context_body_raises():
    """Preserve results when the context body raises"""
    # Covers: 3.8, 4.8
    profiler = sw.profile()
    failure = Boom("the very one")

    def raising(_):
        raise failure

    with pytest.raises(Boom) as caught:
        with profiler:
            step(Outer, raising)
    assert caught.value is failure
    assert [(event.name, event.succeeded) for event in profiler.events()] == [("step", False)]
    assert profiler._session is None
    assert names(recorded()) == ["relu"]


# Events represent post-preflight dispatched computation attempts


@pytest.mark.parametrize("make", [vector, cpu])
def test_dispatched_attempt(make):
    """Record a dispatched attempt"""
    # Covers: 4.1
    tensor = make([1.0, -2.0])
    with sw.profile() as profiler:
        tensor.carrier.dispatch_op("relu").forward(tensor)
        sw.relu(tensor)
    for event in profiler.events():
        assert event.name == "relu"
        assert event.carrier_type is type(tensor.carrier)
        assert event.implementation_type.__name__.endswith("ReLUOperation")
        assert issubclass(event.implementation_type, sw.Operation)
    assert len(profiler.events()) == 2


def test_dispatch_lookup():
    """Exclude dispatch lookup"""
    # Covers: 4.5
    tensor = vector([1.0])
    with sw.profile() as profiler:
        operation = tensor.carrier.dispatch_op("relu")
        with pytest.raises(NotImplementedError):
            tensor.carrier.dispatch_op("no such operation")
    assert profiler.events() == ()
    operation.forward(tensor)
    assert profiler.events() == ()


def test_preflight_failure():
    """Exclude a preflight failure"""
    # Covers: 4.2, 4.9
    tensor, released = vector([1.0]), vector([1.0])
    released.carrier.release()
    options = sw.carriers.operation_policy.operation_execution_options("matmul", accumulator_dtype=sw.DType.Float64)
    with sw.profile() as profiler:
        with pytest.raises(ValueError, match="options"):
            tensor.carrier.dispatch_op("reduce_sum").forward(tensor, options=options)
        with pytest.raises(TypeError, match="options"):
            tensor.carrier.dispatch_op("reduce_sum").forward(tensor, options="fast")
        with pytest.raises(TypeError):
            tensor.carrier.dispatch_op("relu").forward(tensor, speed=1)
        with pytest.raises(RuntimeError, match="released"):
            sw.add(tensor, released)
        with pytest.raises(RuntimeError, match="released"):
            tensor.carrier.dispatch_op("add").forward(tensor, released)
    assert profiler.events() == ()


def test_direct_operation():
    """Exclude execution without dispatch metadata"""
    # Covers: 4.6
    tensor = vector([1.0, -2.0])
    with sw.profile() as profiler:
        assert list(sw.GenericReLUOperation().forward(tensor)) == [1.0, 0.0]
        Step().forward(tensor)
    assert profiler.events() == ()


def test_movement():
    """Exclude public movement"""
    # Covers: 4.7
    tensor = vector([1.0, -2.0], dtype=sw.DType.Float32)
    with sw.profile() as profiler:
        moved = sw.move(tensor, sw.CPU(2))
    assert list(moved) == [1.0, -2.0]
    assert profiler.events() == ()


def test_continue_after_failure():
    """Continue after an attempted execution fails"""
    # Covers: 4.8, 4.10
    with sw.profile() as profiler:
        fail()
        sw.relu(vector([1.0]))
        with pytest.raises(Boom):
            step(Outer, lambda _: step(Inner, boom))
        step(Inner)
    found = [(event.name, event.succeeded, event.parent_id) for event in profiler.events()]
    assert found == [
        ("add", False, None),
        ("relu", True, None),
        ("step", False, None),
        ("step", False, 2),
        ("step", True, None),
    ]


# Raw events are immutable computation snapshots


def check_immutable(value):
    for name in (*value.__match_args__, "something_else"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(value, name)


def test_successful_event():
    """Inspect a successful event"""
    # Covers: 5.1, 5.2, 13.1
    before = time.monotonic_ns()
    profiler = recorded()
    after = time.monotonic_ns()
    (event,) = profiler.events()
    assert event.id == 0 and event.parent_id is None
    assert event.name == "relu"
    assert event.carrier_type is sw.Generic
    assert event.implementation_type is sw.GenericReLUOperation
    assert event.input_shapes is None
    assert 0 <= event.self_time_ns <= event.duration_ns
    # Two clocks that are compared within a microsecond.
    assert before - 1000 <= event.start_time_ns <= event.start_time_ns + event.duration_ns <= after + 1000
    assert event.thread_id == threading.get_ident()
    assert event.succeeded is True
    check_immutable(event)
    assert hash(event) == hash(event) and event == event
    for field in sw.ProfilerEvent.__match_args__:
        assert f"{field}={getattr(event, field)!r}" in repr(event)


def test_failed_event():
    """Inspect a failed event"""
    # Covers: 4.8, 5.1, 5.2
    with sw.profile(record_shapes=True) as profiler:
        with pytest.raises(Boom):
            step(Outer, lambda _: step(Inner, boom))
    outer, inner = profiler.events()
    for event, cls in ((outer, Outer), (inner, Inner)):
        assert event.succeeded is False
        assert event.name == "step"
        assert event.carrier_type is cls
        assert event.implementation_type is Step
        assert event.thread_id == threading.get_ident()
        assert event.input_shapes == ((2,), None)
        check_immutable(event)
    assert (outer.id, inner.id, outer.parent_id, inner.parent_id) == (0, 1, None, 0)
    assert outer.self_time_ns == outer.duration_ns - inner.duration_ns >= 0


# Event values support direct immutable construction


def check_construction(cls, values):
    value = cls(**values)
    for name, expected in values.items():
        assert getattr(value, name) is expected
    assert cls(*values.values()) == value
    assert hash(cls(*values.values())) == hash(value)
    for name in values:
        assert cls(**{**values, name: "something else"}) != value
    assert value != tuple(values.values())
    assert repr(value) == f"{cls.__name__}({', '.join(f'{k}={v!r}' for k, v in values.items())})"
    check_immutable(value)


def check_incomplete(cls, values):
    for name in values:
        with pytest.raises(TypeError, match=name):
            cls(**{key: value for key, value in values.items() if key != name})
    with pytest.raises(TypeError):
        cls()
    with pytest.raises(TypeError):
        cls(*values.values(), 1)
    with pytest.raises(TypeError, match="multiple values"):
        cls(1, **values)
    with pytest.raises(TypeError, match="speed"):
        cls(**values, speed=1)


def test_event_construction():
    """Construct an event value directly"""
    # Covers: 6.1, 6.3
    check_construction(sw.ProfilerEvent, EVENT)
    marker = object()
    odd = sw.ProfilerEvent(*[marker] * 11)
    assert odd.id is odd.carrier_type is odd.succeeded is marker
    assert sw.ProfilerEvent(**{**EVENT, "id": -(2**80), "name": "a\0b", "parent_id": 3}).id == -(2**80)


def test_incomplete_event():
    """Reject an incomplete event construction"""
    # Covers: 6.2, 6.4
    check_incomplete(sw.ProfilerEvent, EVENT)


# Shape recording preserves positional hierarchy


def test_shape_snapshot():
    """Snapshot a hierarchical Tensor and a scalar"""
    # Covers: 7.2, 7.3, 7.4
    tensor = hierarchical([float(i) for i in range(24)])
    with sw.profile(record_shapes=True) as profiler:
        sw.mul(tensor, 2.0)
        sw.mul(tensor, 2)
        with pytest.raises(TypeError):
            sw.add(tensor, object())
    for event in profiler.events():
        assert event.input_shapes == ((2, (3, 4)), None)
        assert type(event.input_shapes) is tuple and type(event.input_shapes[0]) is tuple


def test_no_shapes():
    """Omit shape recording"""
    # Covers: 2.8, 2.9, 7.1
    assert [event.input_shapes for event in recorded().events()] == [None]
    assert [event.input_shapes for event in recorded(record_shapes=False).events()] == [None]


def test_options_are_no_inputs():
    """Keep execution options outside shape positions"""
    # Covers: 7.5, 7.6
    tensor = vector([1.0, 2.0], dtype=sw.DType.Float32)
    options = sw.carriers.operation_policy.operation_execution_options("reduce_sum", accumulator_dtype=sw.DType.Float64)
    with sw.profile(record_shapes=True) as profiler:
        tensor.carrier.dispatch_op("reduce_sum").forward(tensor, options=options)
        sw.reduce_sum(tensor, options=options)
    assert [event.input_shapes for event in profiler.events()] == [((2,),)] * 2


# Nested events preserve selected ancestry and self time


def composite(**options):
    tensor = evictable([1.0, -2.0])
    return recorded(lambda: sw.relu(tensor), **options).events()


def test_composite_levels():
    """Record both composite levels"""
    # Covers: 8.2, 8.6
    outer, inner = composite(carriers=[sw.Evictable, sw.Generic])
    assert (outer.id, inner.id, outer.parent_id, inner.parent_id) == (0, 1, None, 0)
    assert (outer.carrier_type, inner.carrier_type) == (sw.Evictable, sw.Generic)
    assert outer.name == inner.name == "relu"
    assert outer.start_time_ns <= inner.start_time_ns
    assert outer.self_time_ns == outer.duration_ns - inner.duration_ns


def slow(_):
    time.sleep(0.02)
    return vector([1.0])


def test_hidden_nested_work():
    """Hide nested work without charging it to the parent"""
    # Covers: 8.1, 8.8
    (outer,) = composite(carriers=[sw.Evictable])
    assert outer.carrier_type is sw.Evictable
    assert outer.self_time_ns < outer.duration_ns
    (outer,) = recorded(lambda: step(Outer, lambda _: step(Inner, slow)), carriers=[Outer]).events()
    assert outer.duration_ns >= 20_000_000
    assert outer.self_time_ns < 15_000_000


def test_nested_only():
    """Select only the nested execution"""
    # Covers: 8.1, 8.3, 8.4
    (inner,) = composite(carriers=[sw.Generic])
    assert (inner.id, inner.parent_id, inner.carrier_type) == (0, None, sw.Generic)
    assert inner.self_time_ns == inner.duration_ns


def test_three_levels():
    """Exclude three-level nesting exactly once"""
    # Covers: 8.3, 8.6, 8.7

    def three():
        step(Outer, lambda _: step(Middle, lambda _: step(Inner, slow)))

    outer, middle, inner = recorded(three).events()
    assert [event.parent_id for event in (outer, middle, inner)] == [None, 0, 1]
    assert outer.self_time_ns == outer.duration_ns - middle.duration_ns
    assert middle.self_time_ns == middle.duration_ns - inner.duration_ns
    assert inner.self_time_ns == inner.duration_ns >= 20_000_000
    outer, inner = recorded(three, carriers=[Outer, Inner]).events()
    assert inner.parent_id == outer.id
    assert outer.self_time_ns < 15_000_000


# Profiling is local to the active thread


def test_other_thread():
    """Ignore another thread's operation"""
    # Covers: 9.1, 9.2
    with sw.profile() as profiler:
        in_thread(lambda: sw.relu(vector([1.0])))
        own = in_thread(recorded)
        sw.neg(vector([1.0]))
    assert names(profiler) == ["neg"]
    assert names(own) == ["relu"]
    assert own.events()[0].thread_id != profiler.events()[0].thread_id == threading.get_ident()


def test_cross_thread_exit():
    """Reject cross-thread exit and recover"""
    # Covers: 9.3, 9.4, 9.5
    profiler = sw.profile().__enter__()
    sw.relu(vector([1.0]))
    with pytest.raises(RuntimeError, match="active thread|thread that entered"):
        in_thread(lambda: profiler.__exit__(None, None, None))
    assert list(sw.relu(vector([-1.0]))) == [0.0]
    with pytest.raises(RuntimeError):
        profiler.events()
    with pytest.raises(RuntimeError):
        profiler.__exit__(None, None, None)
    assert names(recorded()) == ["relu"]


# Aggregates are deterministic functions of raw events


def test_repeated_executions():
    """Aggregate repeated executions"""
    # Covers: 10.1, 10.3, 10.8, 10.9

    def twice():
        tensor = vector([1.0, 2.0])
        sw.add(tensor, tensor)
        fail()

    profiler = recorded(twice)
    first, second = profiler.events()
    (row,) = profiler.key_averages()
    assert (row.name, row.carrier_type, row.input_shapes, row.count) == ("add", sw.Generic, None, 2)
    assert row.total_time_ns == first.duration_ns + second.duration_ns
    assert row.self_total_time_ns == first.self_time_ns + second.self_time_ns
    assert row.mean_time_ns == row.total_time_ns / 2 and type(row.mean_time_ns) is float
    assert row.min_time_ns == min(first.duration_ns, second.duration_ns)
    assert row.max_time_ns == max(first.duration_ns, second.duration_ns)
    check_immutable(row)
    assert profiler.key_averages() == profiler.key_averages()


def test_separate_classes():
    """Separate exact carrier classes"""
    # Covers: 10.2, 10.5
    tensor = evictable([1.0])
    rows = recorded(lambda: sw.relu(tensor)).key_averages()
    assert [(row.name, row.carrier_type, row.count) for row in rows] == [
        ("relu", sw.Evictable, 1),
        ("relu", sw.Generic, 1),
    ]


def test_group_by_shape():
    """Group by hierarchical input shape"""
    # Covers: 10.6

    def run():
        sw.relu(hierarchical([1.0] * 24))
        sw.relu(vector([1.0] * 24))
        sw.relu(hierarchical([1.0] * 24))

    profiler = recorded(run, record_shapes=True)
    rows = profiler.key_averages(group_by_input_shape=True)
    assert sorted((row.input_shapes, row.count) for row in rows) == sorted([(((2, (3, 4)),), 2), (((24,),), 1)])
    assert [row.count for row in profiler.key_averages()] == [3]
    (row,) = recorded(run).key_averages(group_by_input_shape=True)
    assert (row.input_shapes, row.count) == (None, 3)


@pytest.mark.parametrize("value", [1, 0, None, "yes", [], 1.0], ids=repr)
def test_invalid_grouping(value):
    """Reject an invalid grouping option"""
    # Covers: 10.4, 12.3, 12.4, 12.14
    profiler = recorded()
    with pytest.raises(TypeError, match="group_by_input_shape"):
        profiler.key_averages(group_by_input_shape=value)
    with pytest.raises(TypeError, match="group_by_input_shape"):
        profiler.table(group_by_input_shape=value)
    with pytest.raises(TypeError, match="descending"):
        profiler.table(descending=value)


def test_aggregate_construction():
    """Construct an aggregate value directly"""
    # Covers: 11.1, 11.3
    check_construction(sw.ProfilerAggregate, AGGREGATE)
    marker = object()
    odd = sw.ProfilerAggregate(*[marker] * 9)
    assert odd.count is odd.mean_time_ns is marker


def test_incomplete_aggregate():
    """Reject an incomplete aggregate construction"""
    # Covers: 11.2, 11.4
    check_incomplete(sw.ProfilerAggregate, AGGREGATE)


# Tables render validated deterministic aggregate views

HEADER = ["Name", "Carrier", "Calls", "Total (ns)", "Self total (ns)", "Mean (ns)", "Min (ns)", "Max (ns)"]


def test_limited_table():
    """Render a deterministic limited table"""
    # Covers: 12.1, 12.5, 12.8, 12.9
    profiler = recorded(several)
    table = profiler.table(sort_by="count", descending=True, row_limit=1)
    assert table == profiler.table(sort_by="count", descending=True, row_limit=1)
    header, separator, row = table.splitlines()
    assert columns(header) == HEADER
    assert set(separator) == {"-", " "}
    top = [row for row in profiler.key_averages() if row.count == 4][0]
    assert columns(row)[:5] == ["relu", "strideweave.Generic", "4", str(top.total_time_ns), str(top.self_total_time_ns)]


def test_empty_table():
    """Render an empty table"""
    # Covers: 12.10, 12.11
    profiler = recorded(carriers=[])
    header, separator = profiler.table().splitlines()
    assert columns(header) == HEADER
    assert set(separator) == {"-", " "}
    assert "Input shapes" in profiler.table(group_by_input_shape=True)


@pytest.mark.parametrize("value", ["speed", "", "Name", 5, None, (1,), b"name", 1.5], ids=repr)
def test_unsupported_sort_field(value):
    """Reject an unsupported sort field"""
    # Covers: 12.12
    with pytest.raises(ValueError, match="sort field"):
        recorded().table(sort_by=value)


@pytest.mark.parametrize("value", [[], {}, ["count"], ({},)], ids=repr)
def test_unhashable_sort_field(value):
    """Reject an unhashable sort value"""
    # Covers: 12.13
    with pytest.raises(TypeError, match="sort"):
        recorded().table(sort_by=value)


@pytest.mark.parametrize("value", [-1, True, False, 1.0, "1", [], -(2**80)], ids=repr)
def test_invalid_row_limit(value):
    """Reject an invalid row limit"""
    # Covers: 12.15
    with pytest.raises(ValueError, match="row_limit"):
        recorded().table(row_limit=value)


# Timing measures synchronous host execution


def test_duration_is_host_time():
    """Interpret an event duration"""
    # Covers: 13.4, 13.5
    done = threading.Event()

    def start_device_work(_):
        threading.Thread(target=lambda: (time.sleep(0.2), done.set())).start()
        return vector([1.0])

    with sw.profile() as profiler:
        before = time.monotonic_ns()
        step(Outer, start_device_work)
        elapsed = time.monotonic_ns() - before
        assert not done.is_set()
    assert 0 < profiler.events()[0].duration_ns <= elapsed + 1000
    assert profiler.events()[0].duration_ns < 150_000_000
    done.wait()
