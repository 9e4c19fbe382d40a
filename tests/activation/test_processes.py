# SPDX-License-Identifier: LGPL-2.1-or-later
"""How processes end, fork and start others: each has a complete trace and profile of its own, and none writes to another's."""
import json
import os

import pytest
from programs import PROGRAM, is_complete, lines, pid_of, run, slices, start, table_rows, wait_until


@pytest.mark.parametrize(
    "way, status, count",
    [("return", 0, 10), ("exit", 4, 10), ("exit-in-thread", 5, 10), ("finish-_exit", 6, 10), ("at-exit", 0, 11),
     ("chdir", 0, 10)],
)
def test_all_is_there_at_the_end(tmp_path, way, status, count):
    trace = tmp_path / "out.jsonl"
    done = run(way, trace="out.jsonl", profile="table", cwd=tmp_path)
    assert done.returncode == status and done.stdout == ""
    assert [span["name"] for span in slices(trace)] == ["relu"] * count
    assert is_complete(trace) and trace.stat().st_mode & 0o777 == 0o600
    assert table_rows(done.stderr) == [{"relu": count}]
    assert done.stderr.startswith(f"Operations of {os.path.basename(PROGRAM)} (process {pid_of(trace)})\n")


def test_what_ends_at_once_leaves_the_last_second_out(tmp_path):
    done = run("_exit", trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 6 and done.stderr == ""
    assert (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("name", ["out.json", "out.jsonl", "out.jsonl.gz", "out.json.gz", "out.pftrace", "out.pftrace.gz"])
def test_the_ending_names_the_format(tmp_path, name):
    done = run("return", 3, trace=tmp_path / name)
    assert done.returncode == 0 and done.stderr == ""
    content = (tmp_path / name).read_bytes()
    assert (content[:2] == b"\x1f\x8b") == name.endswith(".gz")
    if name == "out.json":
        assert [event["name"] for event in json.loads(content) if event["ph"] == "X"] == ["relu"] * 3
    elif "jsonl" in name:
        assert len(slices(tmp_path / name)) == 3
    elif name == "out.pftrace":
        # A name is there once; with each choice of a kernel, it is the value of an argument.
        assert content[:1] == b"\n" and content.count(b"relu") == 1 + 3


def test_threads_that_still_run_do_no_harm(tmp_path):
    for number in range(10):
        trace = tmp_path / f"{number}.jsonl"
        done = run("threads", trace=trace, profile="table")
        assert done.returncode == 0, done.stderr
        assert lines(trace)[-1]["type"] == "summary"
        [table] = table_rows(done.stderr)
        assert table["relu"] >= 10


def traces(folder):
    """By process: the paths of the traces."""
    return {pid_of(path): path for path in folder.iterdir()}


@pytest.mark.parametrize(
    "way, in_parent, in_child, first",
    [("fork", 20, 10, "parent"), ("fork-first", 10, 10, "child"), ("fork-exec", 20, 10, "parent")],
)
def test_a_child_has_its_own_files(tmp_path, way, in_parent, in_child, first):
    done = run(way, trace=tmp_path / "out.jsonl", profile=tmp_path.parent / f"{way}-%p.txt")
    assert done.returncode == 0
    found = traces(tmp_path)
    assert len(found) == 2 and all(is_complete(path) for path in found.values())
    counts = {path.name: len(slices(path)) for path in found.values()}
    [other] = [pid for pid, path in found.items() if path.name != "out.jsonl"]
    assert counts == ({"out.jsonl": in_parent, f"out.{other}.jsonl": in_child} if first == "parent"
                      else {"out.jsonl": in_child, f"out.{other}.jsonl": in_parent})
    assert f"so this process writes '{tmp_path}/out.{other}.jsonl'" in done.stderr
    profiles = sorted(table_rows((tmp_path.parent / f"{way}-{pid}.txt").read_text())[0]["relu"] for pid in found)
    assert profiles == sorted([in_parent, in_child])


def test_each_table_is_of_one_process(tmp_path):
    done = run("fork", profile="table")
    assert table_rows(done.stderr) == [{"relu": 10}, {"relu": 20}]


def test_a_child_that_records_nothing_writes_nothing(tmp_path):
    done = run("fork-nothing", trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0
    assert [len(slices(path)) for path in tmp_path.iterdir()] == [20]
    assert len(table_rows(done.stderr)) == 1


def test_a_program_that_follows_keeps_off_what_is_there(tmp_path):
    run("exec", trace=tmp_path / "out.jsonl")
    # The first one never ended: its file is there, and it is the same process.
    [first] = [path for path in tmp_path.iterdir() if path.name == "out.jsonl"]
    [second] = [path for path in tmp_path.iterdir() if path != first]
    assert second.name == f"out.{pid_of(second)}.jsonl" and len(slices(second)) == 10
    before = first.read_bytes()
    run("return", trace=tmp_path / "out.jsonl")
    assert first.read_bytes() == before and len(list(tmp_path.iterdir())) == 3


def test_a_process_never_writes_twice_to_one_name(tmp_path):
    run("exec", trace=tmp_path / "%p.jsonl")
    names = sorted(path.name for path in tmp_path.iterdir())
    pid = names[0].split(".")[0]
    assert names == [f"{pid}.{pid}.jsonl", f"{pid}.jsonl"]


def test_percent_stands_for_itself_and_for_the_process(tmp_path):
    run("return", trace=tmp_path / "a%%b-%p.jsonl")
    [path] = tmp_path.iterdir()
    assert path.name == f"a%b-{pid_of(path)}.jsonl"


def test_a_daemon_writes_where_it_was_started(tmp_path):
    done = run("daemon", trace="out.jsonl", profile="out.txt", cwd=tmp_path)
    assert done.returncode == 0
    wait_until(lambda: (tmp_path / "out.txt").exists() and (tmp_path / "out.txt").stat().st_size)
    assert len(slices(tmp_path / "out.jsonl")) == 10 and is_complete(tmp_path / "out.jsonl")
    assert table_rows((tmp_path / "out.txt").read_text()) == [{"relu": 10}]


def test_own_recorders_of_the_program_go_on(tmp_path):
    done = run("own-recorders", trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0, done.stderr
    assert table_rows(done.stderr) == [{"relu": 10}] and len(slices(tmp_path / "out.jsonl")) == 10


def test_nothing_recorded_is_said(tmp_path):
    done = run("nothing", trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0 and list(tmp_path.iterdir()) == []
    assert done.stderr.count("\n") == 1 and "Nothing was recorded" in done.stderr


def test_killed_programs_leave_a_readable_trace(tmp_path):
    for name in ("out.jsonl", "out.json", "out.pftrace"):
        process = start("wait", trace=tmp_path / name)
        wait_until(lambda: b"relu" in (tmp_path / name).read_bytes())
        process.kill()
        process.wait()
        content = (tmp_path / name).read_bytes()
        if name == "out.jsonl":
            assert len(slices(tmp_path / name)) == 10
        elif name == "out.json":
            assert content.count(b'"ph":"X"') == 10
            json.loads(content.rstrip().rstrip(b",") + b"]")
        process.stdout.close()
        process.stderr.close()
