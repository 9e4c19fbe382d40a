# SPDX-License-Identifier: LGPL-2.1-or-later
"""What GPUs do, as a CuptiCollector passes it on: in all formats the same, and as Perfetto's own importer reads it."""
import collections
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import pytest
import traces

STEPS = 20
LAUNCHED = {"step": ["forward", "update"], "backward": ["backward", "reduce"], "idle": []}
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))
each_imported = pytest.mark.parametrize("suffix", ["json", "pftrace"])


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    subprocess.run([os.environ["SW_GPU_RECORDINGS"], folder.kept.name], check=True)
    return pathlib.Path(folder.kept.name)


def path(suffix):
    return folder() / f"gpu.{suffix}"


@functools.cache
def lines():
    return traces.jsonl(path("jsonl"))


@functools.cache
def tracks():
    return {line["track"]: line for line in lines() if line["type"] == "track"}


def slices(kind):
    return [line for line in lines() if line["type"] == "slice" and tracks()[line["track"]]["kind"] == kind]


def imported(suffix):
    paths = (path("json"), path("pftrace"))
    return dict(zip(paths, traces.imported(paths)))[path(suffix)]


def chain(flow):
    """The slices that a flow passes through, by time."""
    return sorted((line for line in lines() if any(point["id"] == flow for point in line.get("flows", []))),
                  key=lambda line: line["start_ns"])


def test_each_stream_has_a_track():
    names = collections.Counter(track["name"] for track in tracks().values() if track["kind"] == "gpu_queue")
    assert names == dict.fromkeys(
        ["GPU 0 · stream 7", "GPU 0 · stream 8", "GPU 0 · stream 9", "GPU 0 · stream 9 (2)", "GPU 0 · stream 10",
         "GPU 1 · stream 7"], 1)


def test_nothing_overlaps_and_nothing_is_lost():
    ends = collections.defaultdict(int)
    for line in sorted(slices("gpu_queue"), key=lambda line: (line["start_ns"], line["duration_ns"])):
        assert line["start_ns"] >= ends[line["track"]]
        ends[line["track"]] = line["start_ns"] + line["duration_ns"]
    names = collections.Counter(line["name"] for line in slices("gpu_queue"))
    assert sum(names.values()) == 4 * STEPS + 1 + 3 + 4 + 3 + 1
    assert names["forward"] == names["backward"] == names["reduce"] == names["update"] == STEPS
    assert names["k" * 4096] == 1 and names['quoted "\\\n\ufffd'] == 1
    summary = lines()[-1]
    assert summary["dropped"] == {"not_recorded": 0, "overlapping": 0}


def test_overheads_are_asynchronous():
    overheads = [line for line in lines() if line["type"] == "async_slice"]
    assert {line["name"] for line in overheads} == {"overhead: buffer flush", "overhead: instrumentation"}
    assert {line["category"] for line in overheads} == {"gpu.overhead"}


def test_flows_lead_from_the_span_that_launched():
    for span in slices("thread"):
        (point,) = span["flows"]
        assert point["step"] == "start" and 2**52 < point["id"] < 2**53
        first, *launched = chain(point["id"])
        assert first is span
        if span["name"] in LAUNCHED:
            assert sorted(line["name"] for line in launched) == LAUNCHED[span["name"]]
        assert all(line["start_ns"] >= span["start_ns"] for line in launched)
    (before,) = [line for line in slices("gpu_queue") if line["name"] == "before all"]
    assert "flows" not in before


@importer
@each_imported
def test_importer_has_no_trouble(suffix):
    assert imported(suffix)["trouble"] == []


@importer
@each_imported
def test_importer_shows_all(suffix):
    """The same names, times, depths and tracks; of names, importers may cut the control characters."""
    base = 0 if suffix == "pftrace" else int(traces.chrome(path("json"))[0]["args"]["base_ns"])
    shown = collections.Counter((row["ts"] + base, row["dur"], row["lane"], row["depth"], row["category"])
                                for row in imported(suffix)["slices"] if (row["category"] or "").startswith("gpu.")
                                and row["category"] != "gpu.overhead")
    assert shown == collections.Counter((line["start_ns"], line["duration_ns"], tracks()[line["track"]]["name"], 0,
                                         line["category"]) for line in slices("gpu_queue"))


@importer
@each_imported
def test_importer_draws_the_flows(suffix):
    base = 0 if suffix == "pftrace" else int(traces.chrome(path("json"))[0]["args"]["base_ns"])
    expected = collections.Counter()
    for span in slices("thread"):
        passed = chain(span["flows"][0]["id"])
        expected.update((a["start_ns"], b["start_ns"]) for a, b in zip(passed, passed[1:]))
    assert sum(expected.values()) >= 4 * STEPS
    assert collections.Counter((row["source_ts"] + base, row["target_ts"] + base)
                               for row in imported(suffix)["flows"]) == expected


@importer
def test_importer_reads_the_same_arguments():
    def arguments(suffix):
        sets = collections.defaultdict(dict)
        for row in imported(suffix)["args"]:
            sets[row["arg_set_id"]][row["key"].removeprefix("args.").removeprefix("debug.")] = row["value"]
        return collections.Counter(
            tuple(sorted(sets[row["arg_set_id"]].items())) for row in imported(suffix)["slices"]
            if (row["category"] or "").startswith("gpu."))

    found = arguments("pftrace")
    assert found == arguments("json")
    assert any(dict(entry).get("grid") == "(64, 1, 1)" and dict(entry)["shared_memory"] == "1536" for entry in found)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "pftrace"])
def test_summary_has_the_streams(suffix):
    answer = subprocess.run([os.environ["SW_PROFILER"], "summary", "--json", str(path(suffix))], check=True,
                            stdout=subprocess.PIPE)
    (summary,) = json.loads(answer.stdout)["files"]
    streams = {track["name"]: track for track in summary["tracks"] if track["kind"] == "gpu"}
    assert {"GPU 0 · stream 7", "GPU 0 · stream 8", "GPU 1 · stream 7"} <= set(streams)
