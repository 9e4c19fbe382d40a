# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of a FileCollector as a strict reader sees them."""
import json
import os
import subprocess
import sys
import threading

import pytest
import strideweave as sw
from strideweave import CompositeCollector, FileCollector, MemoryCollector, TraceContext, TraceFormat


def refuse(text):
    raise ValueError(f"{text} is no JSON")


def read_events(path):
    """What is no metadata, and what is, in the order of the file."""
    records = json.loads(path.read_bytes().decode("utf-8", "strict"), parse_constant=refuse)
    return [event for event in records if event["ph"] != "M"], [event for event in records if event["ph"] == "M"]


def record(path, emit):
    collector = FileCollector(str(path), TraceFormat.CHROME_JSON)
    emit(TraceContext(collector))
    collector.close()


def test_one_event_is_a_whole_file(tmp_path):
    path = tmp_path / "one.json"
    record(path, lambda context: context.instant("only"))
    events, _ = read_events(path)
    assert [event["name"] for event in events] == ["only"]


def test_recording_twice_makes_two_whole_files(tmp_path):
    context = TraceContext()
    for name in "first", "second":
        collector = FileCollector(str(tmp_path / name), TraceFormat.CHROME_JSON)
        context.collector = collector
        with context.span(name):
            pass
        context.collector = None
        collector.close()
        with context.span("between"):
            pass
    for name in "first", "second":
        events, _ = read_events(tmp_path / name)
        assert [event["name"] for event in events] == [name]


def test_names_of_processes_and_threads_are_unaltered(tmp_path):
    names = "обработка", "线程 🧵", "Ärger"
    path = tmp_path / "names.json"

    def emit(context):
        context.process_name = names[0]

        def work(name):
            context.set_thread_name(name)
            context.instant(name)

        for name in names[1:]:
            thread = threading.Thread(target=work, args=(name,))
            thread.start()
            thread.join()

    record(path, emit)
    events, metadata = read_events(path)
    assert sorted(event["name"] for event in events) == sorted(names[1:])
    assert [event["args"]["name"] for event in metadata if event["name"] == "process_name"][-1] == names[0]
    assert {event["args"]["name"] for event in metadata if event["name"] == "thread_name"} >= set(names[1:])


def test_short_spans_are_not_nothing(tmp_path):
    """Microseconds with three decimals: what takes less than one of them has a length."""
    path = tmp_path / "short.json"

    def emit(context):
        for _ in range(100):
            with context.span("short"):
                pass

    record(path, emit)
    lengths = [event["dur"] for event in read_events(path)[0]]
    assert len(lengths) == 100 and min(lengths) > 0


def test_short_operations_are_not_nothing_in_tables():
    ones = sw.ones((1,))
    with sw.profile() as profiler:
        for _ in range(100):
            sw.relu(ones)
    (row,) = profiler.key_averages()
    assert row.min_time_ns > 0 and row.total_time_ns >= 100 * row.min_time_ns
    assert str(row.min_time_ns) in profiler.table().split()


def test_ends_say_whose_they_are(tmp_path):
    """An end has what its beginning has, not only a time."""
    path = tmp_path / "ends.json"

    def emit(context):
        span = context.async_span("request", category="server")
        with span:
            pass

    record(path, emit)
    begin, end = [event for event in read_events(path)[0] if event["ph"] in "be"]
    assert (begin["ph"], end["ph"]) == ("b", "e")
    for key in "name", "cat", "pid", "tid", "id2":
        assert key in begin and begin[key] == end[key]


@pytest.mark.parametrize("outer", ["outer", "an outer span"])
def test_instants_are_inside_of_the_span_that_made_them(tmp_path, outer):
    path = tmp_path / "instants.json"

    def emit(context):
        with context.span(outer):
            context.instant("inside")

    record(path, emit)
    events = {event["name"]: event for event in read_events(path)[0]}
    span, instant = events[outer], events["inside"]
    assert span["ts"] <= instant["ts"] <= span["ts"] + span["dur"]
    assert (span["pid"], span["tid"]) == (instant["pid"], instant["tid"])


def test_contexts_that_go_lose_nothing_of_threads_that_end(tmp_path):
    """A thread may be at its end while the context goes, which both give back what the thread recorded."""
    path = tmp_path / "gone.json"

    def emit(context):
        for _ in range(2):
            thread = threading.Thread(target=context.instant, args=("instant",))
            thread.start()
            thread.join()

    for _ in range(100):
        record(path, emit)
        assert len(read_events(path)[0]) == 2


def test_times_of_readers_that_have_only_doubles_are_exact(tmp_path):
    """They count from when the file was made, however long the machine has been running by then."""
    chrome, lines = tmp_path / "t.json", tmp_path / "t.jsonl"
    collector = CompositeCollector([FileCollector(str(chrome), TraceFormat.CHROME_JSON),
                                    FileCollector(str(lines), TraceFormat.JSONL)])
    context = TraceContext(collector)
    for number in range(100):
        context.instant(str(number))
    collector.close()
    events, metadata = read_events(chrome)
    (base,) = [event["args"]["base_ns"] for event in metadata if event["name"] == "strideweave_session"]
    exact = {line["name"]: line["time_ns"] for line in map(json.loads, lines.read_text().splitlines()) if line["type"] == "instant"}
    assert {event["name"]: base + round(float(event["ts"]) * 1000) for event in events} == exact
    assert all(0 <= event["ts"] < 600e6 for event in events)


@pytest.mark.parametrize("name, renamed", [("ein Faden ✓ mit einem langen Namen", None), ("before", "after")])
def test_threads_are_called_what_python_calls_them_in_every_format(tmp_path, name, renamed):
    paths = {format: tmp_path / f"trace.{ending}" for format, ending in (
        (TraceFormat.CHROME_JSON, "json"), (TraceFormat.JSONL, "jsonl"), (TraceFormat.PERFETTO, "pftrace"))}
    memory = MemoryCollector(10)
    collector = CompositeCollector([memory, *(FileCollector(str(path), format) for format, path in paths.items())])
    context = TraceContext(collector)

    def work():
        context.instant("first")
        if renamed:
            context.flush()
            context.set_thread_name(renamed)
            context.instant("second")

    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()
    collector.close()
    for wanted in filter(None, (name, renamed)):
        assert all(wanted.encode() in path.read_bytes() for path in paths.values())
    assert {event.thread_name for event in memory.events()} == {renamed or name}


FORKING = """
import os, sys, threading
import strideweave as sw
from strideweave import Collector, FileCollector, TraceContext, TraceFormat

class Own(Collector):
    is_inside, may_leave = threading.Event(), threading.Event()
    calls = []
    def do_emit(self, event):
        self.is_inside.set()
        self.may_leave.wait()
        self.calls.append(event.name)

own = Own()
context = TraceContext(own)
context.instant("of the parent")
Own.is_inside.wait()
child = os.fork()
if child == 0:
    context.instant("of nobody")
    own.flush()
    file = FileCollector(sys.argv[1], TraceFormat.JSONL)
    context.collector = file
    context.instant("of the child")
    # It ends like any other program.
    sys.exit(0)
Own.may_leave.set()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
own.close()
assert Own.calls == ["of the parent"]
"""


def test_a_child_that_was_forked_while_events_are_passed_on_records_and_ends(tmp_path):
    done = subprocess.run([sys.executable, "-c", FORKING, tmp_path / "child"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in (tmp_path / "child").read_text().splitlines()]
    assert [line["name"] for line in lines if line["type"] == "instant"] == ["of the child"]
    assert lines[-1]["type"] == "summary" and lines[0]["pid"] != os.getpid()
