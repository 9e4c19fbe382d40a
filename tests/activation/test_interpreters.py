# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs in Python and GJS are recorded unchanged, however they end and start others."""
import os
import signal
import sys

import pytest
from programs import is_complete, lines, pid_of, run, slices, table_rows

GJS = os.environ.get("SW_GJS")

PYTHON_PROGRAM = """
import multiprocessing, os, signal, subprocess, sys, threading
from strideweave import CPU, Layout, Shape, Tensor
from strideweave.operation import relu

def work(n):
    tensor = Tensor(CPU(2), 0, Layout(Shape(2)))
    for _ in range(n):
        relu(tensor)

def end(way):
    if way == "exception":
        raise RuntimeError("this is it")
    if way == "exit-status":
        sys.exit(3)
    if way == "thread":
        thread = threading.Thread(target=work, args=(10,))
        thread.start()
        thread.join()
    if way == "term":
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    if way == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()
    if way == "handler":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    if way == "fork" and (pid := os.fork()) == 0:
        work(5)
        sys.exit(0)
    if way == "fork":
        os.waitpid(pid, 0)
    if way == "subprocess":
        subprocess.run([sys.executable, __file__, "return"], check=True)
    if way.startswith("multiprocessing-"):
        context = multiprocessing.get_context(way.partition("-")[2])
        process = context.Process(target=work, args=(5,))
        process.start()
        process.join()
        assert process.exitcode == 0

if __name__ == "__main__":
    work(10)
    end(sys.argv[1])
"""

GJS_PROGRAM = """
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

const {CPU, Tensor} = Strideweave;
const tensor = new Tensor(new CPU(2), 0, Strideweave.layout(2));
for (let i = 0; i < 10; i++)
    Strideweave.relu(tensor);
const way = ARGV[0];
if (way === 'exception')
    throw new Error('this is it');
if (way === 'exit-status')
    System.exit(3);
if (way === 'term')
    GLib.spawn_command_line_sync(`kill -TERM ${new Gio.Credentials().get_unix_pid()}`);
"""


@pytest.fixture
def python(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PYTHON_PROGRAM)
    folder = tmp_path / "folder"
    folder.mkdir()

    def run_python(way, **options):
        return run(sys.executable, path, way, trace=folder / "out.jsonl", profile="table", **options)

    run_python.folder = folder
    return run_python


@pytest.mark.parametrize("way, status, count", [
    ("return", 0, 10), ("exception", 1, 10), ("exit-status", 3, 10), ("thread", 0, 20), ("term", -signal.SIGTERM, 10),
    ("interrupt", -signal.SIGINT, 10), ("handler", 9, 10)])
def test_python(python, way, status, count):
    done = python(way)
    assert done.returncode == status, done.stderr
    [trace] = python.folder.iterdir()
    assert [span["name"] for span in slices(trace)] == ["relu"] * count and is_complete(trace)
    assert table_rows(done.stderr) == [{"relu": count}]
    assert ("this is it" in done.stderr) == (way == "exception")


@pytest.mark.parametrize("way, counts", [
    ("fork", [5, 10]), ("subprocess", [10, 10]), ("multiprocessing-fork", [5, 10]), ("multiprocessing-spawn", [5, 10]),
    ("multiprocessing-forkserver", [5, 10])])
def test_python_with_further_processes(python, way, counts):
    done = python(way)
    assert done.returncode == 0, done.stderr
    traces = list(python.folder.iterdir())
    assert sorted(len(slices(trace)) for trace in traces) == counts and all(is_complete(trace) for trace in traces)
    assert len({pid_of(trace) for trace in traces}) == 2
    assert sorted(table["relu"] for table in table_rows(done.stderr)) == counts


@pytest.mark.parametrize("way, status", [("return", 0), ("exception", 1), ("exit-status", 3), ("term", -signal.SIGTERM)])
def test_gjs(tmp_path, monkeypatch, way, status):
    if not GJS:
        pytest.skip("there is no gjs")
    # An exception of a script is a critical message there.
    monkeypatch.delenv("G_DEBUG", raising=False)
    path = tmp_path / "program.js"
    path.write_text(GJS_PROGRAM)
    done = run(GJS, "-m", path, way, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == status, done.stderr
    assert len(slices(tmp_path / "out.jsonl")) == 10 and is_complete(tmp_path / "out.jsonl")
    assert table_rows(done.stderr) == [{"relu": 10}] and ("this is it" in done.stderr) == (way == "exception")


def test_names_of_processes(python):
    python("return")
    [trace] = python.folder.iterdir()
    assert any(line["type"] == "track" and line["kind"] == "process" and "python" in line["name"] for line in lines(trace))


def test_the_command_runs_them(python, tmp_path, monkeypatch):
    script = tmp_path / "program.js"
    script.write_text(GJS_PROGRAM)
    monkeypatch.delenv("G_DEBUG", raising=False)
    tool = os.environ["SW_PROFILER"]
    for command, status in (((sys.executable, tmp_path / "program.py", "exit-status"), 3),
                            ((sys.executable, tmp_path / "program.py", "interrupt"), 128 + signal.SIGINT),
                            ((GJS, "-m", script, "exit-status"), 3)):
        if command[0]:
            done = run(tool, "run", "--trace", tmp_path / "run.jsonl", *command)
            assert done.returncode == status and table_rows(done.stderr) == [{"relu": 10}]
            assert len(slices(tmp_path / "run.jsonl")) == 10 and is_complete(tmp_path / "run.jsonl")
