# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results of the zone profiler through the introspected methods alone."""
import gc

import gi

gi.require_version("Strideweave", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from gi.repository import GLib, Strideweave  # noqa: E402

N_FRAMES = 7


def numbers(column, dtype):
    return np.frombuffer(column.get_data(), dtype)


@pytest.fixture(scope="module")
def recorded():
    """A trace and frame statistics of frames with two zones inside of one."""
    profiler = Strideweave.ZoneProfiler.new(None)
    outer, inner = (Strideweave.profile_site_register("results.py", line, "Owner.run", name)
                    for line, name in enumerate(["outer", "inner"]))
    profiler.enter()
    try:
        profiler.start_capture(None)
        for _ in range(N_FRAMES):
            frame = Strideweave.profile_frame_begin("frame")
            zone = Strideweave.profile_zone_begin(outer)
            for _ in range(2):
                Strideweave.profile_zone_end(Strideweave.profile_zone_begin(inner))
            Strideweave.profile_zone_end(zone)
            Strideweave.profile_frame_end(frame)
        return profiler.stop_capture(), profiler.frame_stats_snapshot()
    finally:
        profiler.exit()


def test_columns_of_a_trace(recorded):
    trace, _ = recorded
    (chunk,) = trace.dup_zone_chunks()
    start = numbers(chunk.dup_start_ns(), "u8")
    end = start + numbers(chunk.dup_duration_ns(), "u8")
    parent = numbers(chunk.dup_parent_index(), "i4")
    assert trace.get_zone_count() == len(start) == 3 * N_FRAMES
    assert parent.tolist() == [index for frame in range(N_FRAMES) for index in (3 * frame + 2, 3 * frame + 2, -1)]
    children = np.flatnonzero(parent >= 0)
    assert (start[parent[children]] <= start[children]).all() and (end[children] <= end[parent[children]]).all()
    assert numbers(chunk.dup_frame_index(), "u4").tolist() == [frame for frame in range(N_FRAMES) for _ in range(3)]
    assert {site.get_name() for site in trace.dup_sites()} == {"outer", "inner"}
    assert [frame.get_index() for frame in trace.dup_frames()] == numbers(trace.dup_frame_index(), "u4").tolist()
    assert len(trace.dup_timelines()) == 1


def test_statistics_of_a_query_are_numpys(recorded):
    trace, _ = recorded
    selection = trace.query_zones("inner", Strideweave.TimelineType.CPU, 2, 6, -1, -1)
    ms = numbers(selection.dup_column(Strideweave.ZoneColumn.DURATION_NS), "u8") / 1e6
    statistics = selection.dup_statistics()
    assert selection.get_count() == statistics.get_count() == len(ms) == 8
    figures = [statistics.get_total_ms(), statistics.get_mean_ms(), statistics.get_stddev_ms(), statistics.get_p50_ms(),
               statistics.get_p99_ms()]
    np.testing.assert_allclose(figures, [ms.sum(), ms.mean(), ms.std(), *np.percentile(ms, [50, 99])], rtol=1e-12)
    slowest = numbers(selection.slowest(1).dup_column(Strideweave.ZoneColumn.DURATION_NS), "u8") / 1e6
    assert slowest.tolist() == [ms.max()]
    histogram = selection.dup_histogram(5, 0, 0)
    counts, edges = np.histogram(ms, bins=5)
    assert numbers(histogram.dup_counts(), "u8").tolist() == counts.tolist()
    np.testing.assert_allclose(numbers(histogram.dup_edges_ms(), "f8"), edges)


def test_columns_of_frame_statistics(recorded):
    _, stats = recorded
    entries = stats.dup_entries()
    shape = (stats.get_sample_count(), stats.get_entry_count())
    cpu = numbers(stats.dup_sample_cpu_time_ms(), "f8").reshape(shape)
    assert shape == (N_FRAMES, 2)
    assert [(entry.get_name(), entry.get_parent_index()) for entry in entries] == [("outer", -1), ("inner", 0)]
    assert numbers(stats.dup_sample_call_count(), "u4").reshape(shape).tolist() == [[1, 2]] * N_FRAMES
    assert (numbers(stats.dup_sample_gpu_status(), "u1") == int(Strideweave.GpuStatus.UNAVAILABLE)).all()
    for entry, column in zip(entries, cpu.T):
        per_frame = entry.get_cpu_time_per_frame()
        np.testing.assert_allclose([per_frame.get_mean_ms(), per_frame.get_stddev_ms(), per_frame.get_p95_ms()],
                                   [column.mean(), column.std(), np.percentile(column, 95)], rtol=1e-12)
    assert (cpu[:, 0] >= cpu[:, 1]).all()
    times = numbers(stats.dup_sample_frame_time_ms(), "f8")
    np.testing.assert_allclose(stats.get_frame_time().get_mean_ms(), times.mean(), rtol=1e-12)
    starts = numbers(stats.dup_sample_frame_start_ns(), "u8")
    np.testing.assert_allclose(stats.get_fps(), (N_FRAMES - 1) * 1e9 / float(starts[-1] - starts[0]), rtol=1e-12)
    assert "outer" in stats.to_string() and stats.to_csv().count("\r\n") == 3


def test_impossible_queries(recorded):
    trace, _ = recorded
    with pytest.raises(GLib.Error, match="frame_begin is -9"):
        trace.query_zones(None, -1, -9, -1, -1, -1)
    with pytest.raises(GLib.Error, match="n_bins is 0"):
        trace.query_zones(None, -1, -1, -1, -1, -1).dup_histogram(0, 0, 1)
    with pytest.raises(GLib.Error, match="cannot write"):
        trace.write_to_csv("/nowhere/at/all")


def test_columns_outlive_everything():
    """The bytes keep their chunk when the trace and the profiler are gone."""
    profiler = Strideweave.ZoneProfiler.new(None)
    profiler.enter()
    site = Strideweave.profile_site_register("results.py", 9, "test", "alone")
    Strideweave.profile_zone_end(Strideweave.profile_zone_begin(site))
    profiler.exit()
    profiler.flush()
    (chunk,) = profiler.live_snapshot().dup_zone_chunks()
    column = chunk.dup_site_id()
    del chunk, profiler
    gc.collect()
    assert numbers(column, "u4").tolist() == [site]
