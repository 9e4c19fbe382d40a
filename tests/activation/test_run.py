# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler run: the program is what it is without it, and what it did is shown behind it."""
import os
import signal
import subprocess

import pytest
from programs import PATIENCE, PROGRAM, environment, is_complete, pid_of, slices, table_rows, wait_until

TOOL = os.environ["SW_PROFILER"]


def run(*arguments, **options):
    return subprocess.run([TOOL, "run", *map(str, arguments)], env=environment(), capture_output=True, text=True,
                          timeout=PATIENCE, **options)


def start(*arguments, **options):
    process = subprocess.Popen([TOOL, "run", *map(str, arguments)], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **options)
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_table_comes_behind_the_program(tmp_path):
    done = run(PROGRAM, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "" and table_rows(done.stderr) == [{"relu": 10}]
    assert f"Operations of {os.path.basename(PROGRAM)} (process " in done.stderr and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way, status", [
    ("exit", 4), ("exit-in-thread", 5), ("_exit", 6), ("handled", 8), ("term", 143), ("int", 130), ("abort", 134)])
def test_the_status_is_the_programs(way, status):
    assert run("--", PROGRAM, way).returncode == status


def test_programs_that_cannot_be_run(tmp_path):
    (tmp_path / "text").write_text("text")
    for program, status in ((tmp_path / "absent", 127), ("no-such-program-anywhere", 127), (tmp_path / "text", 126), (tmp_path, 126)):
        done = run(program)
        assert done.returncode == status and f"cannot execute '{program}'" in done.stderr and done.stderr.count("\n") == 1


def test_a_program_that_cannot_be_run_takes_no_trace_away(tmp_path):
    trace = tmp_path / "out.json"
    trace.write_text("[]")
    (tmp_path / "text").write_text("text")
    for program in ("no-such-program-anywhere", tmp_path, tmp_path / "text"):
        run("--trace", trace, program)
        assert trace.read_text() == "[]"


@pytest.mark.parametrize("name", ["out.jsonl", "out.json", "out.txt", "out.json.gz"])
@pytest.mark.parametrize("form", ["jsonl", "perfetto"])
def test_only_what_a_viewer_opens_is_said_to_be_opened_by_one(tmp_path, name, form):
    """Whatever its name ends in."""
    told = run("--trace", tmp_path / name, "--format", form, PROGRAM).stderr
    assert ("ui.perfetto.dev" in told) == (form == "perfetto") and f"sw-profiler summary '{tmp_path / name}'" in told


def test_a_full_disk_is_said_to_be_the_reason():
    told = run("--trace", "/dev/full", "--format", "jsonl", PROGRAM, "return", 3).stderr
    (line,) = [line for line in told.splitlines() if "not in it" in line]
    assert "It is not complete, 6 events are not in it: " in line and "No space left on device" in line


@pytest.mark.parametrize("arguments, message", [
    ((), "no program is named"),
    (("--by", "carrier", PROGRAM), "--by is 'carrier', which is not thread"),
    (("--top", "-1", PROGRAM), "--top is -1, which is negative"),
    (("--trace", "out.xml", PROGRAM), "'out.xml' ends in none of .json, .jsonl and .pftrace"),
    (("--trace", "out.json", "--format", "xml", PROGRAM), "the format is 'xml'"),
    (("--trace", "out.json", "--verbosity", "loud", PROGRAM), "the verbosity is 'loud'"),
    (("--format", "json", PROGRAM), "--format and --verbosity are for --trace"),
    (("--gpu", "cupti", PROGRAM), "--gpu is for --trace"),
    (("--trace", "out.json", "--gpu", "rocm", PROGRAM), "gpu is 'rocm', which is not cupti"),
    (("--no-table", PROGRAM), "--no-table without --trace records nothing"),
    (("--colour", PROGRAM), "--colour"),
])
def test_wrong_usage(tmp_path, arguments, message):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr and list(tmp_path.iterdir()) == []


def test_a_trace_is_written_anew_each_time(tmp_path):
    trace = tmp_path / "out.jsonl"
    for count in (3, 4):
        done = run("--trace", "out.jsonl", PROGRAM, "return", count, cwd=tmp_path)
        assert len(slices(trace)) == count and is_complete(trace) and len(list(tmp_path.iterdir())) == 1
        # Each operation, and which kernel it chose.
        assert f"is {trace} ({2 * count} events)" in done.stderr and f"sw-profiler summary '{trace}'" in done.stderr
    assert table_rows(done.stderr) == [{"relu": 4}]


@pytest.mark.skipif("SW_ACTIVATION_VALA_PROGRAM" not in os.environ, reason="nothing in Vala is built")
def test_a_program_in_vala(tmp_path):
    trace = tmp_path / "out.jsonl"
    done = run("--trace", trace, os.environ["SW_ACTIVATION_VALA_PROGRAM"])
    assert done.returncode == 0 and table_rows(done.stderr) == [{"relu": 10}] and is_complete(trace)
    assert [line["name"] for line in slices(trace)] == ["relu"] * 10 + ["ten of them"]
    assert slices(trace)[-1]["category"] == "vala"


def test_what_is_printed_opens_the_trace(tmp_path):
    done = run("--trace", "out.json", "--no-table", PROGRAM, cwd=tmp_path)
    assert table_rows(done.stderr) == [] and "https://ui.perfetto.dev" in done.stderr
    summary = subprocess.run([TOOL, "summary", tmp_path / "out.json"], env=environment(), capture_output=True, text=True)
    assert summary.returncode == 0 and "relu" in summary.stdout


def test_each_process_is_shown(tmp_path):
    done = run("-t", tmp_path / "out.jsonl", "-v", "full", PROGRAM, "fork")
    assert sorted(table["relu"] for table in table_rows(done.stderr)) == [10, 20]
    for path in tmp_path.iterdir():
        assert f"(process {pid_of(path)}) is {path}" in done.stderr


def test_options_of_the_table():
    done = run("--by", "thread", "--top", 1, PROGRAM, "exit-in-thread")
    # Of its operations, and of its kernels.
    assert done.stderr.count("\nThread ") == 2 and table_rows(done.stderr) == [{"relu": 10}]


def test_arguments_of_the_program_are_its_own(tmp_path):
    for separator in ((), ("--",)):
        done = run(*separator, "/bin/echo", "--trace", "x", "--", "-h")
        assert done.stdout == "--trace x -- -h\n"


def test_streams_are_untouched():
    done = run("cat", input="some text")
    assert done.stdout == "some text"


def test_programs_without_the_library_are_told_from_those_that_do_nothing():
    assert "'/bin/true' never loaded Strideweave" in run("/bin/true").stderr
    done = run(PROGRAM, "nothing")
    assert "loaded Strideweave, but nothing was recorded: it executed no operation" in done.stderr
    assert "emitted no event" in run("--trace", "out.json", PROGRAM, "nothing").stderr
    done = run(PROGRAM, "_exit")
    assert "has ended without coming to its end" in done.stderr and "there is no table" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2])
def test_signals_are_passed_on(tmp_path, number):
    process = start("--trace", tmp_path / "out.jsonl", PROGRAM, "wait")
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    if number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        assert table_rows(errors) == [{"relu": 10}] and is_complete(tmp_path / "out.jsonl")


def state_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return int(file.read().split()[0])


def test_a_job_stands_still_and_goes_on_as_a_whole():
    # A group of its own, as a shell makes it; one without a parent in the session would take no SIGTSTP.
    process = start(PROGRAM, "wait", preexec_fn=os.setpgrp)
    child = child_of(process.pid)
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(child) == "T" and state_of(process.pid) == "T")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: state_of(child) == "S" and state_of(process.pid) == "S")
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM


def test_nothing_is_left_behind(tmp_path):
    done = subprocess.run([TOOL, "run", PROGRAM, "fork"], env=environment() | {"TMPDIR": str(tmp_path)}, capture_output=True)
    assert done.returncode == 0 and list(tmp_path.iterdir()) == []


def test_the_tool_itself_is_not_recorded(tmp_path):
    done = subprocess.run([TOOL, "--version"], env=environment(tmp_path / "out.json", "table"), capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and list(tmp_path.iterdir()) == []
