# SPDX-License-Identifier: LGPL-2.1-or-later
"""What zone traces answer and write: computed again with NumPy from their columns, and read with strict parsers and
Perfetto's own importer."""
import collections
import csv
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pytest
import traces

TRACES = ["empty", "plain", "gpu", "hostile"]
TYPES = {"start_ns": "u8", "duration_ns": "u8", "correlation_id": "u8", "timeline_id": "u4", "site_id": "u4",
         "parent_index": "i4", "frame_index": "u4"}
NO_FRAME = 0xFFFFFFFF
GPU_TIMELINE = 3
BASE = 5_000_000_000_000
each_trace = pytest.mark.parametrize("trace", TRACES)
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    subprocess.run([os.environ["SW_ZONE_TRACES"], folder.kept.name], check=True)
    return pathlib.Path(folder.kept.name)


def path(trace, suffix):
    return folder() / f"{trace}.{suffix}"


@functools.cache
def columns(trace):
    return {name: np.frombuffer(path(trace, name).read_bytes(), dtype) for name, dtype in TYPES.items()}


@functools.cache
def names(trace):
    by_id = {int(site): name for site, name in json.loads(path(trace, "sites").read_text()).items()}
    return np.array([by_id[site] for site in columns(trace)["site_id"]], dtype=object)


def queries(trace):
    return json.loads(path(trace, "queries").read_text())


def found(trace, query):
    """The query's indices, the plain way."""
    zones = columns(trace)
    mask = np.ones(len(zones["start_ns"]), bool)
    if query["name"] is not None:
        mask &= names(trace) == query["name"]
    if query["type"] != -1:
        mask &= (zones["timeline_id"] == GPU_TIMELINE) == (query["type"] == 1)
    frame, (first, end) = zones["frame_index"].astype("i8"), query["frames"]
    if (first, end) != (-1, -1):
        mask &= frame != NO_FRAME
    mask &= frame >= first
    if end != -1:
        mask &= frame < end
    start = zones["start_ns"].astype("i8")
    stop = start + np.maximum(zones["duration_ns"].astype("i8"), 1)
    first, end = query["times"]
    mask &= stop > first
    if end != -1:
        mask &= start < end
    return np.flatnonzero(mask)


@each_trace
def test_queries(trace):
    sizes = set()
    for query in queries(trace):
        expected = found(trace, query)
        assert query["indices"] == expected.tolist(), query
        sizes.add(len(expected))
    assert trace == "empty" or len(sizes) > 5


@each_trace
def test_statistics_are_numpys(trace):
    for query in queries(trace):
        ms = columns(trace)["duration_ns"][query["indices"]] / 1e6
        count, *figures = query["statistics"]
        assert count == len(ms)
        if count == 0:
            assert figures == [0.0] * 9
            continue
        expected = [ms.sum(), ms.min(), ms.max(), ms.mean(), ms.std(), *np.percentile(ms, [50, 90, 95, 99])]
        np.testing.assert_allclose(figures, expected, rtol=1e-12, atol=1e-12)


@each_trace
def test_slowest(trace):
    for query in queries(trace):
        duration = columns(trace)["duration_ns"]
        expected = sorted(query["indices"], key=lambda index: (-int(duration[index]), index))[:10]
        assert query["slowest"] == expected


@each_trace
def test_histograms_are_numpys(trace):
    for query in queries(trace):
        ms = columns(trace)["duration_ns"][query["indices"]] / 1e6
        assert query["histogram"] == np.histogram(ms, bins=17, range=(0.01, 0.2))[0].tolist()


@pytest.mark.parametrize("trace", ["plain", "gpu"])
def test_parents_hold_children(trace):
    """The maker of the traces keeps the invariants that the tests below rely on."""
    zones = columns(trace)
    end = zones["start_ns"] + zones["duration_ns"]
    children = np.flatnonzero(zones["parent_index"] >= 0)
    parents = zones["parent_index"][children]
    assert len(children) > 500
    assert (zones["start_ns"][parents] <= zones["start_ns"][children]).all()
    assert (end[parents] >= end[children]).all()
    assert (zones["timeline_id"][parents] == zones["timeline_id"][children]).all()


@each_trace
def test_csv(trace):
    with open(path(trace, "csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(columns(trace)["start_ns"])
    for name, column in columns(trace).items():
        expected = ["" if name == "frame_index" and value == NO_FRAME else str(value) for value in column.tolist()]
        assert [row[name] for row in rows] == expected
    assert [row["index"] for row in rows] == [str(index) for index in range(len(rows))]
    assert [row["name"] for row in rows] == names(trace).tolist()
    assert {row["file"] for row in rows} <= {"src/dir/maker.cc"} and {row["function"] for row in rows} <= {"maker::Box<int>::run"}
    assert path(trace, "csv").read_bytes().count(b"\r\n") == len(rows) + 1


def depths(trace):
    """By walking up from each zone."""
    parent = columns(trace)["parent_index"]
    depth = np.zeros(len(parent), int)
    at = parent.copy()
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[np.maximum(at, 0)], -1)
    return depth


def zone_multiset(trace):
    zones = columns(trace)
    return collections.Counter(zip(names(trace).tolist(), zones["start_ns"].tolist(), zones["duration_ns"].tolist()))


@each_trace
def test_chrome_json_holds_every_zone(trace):
    records = traces.chrome(path(trace, "json"))
    exact = json.loads(path(trace, "json").read_text(), parse_float=str)
    base = records[0]["args"]["base_ns"]
    assert trace == "empty" or base == BASE
    slices = [record for record in exact if record.get("ph") == "X"]
    assert collections.Counter((record["name"], base + traces.nanoseconds(record["ts"]), traces.nanoseconds(record["dur"]))
                               for record in slices if record["cat"] != "frame") == zone_multiset(trace)


@each_trace
def test_jsonl_holds_every_zone_and_frame(trace):
    lines = traces.jsonl(path(trace, "jsonl"))
    zones = [line for line in lines if line["type"] == "slice"]
    frames = [line for line in lines if line["type"] == "async_slice"]
    assert collections.Counter((line["name"], line["start_ns"], line["duration_ns"]) for line in zones) == zone_multiset(trace)
    assert [line["args"]["frame"] for line in frames] == list(range(0 if trace == "empty" else 100))
    for line in zones[:100]:
        assert line["args"]["function"] == "maker::Box<int>::run" and line["args"]["source"].startswith("src/dir/maker.cc:1")


def test_losses_are_written():
    summary = traces.jsonl(path("gpu", "jsonl"))[-1]
    assert summary["type"] == "summary"
    assert {reason: n for reason, n in summary["dropped"].items() if n > 0} == {"queue full": 3, "stack full": 2, "GPU time missing": 1}


@functools.cache
def imported(trace, suffix):
    """One start of the engine for all: that is what takes the time."""
    paths = tuple(path(name, kind) for name in TRACES for kind in ("json", "pftrace"))
    return dict(zip(paths, traces.imported(paths)))[path(trace, suffix)]


@importer
@each_trace
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_importer_has_no_trouble(trace, suffix):
    assert imported(trace, suffix)["trouble"] == []


@importer
@pytest.mark.parametrize("trace", ["plain", "hostile"])
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_importer_nests_like_the_parents(trace, suffix):
    """Depth by depth: a zone that took no time may lie at an edge, and is left out."""
    zones, depth = columns(trace), depths(trace)
    shown = collections.Counter((row["ts"], row["dur"], row["depth"]) for row in imported(trace, suffix)["slices"]
                                if row["category"] == "zone" and row["dur"] > 0)
    base = 0 if suffix == "pftrace" else traces.chrome(path(trace, "json"))[0]["args"]["base_ns"]
    expected = collections.Counter((start - base, duration, level) for start, duration, level in
                                   zip(zones["start_ns"].tolist(), zones["duration_ns"].tolist(), depth.tolist()) if duration > 0)
    assert shown == expected


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_importer_shows_every_gpu_zone(suffix):
    """They overlap: none is hidden or cut."""
    zones = columns("gpu")
    on_gpu = zones["timeline_id"] == GPU_TIMELINE
    base = 0 if suffix == "pftrace" else traces.chrome(path("gpu", "json"))[0]["args"]["base_ns"]
    shown = collections.Counter((row["ts"], row["dur"]) for row in imported("gpu", suffix)["slices"] if row["category"] == "gpu")
    assert shown == collections.Counter(zip((zones["start_ns"][on_gpu] - np.uint64(base)).tolist(),
                                            zones["duration_ns"][on_gpu].tolist()))


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_importer_draws_the_arrows(suffix):
    """From the first CPU zone of an id to the first GPU zone of that id, where that is not earlier."""
    zones = columns("gpu")
    on_gpu = zones["timeline_id"] == GPU_TIMELINE
    base = 0 if suffix == "pftrace" else traces.chrome(path("gpu", "json"))[0]["args"]["base_ns"]
    expected = []
    for link in set(zones["correlation_id"].tolist()) - {0}:
        ends = [np.flatnonzero((zones["correlation_id"] == link) & mask) for mask in (~on_gpu, on_gpu)]
        if all(len(end) for end in ends):
            source, target = (int(zones["start_ns"][end[0]]) - base for end in ends)
            if source <= target:
                expected.append((source, target))
    assert len(expected) > 20
    flows = [(row["source_ts"], row["target_ts"]) for row in imported("gpu", suffix)["flows"]]
    assert sorted(flows) == sorted(expected)
