# SPDX-License-Identifier: LGPL-2.1-or-later
"""What recorders call the threads of Python: as threading does, whatever they record, and whenever that changes."""
import inspect
import json
import os
import subprocess
import sys
import threading

import pytest
from helpers import cpu

import strideweave as sw
from strideweave import MemoryCollector, TraceContext, TraceVerbosity
from strideweave.operation import TraceFormat

LONG = "ein Faden ✓ mit einem langen Namen"
ONE = cpu([1.0])
# Each is the first thing of the library that its thread does.
OPERATIONS = {
    "function": lambda: sw.relu(ONE),
    "operator": lambda: ONE + ONE,
    "number": lambda: ONE * 2.0,
    "matmul": lambda: sw.matmul(sw.reshape(ONE, sw.Shape(1, 1)), sw.reshape(ONE, sw.Shape(1, 1))),
    "reshape": lambda: sw.reshape(ONE, sw.Shape(1, 1)),
    "reduce": lambda: sw.reduce_sum(ONE, 0),
    "into": lambda: sw.relu(ONE, out=cpu([0.0])),
    "dispatched": lambda: ONE.carrier.dispatch_op("relu").forward(ONE),
}


def run_in_thread(work, name):
    """The same as threading does it; what it raises is raised here."""
    failures = []

    def run():
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, name=name)
    thread.start()
    thread.join()
    for failure in failures:
        raise failure


def system_name():
    with open("/proc/self/comm", encoding="utf-8") as comm:
        return comm.read().rstrip("\n")


def written_name(profiler, folder):
    """The one name in all three formats."""
    path = folder / "trace"
    profiler.write_trace(path, TraceFormat.CHROME_JSON)
    (name,) = [record["args"]["name"] for record in json.loads(path.read_text()) if record["name"] == "thread_name"]
    for format in TraceFormat.JSONL, TraceFormat.PERFETTO:
        profiler.write_trace(path, format)
        assert json.dumps(name, ensure_ascii=False)[1:-1].encode() in path.read_bytes()
    return name


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_group_knows_threads_that_came_and_went(operation, tmp_path):
    with sw.ProfilerGroup() as group:
        for number in range(3):
            run_in_thread(operation, f"{LONG} {number}")
    wanted = [f"{LONG} {number}" for number in range(3)]
    assert [thread.name for thread in group.threads()] == wanted
    assert [written_name(thread.profiler, tmp_path) for thread in group.threads()] == wanted


def test_a_profiler_knows_its_thread(tmp_path):
    profilers = []

    def work():
        with sw.profile() as profiler:
            sw.relu(ONE)
        profilers.append(profiler)

    run_in_thread(work, LONG)
    assert written_name(profilers[0], tmp_path) == LONG


def test_a_saved_profiler_keeps_the_name(tmp_path):
    with sw.ProfilerGroup() as group:
        run_in_thread(OPERATIONS["function"], LONG)
    group.threads()[0].profiler.save(tmp_path / "saved")
    assert written_name(sw.Profiler.load(tmp_path / "saved"), tmp_path) == LONG


def test_operations_that_trace_themselves_are_of_a_thread_with_a_name():
    collector, context = MemoryCollector(100), TraceContext.get_default()
    before, context.verbosity = context.verbosity, TraceVerbosity.OPERATIONS
    context.collector = collector
    try:
        run_in_thread(OPERATIONS["function"], LONG)
        context.flush()
    finally:
        context.collector = None
        context.verbosity = before
    assert {event.thread_name for event in collector.events()} == {LONG}


def test_a_thread_that_renames_itself_has_the_last_name(tmp_path):
    def work():
        sw.relu(ONE)
        threading.current_thread().name = "after"
        sw.relu(ONE)

    with sw.ProfilerGroup() as group:
        run_in_thread(work, "before")
    (thread,) = group.threads()
    assert thread.name == written_name(thread.profiler, tmp_path) == "after"


def test_a_thread_that_another_one_renames_has_the_last_name(tmp_path):
    has_run, may_end = threading.Event(), threading.Event()

    def work():
        sw.relu(ONE)
        has_run.set()
        may_end.wait()

    thread = threading.Thread(target=work, name="before")
    with sw.ProfilerGroup() as group:
        thread.start()
        has_run.wait()
        thread.name = "after"
    may_end.set()
    thread.join()
    assert group.threads()[0].name == written_name(group.threads()[0].profiler, tmp_path) == "after"


def test_each_recorder_follows(tmp_path):
    collector = MemoryCollector(100)
    context = TraceContext(collector)

    def work():
        context.instant("first")
        context.flush()
        threading.current_thread().name = "after"
        context.instant("second")

    run_in_thread(work, "before")
    context.flush()
    assert {event.thread_name for event in collector.events()} == {"after"}


def test_the_name_that_the_program_gave_stays(tmp_path):
    def work():
        TraceContext.set_thread_name("given")
        threading.current_thread().name = "after"
        sw.relu(ONE)

    with sw.ProfilerGroup() as group:
        run_in_thread(work, "before")
    assert group.threads()[0].name == written_name(group.threads()[0].profiler, tmp_path) == "given"


def test_a_name_that_c_cannot_have_is_told_as_far_as_it_can(tmp_path):
    with sw.ProfilerGroup() as group:
        run_in_thread(OPERATIONS["function"], "NUL \0 and half a pair \ud800")
    assert group.threads()[0].name.startswith("NUL  and half a pair ")


def test_the_main_thread_is_the_program_until_it_is_renamed(tmp_path):
    main = threading.main_thread()

    def name():
        with sw.profile() as profiler:
            sw.relu(ONE)
        return written_name(profiler, tmp_path)

    assert main.name == "MainThread" and name() == system_name()
    try:
        main.name = "renamed"
        assert name() == "renamed"
    finally:
        main.name = "MainThread"
    assert name() == system_name()


def test_threads_are_named_as_before():
    """What threading does is none of the library's business."""
    idle = threading.Thread(target=print, name="idle")
    idle.name = 3
    assert idle.name == "3"  # not started, and so nowhere
    ended = threading.Thread(target=lambda: None)
    ended.start()
    ended.join()
    ended.name = "late"
    ended.setName("later")
    assert ended.name == "later"
    with pytest.raises(AssertionError, match="__init__"):
        threading.Thread.__new__(threading.Thread).name = "unmade"
    assert "identification purposes" in inspect.getdoc(threading.Thread.name)


UNCHANGED = """
import threading
import strideweave as sw

tensor = sw.tensor([1.0])

def compute():
    sw.relu(tensor)

def enter():
    with sw.profile_zone("zone"):
        pass

def renamed():
    compute()
    threading.current_thread().name = "renamed at last"

for work, name in (compute, "computes"), (enter, "enters"), (renamed, "named at first"):
    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()
"""


def test_a_program_that_the_environment_traces_has_names(tmp_path):
    path = tmp_path / "trace.json"
    environment = {**os.environ, "STRIDEWEAVE_TRACE": str(path)}
    subprocess.run([sys.executable, "-c", UNCHANGED], env=environment, check=True, timeout=60)
    names = [record["args"]["name"] for record in json.loads(path.read_text()) if record["name"] == "thread_name"]
    assert {"computes", "enters", "renamed at last"} <= set(names)


FORKING = """
import json, os, sys, threading
import strideweave as sw
from strideweave.operation import TraceFormat

def record():
    with sw.profile() as profiler:
        sw.relu(sw.tensor([1.0]))
    return profiler

def work():
    record()
    threading.current_thread().name = "worker that forks"
    pid = os.fork()
    if pid == 0:
        record().write_trace(sys.argv[1], TraceFormat.JSONL)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def test_a_thread_keeps_its_name_in_a_forked_child(tmp_path):
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING, tmp_path / "child"], check=True, timeout=60)
    assert "worker that forks" in (tmp_path / "child").read_text()
