# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sw-profiler prints of the trace of a Profiler, beside what that Profiler itself says."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from helpers import cpu, evictable  # noqa: E402
from toolbox import summary  # noqa: E402

import strideweave as sw  # noqa: E402
from strideweave.operation import TraceFormat  # noqa: E402

SUFFIXES = {TraceFormat.CHROME_JSON: "json", TraceFormat.JSONL: "jsonl", TraceFormat.PERFETTO: "pftrace"}


@pytest.fixture(scope="module")
def profiler():
    with sw.profile() as profiler:
        for i in range(40):
            inner, plain = evictable([float(i), 2.0]), cpu([1.0, float(i)])
            for _ in range(i % 4):
                sw.relu(inner)
            sw.relu(plain)
            sw.add(plain, plain)
    return profiler


@pytest.mark.parametrize("format", SUFFIXES, ids=SUFFIXES.get)
def test_numbers_are_the_same(tmp_path, profiler, format):
    path = tmp_path / f"trace.{SUFFIXES[format]}"
    profiler.write_trace(path, format)
    found = {row["name"]: row for row in summary(path)["rows"]}
    events = profiler.events()
    assert {event.name for event in events} == set(found) and len(found) == 2
    for name, row in found.items():
        averages = [average for average in profiler.key_averages() if average.name == name]
        assert row["calls"] == sum(average.count for average in averages)
        assert row["total_ns"] == sum(average.total_time_ns for average in averages)
        assert row["self_ns"] == sum(average.self_total_time_ns for average in averages)
        assert row["min_ns"] == min(average.min_time_ns for average in averages)
        assert row["max_ns"] == max(average.max_time_ns for average in averages)


@pytest.mark.parametrize("format", SUFFIXES, ids=SUFFIXES.get)
def test_percentiles_are_the_same(tmp_path, profiler, format):
    """Of a name that one class of carrier has."""
    path = tmp_path / f"trace.{SUFFIXES[format]}"
    profiler.write_trace(path, format)
    (row,) = summary("--name", "add", path)["rows"]
    (average,) = [average for average in profiler.key_averages(statistics=True) if average.name == "add"]
    assert row["mean_ns"] == pytest.approx(average.mean_time_ns, rel=1e-12)
    assert [row["p50_ns"], row["p90_ns"], row["p99_ns"]] == [average.p50_time_ns, average.p90_time_ns, average.p99_time_ns]
