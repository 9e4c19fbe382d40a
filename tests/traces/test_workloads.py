# SPDX-License-Identifier: LGPL-2.1-or-later
"""What trace-workloads writes, in each format, as strict parsers and Perfetto's own importer read it."""
import collections
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import pytest
import traces

BASE = 1_000_000_000_123
PID = 4321
WORKLOADS = ["empty", "ties", "times", "deep", "threads", "lanes", "overlaps", "async", "flows", "counters", "instants", "args",
             "hostile", "losses", "random"]
each_workload = pytest.mark.parametrize("workload", WORKLOADS)
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    subprocess.run([os.environ["SW_TRACE_WORKLOADS"], folder.kept.name], check=True)
    return pathlib.Path(folder.kept.name)


def path(workload, suffix):
    return folder() / f"{workload}.{suffix}"


def imported(workload, suffix):
    """One start of the engine for all: that is what takes the time."""
    paths = tuple(path(name, kind) for name in [*WORKLOADS, "killed"] for kind in ("json", "pftrace"))
    return dict(zip(paths, traces.imported(paths)))[path(workload, suffix)]


@functools.cache
def parsed_chrome(workload):
    return json.loads(path(workload, "json").read_text(), parse_float=str)


@functools.cache
def parsed_lines(workload):
    return traces.jsonl(path(workload, "jsonl"))


def of_type(workload, *types):
    return [line for line in parsed_lines(workload) if line["type"] in types]


# Without the importer


@each_workload
def test_chrome_json_is_strict(workload):
    records = traces.chrome(path(workload, "json"))
    assert records[0]["name"] == "strideweave_session" and records[-1]["name"] == "strideweave_summary"


@each_workload
def test_chrome_json_loads_when_cut_short(workload):
    """After any record, the closing bracket is all that is missing."""
    text = path(workload, "json").read_text()
    whole = json.loads(text)
    assert text.count(",\n") == len(whole) - 1
    for number, (at, _) in enumerate((at, c) for at, c in enumerate(text) if text.startswith(",\n", at)):
        if number % 97 == 0:
            assert json.loads(text[:at] + "]") == whole[:number + 1]


@each_workload
def test_jsonl_is_one_object_a_line(workload):
    lines = parsed_lines(workload)
    assert lines[0]["type"] == "header" and lines[-1]["type"] == "summary"
    assert all(isinstance(line, dict) for line in lines)
    assert lines[0] == {"type": "header", "format": "strideweave-trace", "version": 1,
                        "session": "0123456789abcdeffedcba9876543210", "clock": "CLOCK_MONOTONIC", "base_ns": BASE,
                        "wall_ns": 1_700_000_000_000_000_000, "pid": PID}


@each_workload
def test_ids_are_positive_and_unique(workload):
    """No process and no thread is 0, all are 32 bit integers, and no two tracks share one."""
    for record in parsed_chrome(workload):
        assert type(record["pid"]) is int and 0 < record["pid"] < 2**31
        assert type(record["tid"]) is int and 0 < record["tid"] < 2**31
    named = collections.Counter((line["pid"], line["tid"], line["track"])
                                for line in of_type(workload, "track") if "tid" in line)
    assert len({(pid, tid) for pid, tid, _ in named}) == len(named)


@each_workload
def test_no_time_is_negative(workload):
    for record in parsed_chrome(workload):
        assert record["ph"] == "M" or not record["ts"].startswith("-")
        assert not record.get("dur", "0").startswith("-")


@each_workload
def test_times_have_three_decimals(workload):
    for record in parsed_chrome(workload):
        for key in ("ts", "dur"):
            assert key not in record or len(record[key].partition(".")[2]) == 3


@each_workload
def test_both_json_forms_hold_the_same(workload):
    def key(name, start, duration, pid, tid, category, args):
        return json.dumps([name, start, duration, pid, tid, category, args], sort_keys=True)

    from_chrome = sorted(
        key(r["name"], BASE + traces.nanoseconds(r["ts"]), traces.nanoseconds(r["dur"]), r["pid"], r["tid"], r.get("cat"),
            r.get("args"))
        for r in json.loads(path(workload, "json").read_text(), parse_float=str) if r["ph"] == "X")
    from_lines = sorted(
        key(r["name"], r["start_ns"], r["duration_ns"], r["pid"], r["tid"], r.get("category"), r.get("args"))
        for r in (json.loads(line, parse_float=str) for line in path(workload, "jsonl").read_text().split("\n")[:-1])
        if r["type"] == "slice")
    assert from_chrome == from_lines
    assert len(from_chrome) > 0 or workload in ("empty", "counters")


def test_metadata_has_the_ids_of_the_events():
    """The name of each lane is said for exactly the ids that its events carry."""
    for workload in ("threads", "lanes"):
        records = parsed_chrome(workload)
        named = {(r["pid"], r["tid"]) for r in records if r["ph"] == "M" and r["name"] == "thread_name"}
        assert {(r["pid"], r["tid"]) for r in records if r["ph"] == "X"} == named


def test_each_thread_has_its_own_events():
    names = {r["tid"]: r["args"]["name"] for r in parsed_chrome("threads") if r["name"] == "thread_name"}
    events = [r for r in parsed_chrome("threads") if r["ph"] == "X"]
    assert len(events) == 1000 and len(names) == 200
    assert all(names[event["tid"]] == event["name"] for event in events)


def test_async_slices_have_ids_of_their_own():
    ids = collections.Counter((r["ph"], r["id2"]["local"]) for r in parsed_chrome("async") if r["ph"] in "be")
    assert len(ids) == 12 and set(ids.values()) == {1}
    assert len({line["id"] for line in of_type("async", "async_slice")}) == 6


def test_order_is_written():
    (record,) = [r for r in parsed_chrome("lanes") if r["name"] == "thread_sort_index" and r["tid"] == 77]
    assert record["args"] == {"sort_index": 7}


def test_a_shorter_name_is_not_another_one():
    names = [line["name"] for line in of_type("hostile", "slice")]
    assert "x" * 4096 in names and "x" * 4096 + "2" in names


def test_what_was_put_right_is_counted():
    summary = parsed_lines("losses")[-1]
    assert summary["events"] == 2
    assert summary["dropped"] == {"overlapping": 0, "queue full": 7, "no memory": 1}
    assert summary["diagnostics"] == {"other_lane": 0, "before_base": 1, "negative_duration": 1}
    assert {**parsed_chrome("losses")[-1]["args"], "type": "summary"} == summary
    assert [(line["name"], line["start_ns"] - BASE, line["duration_ns"]) for line in of_type("losses", "slice")] == [
        ("before", 0, 10), ("backwards", 20, 0)]
    assert parsed_lines("overlaps")[-1]["diagnostics"]["other_lane"] > 0


def test_what_was_flushed_is_whole_after_a_crash():
    lines = parsed_lines("killed")
    assert [line["type"] for line in lines] == ["header", "track", "track"] + ["slice"] * 30000
    assert len(json.loads(path("killed", "json").read_text() + "]")) == 3 + 30000


# With the importer


def plain_slices(workload, suffix):
    """All that a reader sees of the slices, in a form that is the same for every format."""
    answer = imported(workload, suffix)
    args = collections.defaultdict(list)
    for row in answer["args"]:
        kind = row["value_type"].replace("uint", "int")
        args[row["arg_set_id"]].append((row["key"].removeprefix("args.").removeprefix("debug."), row["value"], kind))
    base = 0 if suffix == "json" else BASE
    return sorted(
        # An empty name is shown as this.
        ("" if row["name"] == "[No name]" else row["name"], row["ts"] - base, row["dur"], row["depth"], row["category"] or "",
         row["lane"], row["pid"], row["process"], sorted(args[row["arg_set_id"]]))
        for row in answer["slices"])


@importer
@each_workload
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_importer_finds_no_fault(workload, suffix):
    answer = imported(workload, suffix)
    assert isinstance(answer, dict), answer
    assert answer["trouble"] == []


@importer
@each_workload
def test_chrome_and_perfetto_show_the_same_slices(workload):
    assert plain_slices(workload, "json") == plain_slices(workload, "pftrace")
    written = of_type(workload, "slice", "instant", "async_slice")
    assert len(plain_slices(workload, "json")) == len(written)


@importer
def test_random_calls_nest_as_their_times_say():
    """The same calls in four orders on four tracks, with ties everywhere: all show the same."""
    for suffix in ("json", "pftrace"):
        lanes = collections.defaultdict(set)
        for name, start, duration, depth, _, lane, *_ in plain_slices("random", suffix):
            seed, _, order = lane.partition(": ")
            lanes[seed, order].add((name, start, duration, depth))
        for seed in "1234":
            orders = [lanes[seed, order] for order in ("by start", "by start, no depth", "by end", "by end, no depth")]
            assert orders[0] == orders[1] == orders[2] == orders[3] and len(orders[0]) >= 250


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_equal_times_nest_outer_first(suffix):
    rows = collections.defaultdict(dict)
    for name, _, _, depth, _, lane, *_ in plain_slices("ties", suffix):
        rows[lane][name] = depth
    expected = {"outer": 0, "middle": 1, "inner": 2, "next": 2, "empty": 3, "after": 0, "last": 0, "empty root": 1}
    assert rows["by start"] == rows["by end"] == expected
    assert rows["no depth"] == {"outer": 0, "middle": 1, "inner": 2, "next": 2, "after": 0}


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_instants_are_inside_of_what_begins_with_them(suffix):
    found = collections.defaultdict(dict)
    for name, start, _, depth, _, lane, *_ in plain_slices("instants", suffix):
        found[lane][name, start] = depth
    expected = {("outer", 10): 0, ("at start", 10): 1, ("between", 15): 1, ("outside", 25): 0, ("between two", 30): 0, ("second", 40): 0,
                ("at both", 40): 1, ("at end", 50): 0}
    for lane in "by start", "by end":
        assert {key: depth for key, depth in found[lane].items() if key in expected} == expected


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_times_survive_to_the_nanosecond(suffix):
    assert {name: duration for name, _, duration, *_ in plain_slices("times", suffix)} == {
        str(n): n for n in (0, 1, 9, 10, 300, 999, 1000, 1001, 999999, 1000000, 3600000000000)}


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_recursion_is_64_deep(suffix):
    depths = collections.Counter((lane, depth) for _, _, _, depth, _, lane, *_ in plain_slices("deep", suffix))
    assert depths == {(lane, depth): 3 for lane in ("by start", "by end") for depth in range(64)}


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_overlaps_are_on_other_lanes(suffix):
    lanes = {name: (lane, depth, duration) for name, _, duration, depth, _, lane, *_ in plain_slices("overlaps", suffix)}
    assert lanes == {
        "a": ("queue 0", 0, 100), "b": ("queue 0 (2)", 0, 100), "b child": ("queue 0 (2)", 1, 10), "c": ("queue 0 (3)", 0, 10),
        "d": ("queue 0", 0, 10), "e": ("thread", 1, 100), "f": ("thread (2)", 0, 100), "around": ("thread", 0, 160),
        "g": ("thread", 0, 100), "h": ("thread (2)", 0, 100)}


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_lanes_have_names_and_numbers(suffix):
    rows = {row["name"]: (row["lane"], row["pid"], row["process"]) for row in imported("lanes", suffix)["slices"]}
    assert rows == {
        "first": ("old", PID, "workloads"), "second": ("new", PID, "workloads"), "third": ("renamed", PID, "workloads"),
        "fourth": ("renamed", PID, "workloads"), "fifth": ("ranked", PID, "workloads"), "sixth": ("zero", PID, "workloads"),
        "seventh": ("elsewhere", 99, "other process")}
    tids = {row["name"]: row["tid"] for row in imported("lanes", suffix)["slices"]}
    assert tids["first"] == 55 and tids["fifth"] == 77 and tids["seventh"] == 77
    assert tids["second"] >= 1 << 30 and tids["sixth"] >= 1 << 30 and tids["second"] != tids["sixth"]


@importer
def test_async_slices_keep_their_times():
    expected = [(0, 100), (10, 30), (15, 35), (20, 10), (20, 80), (50, 10)]
    for suffix in ("json", "pftrace"):
        rows = [(start, duration, depth) for name, start, duration, depth, *_ in plain_slices("async", suffix)
                if name == "request"]
        assert rows == [(start, duration, 0) for start, duration in expected]


@importer
def test_flows_bind_to_their_slices():
    one = [("submit", 10, "queue", 30), ("queue", 30, "run", 60), ("submit 2", 100, "run 2", 130)]
    for suffix in ("json", "pftrace"):
        base = 0 if suffix == "json" else BASE
        rows = [(row["source"], row["source_ts"] - base, row["target"], row["target_ts"] - base)
                for row in imported("flows", suffix)["flows"]]
        assert sorted(rows) == sorted(one + one)


def test_hostile_names_are_whole_in_lines():
    names = collections.Counter(line["name"] for line in of_type("hostile", "slice"))
    assert all(names[chr(code)] == 1 for code in range(1, 0x80))
    assert all(names[name] == 1 for name in ('"quoted"', "back\\slash", '{"json": [1, 2]}', "tab\tline\nreturn\r", "a\ufffd(", "🦊"))
    assert all(line["args"]["key"] == line["name"] for line in of_type("hostile", "slice"))


@importer
def test_counters_keep_their_values():
    """The importer calls a counter of Chrome's by its name and that of its value."""
    rows = {}
    for suffix in ("json", "pftrace"):
        base = 0 if suffix == "json" else BASE
        # Its JSON reader takes the smallest numbers for 0.
        rows[suffix] = [(row["name"].removesuffix(" value"), row["ts"] - base, 0 if row["value"] == 5e-324 else row["value"])
                        for row in imported("counters", suffix)["counters"]]
    assert rows["json"] == rows["pftrace"]
    values = {(name, at): value for name, at, value in rows["json"]}
    assert values["bytes", 40] == 9007199254740992 and values["bytes", 50] == -12345678901
    assert values["ratio", 5] == -123456.789 and values["ratio", 6] == 1e300 and values["ratio", 11] == 1 / 3
    assert values["ratio", 8] is None and values["ratio", 9] == "Infinity" and values["ratio", 10] == "-Infinity"
    assert {row["unit"] for row in imported("counters", "pftrace")["counters"]} == {"B", None}


@importer
def test_arguments_keep_their_types():
    for suffix in ("json", "pftrace"):
        (all_args,) = [args for name, *_, args in plain_slices("args", suffix) if name == "all"]
        assert all_args == sorted([
            ("text", 'a "quoted" line\n', "string"), ("name", "strideweave.CPU", "string"),
            ("smallest", "-9223372036854775808", "int"), ("largest", "9223372036854775807", "int"),
            ("unsigned", "9007199254740993", "int"), ("real", "0.1", "real"), ("nan", "NaN", "string"), ("yes", "1", "bool"),
            ("no", "0", "bool"), ("twice", "2", "int"), ("empty", "", "string"), ("shape", "((2, 3), 4)", "string")])


@importer
def test_hostile_names_are_shown_as_they_are():
    names = collections.Counter(name for name, *_ in plain_slices("hostile", "pftrace"))
    assert all(names[chr(code)] == 1 for code in range(1, 0x80))
    for name in ('"quoted"', "back\\slash", '{"json": [1, 2]}', "tab\tline\nreturn\r", "\ufffd", "a\ufffd(", "🦊",
                 "Grüße aus Köln", "\u2028", "</script>", "%s%n", "", "x" * 4096, "x" * 4096 + "2"):
        assert names[name] == 1, name
    assert {lane for _, _, _, _, _, lane, *_ in plain_slices("hostile", "json")} == {'名前 "quoted"\n\x01\ufffd'}


@importer
def test_perfetto_says_what_was_lost():
    found = {row["name"].removeprefix("trace_attribute.strideweave."): row["value"]
             for row in imported("losses", "pftrace")["metadata"] if "strideweave" in row["name"]}
    assert found == {
        "base_ns": str(BASE), "events": "2", "dropped.overlapping": "0", "dropped.queue full": "7", "dropped.no memory": "1",
        "diagnostics.other_lane": "0", "diagnostics.before_base": "1", "diagnostics.negative_duration": "1"}
    assert {"name": "trace_uuid", "value": "01234567-89ab-cdef-fedc-ba9876543210"} in imported("losses", "pftrace")["metadata"]


@importer
@pytest.mark.parametrize("suffix", ["json", "pftrace"])
def test_what_was_flushed_is_read_after_a_crash(suffix):
    answer = imported("killed", suffix)
    assert isinstance(answer, dict), answer
    assert answer["trouble"] == []
    found = collections.Counter((row["name"], row["depth"]) for row in answer["slices"])
    assert found == {("middle", 0): 10000, ("inner", 1): 20000}
