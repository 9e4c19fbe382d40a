# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a ZoneProfiler gives back: traces, selections, statistics, and their columns as arrays."""
import copy
import gc
import json
import math
import pickle
import sys

import numpy
import pytest

import strideweave as sw


@pytest.fixture
def profiler():
    with sw.ZoneProfiler(live_frame_count=10) as profiler:
        yield profiler


def run(n_frames=5, n_zones=4):
    for _ in range(n_frames):
        with sw.profile_frame("tick"):
            for number in range(n_zones):
                with sw.profile_zone("outer"):
                    if number % 2:
                        with sw.profile_zone("inner"):
                            pass


@pytest.fixture
def trace(profiler):
    profiler.start_capture()
    run()
    with sw.profile_zone("outside"):
        pass
    return profiler.stop_capture()


def column(trace, name):
    return numpy.concatenate([getattr(chunk, name) for chunk in trace.zone_chunks])


KINDS = {
    "start_ns": numpy.uint64,
    "duration_ns": numpy.uint64,
    "correlation_id": numpy.uint64,
    "timeline_id": numpy.uint32,
    "site_id": numpy.uint32,
    "parent_index": numpy.int32,
    "frame_index": numpy.uint32,
}


def test_trace(trace):
    assert trace.zone_count == len(trace) == 5 * 6 + 1 and trace
    assert (trace.truncated, trace.stop_reason.value_nick) == (False, "requested")
    assert 0 < trace.start_ns < trace.stop_ns and trace.memory_bytes > 0
    assert sorted(site.name for site in trace.sites) == ["inner", "outer", "outside"]
    assert [frame.name for frame in trace.frames] == ["tick"] * 5
    assert trace.frame_index.tolist() == [frame.index for frame in trace.frames]
    assert trace.frame_start_ns.tolist() == [frame.start_ns for frame in trace.frames]
    assert trace.frame_duration_ns.tolist() == [frame.duration_ns for frame in trace.frames]
    assert trace.frame_statistics().count == 5 and trace.fps() > 0
    assert trace.frame_statistics(start_ns=0, end_ns=1).count == 0
    assert "zone_count=31" in str(trace) and "zone_count=31" in repr(trace)


def test_columns_are_arrays(trace):
    (chunk,) = trace.zone_chunks
    assert list(chunk.columns()) == list(KINDS) and len(chunk) == chunk.zone_count == 31 and chunk.first_index == 0
    for name, kind in KINDS.items():
        array = getattr(chunk, name)
        assert isinstance(array, numpy.ndarray) and array.dtype == kind and array.shape == (31,)
        with pytest.raises(ValueError):
            array[0] = 1
        with pytest.raises(ValueError):
            array.flags.writeable = True
        other = getattr(chunk, name)
        assert array.__array_interface__["data"] == other.__array_interface__["data"], "a copy was made"


def test_arrays_outlive_everything():
    def make():
        profiler = sw.ZoneProfiler()
        with profiler:
            profiler.start_capture()
            run(50, 40)
            trace = profiler.stop_capture()
        return [(getattr(chunk, name), getattr(chunk, name).tolist()) for chunk in trace.zone_chunks for name in KINDS]

    kept = make()
    gc.collect()
    for _ in range(5):
        make()
    assert all(array.tolist() == before for array, before in kept)
    part = kept[0][0][3:9]
    before = part.tolist()
    del kept
    gc.collect()
    make()
    assert part.tolist() == before


def test_parents_enclose_their_children(trace):
    start, duration, parent = (column(trace, name).astype("i8") for name in ("start_ns", "duration_ns", "parent_index"))
    inner = parent >= 0
    assert inner.sum() == 10
    assert (start[parent[inner]] <= start[inner]).all()
    assert (start[inner] + duration[inner] <= start[parent[inner]] + duration[parent[inner]]).all()


def test_queries(trace):
    everything = trace.query_zones()
    assert everything.count == 31 and everything.indices.tolist() == list(range(31)) and everything.trace.zone_count == 31
    assert trace.query_zones("inner").count == 10 == len(trace.query_zones(name="inner"))
    assert trace.query_zones("inne").count == 0 and trace.query_zones("nothing")
    frames = [frame.index for frame in trace.frames]
    assert trace.query_zones("outer", frame_begin=frames[1], frame_end=frames[3]).count == 8
    assert trace.query_zones("outside", frame_begin=0).count == 0
    for kind in "cpu", sw.TimelineType.CPU:
        assert trace.query_zones(timeline_type=kind).count == 31
    assert trace.query_zones(timeline_type="gpu").count == 0 == trace.query_zones(timeline_type=sw.TimelineType.GPU).count
    begin, end = trace.frames[2].start_ns, trace.frames[2].start_ns + trace.frames[2].duration_ns
    assert trace.query_zones(start_ns=begin, end_ns=end).count == 6
    selection = trace.query_zones("inner")
    for name, kind in KINDS.items():
        array = getattr(selection, name)
        assert array.dtype == kind and array.tolist() == column(trace, name)[selection.indices].tolist()
        assert not array.flags.writeable


@pytest.mark.parametrize("options, error, message", [
    ({"name": 3}, TypeError, "name must be a str"),
    ({"name": "nul\0"}, ValueError, "name"),
    ({"timeline_type": 7}, TypeError, "timeline_type must be"),
    ({"timeline_type": "tpu"}, ValueError, "tpu"),
    ({"frame_begin": -2}, ValueError, "frame_begin is -2"),
    ({"frame_end": 2**64}, ValueError, "frame_end"),
    ({"start_ns": 1.5}, TypeError, "start_ns must be an int"),
    ({"end_ns": True}, TypeError, "end_ns must be an int"),
    ({"frames": 3}, TypeError, "frames"),
])  # fmt: skip
def test_wrong_queries(trace, options, error, message):
    with pytest.raises(error, match=message):
        trace.query_zones(**options)


def test_statistics_are_numpys(trace):
    for name in "outer", "inner":
        selection = trace.query_zones(name)
        durations = selection.duration_ns / 1e6
        statistics = selection.statistics()
        expected = {
            "count": len(durations),
            "total_ms": durations.sum(),
            "min_ms": durations.min(),
            "max_ms": durations.max(),
            "mean_ms": durations.mean(),
            "stddev_ms": durations.std(),
        } | {f"p{share}_ms": numpy.percentile(durations, share) for share in (50, 90, 95, 99)}
        assert statistics.to_dict() == pytest.approx(expected, rel=1e-12)
        assert statistics == selection.statistics() and hash(statistics) == hash(selection.statistics())


def test_histograms_and_slowest(trace):
    selection = trace.query_zones("outer")
    histogram = selection.histogram(8)
    durations = selection.duration_ns / 1e6
    assert histogram.counts.sum() + histogram.below + histogram.above == 20
    assert len(histogram.edges_ms) == 9 and len(histogram.counts) == 8 == histogram.bin_count
    low, high = float(numpy.percentile(durations, 20)), float(numpy.percentile(durations, 80))
    part = selection.histogram(4, min_ms=low, max_ms=high)
    assert part.below == (durations < low).sum() and part.above == (durations > high).sum()
    slowest = selection.slowest(3)
    assert slowest.duration_ns.tolist() == sorted(selection.duration_ns.tolist(), reverse=True)[:3]
    for wrong in -1, 2**40:
        with pytest.raises(ValueError):
            selection.slowest(wrong)
    with pytest.raises(ValueError):
        selection.histogram(0)
    with pytest.raises(TypeError):
        selection.histogram("x")
    with pytest.raises(ValueError):
        selection.histogram(3, min_ms=2, max_ms=1)
    with pytest.raises(TypeError, match="min_ms must be a number"):
        selection.histogram(3, min_ms="1")
    assert selection.histogram(2, max_ms=1e9).counts.sum() == 20


def test_files(trace, tmp_path):
    trace.write_to_json(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())
    assert sum(event.get("name") == "inner" and event["ph"] in "XB" for event in events) == 10
    for kind in "jsonl", "perfetto", "csv":
        getattr(trace, f"write_to_{kind}")(str(tmp_path / kind))
        assert (tmp_path / kind).stat().st_size > 100
    trace.query_zones("inner").write_to_csv(tmp_path / "some.csv")
    assert len((tmp_path / "some.csv").read_text().splitlines()) == 11
    for wrong, error in (tmp_path / "no" / "folder", OSError), (3.5, TypeError), ("nul\0", ValueError):
        with pytest.raises(error):
            trace.write_to_json(wrong)


def test_frame_stats(profiler):
    run()
    stats = profiler.frame_stats_snapshot()
    assert (stats.sample_count, stats.entry_count, stats.pending_frame_count) == (5, 2, 0)
    assert [(entry.name, entry.parent_index, entry.depth) for entry in stats.entries] == [("outer", -1, 0), ("inner", 0, 1)]
    assert stats.sample_call_count.tolist() == [[4, 2]] * 5 and stats.sample_call_count.dtype == numpy.uint32
    assert stats.sample_cpu_time_ms.shape == (5, 2) and stats.sample_cpu_time_ms.dtype == numpy.float64
    assert stats.sample_gpu_time_ms.shape == (5, 2)
    assert stats.sample_gpu_status.tolist() == [[int(sw.GpuStatus.UNAVAILABLE)] * 2] * 5
    assert stats.sample_frame_time_ms.shape == stats.sample_frame_index.shape == stats.sample_frame_start_ns.shape == (5,)
    assert stats.frame_time.mean_ms == pytest.approx(stats.sample_frame_time_ms.mean(), rel=1e-12)
    assert stats.latest_frame_ms == stats.sample_frame_time_ms[-1]
    outer = stats.entries[0]
    assert outer.cpu_time_per_frame.total_ms == pytest.approx(stats.sample_cpu_time_ms[:, 0].sum(), rel=1e-12)
    assert outer.cpu_time_per_call.count == 20 and outer.gpu_time_per_call.count == 0
    merged = outer.cpu_time_per_call.merge(stats.entries[1].cpu_time_per_call)
    assert merged.count == 30
    with pytest.raises(TypeError, match="other must be a CallStatistics"):
        merged.merge(3)
    assert "outer" in str(stats) and "  inner" in str(stats) and "producer_drop_count=0" in str(stats).splitlines()[0]
    assert len(stats.to_csv().splitlines()) == 3
    profiler.clear_frame_stats()
    empty = profiler.frame_stats_snapshot()
    assert (empty.sample_count, empty.sample_call_count.shape) == (0, (0, empty.entry_count))
    assert stats.sample_call_count.tolist() == [[4, 2]] * 5


def test_frames_without_zones(profiler):
    run(3, 0)
    stats = profiler.frame_stats_snapshot()
    assert stats.sample_call_count.shape == stats.sample_gpu_status.shape == (3, 0) and stats.entries == ()


def test_live_history(profiler):
    run(25)
    live = profiler.live_snapshot()
    assert live.stop_reason.value_nick == "snapshot" and len(live.frames) == 10


def test_captures(profiler):
    for end in profiler.stop_capture, profiler.discard_capture:
        with pytest.raises(RuntimeError, match="No active"):
            end()
    profiler.start_capture(max_memory_bytes=1 << 20)
    assert profiler.capture_active
    with pytest.raises(RuntimeError):
        profiler.start_capture()
    profiler.discard_capture()
    assert not profiler.capture_active
    profiler.start_capture(sw.CaptureDesc(max_memory_bytes=4096))
    run(100, 10)
    trace = profiler.stop_capture()
    assert trace.truncated and trace.stop_reason == sw.StopReason.MEMORY_LIMIT and trace.memory_bytes <= 4096
    for wrong, error in ({"max_memory_bytes": 0}, ValueError), ({"max_memory_bytes": "x"}, TypeError), ({"max": 1}, TypeError):
        with pytest.raises(error):
            profiler.start_capture(**wrong)
    with pytest.raises(TypeError):
        profiler.start_capture(3)
    assert not profiler.capture_active


def test_descriptions():
    desc = sw.ZoneProfilerDesc()
    assert desc.to_dict() == {
        "thread_event_capacity": 8192,
        "live_frame_count": 120,
        "live_event_capacity": 100000,
        "frame_stats_window_size": 120,
        "gpu_query_pool_size": 16384,
        "enable_auto_zones": True,
        "enable_debug_groups": False,
    }
    desc.live_frame_count = 7
    profiler = sw.ZoneProfiler(desc)
    desc.live_frame_count = 8
    assert profiler.desc.live_frame_count == 7 and profiler.desc != desc
    for other in copy.copy(desc), copy.deepcopy(desc), pickle.loads(pickle.dumps(desc)):
        assert other == desc and repr(other) == repr(desc) and eval(repr(desc), vars(sw)) == desc
        other.live_frame_count = 9
        assert desc.live_frame_count == 8


@pytest.mark.parametrize("fields, error, message", [
    ({"thread_event_capacity": 3}, ValueError, "thread_event_capacity is 3"),
    ({"live_frame_count": 0}, ValueError, "live_frame_count is 0"),
    ({"gpu_query_pool_size": 7}, ValueError, "gpu_query_pool_size is 7"),
    ({"live_event_capacity": -1}, ValueError, "live_event_capacity"),
    ({"live_event_capacity": 2**70}, ValueError, "live_event_capacity"),
    ({"enable_auto_zones": 1}, TypeError, "enable_auto_zones must be a bool"),
    ({"frame_stats_window_size": 1.5}, TypeError, "frame_stats_window_size must be an int"),
    ({"capacity": 1}, TypeError, "capacity"),
    ({"desc": 3}, TypeError, "desc must be a ZoneProfilerDesc"),
    ({"desc": sw.ZoneProfilerDesc(), "live_frame_count": 1}, TypeError, "live_frame_count"),
])  # fmt: skip
def test_wrong_descriptions(fields, error, message):
    with pytest.raises(error, match=message):
        sw.ZoneProfiler(**fields)


def test_switches(profiler):
    for name in "enabled", "enable_auto_zones", "enable_debug_groups":
        before = getattr(profiler, name)
        setattr(profiler, name, not before)
        assert getattr(profiler, name) is not before
        with pytest.raises(TypeError, match=f"{name} must be a bool"):
            setattr(profiler, name, 1)
        setattr(profiler, name, before)
    assert profiler.slow_frame_threshold_ns is None
    profiler.slow_frame_threshold_ns = 0
    run(3)
    assert profiler.slow_frame_threshold_ns == 0 and len(profiler.slow_frames_snapshot().frames) == 3
    profiler.slow_frame_threshold_ns = None
    assert profiler.slow_frame_threshold_ns is None
    with pytest.raises(TypeError):
        profiler.slow_frame_threshold_ns = 1.5
    with pytest.raises(TypeError, match="closed"):
        type("Mine", (sw.ZoneProfiler,), {})


def values(profiler, trace):
    stats = profiler.frame_stats_snapshot()
    return [
        trace, stats, trace.zone_chunks[0], trace.query_zones(), trace.query_zones().histogram(3), stats.frame_time,
        stats.entries[0], stats.entries[0].cpu_time_per_call, trace.sites[0], trace.timelines[0], trace.frames[0],
        trace.diagnostics, profiler.diagnostics,
    ]  # fmt: skip


def test_values(profiler, trace):
    for value in values(profiler, trace):
        plain = value.to_dict()
        assert json.loads(json.dumps(plain)) == plain or any(math.isnan(item) for item in plain.values())
        assert repr(value).startswith(type(value).__name__ + "(") and str(value)
        assert copy.copy(value) is value is copy.deepcopy(value)
        assert value == value and not value != value and hash(value) == hash(value) and value != 3
        with pytest.raises(AttributeError, match="immutable"):
            value.name = 3
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(value)
        with pytest.raises(TypeError, match="cannot be made"):
            type(value)()
    for first, second in zip(values(profiler, trace)[4:], values(profiler, trace)[4:]):
        assert first == second and not first != second and hash(first) == hash(second)


def test_no_leaks(profiler):
    def once():
        profiler.start_capture()
        run(3, 3)
        trace = profiler.stop_capture()
        trace.query_zones("inner").statistics().to_dict()
        profiler.frame_stats_snapshot().sample_call_count.sum()
        str(trace)

    # Caches and free lists fill in steps; one object lost in each round would still be too much.
    for _ in range(300):
        once()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        once()
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000
