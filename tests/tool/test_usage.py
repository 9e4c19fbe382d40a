# SPDX-License-Identifier: LGPL-2.1-or-later
"""What holds for all commands: help, wrong use, terminals, pipes, full disks, and the status they exit with."""
import os
import pathlib
import pty
import re
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolbox import PROGRAM, run, slice_record, write_chrome  # noqa: E402

COMMANDS = re.findall(r"^  ([a-z]+) +", run("--help")[0], re.MULTILINE)
# Each that prints its results, with what it needs; TRACE stands for a file.
PRINTING = [["summary", "TRACE"], ["summary", "--json", "TRACE"], ["summary", "--csv", "TRACE"], ["tree", "TRACE"],
            ["tree", "--json", "TRACE"], ["diff", "TRACE", "TRACE"], ["diff", "--json", "TRACE", "TRACE"],
            ["diff", "--markdown", "TRACE", "TRACE"], ["diff", "--csv", "TRACE", "TRACE"]]
names = "-".join


@pytest.fixture
def trace(tmp_path):
    return write_chrome(tmp_path / "t.json", [slice_record(f"name {i}", 1000 * i, 500) for i in range(2000)])


def fill(arguments, trace):
    return [str(trace) if argument == "TRACE" else argument for argument in arguments]


def test_help_and_version():
    told, complaints = run("--help")
    assert complaints == "" and told.startswith("Usage:") and "--version" in told
    assert run("-h")[0] == run("help")[0] == told
    assert re.fullmatch(r"sw-profiler \d+\.\d+\.\d+\n", run("--version")[0])


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command):
    told, complaints = run(command, "--help")
    assert complaints == "" and f"sw-profiler {command} " in told and "-h, --help" in told
    assert run(command, "-h")[0] == run("help", command)[0] == told


def test_no_command():
    told, complaints = run(status=2)
    assert told == "" and complaints.startswith("Usage:")


@pytest.mark.parametrize("arguments", [["summarise"], ["--verbose"], ["help", "summarise"], [""], ["help", ""]], ids=names)
def test_wrong_command(arguments):
    told, complaints = run(*arguments, status=2)
    assert told == "" and complaints == f"sw-profiler: {arguments[-1]} is no command; see sw-profiler --help\n"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("arguments", [[], ["--nonsense"]], ids=["none", "unknown"])
def test_wrong_use_of_a_command(command, arguments):
    told, complaints = run(command, *arguments, status=2)
    assert told == "" and complaints.startswith(f"sw-profiler: {command}: ") and f"sw-profiler {command} --help" in complaints
    assert complaints.count("\n") == 1


@pytest.mark.parametrize("arguments", PRINTING, ids=names)
def test_no_such_file(tmp_path, arguments):
    told, complaints = run(*fill(arguments, tmp_path / "none"), status=1)
    assert "No such file" in complaints and "none" in complaints


@pytest.mark.parametrize("arguments", PRINTING, ids=names)
def test_cut_short_is_a_status(trace, arguments):
    trace.write_bytes(trace.read_bytes()[:-400])
    told, complaints = run(*fill(arguments, trace), status=3)
    assert told


def test_cut_short_is_a_status_of_flame(trace, tmp_path):
    trace.write_bytes(trace.read_bytes()[:-400])
    run("flame", trace, "--output", tmp_path / "f.svg", status=3)
    assert (tmp_path / "f.svg").exists()


def test_a_regression_is_a_status(tmp_path):
    base = write_chrome(tmp_path / "base.json", [slice_record("a", 10_000 * i, 1000 + i) for i in range(50)])
    new = write_chrome(tmp_path / "new.json", [slice_record("a", 10_000 * i, 2000 + i) for i in range(50)])
    run("diff", "--fail-over", "5%", base, new, status=4)
    run("diff", "--fail-over", "5%", new, base)
    run("diff", base, new)


@pytest.mark.parametrize("arguments", [["summary", "--json", "-"], ["tree", "--json", "-"], ["diff", "--json", "-", "TRACE"]], ids=names)
def test_dash_is_the_standard_input(trace, arguments):
    from_file = run(*[str(trace) if argument in ("TRACE", "-") else argument for argument in arguments])[0]
    from_pipe = run(*fill(arguments, trace), stdin=trace.read_bytes())[0]
    assert from_pipe.replace('"-"', f'"{trace}"') == from_file


EVERYTHING = [["--help"], ["--version"], ["help"], *[[command, "--help"] for command in COMMANDS], *PRINTING]


@pytest.mark.parametrize("arguments", EVERYTHING, ids=names)
def test_full_disk(trace, arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *fill(arguments, trace)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1
    assert "sw-profiler: the standard output cannot be written: No space left on device\n" in done.stderr


@pytest.mark.parametrize("arguments", [arguments for arguments in PRINTING if "diff" not in arguments], ids=names)
def test_a_reader_that_leaves(trace, arguments):
    """As head does: the rest is not wanted, and that is no error."""
    options = [] if arguments[0] == "tree" or "--json" in arguments or "--csv" in arguments else ["--top", "0"]
    process = subprocess.Popen([PROGRAM, *fill(arguments, trace), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=120) == -13


def on_terminal(*arguments, **environment):
    """Where both streams are one terminal."""
    leader, terminal = pty.openpty()
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm", **environment}) as process:
        os.close(terminal)
        pieces = []
        while True:
            try:
                pieces.append(os.read(leader, 65536))
            except OSError:
                break
            if not pieces[-1]:
                break
        assert process.wait() == 0
    os.close(leader)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("arguments", [["summary", "TRACE"], ["tree", "TRACE"], ["diff", "TRACE", "TRACE"]], ids=names)
def test_colors_are_for_terminals(trace, arguments):
    filled = fill(arguments, trace)
    plain = re.compile("\033\\[[0-9;]*m")
    assert plain.search(on_terminal(*filled))
    assert not plain.search(on_terminal(*filled, NO_COLOR="1"))
    assert not plain.search(on_terminal(*filled, "--color=never"))
    assert not plain.search(run(*filled)[0])
    assert plain.search(run(*filled, "--color=always", NO_COLOR="1")[0])


def feed_slowly(command, trace, stderr):
    """Its input comes over more than the time after which progress is shown."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
    records = [f'{{"ph":"X","pid":1,"tid":1,"name":"a","ts":{i},"dur":0.5}},\n' for i in range(30_000)]
    piece = ("".join(records)).encode()
    process.stdin.write(b"[")
    end = time.monotonic() + 2
    while time.monotonic() < end:
        process.stdin.write(piece)
        time.sleep(0.05)
    process.stdin.close()
    return process


def test_progress_is_for_terminals(trace):
    leader, terminal = pty.openpty()
    process = feed_slowly([PROGRAM, "summary", "--json", "-"], trace, terminal)
    told = process.stdout.read()
    assert process.wait() == 3
    os.close(terminal)
    assert b"Reading" in os.read(leader, 65536) and b"Reading" not in told
    os.close(leader)
    process = feed_slowly([PROGRAM, "summary", "--json", "-"], trace, subprocess.PIPE)
    process.stdout.read()
    assert b"Reading" not in process.stderr.read() and process.wait() == 3
