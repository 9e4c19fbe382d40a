# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler summary: its numbers against a plain model, what it says of broken and odd files, and how it looks."""
import collections
import csv
import fcntl
import gzip
import io
import json
import os
import pathlib
import pty
import random
import struct
import subprocess
import sys
import termios

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import toolbox  # noqa: E402
from toolbox import rows, run, slice_record, summary, write_chrome  # noqa: E402

HOSTILE = ["", "a\nb\r\tc", "\x01\x7f\x1b[31mred", '"quoted", \'too\'', "{\"ph\": \"X\"}", "世界" * 40, "e\u0301" * 90, "\u202eright to left",
           "x" * 4096, "x" * 4095 + "y", "a|b`c", "=1+1", "ﬀ", "👩‍👩‍👧"]


def expected_rows(records, key):
    by_key = collections.defaultdict(list)
    for record, own in zip(records, toolbox.self_times(records)):
        by_key[record[key]].append((record["dur"], own))
    return by_key


@pytest.mark.parametrize("by, key", [("name", "name"), ("category", "cat")])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_those_of_the_model(tmp_path, seed, by, key):
    records = toolbox.forest(seed, 150)
    path = write_chrome(tmp_path / "t.json", records)
    found = rows(summary("--by", by, path))
    expected = expected_rows(records, key)
    whole = sum(own for samples in expected.values() for _, own in samples)
    assert {("thread", name) for name in expected} == set(found)
    for name, samples in expected.items():
        durations = np.array([duration for duration, _ in samples])
        row = found["thread", name]
        assert (row["calls"], row["total_ns"], row["self_ns"], row["min_ns"], row["max_ns"]) == (
            len(samples), durations.sum(), sum(own for _, own in samples), durations.min(), durations.max())
        np.testing.assert_allclose([row[f"p{p}_ns"] for p in (50, 90, 95, 99)], np.percentile(durations, [50, 90, 95, 99]), rtol=1e-12)
        assert row["share"] == pytest.approx(row["self_ns"] / whole)
        assert row["mean_ns"] == pytest.approx(durations.mean())


@pytest.mark.parametrize("seed", range(4))
def test_order_in_the_file_does_not_matter(tmp_path, seed):
    records = toolbox.forest(seed, 200)
    path = tmp_path / "t.json"
    first = summary(write_chrome(path, records))
    text = run("summary", path)[0]
    for shuffle in range(3):
        random.Random(shuffle).shuffle(records)
        again = summary(write_chrome(path, records))
        assert again["rows"] == first["rows"] and again["tracks"] == first["tracks"]
        assert run("summary", path)[0] == text


def test_self_times_fill_the_thread(tmp_path):
    records = toolbox.forest(9, 300)
    file = summary("--by", "thread", write_chrome(tmp_path / "t.json", records))
    busy = {track["tid"]: track["busy_ns"] for track in file["tracks"]}
    assert sum(row["self_ns"] for row in file["rows"]) == sum(busy.values())
    for track in file["tracks"]:
        assert track["busy_ns"] <= track["end_ns"] - track["start_ns"]


def test_identical_slices_and_ties(tmp_path):
    path = write_chrome(tmp_path / "t.json", [slice_record("same", 10, 50), slice_record("same", 10, 50), slice_record("outer", 10, 90),
                                              slice_record("point", 10, 0), slice_record("point", 100, 0)])
    found = rows(summary(path))
    assert (found["thread", "same"]["calls"], found["thread", "same"]["total_ns"], found["thread", "same"]["self_ns"]) == (2, 100, 50)
    assert found["thread", "outer"]["self_ns"] == 40
    assert found["thread", "point"]["calls"] == 2


def test_overlaps_are_cut_and_said(tmp_path):
    path = write_chrome(tmp_path / "t.json", [slice_record("kernel", 0, 100), slice_record("kernel", 200, 100),
                                              slice_record("outer", 400, 100), slice_record("runaway", 450, 10**9)])
    file = summary(path)
    assert rows(file)["thread", "runaway"]["total_ns"] == 50
    assert rows(file)["thread", "outer"]["self_ns"] == 50
    (track,) = file["tracks"]
    assert (track["overlapping"], track["overlap_ns"], track["busy_ns"]) == (1, 10**9 - 50, 300)
    assert any("overlap" in note and "runaway" in note for note in file["notes"])
    assert "overlap" in run("summary", path)[0]


def test_a_lost_end_is_said(tmp_path):
    records = [slice_record("step", 1000 * i, 100) for i in range(50)] + [slice_record("step", 60_000, 10**9)]
    notes = summary(write_chrome(tmp_path / "t.json", records))["notes"]
    assert any("lost its end" in note for note in notes)
    assert summary(write_chrome(tmp_path / "t.json", records[:-1]))["notes"] == []


# Choosing


@pytest.fixture
def plain(tmp_path):
    return write_chrome(tmp_path / "plain.json", [
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main"}},
        {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "io"}},
        slice_record("step", 1_000_000, 500_000, category="op"), slice_record("add", 1_100_000, 200_000, category="op"),
        slice_record("load", 2_000_000, 300_000, tid=2, category="file"), slice_record("add", 3_000_000, 1_000, tid=2, category="op")])


@pytest.mark.parametrize("options, expected", [
    ([], {"step": 1, "add": 2, "load": 1}),
    (["--name", "a*"], {"add": 2}),
    (["--name", "add", "--name", "load"], {"add": 2, "load": 1}),
    (["--name", "/^(st|lo)/"], {"step": 1, "load": 1}),
    (["--category", "file"], {"load": 1}),
    (["--thread", "io"], {"load": 1, "add": 1}),
    (["--thread", "1"], {"step": 1, "add": 1}),
    (["--min-duration", "250us"], {"step": 1, "load": 1}),
    (["--min-duration", "0.3 ms"], {"step": 1, "load": 1}),
    (["--from", "500us"], {"load": 1, "add": 1}),
    (["--to", "0.1ms"], {"step": 1}),
    (["--from", "1ms", "--to", "1300us"], {"load": 1}),
    (["--from", "@3000000ns"], {"add": 1}),
    (["--name", "nothing"], {}),
])
def test_choices(plain, options, expected):
    file = summary(*options, plain)
    assert {row["name"]: row["calls"] for row in file["rows"]} == expected
    if not expected:
        assert "the options leave no slice" in file["notes"]
        assert "the options leave no slice" in run("summary", *options, plain)[0]


def test_choices_change_no_self_time_and_no_share(plain):
    all_rows = rows(summary(plain))
    (chosen,) = summary("--name", "step", plain)["rows"]
    assert chosen == all_rows["thread", "step"]
    assert chosen["self_ns"] == 300_000


@pytest.mark.parametrize("key", ["self", "total", "calls", "max", "name"])
def test_sorting(plain, key):
    found = summary("--sort", key, plain)["rows"]
    field = {"self": "self_ns", "total": "total_ns", "max": "max_ns"}.get(key, key)
    values = [row[field] for row in found]
    assert values == sorted(values, reverse=key != "name")


def test_top(plain):
    assert len(summary("--top", "1", plain)["rows"]) == 1
    text = run("summary", "--top", "1", plain)[0]
    assert "and 2 more; --top 0 shows all" in text and "add" not in text
    assert "more; --top" not in run("summary", "--top", "0", plain)[0]


@pytest.mark.parametrize("arguments, words", [
    (["summary"], ["no file"]),
    (["summary", "--sort", "color", "x"], ["--sort", "color", "self, total"]),
    (["summary", "--by", "x", "x"], ["--by", "name, category, thread"]),
    (["summary", "--name", "/(/", "x"], ["/(/"]),
    (["summary", "--from", "5 parsecs", "x"], ["--from", "5 parsecs"]),
    (["summary", "--from", "99999999999h", "x"], ["--from", "too long"]),
    (["summary", "--min-duration", "@5ms", "x"], ["--min-duration", "@5ms"]),
    (["summary", "--top", "-3", "x"], ["--top", "-3"]),
    (["summary", "--json", "--csv", "x"], ["--json", "--csv"]),
    (["summary", "--color", "blue", "x"], ["--color", "blue"]),
    (["summary", "--nonsense", "x"], ["nonsense"]),
])
def test_wrong_options(arguments, words):
    out, complaint = run(*arguments, status=2)
    assert out == ""
    assert all(word in complaint for word in words), complaint


# Odd and broken files


def test_only_instants(tmp_path):
    path = write_chrome(tmp_path / "t.json", [{"ph": "i", "pid": 1, "tid": 1, "name": "mark", "ts": 5, "s": "t"}] * 3)
    file = summary(path)
    assert file["rows"] == [] and [(instant["name"], instant["times"]) for instant in file["instants"]] == [("mark", 3)]
    assert any("no slices" in note for note in file["notes"])
    text = run("summary", path)[0]
    assert "mark" in text and "no slices" in text
    (row,) = csv.DictReader(io.StringIO(run("summary", "--csv", path)[0]))
    assert (row["kind"], row["name"], row["calls"], row["max_ns"]) == ("instant", "mark", "3", "")


def test_only_unfinished(tmp_path):
    path = write_chrome(tmp_path / "t.json", [{"ph": "B", "pid": 1, "tid": 1, "name": "open", "ts": 5000},
                                              {"ph": "i", "pid": 1, "tid": 1, "name": "last", "ts": 9000, "s": "t"}])
    file = summary(path)
    (row,) = file["rows"]
    assert (row["name"], row["calls"], row["unfinished"], row["total_ns"]) == ("open", 1, 1, 4000)
    assert file["unfinished"] == 1 and any("without an end" in note for note in file["notes"])


def test_only_orphan_ends(tmp_path):
    path = write_chrome(tmp_path / "t.json", [{"ph": "E", "pid": 1, "tid": 1, "name": "x", "ts": 5}] * 4)
    file = summary(path)
    assert file["orphan_ends"] == 4 and any("without a beginning" in note for note in file["notes"])
    assert any("no record of the file is an event" in note for note in file["notes"])


def test_no_records(tmp_path):
    (tmp_path / "t.json").write_text("[]")
    file = summary(tmp_path / "t.json")
    assert file["rows"] == [] and file["notes"]


def test_cut_short(tmp_path, plain):
    text = pathlib.Path(plain).read_text()
    (tmp_path / "cut.json").write_text(text[:-40])
    file = summary(tmp_path / "cut.json", status=3)
    assert file["truncated"] and any("cut short" in note and "byte" in note for note in file["notes"])
    assert len(file["rows"]) == 3
    out, complaint = run("summary", "--csv", tmp_path / "cut.json", status=3)
    assert "cut short" in complaint


@pytest.mark.parametrize("content", [b"", b"no trace at all", b"\x00" * 100])
def test_no_trace(tmp_path, content):
    (tmp_path / "t").write_bytes(content)
    complaint = run("summary", tmp_path / "t", status=1)[1]
    assert str(tmp_path / "t") in complaint


def test_several_files(tmp_path, plain):
    out, complaint = run("summary", "--json", plain, tmp_path / "missing", plain, status=1)
    files = json.loads(out)["files"]
    assert len(files) == 2 and files[0] == files[1]
    assert "missing" in complaint
    text = run("summary", plain, plain)[0]
    assert text.count(str(plain)) == 2


def test_standard_input_and_gzip(tmp_path, plain):
    content = pathlib.Path(plain).read_bytes()
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(content))
    expected = summary(plain)["rows"]
    assert summary("-", stdin=content)["rows"] == expected
    assert summary(tmp_path / "t.json.gz")["rows"] == expected


def test_output_that_does_not_arrive(plain):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([toolbox.PROGRAM, "summary", plain], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"standard output" in done.stderr


def test_two_sessions_in_a_file(tmp_path):
    lines = [{"type": "header", "format": "strideweave-trace", "version": 1, "session": "0" * 32, "clock": "CLOCK_MONOTONIC", "base_ns": 100,
              "pid": 7}, {"type": "track", "track": 1, "pid": 7, "tid": 7, "kind": "thread", "name": "main"},
             {"type": "slice", "name": "a", "start_ns": 100, "duration_ns": 50, "track": 1, "pid": 7, "tid": 7},
             {"type": "summary", "events": 1, "dropped": {"queue full": 2}, "diagnostics": {}}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "t.jsonl").write_text(text + text.replace("0" * 32, "1" * 32))
    file = summary(tmp_path / "t.jsonl")
    assert (file["slices"], file["dropped"]) == (2, {"queue full": 4})
    assert any("sessions in the file" in note for note in file["notes"])


@pytest.fixture
def moments(tmp_path):
    """An instant and two counters each microsecond, in no order."""
    records = [slice_record("step", 0, 1000), slice_record("late", 9000, 1000)]
    for i in (7, 2, 9, 0, 5, 3, 8, 1, 6, 4):
        records += [{"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": "odd" if i % 2 else "even", "ts": 1000 * i},
                    {"ph": "C", "pid": 1, "tid": 1, "name": "whole", "ts": 1000 * i, "args": {"value": 10 * i}},
                    {"ph": "C", "pid": 1, "tid": 1, "name": "real", "ts": 1000 * i, "args": {"value": 0.5 - i}}]
    return write_chrome(tmp_path / "moments.json", records)


@pytest.mark.parametrize("times, first, last", [
    (["--from", "2us"], 2, 9), (["--to", "6us"], 0, 5), (["--from", "2001ns", "--to", "8us"], 3, 7), (["--to", "@3001ns"], 0, 3),
    (["--from", "@4us", "--to", "@4001ns"], 4, 4), (["--from", "0ns"], 0, 9), ([], 0, 9),
])
def test_times_choose_instants_and_counters(moments, times, first, last):
    file = summary(*times, moments)
    chosen = range(first, last + 1)
    assert {instant["name"]: (instant["times"], instant["first_ns"], instant["last_ns"]) for instant in file["instants"]} == {
        name: (len(own), 1000 * own[0], 1000 * own[-1]) for name, parity in (("even", 0), ("odd", 1))
        if (own := [i for i in chosen if i % 2 == parity])}
    assert {counter["name"]: tuple(counter[key] for key in ("values", "last", "min", "max")) for counter in file["counters"]} == {
        "whole": (len(chosen), 10 * last, 10 * first, 10 * last), "real": (len(chosen), 0.5 - last, 0.5 - last, 0.5 - first)}
    assert (file["instants_total"], file["counter_values"]) == (10, 20)
    assert file["notes"] == ([] if file["rows"] else ["the options leave no slice"])


def test_a_time_without_instants_and_counters(moments):
    file = summary("--from", "1001ns", "--to", "1999ns", moments)
    assert file["instants"] == [] == file["counters"] and file["notes"] == ["the options leave no slice"]
    text = run("summary", "--from", "1001ns", "--to", "1999ns", moments)[0]
    assert "even" not in text and "whole" not in text


def test_times_are_those_of_each_file_and_of_a_pipe(moments, tmp_path):
    other = write_chrome(tmp_path / "later.json", [{"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": "mark", "ts": 10**6 + 1000 * i} for i in range(4)])
    files = json.loads(run("summary", "--json", "--to", "2us", moments, other)[0])["files"]
    assert [sum(instant["times"] for instant in file["instants"]) for file in files] == [2, 2]
    assert summary("--from", "5us", "-", stdin=moments.read_bytes())["instants"] == summary("--from", "5us", moments)["instants"]


def test_a_duration_chooses_among_slices_only(moments):
    file = summary("--min-duration", "1h", moments)
    assert file["rows"] == [] and sum(instant["times"] for instant in file["instants"]) == 10 and len(file["counters"]) == 2


def test_names_and_times_choose_instants_together(moments):
    (instant,) = summary("--name", "odd", "--from", "4us", moments)["instants"]
    assert (instant["name"], instant["times"], instant["first_ns"]) == ("odd", 3, 5000)


def test_counters(tmp_path):
    counters = [{"ph": "C", "pid": 1, "tid": 1, "name": "bytes", "ts": 1000 * i, "args": {"value": value}}
                for i, value in enumerate([5, 2**53 + 1, -3])]
    (counter,) = summary(write_chrome(tmp_path / "t.json", counters))["counters"]
    assert (counter["values"], counter["last"], counter["min"], counter["max"]) == (3, -3, -3, 2**53 + 1)


def test_comma_locale(plain):
    expected = run("summary", "--csv", plain)[0]
    for locale in ("de_DE.UTF-8", "fr_FR.UTF-8"):
        assert run("summary", "--csv", plain, LC_ALL=locale)[0] == expected


# How it looks


@pytest.fixture
def hostile(tmp_path):
    return write_chrome(tmp_path / "hostile.json", [slice_record(name, 1000 * i, 10 * i + 10) for i, name in enumerate(HOSTILE)])


def test_hostile_names_are_exact_in_data(hostile):
    assert {row["name"] for row in summary(hostile)["rows"]} == set(HOSTILE)
    out = run("summary", "--csv", hostile)[0]
    assert {row["name"] for row in csv.DictReader(io.StringIO(out, newline=""))} == set(HOSTILE)


def test_hostile_names_stay_on_their_lines(hostile):
    text = run("summary", "--top", "0", hostile)[0]
    assert all(character == "\n" or character.isprintable() or character == "\u200d" for character in text)
    lines = text.split("\n")
    table = text[text.index("Slices on threads\n"):].split("\n\n")[0].split("\n")
    assert len(table) == 2 + len(HOSTILE) and all(line.endswith("ns") for line in table[2:])
    assert "\\n" in text and "\\u001b" in text and "\\u202e" in text
    assert any(line.startswith("x" * 30) and "…" in line and line.split(" ")[0].endswith("xy") for line in lines)


def on_terminal(width, *arguments, **environment):
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    with subprocess.Popen([toolbox.PROGRAM, *map(str, arguments)], stdout=follower, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm", **environment}) as process:
        os.close(follower)
        pieces = []
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        assert process.wait() == 0
    os.close(leader)
    return b"".join(pieces).decode()


def test_colors(plain):
    environment = {name: value for name, value in os.environ.items() if name == "NO_COLOR"}
    assert not environment
    assert "\033[" in on_terminal(120, "summary", plain)
    assert "\033[" not in on_terminal(120, "summary", plain, NO_COLOR="1")
    assert "\033[" not in on_terminal(120, "summary", plain, TERM="dumb")
    assert "\033[" not in on_terminal(120, "summary", "--color", "never", plain)
    assert "\033[" not in run("summary", plain)[0]
    assert "\033[" in run("summary", "--color", "always", plain, NO_COLOR="1")[0]


def test_fits_the_terminal(tmp_path):
    path = write_chrome(tmp_path / "t.json", [slice_record("n" * 300, 0, 1_000_000)])
    for width in (110, 160):
        lines = on_terminal(width, "summary", "--color", "never", path).replace("\r", "").split("\n")
        table = [line for line in lines if line.startswith("nnn")]
        assert len(table) == 1 and len(table[0]) <= width and len(table[0]) > width - 5


def test_quotes_in_csv_are_those_of_the_standard(tmp_path):
    path = write_chrome(tmp_path / "t.json", [slice_record('say "hi", you\n', 0, 10)])
    out = run("summary", "--csv", path)[0]
    assert ',"say ""hi"", you\n",' in out
    assert out.count("\r\n") == 2


def test_help_names_every_option():
    text = run("summary", "--help")[0]
    for option in ("--top", "--sort", "--by", "--name", "--category", "--thread", "--from", "--to", "--min-duration", "--json", "--csv", "--color"):
        assert option in text
