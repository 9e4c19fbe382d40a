# SPDX-License-Identifier: LGPL-2.1-or-later
"""Signals that end a program do so as ever, but what was recorded is complete before; what the program handles is its own."""
import os
import signal
import time

import pytest
from programs import PROGRAM, is_complete, lines, run, slices, start, table_rows, wait_until


@pytest.mark.parametrize("way, number", [("term", signal.SIGTERM), ("int", signal.SIGINT)])
def test_a_signal_ends_the_program_after_its_results_are_written(tmp_path, way, number):
    done = run(way, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == -number and done.stdout == ""
    assert len(slices(tmp_path / "out.jsonl")) == 10 and is_complete(tmp_path / "out.jsonl")
    assert table_rows(done.stderr) == [{"relu": 10}]


@pytest.mark.parametrize("way, number", [("wait", signal.SIGTERM), ("wait", signal.SIGINT), ("wait", signal.SIGHUP), ("busy", signal.SIGTERM)])
def test_a_signal_from_outside_does_the_same(tmp_path, way, number):
    process = start(way, trace=tmp_path / "out.jsonl", profile="table")
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -number
    assert lines(tmp_path / "out.jsonl")[-1]["type"] == "summary"
    [table] = table_rows(errors)
    assert table["relu"] >= 10


def test_two_signals_at_once_count_as_one(tmp_path):
    """As timeout sends them: to the process, and to its group."""
    process = start("wait", trace=tmp_path / "out.jsonl", profile="table")
    process.terminate()
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM and is_complete(tmp_path / "out.jsonl")
    assert table_rows(errors) == [{"relu": 10}]


def test_a_stopped_reader_does_not_make_a_program_immortal(tmp_path):
    """The trace goes to a pipe that nobody empties: a second signal, later, ends the program at once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    process = start("busy", trace=f"{path}:jsonl")
    process.terminate()
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
    assert process.returncode == -signal.SIGTERM
    os.close(reader)
    process.communicate()


@pytest.mark.parametrize("way, status", [("handled", 8), ("handled-by-exit-call", 7), ("ignored", 3)])
def test_what_the_program_handles_is_its_own(tmp_path, way, status):
    done = run(way, trace=tmp_path / "out.jsonl")
    assert done.returncode == status and done.stderr == ""
    if way != "handled":
        assert is_complete(tmp_path / "out.jsonl") and len(slices(tmp_path / "out.jsonl")) == 10


def test_an_ignored_signal_stays_ignored(tmp_path):
    process = run("/bin/sh", "-c", 'trap "" TERM INT; exec "$0" term', PROGRAM, trace=tmp_path / "out.jsonl")
    assert process.returncode == 0 and process.stdout == "went on\n" and is_complete(tmp_path / "out.jsonl")


def test_a_child_that_records_nothing_ends_as_ever(tmp_path):
    done = run("fork-term", trace=tmp_path / "out.jsonl")
    assert done.returncode == 100 + signal.SIGTERM
    assert [len(slices(path)) for path in tmp_path.iterdir()] == [20]


def test_after_a_crash_the_last_second_is_missing(tmp_path):
    done = run("abort", trace=tmp_path / "out.jsonl")
    assert done.returncode == -signal.SIGABRT and (tmp_path / "out.jsonl").exists()
