# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Profiler beyond its scenarios."""
import gc
import inspect

import pytest
from helpers import (
    Boom,
    columns,
    hierarchical,
    in_thread,
    names,
    recorded,
    several,
    step,
    stepping_class,
    vector,
)

import strideweave as sw


def test_iterables_of_classes():
    # Covers: 2.6
    for carriers in ({sw.Generic}, frozenset({sw.Generic}), (cls for cls in [sw.Generic]), {sw.Generic: 1}):
        assert names(recorded(carriers=carriers)) == ["relu"]


def test_options_are_keywords():
    for make in (sw.profile, sw.Profiler):
        with pytest.raises(TypeError):
            make([sw.Generic])
        with pytest.raises(TypeError):
            make(record_shape=True)


def test_exit_without_entry():
    # Covers: 3.9
    with pytest.raises(RuntimeError, match="not active"):
        sw.profile().__exit__(None, None, None)
    profiler = recorded()
    with pytest.raises(RuntimeError, match="not active"):
        profiler.__exit__(None, None, None)
    assert names(profiler) == ["relu"]


def test_exit_returns_false():
    # Covers: 3.8
    profiler = sw.profile().__enter__()
    assert profiler.__exit__(Boom, Boom(), None) is False


def test_recorded_event_equals_constructed_one():
    (event,) = recorded(record_shapes=True).events()
    copy = sw.ProfilerEvent(*(getattr(event, field) for field in sw.ProfilerEvent.__match_args__))
    assert copy == event and hash(copy) == hash(event) and len({copy, event}) == 1


def test_abandoned_profiler_goes_away():
    # Covers: 9.5, 9.6
    profiler = sw.profile().__enter__()
    with pytest.raises(RuntimeError):
        in_thread(lambda: profiler.__exit__(None, None, None))
    del profiler
    gc.collect()
    assert names(recorded()) == ["relu"]

    sw.profile().__enter__()
    gc.collect()
    sw.relu(vector([1.0]))
    assert names(recorded()) == ["relu"]

    box = [sw.profile().__enter__()]
    in_thread(lambda: (box.clear(), gc.collect()))
    assert names(recorded()) == ["relu"]


def test_row_order():
    # Covers: 10.7
    first, second = stepping_class("Zebra"), stepping_class("Ant")

    def run():
        for cls in (first, second, sw.Generic, first):
            if cls is sw.Generic:
                sw.relu(vector([1.0]))
                sw.add(vector([1.0]), 1.0)
            else:
                step(cls)

    rows = recorded(run).key_averages()
    keys = [(row.name, row.carrier_type.__module__, row.carrier_type.__qualname__) for row in rows]
    assert keys == sorted(keys)
    assert keys[-1] == ("step", "helpers", "Zebra")


def test_table_order():
    # Covers: 12.2, 12.3, 12.7
    profiler = recorded(several)
    for field in ("name", "count", "total_time_ns", "self_total_time_ns", "mean_time_ns", "min_time_ns", "max_time_ns"):
        for descending in (True, False):
            lines = profiler.table(sort_by=field, descending=descending).splitlines()[2:]
            shown = [tuple(columns(line)[:3]) for line in lines]
            rows = sorted(profiler.key_averages(), key=lambda row: getattr(row, field), reverse=descending)
            expected = [
                (row.name, f"{row.carrier_type.__module__}.{row.carrier_type.__qualname__}", str(row.count))
                for row in rows
            ]
            # Python's reversed sort keeps the order of ties, as the table does.
            assert shown == expected, field


def test_table_shows_shapes():
    # Covers: 12.11
    profiler = recorded(lambda: sw.mul(hierarchical([1.0] * 24), 2.0), record_shapes=True)
    table = profiler.table(group_by_input_shape=True)
    assert "((2, (3, 4)), None)" in table and "Input shapes" in table
    assert "Input shapes" not in profiler.table()


def test_row_limits():
    # Covers: 12.5, 12.6
    profiler = recorded(several)
    assert len(profiler.table(row_limit=0).splitlines()) == 2
    assert profiler.table(row_limit=None) == profiler.table(row_limit=2**80) == profiler.table()


def test_result_classes_have_signatures():
    event = inspect.signature(sw.ProfilerEvent)
    assert list(event.parameters)[:3] == ["id", "parent_id", "name"]
    assert len(event.parameters) == 11
    assert len(inspect.signature(sw.ProfilerAggregate).parameters) == 9


def test_names_that_a_program_gives_to_classes():
    """Also to a class that no profiler has seen yet, and to one of the library."""
    fresh = stepping_class("Fresh")
    assert sw.Profiler.get_type_name(fresh) == f"{fresh.__module__}.Fresh"
    sw.Profiler.set_type_name(fresh, "lab.Fresh")
    other = stepping_class("Other")
    sw.Profiler.set_type_name(other, "lab.Other")

    def run():
        step(fresh)
        step(other)
        sw.relu(vector([1.0]))

    table = recorded(run).table(sort_by="name", descending=False)
    assert [line.split()[1] for line in table.splitlines()[2:]] == ["strideweave.Generic", "lab.Fresh", "lab.Other"]
    sw.Profiler.set_type_name(sw.Generic, "lab.Generic")
    try:
        assert "lab.Generic" in recorded().table()
    finally:
        sw.Profiler.set_type_name(sw.Generic, "strideweave.Generic")
    sw.Profiler.set_type_name(fresh, None)
    assert sw.Profiler.get_type_name(fresh) == fresh.__gtype__.name


@pytest.mark.parametrize("cls", [None, 5, "Generic", "no such type", "\udc80", b"x", 1.5, object(), int, sw.Tensor, sw.Profiler])
def test_only_carrier_and_operation_classes_have_type_names(cls):
    for function in (sw.Profiler.get_type_name, lambda cls: sw.Profiler.set_type_name(cls, "x")):
        with pytest.raises(TypeError, match="cls must be a Carrier class or an Operation class, not"):
            function(cls)


@pytest.mark.parametrize("name, error", [(5, TypeError), (b"x", TypeError), ("a\0b", ValueError), ("\udc80", ValueError)])
def test_type_names_are_texts(name, error):
    kind = stepping_class("Kind")
    before = sw.Profiler.get_type_name(kind)
    with pytest.raises(error, match="qualified_name"):
        sw.Profiler.set_type_name(kind, name)
    assert sw.Profiler.get_type_name(kind) == before
