# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler convert: every pair of formats there and back, what it says of what has no place, and what it leaves behind when it fails."""
import collections
import functools
import gzip
import hashlib
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
from toolbox import PROGRAM, SANITIZED, forest, run, slice_record, write_chrome  # noqa: E402

WORKLOADS = ["empty", "ties", "times", "deep", "threads", "lanes", "overlaps", "async", "flows", "counters", "instants", "args",
             "hostile", "losses", "random"]
SUFFIXES = ["json", "jsonl", "pftrace"]
MADE_UP = 1 << 30
# Files are the same whatever the program was built for: the importer looks at them once.
WHY_NO_IMPORTER = traces.why_no_importer() or ("the build without sanitizers has it look at the same files" if SANITIZED else None)
importer = pytest.mark.skipif(WHY_NO_IMPORTER is not None, reason=str(WHY_NO_IMPORTER))


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.kept.name)
    for name, program in (("workloads", "SW_TRACE_WORKLOADS"), ("zones", "SW_ZONE_TRACES")):
        (path / name).mkdir()
        subprocess.run([os.environ[program], path / name], check=True)
    (path / "recordings").mkdir()
    subprocess.run([os.environ["SW_TRACE_RECORDINGS"], "all", path / "recordings"], check=True, stdout=subprocess.PIPE)
    return path


def lines(path, status=0):
    text = run("convert", "--format", "jsonl", path, "-", status=status)[0]
    return [json.loads(line) for line in text.split("\n")[:-1]]


def number(value):
    """Numbers that the writer made up say nothing."""
    return value if value is not None and value < MADE_UP else None


def records(path, status=0):
    """What is in a trace, as it is read, however the tracks and flows are numbered."""
    found, flows = collections.Counter(), {}
    all_lines = lines(path, status)
    tracks = {line["track"]: (line["kind"], number(line["pid"]), number(line.get("tid")) if line["kind"] == "thread" else None,
                              line["name"], line.get("rank"), line.get("unit"))
              for line in all_lines if line["type"] == "track"}
    for line in all_lines:
        if line["type"] == "track":
            found[("track", *tracks[line["track"]])] += 1
            continue
        if line["type"] != "header":
            line = {key: value for key, value in line.items() if key not in ("pid", "tid", "id")}
        if "track" in line:
            line["track"] = tracks[line["track"]]
        if "flows" in line:
            line["flows"] = [(flows.setdefault(flow["id"], len(flows)), flow["step"]) for flow in line["flows"]]
        found[json.dumps(line, sort_keys=True)] += 1
    return found


# What the same bytes become is looked at only once: many conversions have the same result.


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


@functools.cache
def conversions():
    conversions.kept = tempfile.TemporaryDirectory()
    return pathlib.Path(conversions.kept.name), {}


def converted(path, suffix):
    place, known = conversions()
    key = digest(path), path.suffix, suffix
    if key not in known:
        known[key] = place / f"{len(known)}.{suffix}"
        run("convert", path, known[key])
    return known[key]


FILE_RECORDS = {}


def file_records(path):
    key = digest(path), path.suffix
    if key not in FILE_RECORDS:
        FILE_RECORDS[key] = records(path)
    return FILE_RECORDS[key]


NAMES = [*(f"workloads/{name}" for name in WORKLOADS), *(f"zones/{name}" for name in ("plain", "gpu", "hostile")), "recordings/all"]
EVERY = [f"{name}.{suffix}" for name in NAMES for suffix in SUFFIXES]
# With sanitizers each of them in one format, in turn: all pairs of formats are among them.
SOURCES = [f"{name}.{SUFFIXES[i % len(SUFFIXES)]}" for i, name in enumerate(NAMES)] if SANITIZED else EVERY


@pytest.mark.parametrize("target", SUFFIXES)
@pytest.mark.parametrize("source", SOURCES)
def test_there_and_back(source, target):
    path = folder() / source
    assert file_records(converted(converted(path, target), path.suffix[1:])) == file_records(path)


@pytest.mark.parametrize("target", SUFFIXES)
def test_the_same_becomes_the_same(tmp_path, target):
    for source in ("zones/gpu.json", "workloads/async.pftrace", "workloads/flows.jsonl"):
        run("convert", folder() / source, tmp_path / f"again.{target}")
        assert (tmp_path / f"again.{target}").read_bytes() == converted(folder() / source, target).read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_slices_of_no_length_stay_slices(tmp_path, suffix):
    """Of all kinds of rows, beside instants at the same time; and what is on the way counts them all the same."""
    header = {"type": "header", "format": "strideweave-trace", "version": 1, "session": "0" * 32, "base_ns": 5, "pid": 7}
    made = [{"type": "track", "track": i, "pid": 7, "tid": 6 + i, "kind": kind, "name": kind} for i, kind in enumerate(["thread", "gpu_queue", "async"], 1)]
    for track, kind in enumerate(["slice", "slice", "async_slice"], 1):
        made += [{"type": kind, "name": "outer", "start_ns": 10, "duration_ns": 5, "track": track, "pid": 7},
                 *({"type": kind, "name": "empty", "start_ns": start, "duration_ns": 0, "track": track, "pid": 7, "args": {"n": 2**63}} for start in (10, 12, 15))]
    made += [{"type": "instant", "name": "mark", "time_ns": 12, "track": track, "pid": 7} for track in (1, 2)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (header, *made, {"type": "summary"})))
    assert run("convert", tmp_path / "in.jsonl", tmp_path / f"out.{suffix}")[1] == ""
    counted = [json.loads(run("summary", "--json", tmp_path / name)[0])["files"][0] for name in ("in.jsonl", f"out.{suffix}")]
    assert [file["slices"] for file in counted] == [12, 12] and [file["instants_total"] for file in counted] == [2, 2]
    assert sum(row["calls"] for row in counted[1]["rows"] if row["name"] == "empty") == 9


def test_workloads_are_there():
    """The comparison above sees something."""
    kinds = collections.Counter(line["type"] for source in EVERY if source.endswith(".jsonl") for line in traces.jsonl(folder() / source))
    assert {"slice", "async_slice", "instant", "counter", "track"} <= set(kinds) and min(kinds.values()) > 10
    assert any("flows" in line for line in lines(folder() / "workloads/flows.jsonl"))


@functools.cache
def imported():
    """Each source, and what each format makes of it, in one start of the engine."""
    sources = [source for source in SOURCES if not source.endswith(".jsonl")]
    pairs = {(source, suffix): converted(folder() / source, suffix) for source in sources for suffix in ("json", "pftrace")}
    paths = [folder() / source for source in sources] + list(pairs.values())
    answers = dict(zip(paths, traces.imported(tuple(paths), ("trouble", "slices", "args"))))
    return ({source: answers[folder() / source] for source in sources}, {pair: answers[path] for pair, path in pairs.items()})


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
@pytest.mark.parametrize("source", [source for source in SOURCES if not source.endswith(".jsonl")])
def test_importer_has_no_trouble(source, suffix):
    assert imported()[1][source, suffix]["trouble"] == []


def shown(answer):
    args = collections.defaultdict(list)
    for arg in answer["args"]:
        args[arg["arg_set_id"]].append((arg["key"].split(".")[-1], arg["value"]))
    first = min((row["ts"] for row in answer["slices"]), default=0)
    # At the same moment, what takes no time is in no order.
    return collections.Counter((row["name"], row["ts"] - first, row["dur"], row["depth"] if row["dur"] > 0 else -1, row["category"],
                                tuple(sorted(args[row["arg_set_id"]]))) for row in answer["slices"])


@importer
@pytest.mark.parametrize("source", [source for source in SOURCES if not source.endswith(".jsonl")])
def test_importer_shows_the_same(source):
    """Names, times, depths, categories and arguments, in the format that the source has."""
    before, after = imported()
    suffix = pathlib.Path(source).suffix[1:]
    assert shown(after[source, suffix]) == shown(before[source])


# Traces of others


def test_other_producers(tmp_path):
    """Several processes, texts as numbers, any order, nested arguments, the older asynchronous form, and numbers that nobody can have."""
    source = tmp_path / "other.json"
    source.write_text(json.dumps({"traceEvents": [
        {"ph": "X", "pid": "gpu process", "tid": "main thread", "name": "inner", "ts": 12, "dur": 3, "args": {"a": {"b": [1, None, "x"]}}},
        {"ph": "X", "pid": "gpu process", "tid": "main thread", "name": "outer", "ts": 10, "dur": 10.5},
        {"ph": "X", "pid": 0, "tid": 7, "name": "kernel", "cat": "k", "ts": 1, "dur": 1, "args": {"n": 2**63, "f": 0.1, "t": True}},
        {"ph": "X", "pid": 2**40, "tid": -3, "name": "far", "ts": 1, "dur": 1},
        {"ph": "B", "pid": 5, "tid": 5, "name": "open", "ts": 3},
        {"ph": "C", "pid": 5, "name": "bytes", "ts": 4, "args": {"used": 1, "free": 2.5}},
        {"ph": "S", "pid": 5, "tid": 5, "name": "old", "cat": "c", "id": 1, "ts": 5},
        {"ph": "F", "pid": 5, "tid": 5, "name": "old", "cat": "c", "id": 1, "ts": 9},
        {"ph": "M", "pid": 5, "name": "process_name", "args": {"name": "five"}},
        {"ph": "M", "pid": 5, "name": "process_sort_index", "args": {"sort_index": -4}},
    ]}))
    first = lines(source)
    names = {line["name"] for line in first if line["type"] == "track"}
    assert {"gpu process", "main thread", "five", "bytes used", "bytes free", "old", f"(pid {2**40})", "(tid -3)"} <= names
    assert "numbers are others" in run("convert", source, tmp_path / "x.jsonl")[1]
    by_name = {line["name"]: line for line in first if line["type"] != "track" and "name" in line}
    assert by_name["inner"]["args"] == {"a": {"b": [1, None, "x"]}} and by_name["kernel"]["args"] == {"n": 2**63, "f": 0.1, "t": True}
    assert by_name["open"]["args"] == {"interrupted": True} and by_name["outer"]["duration_ns"] == 10500
    assert "clock" not in first[0]
    for suffix in SUFFIXES:
        run("convert", source, tmp_path / f"to.{suffix}")
        run("convert", tmp_path / f"to.{suffix}", tmp_path / "again.jsonl")
        assert records(tmp_path / "again.jsonl") == records(tmp_path / f"to.{suffix}")


def test_shuffled_and_large(tmp_path):
    """More than has room in memory at once is sorted outside of it, into the same file."""
    made = forest(3, 3000)
    write_chrome(tmp_path / "a.json", made)
    write_chrome(tmp_path / "b.json", [made[(i * 1999) % 3000] for i in range(3000)])
    assert records(tmp_path / "a.json") == records(tmp_path / "b.json")
    starts = [line["start_ns"] for line in lines(tmp_path / "b.json") if line["type"] == "slice"]
    assert starts == sorted(starts) and len(starts) == 3000


def test_overlaps_are_said(tmp_path):
    write_chrome(tmp_path / "a.json", [slice_record("a", 0, 10), slice_record("b", 5, 10)])
    text, said = run("convert", "-f", "jsonl", tmp_path / "a.json", "-")
    assert "overlap others without nesting" in said and text.count('"type":"slice"') == 2


def test_negative_times(tmp_path):
    (tmp_path / "a.json").write_text('[{"ph":"X","pid":1,"tid":1,"name":"a","ts":-5,"dur":1},{"ph":"X","pid":1,"tid":1,"name":"b","ts":1,"dur":1}]')
    for suffix in ("json", "jsonl"):
        assert run("convert", tmp_path / "a.json", tmp_path / f"b.{suffix}")[1] == ""
        assert [line["start_ns"] for line in lines(tmp_path / f"b.{suffix}") if line["type"] == "slice"] == [-5000, 1000]
    assert "-5000 ns" in run("convert", tmp_path / "a.json", tmp_path / "b.pftrace")[1]
    assert [line["start_ns"] for line in lines(tmp_path / "b.pftrace") if line["type"] == "slice"] == [0, 6000]


# Stacks


def test_folded(tmp_path):
    write_chrome(tmp_path / "a.json", [slice_record("a;b", 0, 100), slice_record("c d\n", 10, 30), slice_record("a;b", 200, 50, tid=2),
                                       slice_record("", 300, 7), {"ph": "i", "pid": 1, "tid": 1, "name": "i", "ts": 5}])
    text, said = run("convert", "-f", "folded", tmp_path / "a.json", "-")
    assert sorted(text.splitlines()) == ["(no name) 7", "a%3Bb 120", "a%3Bb;c d%0A 30"]
    assert "instants, left out: 1" in said and "arguments" in said


@pytest.mark.parametrize("source", ["recordings/all.json", "workloads/random.jsonl", "zones/gpu.pftrace"])
def test_folded_adds_up(source):
    """The self times of all stacks are those of the tree."""
    tree = json.loads(run("tree", "--json", folder() / source)[0])["nodes"]
    total = sum(node["total_ns"] for node in tree if node["depth"] == 1 and not node["name"].startswith("async"))
    folded = run("convert", "-f", "folded", folder() / source, "-")[0]
    assert sum(int(line.rpartition(" ")[2]) for line in folded.splitlines()) == total > 0


@pytest.mark.parametrize("source", ["recordings/all.json", "workloads/random.jsonl", "workloads/hostile.json", "workloads/empty.json", "zones/gpu.jsonl"])
def test_speedscope(source, tmp_path):
    """What its schema asks: known frames, opens and closes that balance, times that do not go back."""
    run("convert", folder() / source, tmp_path / "a.speedscope.json")
    found = json.loads((tmp_path / "a.speedscope.json").read_text())
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(found) == {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    frames = found["shared"]["frames"]
    assert all(list(frame) == ["name"] and isinstance(frame["name"], str) for frame in frames)
    n_slices = 0
    for profile in found["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "events"}
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
        stack, last = [], profile["startValue"]
        for event in profile["events"]:
            assert set(event) == {"type", "frame", "at"} and event["type"] in "OC" and 0 <= event["frame"] < len(frames)
            assert last <= event["at"] <= profile["endValue"]
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
                n_slices += 1
            else:
                assert stack.pop() == event["frame"]
        assert not stack
    assert n_slices == sum(line["type"] == "slice" for line in lines(folder() / source))


# Files and statuses


def test_standard_streams_and_gzip(tmp_path):
    source = folder() / "workloads/threads.json"
    packed = tmp_path / "a.pftrace.gz"
    run("convert", source, packed)
    assert gzip.decompress(packed.read_bytes())[:1] == b"\n"
    through = subprocess.run([PROGRAM, "convert", "-f", "chrome-json", "-", "-"], input=packed.read_bytes(), capture_output=True, check=True)
    (tmp_path / "b.json").write_bytes(through.stdout)
    assert records(tmp_path / "b.json") == records(source)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_cut_short(tmp_path, suffix):
    whole = (folder() / f"workloads/random.{suffix}").read_bytes()
    (tmp_path / f"cut.{suffix}").write_bytes(whole[:len(whole) * 2 // 3])
    said = run("convert", tmp_path / f"cut.{suffix}", tmp_path / "out.jsonl", status=3)[1]
    assert "cut short" in said
    found = [line for line in lines(tmp_path / "out.jsonl") if line["type"] == "slice"]
    assert len(found) > 500


def test_failures_leave_nothing(tmp_path):
    out = tmp_path / "out.json"
    out.write_text("old")
    (tmp_path / "bad.json").write_text("what?")
    run("convert", tmp_path / "bad.json", out, status=1)
    run("convert", tmp_path / "missing.json", out, status=1)
    assert out.read_text() == "old" and sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "out.json"]
    run("convert", folder() / "workloads/ties.json", tmp_path / "none" / "out.json", status=1)


def test_same_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes((folder() / "workloads/ties.json").read_bytes())
    (tmp_path / "b.json").hardlink_to(path)
    for out in (path, tmp_path / "b.json"):
        assert "same file" in run("convert", path, out, status=2)[1]
    with open(path, "ab") as stream:
        done = subprocess.run([PROGRAM, "convert", "-f", "jsonl", path, "-"], stdout=stream, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"same file" in done.stderr
    assert path.read_bytes() == (folder() / "workloads/ties.json").read_bytes()


@pytest.mark.parametrize("arguments, words", [
    (["x"], ["two files", "not 1"]),
    (["x", "y.txt"], ["y.txt", "chrome-json"]),
    (["x", "-"], ["standard output", "--format"]),
    (["-f", "xml", "x", "y.json"], ["--format", "xml"]),
])
def test_wrong_options(arguments, words):
    complaint = run("convert", *arguments, status=2)[1]
    assert all(word in complaint for word in words), complaint
