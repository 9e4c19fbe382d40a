# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiler.write_trace(): what is recorded, as a trace."""
import gzip
import json
import os
import pathlib
import stat
import subprocess
import sys
import threading

import pytest
from helpers import Boom, Inner, boom, cpu, evictable, in_thread, recorded, step

import strideweave as sw
from strideweave.operation import TraceFormat

FORMATS = [TraceFormat.CHROME_JSON, TraceFormat.JSONL, TraceFormat.PERFETTO]
each_format = pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.value_nick)


def run(record_shapes=True):
    with sw.profile(record_shapes=record_shapes) as profiler:
        sw.relu(evictable([1, 2]))
        sw.relu(cpu([1.0]))
    return profiler


def lines(profiler, path):
    profiler.write_trace(path, TraceFormat.JSONL)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_event_is_a_slice(tmp_path):
    profiler = run()
    slices = [line for line in lines(profiler, tmp_path / "trace") if line["type"] == "slice"]
    assert [(s["name"], s["category"], s["start_ns"], s["duration_ns"]) for s in slices] == [
        (e.name, "operation", e.start_time_ns, e.duration_ns) for e in profiler.events()]
    for found, event in zip(slices, profiler.events()):
        assert found["args"] == {
            "carrier": sw.Profiler.get_type_name(event.carrier_type),
            "implementation": sw.Profiler.get_type_name(event.implementation_type),
            "self_time_ns": event.self_time_ns, "succeeded": True, "input_shapes": str(event.input_shapes)}


def test_arguments_and_tallies_are_in_the_guide(tmp_path):
    guide = (pathlib.Path(__file__).parent.parent.parent / "docs" / "guide" / "trace-formats.md").read_text()
    written = lines(run(), tmp_path / "trace")
    for line in written:
        for key in (*line.get("args", ()), *line.get("dropped", ()), *line.get("diagnostics", ())):
            assert f"`{key}`" in guide


def test_shapes_only_where_recorded(tmp_path):
    slices = [line for line in lines(run(record_shapes=False), tmp_path / "trace") if line["type"] == "slice"]
    assert len(slices) == 3 and not any("input_shapes" in s["args"] for s in slices)


def test_failures_say_so(tmp_path):
    with sw.profile() as profiler:
        with pytest.raises(Boom):
            step(Inner, boom)
    (found,) = [line for line in lines(profiler, tmp_path / "trace") if line["type"] == "slice"]
    assert found["args"]["succeeded"] is False


def test_process_and_thread_are_those_recorded(tmp_path):
    """Written from another thread than it was recorded on."""
    profiler = run()
    in_thread(lambda: profiler.write_trace(tmp_path / "trace", TraceFormat.CHROME_JSON))
    records = json.loads((tmp_path / "trace").read_text())
    names = {record["name"]: record for record in records if record["ph"] == "M"}
    with open("/proc/self/comm", encoding="utf-8") as comm:
        assert names["thread_name"]["args"]["name"] == comm.read().rstrip("\n")
    assert names["process_name"]["args"]["name"]
    assert {(record["pid"], record["tid"]) for record in records} == {(os.getpid(), threading.get_native_id())}
    session = names["strideweave_session"]["args"]
    assert session["base_ns"] == profiler.events()[0].start_time_ns
    assert len(session["session"]) == 32 and session["clock"] == "CLOCK_MONOTONIC"


def test_chrome_times_are_relative_and_exact(tmp_path):
    profiler = run()
    profiler.write_trace(tmp_path / "trace", TraceFormat.CHROME_JSON)
    slices = [r for r in json.loads((tmp_path / "trace").read_text(), parse_float=str) if r["ph"] == "X"]
    base = profiler.events()[0].start_time_ns
    assert [(int(s["ts"].replace(".", "")), int(s["dur"].replace(".", ""))) for s in slices] == [
        (event.start_time_ns - base, event.duration_ns) for event in profiler.events()]


@each_format
def test_writing_twice_gives_the_same_file(format, tmp_path):
    profiler = run()
    profiler.write_trace(tmp_path / "a", format)
    profiler.write_trace(tmp_path / "b", format)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_two_profilers_are_two_sessions(tmp_path):
    headers = [lines(run(), tmp_path / "trace")[0]["session"] for _ in range(3)]
    assert len(set(headers)) == 3


@each_format
def test_no_events_make_a_valid_file(format, tmp_path):
    with sw.profile() as profiler:
        pass
    profiler.write_trace(tmp_path / "trace", format)
    assert (tmp_path / "trace").stat().st_size > 0
    if format == TraceFormat.CHROME_JSON:
        assert json.loads((tmp_path / "trace").read_text())[-1]["args"]["events"] == 0


@each_format
def test_compressed_is_the_same_inside(format, tmp_path):
    profiler = run()
    profiler.write_trace(tmp_path / "trace", format)
    profiler.write_trace(tmp_path / "trace.gz", format)
    assert gzip.decompress((tmp_path / "trace.gz").read_bytes()) == (tmp_path / "trace").read_bytes()


def test_only_the_owner_may_read_it(tmp_path):
    old = os.umask(0)
    try:
        run().write_trace(tmp_path / "trace", TraceFormat.JSONL)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "trace").stat().st_mode) == 0o600


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "target").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="it is a symbolic link"):
        run().write_trace(tmp_path / "link", TraceFormat.JSONL)
    assert (tmp_path / "target").read_text() == "precious" and (tmp_path / "link").is_symlink()


# What goes wrong


@each_format
def test_a_full_disk_is_one_error(format):
    with pytest.raises(OSError, match="cannot write the trace '/dev/full': No space left on device"):
        run().write_trace("/dev/full", format)


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "trace"
    path.write_text("old")
    code = """
import resource, signal, sys
import strideweave as sw
from strideweave.operation import TraceFormat
with sw.profile() as profiler:
    for _ in range(1000):
        sw.relu(sw.Tensor(sw.Generic([1]), 0, sw.Layout(sw.Shape(1), sw.Stride(1))))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    profiler.write_trace(sys.argv[1], TraceFormat.JSONL)
except OSError as error:
    print(error)
"""
    assert signal_default_run(code, path).endswith("File too large\n")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["trace"]


def signal_default_run(code, path):
    """In a process in which no signal is ignored: it would end by SIGXFSZ or SIGPIPE."""
    code = "import signal\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n" + code
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_pipe_without_a_reader_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device or address"):
        run().write_trace(tmp_path / "pipe", TraceFormat.JSONL)


def test_a_pipe_that_is_closed_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code = """
import os, select, sys, threading
import strideweave as sw
from strideweave.operation import TraceFormat
with sw.profile() as profiler:
    for _ in range(2000):
        sw.relu(sw.Tensor(sw.Generic([1]), 0, sw.Layout(sw.Shape(1), sw.Stride(1))))
reader = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
thread = threading.Thread(target=lambda: (select.select([reader], [], []), os.close(reader)))
thread.start()
try:
    profiler.write_trace(sys.argv[1], TraceFormat.JSONL)
except OSError as error:
    print(error)
thread.join()
"""
    assert signal_default_run(code, tmp_path / "pipe").endswith("Broken pipe\n")


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No such file or directory"):
        run().write_trace(tmp_path / "gone" / "trace", TraceFormat.JSONL)
    with pytest.raises(OSError):
        run().write_trace("", TraceFormat.JSONL)
    with pytest.raises(OSError):
        run().write_trace(tmp_path, TraceFormat.JSONL)


@pytest.mark.parametrize("format", [None, 0, "json", 7])
def test_formats_that_are_none(format, tmp_path):
    with pytest.raises(TypeError, match="format must be a TraceFormat, not"):
        run().write_trace(tmp_path / "trace", format)


def test_paths_that_are_none(tmp_path):
    with pytest.raises(TypeError, match="path must be a path, not int"):
        run().write_trace(5, TraceFormat.JSONL)
    with pytest.raises(ValueError, match="holds a NUL"):
        run().write_trace("a\0b", TraceFormat.JSONL)


def test_before_exit_there_is_no_trace(tmp_path):
    with sw.profile() as profiler:
        with pytest.raises(RuntimeError, match="still active"):
            profiler.write_trace(tmp_path / "trace", TraceFormat.JSONL)
    assert os.listdir(tmp_path) == []




def test_recorded_by_helper(tmp_path):
    assert [line["name"] for line in lines(recorded(), tmp_path / "trace") if line["type"] == "slice"] == ["relu"]
