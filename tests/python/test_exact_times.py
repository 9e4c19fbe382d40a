# SPDX-License-Identifier: LGPL-2.1-or-later
"""What belongs to a measured interval, to the nanosecond, with a clock that moves only when it is told to."""
import gi
import pytest

gi.require_version("Fixture", "1")

import strideweave as sw  # noqa: E402
from gi.repository import Fixture  # noqa: E402
from helpers import Boom, Inner, Listed, Middle, Outer, Step, boom, vector  # noqa: E402
from strideweave.carriers.operation_policy import operation_execution_options  # noqa: E402


@pytest.fixture(autouse=True)
def clock():
    Fixture.set_clock(1000, 0)
    yield
    Fixture.unset_clock()


class Costly(Listed):
    """Each of its hooks takes a time of its own."""

    operations = {"step": Step, "reduce_sum": Step}

    def size(self):
        Fixture.advance_clock(1)
        return super().size()

    def dtype(self):
        Fixture.advance_clock(10)
        return super().dtype()

    def _dispatch_op(self, name):
        Fixture.advance_clock(1000)
        return super()._dispatch_op(name)


def execute(cls, run):
    tensor = vector([1.0], cls)
    return tensor.carrier.dispatch_op("step").forward(tensor, run)


def spend(ns):
    def run(tensor):
        Fixture.advance_clock(ns)
        return tensor

    return run


def test_only_the_computation_counts():
    """Neither the choice of the operation, nor what checks its inputs, nor what follows."""
    # Covers: 4.2, 4.4, 8.4, 13.2, 13.3
    tensor = vector([1.0, 2.0], Costly)
    with sw.profile() as profiler:
        operation = tensor.carrier.dispatch_op("step")
        Fixture.advance_clock(100)
        operation.forward(tensor, spend(70000))
        Fixture.advance_clock(100)
        with pytest.raises(ValueError, match="options"):
            sw.reduce_sum(tensor, options=operation_execution_options("matmul", accumulator_dtype=sw.DType.Float64))
    (event,) = profiler.events()
    assert (event.duration_ns, event.self_time_ns) == (70000, 70000)
    assert event.start_time_ns >= 1000 + 1000 + 100


def test_a_failed_computation_counts_to_its_failure():
    # Covers: 4.3, 4.8, 8.4
    def run(tensor, outcome):
        Fixture.advance_clock(50)
        if outcome is Boom:
            raise Boom
        return outcome

    for outcome, error in ((Boom, Boom), (None, TypeError), (5, TypeError)):
        with sw.profile() as profiler:
            with pytest.raises(error):
                execute(Outer, lambda tensor: run(tensor, outcome))
            Fixture.advance_clock(100)
        (event,) = profiler.events()
        assert (event.succeeded, event.duration_ns) == (False, 50)


def nest(outer_ns, middle_ns, inner_ns):
    def in_middle(tensor):
        Fixture.advance_clock(middle_ns)
        execute(Inner, spend(inner_ns))
        execute(Inner, spend(inner_ns))
        return tensor

    def in_outer(tensor):
        Fixture.advance_clock(outer_ns)
        execute(Middle, in_middle)
        Fixture.advance_clock(outer_ns)
        return tensor

    execute(Outer, in_outer)


CLASSES = {Outer: (1222, 1000), Middle: (222, 200), Inner: (11, 11)}


@pytest.mark.parametrize("bits", range(8))
def test_self_time_is_the_same_whoever_is_selected(bits):
    # Covers: 8.1, 8.3, 8.5, 8.6, 8.7, 8.8
    selected = [cls for place, cls in enumerate(CLASSES) if bits & 1 << place]
    with sw.profile(carriers=selected) as profiler:
        nest(500, 200, 11)
    expected = [cls for cls in (Outer, Middle, Inner, Inner) if cls in selected]
    assert [event.carrier_type for event in profiler.events()] == expected
    for event in profiler.events():
        assert (event.duration_ns, event.self_time_ns) == CLASSES[event.carrier_type]
        above = [cls for cls in list(CLASSES)[: list(CLASSES).index(event.carrier_type)] if cls in selected]
        parent = None if event.parent_id is None else profiler.events()[event.parent_id].carrier_type
        assert parent is (above[-1] if above else None)


def test_an_operation_of_no_carrier_is_its_callers_own_time():
    """What was not dispatched is no execution of its own."""
    # Covers: 4.6, 8.6
    def run(tensor):
        Step().forward(tensor, spend(30))
        return tensor

    with sw.profile() as profiler:
        execute(Outer, run)
    (event,) = profiler.events()
    assert (event.duration_ns, event.self_time_ns) == (30, 30)


def test_times_of_rows_are_those_of_events():
    # Covers: 10.8, 10.9
    tensor = vector([1.0], Outer)
    with sw.profile() as profiler:
        for ns in (5, 1, 2**40):
            tensor.carrier.dispatch_op("step").forward(tensor, spend(ns))
        with pytest.raises(Boom):
            tensor.carrier.dispatch_op("step").forward(tensor, lambda given: boom(Fixture.advance_clock(3)))
    (row,) = profiler.key_averages()
    total = 5 + 1 + 2**40 + 3
    assert (row.count, row.total_time_ns, row.self_total_time_ns) == (4, total, total)
    assert (row.mean_time_ns, row.min_time_ns, row.max_time_ns) == (total / 4, 1, 2**40)


def test_an_event_starts_when_its_computation_does():
    # Covers: 5.1, 13.1
    tensor = vector([1.0], Outer)
    with sw.profile() as profiler:
        for _ in range(3):
            Fixture.advance_clock(1000)
            tensor.carrier.dispatch_op("step").forward(tensor, spend(1))
    assert [event.start_time_ns for event in profiler.events()] == [2000, 3001, 4002]
