# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of aggregates and the table's columns of them, compared with NumPy."""
import copy
import pickle

import numpy as np
import pytest
from helpers import columns, evictable, recorded, several, vector

import strideweave as sw

STATISTICS = ("p50_time_ns", "p90_time_ns", "p99_time_ns", "stddev_time_ns", "total_percent", "self_total_percent")


def many():
    for size in (1, 30, 300):
        for _ in range(40):
            sw.relu(vector([1.0] * size))
        sw.relu(evictable([1.0]))


def durations(profiler, row, by_shape):
    return [
        event.duration_ns
        for event in profiler.events()
        if (event.name, event.carrier_type) == (row.name, row.carrier_type)
        and (not by_shape or event.input_shapes == row.input_shapes)
    ]


@pytest.mark.parametrize("by_shape", [False, True])
def test_percentiles_are_numpys(by_shape):
    profiler = recorded(many, record_shapes=True)
    rows = profiler.key_averages(group_by_input_shape=by_shape, statistics=True)
    assert len(rows) > 1
    for row in rows:
        times = durations(profiler, row, by_shape)
        assert len(times) == row.count
        expected = np.percentile(times, [50, 90, 99])
        assert [row.p50_time_ns, row.p90_time_ns, row.p99_time_ns] == pytest.approx(list(expected), rel=1e-15)
        assert row.stddev_time_ns == pytest.approx(np.std(times), rel=1e-12)


def test_shares():
    profiler = recorded(many)
    rows = profiler.key_averages(statistics=True)
    whole = sum(event.duration_ns for event in profiler.events() if event.parent_id is None)
    for row in rows:
        assert row.total_percent == pytest.approx(100 * row.total_time_ns / whole)
        assert row.self_total_percent == pytest.approx(100 * row.self_total_time_ns / whole)
    assert sum(row.self_total_percent for row in rows) == pytest.approx(100)


def test_no_part_of_the_value():
    profiler = recorded(several)
    plain, rows = profiler.key_averages(), profiler.key_averages(statistics=True)
    assert plain == rows and hash(plain) == hash(rows) and repr(plain) == repr(rows)
    for field in STATISTICS:
        assert getattr(plain[0], field) is None
        assert isinstance(getattr(rows[0], field), float)
        with pytest.raises(AttributeError):
            setattr(rows[0], field, 1.0)
    constructed = sw.ProfilerAggregate("relu", sw.Generic, None, 1, 2, 3, 4.0, 5, 6)
    assert constructed.p99_time_ns is None
    for same in (pickle.loads(pickle.dumps(rows[0])), copy.copy(rows[0]), copy.deepcopy(rows[0])):
        assert same == rows[0]
        assert [getattr(same, field) for field in STATISTICS] == [getattr(rows[0], field) for field in STATISTICS]


def test_option():
    profiler = recorded()
    for wrong in (1, None, "yes"):
        with pytest.raises(TypeError, match="statistics"):
            profiler.key_averages(statistics=wrong)


def test_names_of_classes():
    profiler = recorded(several)
    for row in profiler.key_averages():
        assert row.carrier_name == f"{row.carrier_type.__module__}.{row.carrier_type.__qualname__}"
    for event in profiler.events():
        assert event.carrier_name == f"{event.carrier_type.__module__}.{event.carrier_type.__qualname__}"
        assert event.implementation_name.endswith(event.implementation_type.__name__)


def test_table_columns():
    profiler = recorded(many)
    plain = profiler.table()
    assert profiler.table(columns=[]) == profiler.table(columns=()) == plain
    table = profiler.table(columns=("p50_time_ns", "total_percent"), sort_by="p50_time_ns")
    header, _, *lines = table.splitlines()
    assert header.startswith(plain.splitlines()[0].split("Max (ns)")[0].split("Calls")[0])
    assert header.rstrip().endswith("Total %") and "p50 (ns)" in header
    rows = sorted(profiler.key_averages(statistics=True), key=lambda row: row.p50_time_ns, reverse=True)
    assert [columns(line)[-2:] for line in lines] == [
        [f"{row.p50_time_ns:.1f}", f"{row.total_percent:.2f}"] for row in rows
    ]
    assert len(profiler.table(columns=STATISTICS, group_by_input_shape=True, row_limit=1).splitlines()) == 3


def test_table_refuses_columns():
    profiler = recorded()
    for wrong in ("p50_time_ns", None, 5):
        with pytest.raises(TypeError, match="columns"):
            profiler.table(columns=wrong)
    with pytest.raises(TypeError, match=r"columns\[1\]"):
        profiler.table(columns=["p50_time_ns", 5])
    for wrong in ("p98_time_ns", "count", "", "\0", "\ud800", "P50_TIME_NS"):
        with pytest.raises(ValueError, match="columns"):
            profiler.table(columns=[wrong])
    with pytest.raises(ValueError, match="p50_time_ns twice"):
        profiler.table(columns=["p50_time_ns"] * 2)
    # The specified fields only, unless the table shows more.
    with pytest.raises(ValueError, match="sort field"):
        profiler.table(sort_by="p50_time_ns")
    with pytest.raises(ValueError, match="sort field"):
        profiler.table(sort_by="p90_time_ns", columns=["p50_time_ns"])


def test_before_exit():
    with sw.profile() as profiler:
        with pytest.raises(RuntimeError, match="only after context exit"):
            profiler.key_averages(statistics=True)
        with pytest.raises(RuntimeError, match="only after context exit"):
            profiler.table(columns=["nonsense"])
