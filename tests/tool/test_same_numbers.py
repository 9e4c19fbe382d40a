# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sw-profiler prints of a trace, beside what the library itself says of the same zones, and beside what Perfetto's trace processor
finds in the same file by SQL."""
import collections
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "traces"))
import traces  # noqa: E402
from toolbox import summary  # noqa: E402

ZONES = ["plain", "gpu", "hostile"]
SUFFIXES = ["json", "jsonl", "pftrace"]
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))
each_zone_trace = pytest.mark.parametrize("trace", ZONES)
each_suffix = pytest.mark.parametrize("suffix", SUFFIXES)

# As the trace processor calls slices without a name.
NAMELESS = {None: "", "[No name]": ""}
ROWS = """
with own as (
  select s.name, s.dur, s.dur - coalesce((select sum(c.dur) from slice c where c.parent_id = s.id), 0) as self_dur from slice s {}
)
select name, count(*) as calls, sum(dur) as total, sum(self_dur) as self, min(dur) as low, max(dur) as high from own group by name
"""
# Chrome's form tells threads from what is asynchronous.
CHROME_ROWS = ROWS.format("join thread_track on s.track_id = thread_track.id")
PERFETTO_ROWS = ROWS.format("")


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    subprocess.run([os.environ["SW_ZONE_TRACES"], folder.kept.name], check=True)
    subprocess.run([os.environ["SW_TRACE_RECORDINGS"], "all", folder.kept.name], check=True, stdout=subprocess.PIPE)
    return pathlib.Path(folder.kept.name)


@functools.cache
def file(name):
    return summary(folder() / name)


def zone_rows(trace, suffix):
    """By name, threads and queues apart."""
    return {(row["kind"] == "gpu", row["name"]): row for row in file(f"{trace}.{suffix}")["rows"] if row["kind"] in ("thread", "gpu")}


def choices(query):
    times = [(option, time) for option, time in zip(("--from", "--to"), query["times"]) if time != -1]
    name = [] if query["name"] is None else ["--name", query["name"]]
    return [*name, *(part for option, time in times for part in (option, f"@{time}ns"))]


@each_suffix
@pytest.mark.parametrize("trace", ["plain", "gpu"])
def test_zones_have_the_library_s_own_statistics(trace, suffix):
    """Of names, of times and of both: the queries that the library answered when it wrote the trace."""
    n_compared = n_whole = 0
    for query in json.loads((folder() / f"{trace}.queries").read_text()):
        if query["type"] != -1 or query["frames"] != [-1, -1] or n_compared > 25:
            continue
        n_compared += 1
        found = [row for row in summary(*choices(query), folder() / f"{trace}.{suffix}")["rows"] if row["kind"] in ("thread", "gpu")]
        count, total, low, high, mean, _, *percentiles = query["statistics"]
        assert sum(row["calls"] for row in found) == count, query
        if count == 0:
            continue
        np.testing.assert_allclose([sum(row["total_ns"] for row in found), min(row["min_ns"] for row in found),
                                    max(row["max_ns"] for row in found)], np.array([total, low, high]) * 1e6, rtol=1e-12)
        if len(found) == 1:
            n_whole += 1
            measured = [found[0][key] for key in ("mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns")]
            np.testing.assert_allclose(measured, np.array([mean, *percentiles]) * 1e6, rtol=1e-12)
    assert n_compared > 5 and (n_whole > 0 or trace == "gpu")


@each_suffix
@each_zone_trace
def test_every_zone_is_counted(trace, suffix):
    durations = np.frombuffer((folder() / f"{trace}.duration_ns").read_bytes(), "u8")
    rows = zone_rows(trace, suffix).values()
    assert (durations == 0).any() and file(f"{trace}.{suffix}")["instants"] == []
    assert sum(row["calls"] for row in rows) == len(durations)
    assert sum(row["total_ns"] for row in rows) == int(durations.sum())


@each_suffix
@pytest.mark.parametrize("trace", ["plain", "gpu"])
def test_self_times_are_those_of_the_library_s_parents(trace, suffix):
    duration = np.frombuffer((folder() / f"{trace}.duration_ns").read_bytes(), "u8").astype("i8")
    parent = np.frombuffer((folder() / f"{trace}.parent_index").read_bytes(), "i4")
    names = {int(site): name for site, name in json.loads((folder() / f"{trace}.sites").read_text()).items()}
    sites = np.frombuffer((folder() / f"{trace}.site_id").read_bytes(), "u4")
    own = duration.copy()
    np.subtract.at(own, parent[parent >= 0], duration[parent >= 0])
    expected = collections.Counter()
    for site, value in zip(sites, own):
        expected[names[site]] += int(value)
    found = collections.Counter()
    for (_, name), row in zone_rows(trace, suffix).items():
        found[name] += row["self_ns"]
    assert found == expected


@each_suffix
def test_frames(suffix):
    frames = [row for row in file(f"plain.{suffix}")["rows"] if row["kind"] == "frame"]
    assert sum(row["calls"] for row in frames) == 100
    assert all(row["fps"] > 0 for row in frames)


@each_suffix
def test_losses(suffix):
    dropped = file(f"gpu.{suffix}")["dropped"]
    assert {reason: n for reason, n in dropped.items() if n > 0} == {"queue full": 3, "stack full": 2, "GPU time missing": 1}
    assert sum("lost" in note for note in file(f"gpu.{suffix}")["notes"]) == 3


@pytest.mark.parametrize("trace", ["plain", "hostile"])
def test_all_forms_say_the_same(trace):
    first, *others = (file(f"{trace}.{suffix}")["rows"] for suffix in SUFFIXES)
    for other in others:
        assert other == first


@each_suffix
def test_queues_are_told_from_threads(suffix):
    assert {row["kind"] for row in file(f"gpu.{suffix}")["rows"]} == {"thread", "gpu", "frame"}


PROCESSED = tuple(f"{trace}.{suffix}" for trace in (*ZONES, "all") for suffix in ("json", "pftrace"))


@functools.cache
def processor_rows():
    answers = traces.ask([folder() / name for name in PROCESSED], [CHROME_ROWS, PERFETTO_ROWS])
    return dict(zip(PROCESSED, answers))


@importer
@pytest.mark.parametrize("name", PROCESSED)
def test_trace_processor_finds_the_same(name):
    answer = processor_rows()[name]
    assert isinstance(answer, list), answer
    is_chrome = name.endswith(".json")
    # The trace processor makes slices of instants.
    instants = {instant["name"] for instant in file(name)["instants"]}
    expected = {NAMELESS.get(row["name"], row["name"]): tuple(int(row[key]) for key in ("calls", "total", "self", "low", "high"))
                for row in answer[0 if is_chrome else 1] if row["name"] not in instants}
    found = collections.defaultdict(lambda: [0, 0, 0, 2**63, 0])
    for row in file(name)["rows"]:
        if is_chrome and row["kind"] not in ("thread", "gpu"):
            continue
        sums = found[row["name"]]
        sums[:3] = sums[0] + row["calls"], sums[1] + row["total_ns"], sums[2] + row["self_ns"]
        sums[3:] = min(sums[3], row["min_ns"]), max(sums[4], row["max_ns"])
    assert {name: tuple(sums) for name, sums in found.items()} == expected
