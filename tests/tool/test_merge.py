# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler merge: one clock, processes that stay apart, and what the importer makes of the result."""
import collections
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "traces"))
import traces  # noqa: E402
from toolbox import run, slice_record, write_chrome  # noqa: E402

SECOND = 10**9
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))


def own(path, pid, base, wall=None, name="worker", session=1, flow=True, dropped=0):
    """A trace as the library writes it: a slice at the base and one a microsecond later, with a flow from one to the other."""
    header = {"type": "header", "format": "strideweave-trace", "version": 1, "session": f"{session:032x}", "clock": "CLOCK_MONOTONIC",
              "base_ns": base, "pid": pid}
    if wall is not None:
        header["wall_ns"] = wall
    place = {"track": 2, "pid": pid, "tid": pid}
    lines = [header, {"type": "track", "track": 1, "pid": pid, "kind": "process", "name": name},
             {"type": "track", **place, "kind": "thread", "name": "main"}]
    for i, step in enumerate(["start", "end"]):
        lines.append({"type": "slice", "name": f"{name} {i}", "start_ns": base + 1000 * i, "duration_ns": 500, **place,
                      **({"flows": [{"id": 7, "step": step}]} if flow else {})})
    for i in range(2):
        lines.append({"type": "async_slice", "name": "request", "start_ns": base, "duration_ns": 100 + i, "id": i, "track": 3, "pid": pid})
    lines.append({"type": "summary", "events": 4, "dropped": {"queue full": dropped}, "diagnostics": {}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def merge(tmp_path, *arguments, suffix="jsonl", status=0):
    said = run("merge", *arguments, tmp_path / f"all.{suffix}", status=status)[1]
    lines = [json.loads(line) for line in run("convert", "-f", "jsonl", tmp_path / f"all.{suffix}", "-")[0].split("\n")[:-1]]
    return lines, said


def starts(lines):
    return {line["name"]: line["start_ns"] for line in lines if line["type"] == "slice"}


def processes(lines):
    return {line["pid"]: line["name"] for line in lines if line["type"] == "track" and line["kind"] == "process"}


@pytest.mark.parametrize("suffix", ["json", "jsonl", "pftrace"])
def test_same_boot(tmp_path, suffix):
    """Wall clocks that differ by less than two seconds are of one boot: nothing moves."""
    a = own(tmp_path / "a.jsonl", 10, 5000 * SECOND, 10**18, "a", 1, dropped=2)
    b = own(tmp_path / "b.jsonl", 11, 5001 * SECOND, 10**18 + 2 * SECOND, "b", 2, dropped=3)
    lines, said = merge(tmp_path, a, b, suffix=suffix)
    assert said == ""
    assert starts(lines) == {"a 0": 5000 * SECOND, "a 1": 5000 * SECOND + 1000, "b 0": 5001 * SECOND, "b 1": 5001 * SECOND + 1000}
    assert processes(lines) == {10: "a", 11: "b"}
    assert (lines[0]["base_ns"], lines[0]["wall_ns"]) == (5000 * SECOND, 10**18)
    dropped = lines[-1]["dropped"]
    assert (dropped["queue full (pid 10)"], dropped["queue full (pid 11)"]) == (2, 3)
    flows = collections.defaultdict(set)
    for line in lines:
        for flow in line.get("flows", ()):
            flows[flow["id"]].add(line["name"])
    assert sorted(map(sorted, flows.values())) == [["a 0", "a 1"], ["b 0", "b 1"]]
    assert sum(line["type"] == "async_slice" for line in lines) == 4


def test_another_boot(tmp_path):
    a = own(tmp_path / "a.jsonl", 10, 5000 * SECOND, 10**18, "a")
    b = own(tmp_path / "b.jsonl", 11, 100 * SECOND, 10**18 + 60 * SECOND, "b", 2)
    lines, said = merge(tmp_path, a, b)
    assert "another boot" in said and str(4960 * SECOND) in said
    assert starts(lines)["b 0"] == 5060 * SECOND and starts(lines)["a 0"] == 5000 * SECOND
    lines, said = merge(tmp_path, b, a)
    assert starts(lines)["b 0"] == 100 * SECOND and starts(lines)["a 0"] == 40 * SECOND and lines[0]["base_ns"] == 40 * SECOND
    assert lines[0]["wall_ns"] == 10**18


def test_alignments(tmp_path):
    a = own(tmp_path / "a.jsonl", 10, 5000 * SECOND, 10**18, "a")
    b = own(tmp_path / "b.jsonl", 11, 100 * SECOND, 10**18 + SECOND // 2 - 4900 * SECOND, "b", 2)
    assert starts(merge(tmp_path, "--align", "none", a, b)[0])["b 0"] == 100 * SECOND
    assert starts(merge(tmp_path, a, b)[0])["b 0"] == 100 * SECOND
    assert starts(merge(tmp_path, "--align", "wall", a, b)[0])["b 0"] == 100 * SECOND + SECOND // 2
    assert starts(merge(tmp_path, "--align", "start", a, b)[0])["b 0"] == 5000 * SECOND
    other = write_chrome(tmp_path / "c.json", [slice_record("c", 77, 5)])
    lines, said = merge(tmp_path, a, other)
    assert "names no clock" in said and starts(lines)["c"] == 77
    assert starts(merge(tmp_path, "--align", "start", a, other)[0])["c"] == 5000 * SECOND
    assert "wall-clock label" in run("merge", "--align", "wall", a, other, tmp_path / "no.json", status=1)[1]
    assert not (tmp_path / "no.json").exists()


def test_same_numbers_and_the_same_file(tmp_path):
    a = own(tmp_path / "a.jsonl", 10, 5000 * SECOND, 10**18, "a")
    b = own(tmp_path / "b.jsonl", 10, 5001 * SECOND, 10**18 + SECOND, "b", 2)
    lines, said = merge(tmp_path, a, b)
    assert "numbers are others" in said
    found = processes(lines)
    assert found[10] == "a" and set(found.values()) == {"a", "b (pid 10 of b.jsonl)"}
    lines, said = merge(tmp_path, a, a)
    assert "same session" in said and sum(line["type"] == "slice" for line in lines) == 4
    assert set(processes(lines).values()) == {"a", "a (pid 10 of a.jsonl)"}


@importer
def test_importer_reads_it_strictly(tmp_path):
    files = [own(tmp_path / f"{i}.jsonl", 10 + i // 2, (5000 + i) * SECOND, 10**18 + i * SECOND, f"p{i}", i + 1) for i in range(6)]
    paths = tuple(tmp_path / f"all.{suffix}" for suffix in ("json", "pftrace"))
    for path in paths:
        run("merge", *files, path)
    for answer in traces.imported(paths):
        assert answer["trouble"] == []
        assert len(answer["slices"]) == 24 and len(answer["flows"]) == 6
        assert {flow["source"][:2] for flow in answer["flows"]} == {f"p{i}" for i in range(6)}
        assert all(flow["source"][:2] == flow["target"][:2] for flow in answer["flows"])


@pytest.mark.parametrize("arguments, words", [
    (["x"], ["OUT"]),
    (["--align", "luck", "x", "y.json"], ["--align", "luck"]),
    (["x", "y.folded"], ["y.folded"]),
])
def test_wrong_options(arguments, words):
    complaint = run("merge", *arguments, status=2)[1]
    assert all(word in complaint for word in words), complaint


def test_failures(tmp_path):
    a = own(tmp_path / "a.jsonl", 10, 0)
    assert "missing" in run("merge", a, tmp_path / "missing", tmp_path / "out.json", status=1)[1]
    assert not (tmp_path / "out.json").exists()
    assert "same file" in run("merge", a, a, a, status=2)[1]
    (tmp_path / "cut.jsonl").write_text(a.read_text()[:-200])
    merge(tmp_path, a, tmp_path / "cut.jsonl", status=3)
