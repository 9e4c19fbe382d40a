# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that were made to be slow, or that come from a place where much goes wrong: sw-profiler has to come to its end, and say what was wrong."""
import fcntl
import gzip
import json
import os
import pathlib
import pty
import resource
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolbox import PROGRAM, SANITIZED, run, slice_record, summary, write_chrome  # noqa: E402

# What grows with the square of the number would take many times as long.
MANY = 20_000 if SANITIZED else 60_000
MOST_SECONDS = 30 if SANITIZED else 3
HEADER = {"type": "header", "format": "strideweave-trace", "version": 1, "session": "0" * 32, "base_ns": 5, "pid": 1}
EVENT = {"pid": 1, "tid": 1, "name": "n", "ts": 0}


def records(*made):
    return "[" + ",\n".join(map(json.dumps, made)) + "]"


def lines(*made):
    return "".join(json.dumps(line) + "\n" for line in (HEADER, *made))


KINDS = {
    "arguments of one slice": lambda n: records({**EVENT, "ph": "X", "dur": 1, "args": {f"k{i}": i for i in range(n)}}),
    "asynchronous slices at once": lambda n: records(*({**EVENT, "ph": "b", "cat": "c", "id": i, "ts": i} for i in range(n))),
    "categories of one name": lambda n: records(*({**EVENT, "ph": "X", "dur": 1, "cat": f"c{i}", "ts": i} for i in range(n))),
    "processes": lambda n: records(*({**EVENT, "ph": "X", "dur": 1, "pid": i, "tid": i} for i in range(n))),
    "flows through one slice": lambda n: records(
        {**EVENT, "ph": "B"}, *({**EVENT, "ph": "s", "id": i, "ts": 5} for i in range(n)), {**EVENT, "ph": "E", "ts": 9}),
    "flows to the next slice": lambda n: records({**EVENT, "ph": "X", "ts": 9, "dur": 1}, *(
        {**EVENT, "ph": "f", "id": i, "ts": 5} for i in range(n))),
    "open slices": lambda n: records(*({**EVENT, "ph": "B", "ts": i} for i in range(n)), *(
        {**EVENT, "ph": "E", "name": "other", "ts": n + i} for i in range(n))),
    "reasons of losses": lambda n: lines({"type": "summary", "dropped": {f"r{i}": 1 for i in range(n)}, "diagnostics": {f"d{i}": 1 for i in range(n)}}),
    "sessions": lambda n: "".join(records(
        {"ph": "M", "name": "strideweave_session", "pid": i, "args": {"session": f"{i:032x}", "base_ns": 0}}, {**EVENT, "pid": i, "ph": "X", "dur": 1},
        {"ph": "M", "name": "strideweave_summary", "args": {}}) for i in range(1, n)),
    "numbers with the same lower half": lambda n: lines(*(
        {"type": "slice", "name": "n", "track": i << 32, "start_ns": i + 5, "duration_ns": 1, "pid": 1, "tid": i} for i in range(n))),
}


@pytest.mark.parametrize("arguments", [["summary", "--json"], ["convert", "-f", "jsonl"]], ids=lambda arguments: arguments[0])
@pytest.mark.parametrize("kind", KINDS)
def test_many_of_anything_take_their_time_only_once(tmp_path, kind, arguments):
    path = tmp_path / "many"
    path.write_text(KINDS[kind](MANY))
    output = ["-"] if arguments[0] == "convert" else []
    done = subprocess.run([PROGRAM, *arguments, path, *output], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)))
    assert done.returncode in (0, 3), (done.returncode, done.stderr[:300])


def test_many_tracks_with_names_of_their_own_take_memory_for_each_only_once(tmp_path):
    """None of them has room for the names of all."""
    path = tmp_path / "many"
    path.write_text(records(*({**EVENT, "name": f"n{i // 2}", "ph": "be"[i % 2], "cat": "c", "id": i // 2, "ts": i} for i in range(MANY))))
    done = subprocess.Popen([PROGRAM, "convert", path, tmp_path / "out.pftrace"])
    _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    assert done.returncode == 0
    if not SANITIZED:
        assert used.ru_maxrss < 160_000, used
    assert len([line for line in run("convert", "-f", "jsonl", tmp_path / "out.pftrace", "-")[0].splitlines() if '"async_slice"' in line]) == MANY // 2


@pytest.mark.parametrize("depth", [3000])
def test_deep_stacks_do_not_grow_with_their_square(tmp_path, depth):
    path = write_chrome(tmp_path / "t.json", [slice_record(f"n{i}", i, 2 * depth - 2 * i) for i in range(depth)])
    text, said = run("convert", "-f", "folded", path, "-")
    assert max(line.count(";") for line in text.splitlines()) == 1999 and "deeper than 2,000" in said
    assert sum(int(line.rpartition(" ")[2]) for line in text.splitlines()) == 2 * depth


# What its times count from may come anywhere


@pytest.fixture
def own(tmp_path):
    """As the library writes it, with what others shuffle."""
    session = {"ph": "M", "name": "strideweave_session", "pid": 7, "tid": 0, "args": {
        "session": "1" * 32, "clock": "CLOCK_MONOTONIC", "base_ns": 5_000_000, "wall_ns": 10**18}}
    end = {"ph": "M", "name": "strideweave_summary", "pid": 7, "tid": 0, "args": {"events": 2, "dropped": {"queue full": 3}, "diagnostics": {}}}
    events = [{"ph": "X", "pid": 7, "tid": 7, "name": name, "ts": ts, "dur": 1} for name, ts in (("a", 1), ("b", 2))]
    counter = {"ph": "C", "pid": 7, "tid": 7, "name": "c", "ts": 4, "args": {"value": 1}}
    return [session, *events, counter, {"ph": "B", "pid": 7, "tid": 7, "name": "open", "ts": 3}, end]


@pytest.mark.parametrize("order", [[1, 0, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 5, 0, 1, 4, 2]], ids=str)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_late_base_counts_for_all_times(tmp_path, own, order, packed):
    first = summary(write_chrome(tmp_path / "a.json", own))
    assert (first["start_ns"], first["end_ns"], first["dropped"]) == (5_000_000 + 1, 5_000_000 + 4, {"queue full": 3})
    path = write_chrome(tmp_path / "b.json", [own[i] for i in order])
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    shuffled = summary(path)
    assert {**shuffled, "file": None, "bytes": None} == {**first, "file": None, "bytes": None}
    assert sorted(run("convert", "-f", "jsonl", path, "-")[0].splitlines()) == sorted(run("convert", "-f", "jsonl", tmp_path / "a.json", "-")[0].splitlines())
    with path.open("rb") as stream:
        told = subprocess.run([PROGRAM, "summary", "--json", "-"], stdin=stream, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(told)["files"][0]["start_ns"] == first["start_ns"]
    # What cannot be read twice is said.
    piped = summary("-", stdin=path.read_bytes())
    assert piped["start_ns"] == 1 and any("count from 0" in note for note in piped["notes"])


def test_a_late_header_counts(tmp_path):
    made = lines({"type": "slice", "name": "n", "track": 1, "start_ns": 9, "duration_ns": 1, "pid": 1, "tid": 1}, {"type": "summary"}).splitlines()
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(made[1:] + made[:1]) + "\n")
    header = json.loads(run("convert", "-f", "jsonl", path, "-")[0].splitlines()[0])
    assert (header["base_ns"], header["pid"], summary(path)["truncated"]) == (5, 1, False)


# Streams


def closing(*numbers):
    def close():
        for number in numbers:
            os.close(number)
    return close


@pytest.fixture
def trace(tmp_path):
    return write_chrome(tmp_path / "t.json", [slice_record("a", 1000 * i, 500) for i in range(50)])


@pytest.mark.parametrize("arguments", [["summary", "TRACE"], ["tree", "--json", "TRACE"], ["convert", "-f", "jsonl", "TRACE", "-"], ["--help"]],
                         ids=lambda arguments: arguments[0])
def test_a_closed_output_is_a_failure(trace, arguments):
    """And the next file that is opened is not taken for it."""
    before = trace.read_bytes()
    done = subprocess.run([PROGRAM, *[str(trace) if argument == "TRACE" else argument for argument in arguments]],
                          stderr=subprocess.PIPE, preexec_fn=closing(1), text=True)
    assert done.returncode == 1 and "standard output" in done.stderr
    assert trace.read_bytes() == before


def test_closed_streams_do_not_go_into_files(tmp_path, trace):
    cut = tmp_path / "cut.json"
    cut.write_bytes(trace.read_bytes()[:-30])
    done = subprocess.run([PROGRAM, "convert", cut, tmp_path / "out.jsonl"], preexec_fn=closing(0, 1, 2))
    assert done.returncode == 3
    assert all(json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())


def test_a_closed_input_is_a_failure(trace):
    done = subprocess.run([PROGRAM, "diff", "-", trace], capture_output=True, preexec_fn=closing(0), text=True)
    assert done.returncode == 1 and done.stderr.startswith("sw-profiler: -: cannot read")


def test_a_pipe_with_a_name(tmp_path, trace):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen([PROGRAM, "summary", "--json", tmp_path / "pipe"], stdout=subprocess.PIPE) as process:
        (tmp_path / "pipe").write_bytes(trace.read_bytes())
        assert json.loads(process.stdout.read())["files"][0]["slices"] == 50
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["summary", "convert"])
def test_interrupted(tmp_path, command, number):
    """It ends by the signal, and leaves neither a file nor a part of one."""
    arguments = ["summary", "-"] if command == "summary" else ["convert", "-", tmp_path / "out.json"]
    with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          env={**os.environ, "TMPDIR": str(tmp_path)}) as process:
        process.stdin.write(b"[" + b'{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1},\n' * 40_000)
        process.stdin.flush()
        process.send_signal(number)
        assert process.wait(timeout=60) == -number
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path, trace):
    if os.geteuid() == 0:
        folder = pathlib.Path("/proc/self")
    else:
        folder = tmp_path / "sealed"
        folder.mkdir(mode=0o500)
    for arguments in (["convert", trace, folder / "out.jsonl"], ["flame", trace, "-o", folder / "out.html"], ["merge", trace, folder / "out.json"]):
        assert run(*arguments, status=1)[1].startswith("sw-profiler: ")


@pytest.mark.parametrize("arguments", [["summary"], ["tree"], ["convert", "-f", "jsonl", "IN", "-"], ["diff", "IN", "IN"]], ids=lambda arguments: arguments[0])
def test_a_folder_is_no_trace(tmp_path, arguments):
    filled = [tmp_path if argument == "IN" else argument for argument in arguments] if "IN" in arguments else [*arguments, tmp_path]
    assert "directory" in run(*filled, status=1)[1]


# Texts


def test_nothing_from_a_file_commands_the_terminal(tmp_path):
    """Names, kinds of records, reasons, numbers of threads: whatever is shown."""
    bad = "\x1b[2J\x07\x9b1m"
    path = tmp_path / "t.json"
    path.write_text(json.dumps([
        {"ph": "X", "pid": 1, "tid": bad, "name": bad, "cat": bad, "ts": 1, "dur": 9}, {"ph": "X", "pid": 1, "tid": bad, "name": bad, "ts": 2, "dur": 90},
        {"ph": "(", "pid": 1, "name": bad}, {"ph": "M", "name": bad, "pid": 1}, {"ph": "C", "pid": bad, "name": bad, "ts": 1, "args": {bad: 1}},
        {"ph": "i", "pid": 1, "tid": 1, "name": bad, "ts": 1}]))
    lost = tmp_path / "lost.jsonl"
    lost.write_text(lines({"type": "summary", "dropped": {bad: 1}, "diagnostics": {bad: 2}}, {"type": bad}))
    for arguments in (["summary", path, lost], ["summary", "--csv", path, lost], ["tree", path], ["diff", path, lost], ["diff", "--markdown", path, path],
                      ["convert", "-f", "jsonl", lost, "-"], ["convert", "-f", "folded", path, "-"], ["merge", "-f", "jsonl", path, lost, "-"]):
        told, complaints = run(*arguments)
        if "--csv" in arguments or "-f" in arguments:
            told = ""
        assert [c for c in told + complaints if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)] == [], (arguments, told, complaints)


def test_complaints_show_names_of_files_as_they_can_be_shown(tmp_path):
    complaint = run("summary", tmp_path / "no\x1b[31m\nsuch", status=1)[1]
    assert complaint.count("\n") == 1 and "\x1b" not in complaint


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "de_DE.UTF-8", "no_SUCH"])
def test_any_locale(tmp_path, locale):
    path = write_chrome(tmp_path / "größe.json", [slice_record("größe", 0, 1500), slice_record("other", 5000, 10)])
    plain = run("summary", "--csv", "--name", "gr*", path)[0]
    assert plain.count("\r\n") == 2
    for pattern in ("größe", "gr*"):
        assert run("summary", "--csv", "--name", pattern, path, LC_ALL=locale, LANG=locale)[0] == plain
    assert "1.500 µs" in run("summary", path, LC_ALL=locale, LANG=locale)[0]
    assert run("summary", "--help", LC_ALL=locale, LANG=locale)[0]


def test_no_home_and_no_temporary_folder(tmp_path, trace):
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME", "TERM")}
    done = subprocess.run([PROGRAM, "convert", trace, tmp_path / "o.pftrace"], env={**environment, "TMPDIR": "/none"}, capture_output=True)
    assert done.returncode == 0 and done.stderr == b""


def test_very_long_options(trace):
    run("summary", "--name", "x" * 100_000, trace)
    assert "--sort" in run("summary", "--sort", "x" * 100_000, trace, status=2)[1]
    run("summary", "--" + "x" * 100_000, trace, status=2)
    assert "File name too long" in run("summary", "x" * 100_000, status=1)[1]


@pytest.mark.parametrize("width", [1, 2, 20, 40])
@pytest.mark.parametrize("arguments", [["summary"], ["tree"]], ids=lambda arguments: arguments[0])
def test_narrow_terminals(tmp_path, arguments, width):
    """Numbers stay whole, however narrow it is; of names something is left."""
    path = write_chrome(tmp_path / "t.json", [slice_record("a name that is long enough", 0, 1_234_567)])
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 3, width, 0, 0))
    with subprocess.Popen([PROGRAM, *arguments, "--color", "never", path], stdout=follower, stderr=subprocess.PIPE,
                          env={**os.environ, "TERM": "xterm"}) as process:
        os.close(follower)
        pieces = []
        while True:
            try:
                pieces.append(os.read(leader, 65536))
            except OSError:
                break
            if not pieces[-1]:
                break
        assert process.wait(timeout=60) == 0 and process.stderr.read() == b""
    os.close(leader)
    text = b"".join(pieces).decode()
    assert "1.235 ms" in text and "a" in text


def test_numbers_as_large_as_they_get(tmp_path):
    path = tmp_path / "t.json"
    path.write_text("""[{"ph":"X","pid":1,"tid":1,"name":"late","ts":9223372036854775,"dur":0.5},{"ph":"X","pid":1,"tid":1,"name":"early","ts":-9223372036854775,"dur":1},
        {"ph":"X","pid":1,"tid":2,"name":"long","ts":0,"dur":9223372036854775.807},{"ph":"X","pid":1,"tid":2,"name":"too long","ts":1,"dur":9223372036854775.807},
        {"ph":"X","pid":99999999999999999999,"tid":-1e99,"name":"odd numbers","ts":1,"dur":1}]""")
    file = summary(path, status=3)
    assert (file["slices"], file["bad_times"]) == (4, 1)
    assert {row["name"]: row["total_ns"] for row in file["rows"]} == {"late": 500, "early": 1000, "long": 2**63 - 1, "odd numbers": 1000}
    for suffix in ("json", "jsonl", "pftrace", "folded", "speedscope.json"):
        status = run_any("convert", path, tmp_path / f"o.{suffix}")
        assert status in (1, 3) and (status == 1) == (not (tmp_path / f"o.{suffix}").exists()), suffix
    run("flame", path, "-o", tmp_path / "o.html", status=3)


def run_any(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=120)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.returncode


def test_waits_for_a_writer_that_is_slow(trace):
    """A pipe whose other end thinks for a while is not the end."""
    with subprocess.Popen([PROGRAM, "summary", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        content = trace.read_bytes()
        for piece in (content[:1], content[1:700], content[700:]):
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
        assert json.loads(process.stdout.read())["files"][0]["slices"] == 50
    assert process.returncode == 0
