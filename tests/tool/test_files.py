# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files as they come: large, broken, put together, and with a bit of everything."""
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "traces"))
import packets  # noqa: E402
from toolbox import PROGRAM, SANITIZED, rows, run, slice_record, summary, write_chrome  # noqa: E402

HEADER = {"type": "header", "format": "strideweave-trace", "version": 1, "session": "0123456789abcdeffedcba9876543210",
          "clock": "CLOCK_MONOTONIC", "base_ns": 1000, "wall_ns": 1700000000000000000, "pid": 7}


def chrome_piece(n, tid):
    return "".join(f'{{"ph":"X","cat":"operation","name":"operation {i % 50}","pid":7,"tid":{tid},"ts":{i},"dur":0.75,'
                   f'"args":{{"number":{i}}}}},\n' for i in range(n)).encode()


def jsonl_piece(n, tid):
    lines = [json.dumps({"type": "track", "track": tid, "pid": 7, "tid": tid, "kind": "thread", "name": f"thread {tid}"}) + "\n"]
    lines += [f'{{"type":"slice","name":"operation {i % 50}","category":"operation","start_ns":{1000 * i + 2000},"duration_ns":750,'
              f'"track":{tid},"pid":7,"tid":{tid}}}\n' for i in range(n)]
    return "".join(lines).encode()


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps memory that was freed")
@pytest.mark.parametrize("first, piece, last, status", [
    (b"[", chrome_piece, b"]", 0),
    ((json.dumps(HEADER) + "\n").encode(), jsonl_piece, b'{"type":"summary","events":2000000}\n', 0),
], ids=["chrome", "jsonl"])
def test_a_large_file_takes_bounded_memory(first, piece, last, status):
    """Some 200 MB with two million slices, of which a program that keeps them all would need a multiple."""
    process = subprocess.Popen([PROGRAM, "summary", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    model = piece(100_000, 77_777)
    process.stdin.write(first)
    for tid in range(20):
        process.stdin.write(model.replace(b"77777", b"%05d" % (10_000 + tid)))
    process.stdin.write(last)
    process.stdin.close()
    (file,) = json.loads(process.stdout.read())["files"]
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    process.stdout.close()
    assert process.returncode == status and file["slices"] == 2_000_000 and file["bytes"] > 180_000_000
    assert sum(row["calls"] for row in file["rows"]) == 2_000_000
    # In kilobytes. What is kept of slices goes to a file beyond 64 MB.
    assert usage.ru_maxrss < 200_000


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps memory that was freed")
def test_a_large_file_of_packets_takes_bounded_memory(tmp_path):
    """Some 110 MB: each slice is the same bytes, as its times count from those before, and all that is kept of them would need as much again."""
    path = whole(tmp_path, 8)["pftrace"]
    content = path.read_bytes()
    starts = [*places(content, "pftrace"), len(content)]
    kinds = [[packets.message(event)[9][0] for event in packet.get(packets.TRACK_EVENT, [])] for packet in packets.packets(path)]
    begins = [i for i, kind in enumerate(kinds) if kind == [packets.BEGIN]]
    first, second, third = (starts[begins[i]] for i in (3, 4, 5))
    assert content[first:second] == content[second:third]
    n = 4_000_000
    process = subprocess.Popen([PROGRAM, "summary", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(content[:first])
    for _ in range(40):
        process.stdin.write(content[first:second] * (n // 40))
    process.stdin.write(content[third:])
    process.stdin.close()
    (file,) = json.loads(process.stdout.read())["files"]
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    process.stdout.close()
    assert process.returncode == 0 and file["slices"] == n + 6 and file["bytes"] > 100_000_000
    assert [(row["name"], row["calls"], row["total_ns"]) for row in file["rows"]] == [("a", n + 6, 500 * (n + 6))]
    assert usage.ru_maxrss < 150_000


# Each with the status of the program.
EMPTY = {
    "no records": ("[]", 0),
    "an empty object": ('{"traceEvents":[]}', 0),
    "only metadata": ('[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]', 0),
    "only ends": ('[{"ph":"E","ts":1,"pid":1,"tid":1}]', 0),
    "only counters": ('[{"ph":"C","name":"c","ts":1,"pid":1,"args":{"v":1}}]', 0),
    "no times": ('[{"ph":"X","name":"a","ts":"x","dur":1}]', 3),
    "other kinds": ('[{"ph":"N","name":"a","ts":1,"pid":1}]', 0),
    "no kind": ('[{"name":"a"}]', 3),
}


@pytest.mark.parametrize("content, status", EMPTY.values(), ids=EMPTY)
def test_an_empty_table_has_a_reason(tmp_path, content, status):
    path = tmp_path / "t.json"
    path.write_text(content)
    file = summary(path, status=status)
    assert file["rows"] == [] and file["notes"] != []
    told = " ".join(run("summary", path, status=status)[0].split())
    assert [note for note in file["notes"] if note[1:] not in told] == []
    tree = json.loads(run("tree", "--json", path, status=status)[0])
    assert tree["nodes"] == [] and tree["notes"] != []


@pytest.mark.parametrize("options", [["--name", "nothing"], ["--category", "x"], ["--thread", "99"], ["--from", "1s"],
                                     ["--min-duration", "1s"]], ids=" ".join)
def test_an_empty_choice_has_a_reason(tmp_path, options):
    path = write_chrome(tmp_path / "t.json", [slice_record("a", 0, 1000)])
    file = summary(*options, path)
    assert file["rows"] == [] and any("choose" in note or "option" in note or "match" in note for note in file["notes"])


def test_two_files_in_one_are_two_sessions(tmp_path):
    """As cat makes one of two: numbers of tracks and texts of one say nothing of the other."""
    texts = []
    for i, name in enumerate("ab"):
        header = HEADER | {"session": f"{i:032x}", "pid": 7 + i}
        texts.append(json.dumps(header).encode() + b"\n" + jsonl_piece(3 + i, 1).replace(b"operation ", name.encode()) +
                     b'{"type":"summary","events":%d}\n' % (3 + i))
    (tmp_path / "both.jsonl").write_bytes(b"".join(texts))
    file = summary(tmp_path / "both.jsonl")
    assert {name: row["calls"] for (_, name), row in rows(file).items()} == {"a0": 1, "a1": 1, "a2": 1, "b0": 1, "b1": 1, "b2": 1, "b3": 1}
    assert len(file["tracks"]) == 2 and "sessions in the file, taken together: 2" in file["notes"]


def test_every_kind_is_in_every_form_or_named(tmp_path):
    path = write_chrome(tmp_path / "t.json", [
        slice_record("on a thread", 0, 1000), {"ph": "i", "pid": 1, "tid": 1, "name": "an instant", "ts": 5, "s": "t"},
        {"ph": "C", "pid": 1, "tid": 1, "name": "a counter", "ts": 5, "args": {"value": 1}},
        {"ph": "b", "pid": 1, "tid": 1, "cat": "frame", "id": "1", "name": "a frame", "ts": 5},
        {"ph": "e", "pid": 1, "tid": 1, "cat": "frame", "id": "1", "name": "a frame", "ts": 50},
        {"ph": "b", "pid": 1, "tid": 1, "cat": "c", "id": "2", "name": "asynchronous", "ts": 5},
        {"ph": "e", "pid": 1, "tid": 1, "cat": "c", "id": "2", "name": "asynchronous", "ts": 50},
        {"ph": "N", "pid": 1, "tid": 1, "name": "an object", "ts": 50}])
    kinds = {"on a thread", "an instant", "a counter", "a frame", "asynchronous"}
    for options in [[], ["--json"], ["--csv"]]:
        told, complaints = run("summary", *options, path)
        found = {kind for kind in kinds if kind in told}
        assert found == kinds or ("--csv" in options and kinds - found == {"a counter"} and "counter" in complaints)
        assert "have no place" in told + complaints


@pytest.mark.parametrize("record", [1, 500, 9999])
def test_one_broken_byte_in_many_is_found(tmp_path, record):
    """Its byte and its record are named, and what comes before it is summarised."""
    lines = [b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":%d,"dur":0.5}' % i for i in range(10_000)]
    lines[record] = lines[record].replace(b'"ts":', b'"ts";')
    path = tmp_path / "t.json"
    path.write_bytes(b"[" + b",\n".join(lines) + b"]")
    file = summary(path, status=3)
    offset = path.read_bytes().index(b'"ts";') + 4
    (note,) = [note for note in file["notes"] if "byte" in note]
    assert f"at byte {offset}, in record {record + 1}" in note
    assert file["slices"] == record


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_beginnings_and_ends(tmp_path, seed):
    """Of distinct times: whatever order they stand in, the pairs are the same."""
    maker = random.Random(seed)
    records, time = [], 0
    for _ in range(200):
        depth = maker.randrange(1, 6)
        for phase in "B" * depth + "E" * depth:
            time += maker.randrange(1, 50)
            records.append({"ph": phase, "pid": 1, "tid": maker.choice([1]), "ts": time, **({"name": f"n{maker.randrange(9)}"} if phase == "B" else {})})
    plain = summary("--sort", "name", write_chrome(tmp_path / "plain.json", records))
    maker.shuffle(records)
    shuffled = summary("--sort", "name", write_chrome(tmp_path / "shuffled.json", records))
    assert plain["slices"] == len(records) // 2 and shuffled["rows"] == plain["rows"] and shuffled["orphan_ends"] == 0


@pytest.mark.parametrize("command", ["summary", "tree", "diff", "convert"])
def test_a_text_that_is_not_utf_8_is_said_once(tmp_path, command):
    """All of the file is read, and it is no failure."""
    path = tmp_path / "t.json"
    path.write_bytes(b'[{"ph":"X","name":"bad \xff","pid":1,"tid":1,"ts":1,"dur":1},\n' + b",\n".join(
        b'{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%d,"dur":1}' % (b"bad \xff" if i < 5 else "größe".encode(), i) for i in range(3, 9)) + b"]")
    extra = {"diff": [path], "convert": ["-f", "jsonl", "-"]}.get(command, [])
    told, complaints = run(command, path, *extra)
    assert " ".join((told if command in ("summary", "tree") else told + complaints).split()).count("not UTF-8") == (2 if command == "diff" else 1)
    if command == "summary":
        file = summary(path)
        assert {name: row["calls"] for (_, name), row in rows(file).items()} == {"bad \ufffd": 3, "größe": 4}
        assert file["bad_texts"] == 3 and file["notes"] == ["texts with NUL or bytes that are not UTF-8, which are shown as U+FFFD: 3"]


def test_nul_in_a_name_does_not_cut_it(tmp_path):
    """Of slices, threads and processes; also as a byte of the file."""
    path = tmp_path / "t.json"
    path.write_text('[{"ph":"M","pid":1,"name":"process_name","args":{"name":"p\\u0000q"}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"t\0u"}},'
                    + ",".join('{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%d,"dur":1}' % (name, 2 * i) for i, name in enumerate(["a\\u0000b", "a\0c", "a\0c"])) + "]")
    for suffix in ("json", "jsonl", "pftrace"):
        run("convert", path, tmp_path / f"o.{suffix}")
        for file in (summary(path), summary(tmp_path / f"o.{suffix}")):
            assert {name: row["calls"] for (_, name), row in rows(file).items()} == {"a\ufffdb": 1, "a\ufffdc": 2}
            assert [(track["name"], file["processes"][0]["name"]) for track in file["tracks"]] == [("t\ufffdu", "p\ufffdq")]
    assert summary(path)["bad_texts"] > 0


@pytest.mark.parametrize("unit", ["ns", "ms", "s"])
def test_a_unit_for_display_scales_nothing(tmp_path, unit):
    path = tmp_path / "t.json"
    path.write_text('{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1.5,"dur":0.3}],"displayTimeUnit":"%s"}' % unit)
    file = summary(path)
    assert (file["start_ns"], file["end_ns"], file["rows"][0]["total_ns"]) == (1500, 1800, 300)


@pytest.mark.parametrize("content", [
    '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"B","name":"open","pid":1,"tid":1,"ts":5}',
    '{"ph":"B","name":"open","pid":1,"tid":1,"ts":1},{"ph":"i","s":"t","name":"i","pid":1,"tid":1,"ts":5}',
])
def test_a_slice_without_an_end_does_not_shorten_the_trace(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_text(f"[{content}]")
    file = summary(path)
    assert (file["start_ns"], file["end_ns"], file["unfinished"]) == (1000, 5000, 1)


def test_nan_among_arguments_is_read_over(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"loss":NaN,"deep":[-Infinity,{"x":NaN}]}},'
                    '{"ph":"X","name":"b","pid":1,"tid":1,"ts":NaN,"dur":1},{"ph":"X","name":"c","pid":1,"tid":1,"ts":3,"dur":1}]')
    file = summary(path, status=3)
    assert [row["name"] for row in file["rows"]] == ["a", "c"] and file["bad_times"] == 1


@pytest.mark.parametrize("form", ["folded", "speedscope"])
def test_what_stacks_leave_out_is_named(tmp_path, form):
    path = write_chrome(tmp_path / "t.json", [slice_record("a", 0, 1000), {"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": "mark", "ts": 5},
                                              {"ph": "C", "pid": 1, "tid": 1, "name": "c", "ts": 5, "args": {"value": 1}}])
    complaints = run("convert", "-f", form, path, "-")[1]
    assert "instants, left out: 1" in complaints and "values of counters, left out: 1" in complaints


def test_numbers_of_threads_that_are_texts_stay_apart(tmp_path):
    path = write_chrome(tmp_path / "t.json", [slice_record("a", 0, 1000, tid=tid) for tid in ("one", "two", 1, "1")])
    assert sorted(track["slices"] for track in summary(path)["tracks"]) == [1, 1, 2]


# Each form, as far as its own bytes go


def whole(tmp_path, n=400):
    """The path by the form: the same slices, one each microsecond, as each of the library's forms."""
    lines = [HEADER, {"type": "track", "track": 1, "pid": 7, "tid": 7, "kind": "thread", "name": "main"}]
    lines += [{"type": "slice", "name": "a", "start_ns": 1000 * i + 2000, "duration_ns": 500, "track": 1, "pid": 7, "tid": 7} for i in range(n)]
    lines.append({"type": "summary", "events": n})
    paths = {suffix: tmp_path / f"whole.{suffix}" for suffix in ("jsonl", "json", "pftrace")}
    paths["jsonl"].write_text("".join(json.dumps(line) + "\n" for line in lines))
    for suffix in ("json", "pftrace"):
        run("convert", paths["jsonl"], paths[suffix])
    return paths


def places(content, suffix):
    """Where each record begins."""
    if suffix != "pftrace":
        # The first line of Chrome's form is the bracket alone.
        lines = content.split(b"\n")
        starts = [sum(map(len, lines[:i])) + i for i in range(len(lines) - 1)]
        return starts[1:] if suffix == "json" else starts
    starts, at = [], 0
    while at < len(content):
        starts.append(at)
        _, at = packets.varint(content, at)
        length, at = packets.varint(content, at)
        at += length
    return starts


READERS = {
    "summary": ["summary", "IN"], "csv": ["summary", "--csv", "IN"], "tree": ["tree", "IN"], "diff": ["diff", "IN", "IN"],
    "convert": ["convert", "-f", "jsonl", "IN", "-"], "folded": ["convert", "-f", "folded", "IN", "-"], "merge": ["merge", "-f", "jsonl", "IN", "IN", "-"],
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("suffix", ["json", "jsonl", "pftrace"])
def test_one_broken_byte_of_each_form_is_found(tmp_path, suffix, reader):
    """By all that read: its record is named, and the byte in it, or where it begins."""
    content = bytearray(whole(tmp_path)[suffix].read_bytes())
    starts = places(content, suffix)
    record = len(starts) // 2
    # A colon that is none; of Perfetto's, a field of a kind that there is not.
    broken = starts[record] if suffix == "pftrace" else content.index(b'":', starts[record]) + 1
    content[broken] = 0x0f if suffix == "pftrace" else ord(";")
    path = tmp_path / f"broken.{suffix}"
    path.write_bytes(content)
    told, complaints = run(*[path if argument == "IN" else argument for argument in READERS[reader]], status=3)
    byte = broken if suffix == "json" else starts[record]
    said = " ".join((told + complaints).split())
    assert f"at byte {byte}, in record {record + 1}" in said or f"is number {record + 1}, at byte {byte}" in said, said[:2000]


@pytest.mark.parametrize("back", [1, 2, 5])
def test_a_broken_length_near_the_end_is_told_where_its_packet_begins(tmp_path, back):
    """More than there is left of the file, which also one that was cut short says."""
    content = bytearray(whole(tmp_path)["pftrace"].read_bytes())
    starts = places(content, "pftrace")
    place = starts[-back]
    assert content[place + 1] < 0x80
    cut = tmp_path / "cut.pftrace"
    cut.write_bytes(content[:place + 3])
    content[place + 1:place + 1] = b"\xff\xff"
    broken = tmp_path / "broken.pftrace"
    broken.write_bytes(content)
    for path in (broken, cut):
        (note,) = [note for note in summary(path, status=3)["notes"] if "byte" in note]
        assert f"at byte {place}, in record {len(starts) - back + 1}" in note


NO_EVENTS = {
    "jsonl": (json.dumps(HEADER) + '\n{"type":"summary","events":0}\n').encode(),
    "jsonl of tracks": (json.dumps(HEADER) + '\n{"type":"track","track":1,"pid":7,"tid":7,"kind":"thread","name":"t"}\n{"type":"summary"}\n').encode(),
    "jsonl of other records": (json.dumps(HEADER) + '\n{"type":"sample","time_ns":5}\n{"type":"summary"}\n').encode(),
    # Packets of a sequence: one of a field that is of no event, as those of the kernel are, and one of nothing else.
    "pftrace": bytes([0x0a, 6, 0x40, 5, 0x50, 1, 0x0a, 0, 0x0a, 2, 0x50, 1]),
}


@pytest.mark.parametrize("kind", NO_EVENTS)
@pytest.mark.parametrize("reader", ["summary", "csv", "tree", "diff"])
def test_every_form_without_events_has_a_reason(tmp_path, kind, reader):
    path = tmp_path / "t"
    path.write_bytes(NO_EVENTS[kind])
    told, complaints = run(*[path if argument == "IN" else argument for argument in READERS[reader]])
    said = told + complaints
    assert "no record of the file is an event" in said or "there are no slices" in said


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A file with an event of each kind."""
    place = {"track": 1, "pid": 7, "tid": 7}
    lines = [HEADER, {"type": "track", **place, "kind": "thread", "name": "main"}, *(
        {"type": "track", "track": i, "pid": 7, "kind": kind, "name": name}
        for i, (kind, name) in enumerate([("gpu_queue", "queue"), ("async", "requests"), ("async", "frames"), ("counter", "a counter")], 2))]
    times = {"start_ns": 2000, "duration_ns": 500}
    lines += [
        {"type": "slice", "name": "on a thread", **times, **place, "flows": [{"id": 1, "step": "start"}]},
        {"type": "slice", "name": "on a queue", "start_ns": 2100, "duration_ns": 500, "track": 2, "pid": 7, "flows": [{"id": 1, "step": "end"}]},
        {"type": "async_slice", "name": "asynchronous", **times, "id": 1, "track": 3, "pid": 7},
        {"type": "async_slice", "name": "a frame", "category": "frame", **times, "id": 2, "track": 4, "pid": 7},
        {"type": "instant", "name": "an instant", "time_ns": 2050, **place},
        {"type": "counter", "name": "a counter", "time_ns": 2060, "value": 1, "track": 5, "pid": 7}, {"type": "summary", "events": 6}]
    path = tmp_path_factory.mktemp("everything") / "all.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# With what each says of those that are not in it.
MOMENTS = {"an instant": "instants, left out: 1", "a counter": "values of counters, left out: 1"}
STACKS = MOMENTS | {"asynchronous": "asynchronous slices, which are on no stack, left out: 2", "a frame": "asynchronous slices", "flow": "flows have no place"}
FORMS = {
    "summary": (["summary", "IN"], {}), "summary --json": (["summary", "--json", "IN"], {}),
    "summary --csv": (["summary", "--csv", "IN"], {"a counter": "counters are not in the CSV: 1"}),
    "tree": (["tree", "IN"], MOMENTS), "tree --json": (["tree", "--json", "IN"], MOMENTS), "tree --per-thread": (["tree", "--per-thread", "IN"], MOMENTS),
    "flame": (["flame", "IN", "--output", "-"], MOMENTS), "picture": (["flame", "IN", "--output", "OUT.svg"], MOMENTS),
    **{f"diff {option}": (["diff", option, "IN", "IN"], MOMENTS) for option in ("--json", "--csv", "--markdown")},
    **{form: (["convert", "-f", form, "IN", "OUT"], {}) for form in ("jsonl", "chrome-json", "perfetto")},
    **{form: (["convert", "-f", form, "IN", "-"], STACKS) for form in ("folded", "speedscope")},
}


@pytest.mark.parametrize("source", ["json", "jsonl", "pftrace"])
@pytest.mark.parametrize("form", FORMS)
def test_each_kind_is_in_each_form_or_said_to_be_left_out(tmp_path, everything, source, form):
    arguments, left_out = FORMS[form]
    path = tmp_path / f"in.{source}"
    run("convert", everything, path)
    outputs = {"OUT": tmp_path / "out", "OUT.svg": tmp_path / "out.svg"}
    told, complaints = run(*[{"IN": path, **outputs}.get(argument, argument) for argument in arguments])
    told += "".join(output.read_text(errors="replace") for output in outputs.values() if output.exists())
    # Of a diff and of JSON, notes stand in between.
    for kind in ("on a thread", "on a queue", "asynchronous", "a frame", "an instant", "a counter"):
        assert left_out.get(kind, kind) in (told + complaints if kind in left_out else told), (kind, told, complaints)
    if "flow" in left_out:
        assert left_out["flow"] in complaints
    elif outputs["OUT"].exists():
        back = [json.loads(line) for line in run("convert", "-f", "jsonl", outputs["OUT"], "-")[0].splitlines()]
        assert sorted((line["name"], [flow["step"] for flow in line["flows"]]) for line in back if "flows" in line) == [
            ("on a queue", ["end"]), ("on a thread", ["start"])]


@pytest.mark.parametrize("source", ["json", "pftrace"])
@pytest.mark.parametrize("target", ["json", "jsonl", "pftrace", "folded", "speedscope.json"])
def test_surplus_ends_do_not_keep_a_file_from_being_written(tmp_path, source, target):
    """All slices but those whose beginning is missing arrive, and how many ends were left is said."""
    if source == "json":
        path = write_chrome(tmp_path / "t.json", [{"ph": "E", "pid": 1, "tid": 1, "ts": 1}, slice_record("a", 10, 50), slice_record("a", 110, 50),
                                                  {"ph": "E", "pid": 1, "tid": 1, "ts": 200}])
        n_slices, n_surplus = 2, 2
    else:
        # Without the packet that begins the last slice.
        path = whole(tmp_path, 10)["pftrace"]
        content = path.read_bytes()
        starts = [*places(content, "pftrace"), len(content)]
        begins = [i for i, packet in enumerate(packets.packets(path)) if any(
            packets.message(event).get(9) == [packets.BEGIN] for event in packet.get(packets.TRACK_EVENT, []))]
        path.write_bytes(content[:starts[begins[-1]]] + content[starts[begins[-1] + 1]:])
        assert len(begins) == 10
        n_slices, n_surplus = 9, 1
    complaints = run("convert", path, tmp_path / f"out.{target}")[1]
    assert f"ends without a beginning, left out: {n_surplus}" in complaints
    if target == "folded":
        assert (tmp_path / "out.folded").read_text() == f"a {50 * 2 if source == 'json' else 500 * 9}\n"
    elif target == "speedscope.json":
        (profile,) = json.loads((tmp_path / "out.speedscope.json").read_text())["profiles"]
        assert [event["type"] for event in profile["events"]] == ["O", "C"] * n_slices
    else:
        file = summary(tmp_path / f"out.{target}")
        assert (file["slices"], file["orphan_ends"], file["truncated"]) == (n_slices, 0, False)


@pytest.mark.parametrize("first, second", [(a, b) for a in ("json", "jsonl", "pftrace") for b in ("json", "jsonl", "pftrace")])
def test_two_forms_in_one_are_two_sessions_or_said_to_be_broken(tmp_path, first, second):
    """Also of one process, the same numbers and other names in both: nothing of the second is lost in silence, or taken for the first's."""
    files = {}
    for i, suffix in enumerate((first, second)):
        lines = [HEADER | {"session": f"{i + 1:032x}"}, {"type": "track", "track": 1, "pid": 7, "tid": 7, "kind": "thread", "name": f"thread {i}"},
                 {"type": "slice", "name": f"slice {i}", "start_ns": 2000, "duration_ns": 500 + i, "track": 1, "pid": 7, "tid": 7}, {"type": "summary"}]
        (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        run("convert", "-f", {"json": "chrome-json", "jsonl": "jsonl", "pftrace": "perfetto"}[suffix], tmp_path / "t.jsonl", tmp_path / f"{i}")
        files[i] = (tmp_path / f"{i}").read_bytes()
    (tmp_path / "both").write_bytes(files[0] + files[1])
    file = summary("--by", "thread", tmp_path / "both", status=0 if first == second else 3)
    if first == second:
        assert {(row["name"], row["total_ns"]) for row in file["rows"]} == {("thread 0", 500), ("thread 1", 501)}
        assert "sessions in the file, taken together: 2" in file["notes"]
    else:
        assert [(row["name"], row["total_ns"]) for row in file["rows"]] == [("thread 0", 500)]
        (note,) = [note for note in file["notes"] if "byte" in note]
        assert len(files[0]) <= int(note.split("byte ")[1].split(",")[0]) <= len(files[0]) + len(files[1])
