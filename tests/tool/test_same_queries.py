# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tree, diff and merge say of two recordings, beside what Perfetto's trace processor finds in the same files by SQL."""
import collections
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "traces"))
import traces  # noqa: E402
from toolbox import run, summary  # noqa: E402

pytestmark = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))
SUFFIXES = ["json", "pftrace"]
each_suffix = pytest.mark.parametrize("suffix", SUFFIXES)

# As the trace processor calls slices without a name.
NAMELESS = "[No name]"
BETWEEN = "\x1f"
# The trace processor makes slices of instants: what lasts no time cannot be told from them.
LASTING = "select s.id, s.parent_id, s.name, s.ts, s.dur, s.track_id from slice s where s.dur > 0"
PATHS = f"""
with recursive lasting as ({LASTING}), path (id, text) as (
  select id, name from lasting where parent_id is null
  union all select l.id, path.text || char(31) || l.name from lasting l join path on l.parent_id = path.id
)
select path.text as path, count(*) as calls, sum(l.dur) as total,
  sum(l.dur - coalesce((select sum(c.dur) from lasting c where c.parent_id = l.id), 0)) as self
from lasting l join path using (id) group by path.text
"""
MEDIANS = f"""
with ranked as (
  select name, dur, row_number() over (partition by name order by dur) as i, count(*) over (partition by name) as n from ({LASTING})
)
select name, n as calls, sum(dur) as total, avg(case when i in ((n + 1) / 2, (n + 2) / 2) then dur end) as median from ranked group by name
"""
PROCESSES = f"""
select coalesce(a.pid, b.pid) as pid, l.name, count(*) as calls, sum(l.dur) as total, min(l.ts) as first, max(l.ts + l.dur) as last
from ({LASTING}) l
left join thread_track on l.track_id = thread_track.id left join thread using (utid) left join process a on thread.upid = a.upid
left join process_track on l.track_id = process_track.id left join process b on process_track.upid = b.upid
group by 1, 2
"""


@functools.cache
def folder():
    """Two runs of a program whose operations were recorded, and both as one."""
    folder.kept = tempfile.TemporaryDirectory()
    root = pathlib.Path(folder.kept.name)
    for name in ("base", "new"):
        (root / name).mkdir()
        subprocess.run([os.environ["SW_TRACE_RECORDINGS"], "all", root / name], check=True, stdout=subprocess.PIPE)
    for suffix in SUFFIXES:
        run("merge", root / "base" / f"all.{suffix}", root / "new" / f"all.{suffix}", root / f"merged.{suffix}")
    return root


def recording(which, suffix):
    return folder() / (f"merged.{suffix}" if which == "merged" else f"{which}/all.{suffix}")


@functools.cache
def answers():
    places = [(which, suffix) for which in ("base", "new", "merged") for suffix in SUFFIXES]
    found = traces.ask([recording(*place) for place in places], [PATHS, MEDIANS, PROCESSES])
    for place, answer in zip(places, found):
        assert isinstance(answer, list), (place, answer)
    return {place: dict(zip(("paths", "medians", "processes"), answer)) for place, answer in zip(places, found)}


def plain(name):
    return "" if name in (None, NAMELESS) else name


@each_suffix
@pytest.mark.parametrize("which", ["base", "new", "merged"])
def test_paths_of_the_tree(which, suffix):
    expected = {tuple(map(plain, row["path"].split(BETWEEN))): tuple(int(row[key]) for key in ("calls", "total", "self"))
                for row in answers()[which, suffix]["paths"]}
    found, known = collections.defaultdict(lambda: [0, 0, 0]), {0: ()}
    for node in json.loads(run("tree", "--json", recording(which, suffix))[0])["nodes"]:
        # Threads, queues and what is asynchronous are the outermost ones.
        known[node["id"]] = path = () if node["parent"] == 0 else (*known[node["parent"]], node["name"])
        if path != () and node["total_ns"] > 0:
            for i, key in enumerate(("calls", "total_ns", "self_ns")):
                found[path][i] += node[key]
    assert len(expected) > 5 and max(map(len, expected)) > 1
    assert {path: tuple(values) for path, values in found.items()} == expected


@each_suffix
def test_sides_of_a_diff(suffix):
    files = recording("base", suffix), recording("new", suffix)
    found = json.loads(run("diff", "--json", *files)[0])["rows"]
    names = [row["name"] for row in found]
    assert len(set(names)) == len(names) > 3
    for side in ("base", "new"):
        expected = {plain(row["name"]): (int(row["calls"]), float(row["total"]), float(row["median"]))
                    for row in answers()[side, suffix]["medians"]}
        assert {row["name"]: (row[side]["calls"], row[side]["total_ns"], row[side]["sample_median_ns"])
                for row in found if row[side]["total_ns"] > 0} == expected


def by_process(which, suffix):
    return {(int(row["pid"]), plain(row["name"])): tuple(int(row[key]) for key in ("calls", "total", "first", "last"))
            for row in answers()[which, suffix]["processes"]}


def base_ns(which, suffix):
    """What times in a file count from. Chrome's importer knows no clock, and so they stay what they count from there."""
    return json.loads(run("convert", "--format=jsonl", recording(which, suffix), "-")[0].split("\n")[0])["base_ns"] if suffix == "json" else 0


@each_suffix
def test_a_merge_is_its_parts(suffix):
    base, new, merged = (by_process(which, suffix) for which in ("base", "new", "merged"))
    pids = {pid for pid, _ in base}, {pid for pid, _ in new}
    assert all(len(numbers) == 1 for numbers in pids) and pids[0] != pids[1]
    later = base_ns("new", suffix) - base_ns("merged", suffix)
    assert suffix != "json" or later > 0 == base_ns("base", suffix) - base_ns("merged", suffix)
    assert merged == {**base, **{key: (calls, total, first + later, last + later) for key, (calls, total, first, last) in new.items()}}


@each_suffix
def test_processes_of_a_merge(suffix):
    counted = collections.Counter()
    for (pid, _), (calls, *_) in by_process("merged", suffix).items():
        counted[pid] += calls
    found = summary(recording("merged", suffix))
    lasting = collections.Counter({process["pid"]: process["slices"] for process in found["processes"]})
    assert len(lasting) == 2
    assert lasting == counted
    assert found["slices"] == sum(counted.values()) == sum(summary(recording(which, suffix))["slices"] for which in ("base", "new"))
