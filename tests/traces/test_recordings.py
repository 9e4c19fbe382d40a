# SPDX-License-Identifier: LGPL-2.1-or-later
"""What several threads record through file collectors, as strict parsers and Perfetto's own importer read it."""
import collections
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import pytest
import traces

WORKERS = 4
ROUNDS = 50
DEEP = 64
FORMATS = {"json": 0, "jsonl": 1, "pftrace": 2}
SPANS = {"round": WORKERS * ROUNDS, "arguments": WORKERS * ROUNDS, "first": WORKERS, "second": WORKERS, "open": 1,
         "around": WORKERS, "forgotten": WORKERS,
         "submit": WORKERS, "prepare": WORKERS, "loop": WORKERS, "pass on": WORKERS, "finish": WORKERS,
         **{f"deep {depth}": WORKERS for depth in range(DEEP)}}
INSTANTS = {"instant": WORKERS * ROUNDS}
ASYNCS = {f"request {worker}": 1 for worker in range(WORKERS)}
importer = pytest.mark.skipif(traces.why_no_importer() is not None, reason=str(traces.why_no_importer()))
each_imported = pytest.mark.parametrize("suffix", ["json", "pftrace"])


@functools.cache
def folder():
    folder.kept = tempfile.TemporaryDirectory()
    answer = subprocess.run([os.environ["SW_TRACE_RECORDINGS"], "all", folder.kept.name], check=True, stdout=subprocess.PIPE)
    folder.emitted = int(answer.stdout)
    return pathlib.Path(folder.kept.name)


def path(suffix):
    return folder() / f"all.{suffix}"


@functools.cache
def lines():
    return traces.jsonl(path("jsonl"))


def of_type(*types):
    return [line for line in lines() if line["type"] in types]


def names(rows):
    return collections.Counter(row["name"] for row in rows)


@functools.cache
def track_names():
    return {line["track"]: line["name"] for line in of_type("track")}


@functools.cache
def chrome_base():
    return int(traces.chrome(path("json"))[0]["args"]["base_ns"])


def imported(suffix):
    paths = (path("json"), path("pftrace"))
    return dict(zip(paths, traces.imported(paths)))[path(suffix)]


def arguments(suffix):
    found = collections.defaultdict(list)
    for row in imported(suffix)["args"]:
        key = row["key"].removeprefix("args.").removeprefix("debug.")
        found[row["arg_set_id"]].append((key, row["value"], row["value_type"].replace("uint", "int")))
    return found


def plain_slices(suffix):
    base = chrome_base() if suffix == "json" else 0
    args = arguments(suffix)
    return sorted((row["name"], row["ts"] + base, row["dur"], row["depth"], row["category"] or "", row["lane"], row["tid"] or 0,
                   row["pid"], sorted(args[row["arg_set_id"]]))
                  for row in imported(suffix)["slices"])


# Without the importer


def test_all_that_was_emitted_is_written():
    assert names(of_type("slice")) == SPANS
    assert names(of_type("instant")) == INSTANTS
    assert names(of_type("async_slice")) == ASYNCS
    assert len(of_type("counter")) == 2 * WORKERS * ROUNDS
    summary = lines()[-1]
    assert summary["events"] == folder.emitted == sum(SPANS.values()) + 3 * WORKERS * ROUNDS + WORKERS
    assert set(summary["dropped"].values()) == {0}


def test_what_was_open_is_marked():
    marked = {line["name"] for line in of_type("slice", "async_slice") if line.get("args", {}).get("interrupted")}
    assert marked == {"open", "request 0", "forgotten"}


def test_what_was_never_ended_is_no_longer_than_what_was_around_it():
    ends = {name: sorted(line["start_ns"] + line["duration_ns"] for line in of_type("slice") if line["name"] == name)
            for name in ("forgotten", "around")}
    assert ends["forgotten"] == ends["around"] and len(ends["around"]) == WORKERS


def test_arguments_are_those_that_were_given():
    found = sorted((line["args"] for line in of_type("slice") if line["name"] == "arguments"),
                   key=lambda args: (args["worker"], args["round"]))
    assert found == [{"text": '"quoted" 🦊\n', "smallest": -2**63, "worker": worker, "round": number + 0.5,
                      "even": number % 2 == 0, "shape": "((2, 3), 4)"}
                     for worker in range(WORKERS) for number in range(ROUNDS)]
    requests = {line["name"]: line["args"]["worker"] for line in of_type("async_slice")}
    assert requests == {f"request {worker}": worker for worker in range(WORKERS)}


def test_chrome_json_holds_the_same():
    records = traces.chrome(path("json"))
    spans = [record for record in records if record["ph"] == "X"]
    assert names(record for record in spans if record["name"] in SPANS) == SPANS
    plain = sorted((record["name"], json.dumps(record.get("args", {}), sort_keys=True)) for record in spans)
    assert plain == sorted((line["name"], json.dumps(line.get("args", {}), sort_keys=True)) for line in of_type("slice"))


def test_flows_are_at_the_spans_that_name_them():
    points = collections.defaultdict(list)
    for line in of_type("slice"):
        for flow in line.get("flows", []):
            points[flow["id"]].append((flow["step"], line["name"], line["args"]["worker"]))
    by_length = collections.defaultdict(list)
    for found in points.values():
        by_length[len(found)].append(sorted(found))
    assert {length: sorted(found) for length, found in by_length.items()} == {
        1: [[("start", "submit", worker)] for worker in range(WORKERS)],
        2: [[("end", "loop", worker), ("start", "submit", worker)] for worker in range(WORKERS)],
        3: [[("end", "finish", worker), ("start", "submit", worker), ("step", "pass on", (worker - 1) % WORKERS)]
            for worker in range(WORKERS)]}


def test_counters_are_in_order_and_exact():
    values = collections.defaultdict(list)
    for line in sorted(of_type("counter"), key=lambda line: line["time_ns"]):
        values[track_names()[line["track"]]].append(line["value"])
    assert sorted(values.pop("shared")) == sorted(number / 8 for number in range(ROUNDS) for _ in range(WORKERS))
    assert values == {f"counter {worker}": [number << 32 for number in range(ROUNDS)] for worker in range(WORKERS)}


# With the importer


@importer
@each_imported
def test_importer_finds_no_fault(suffix):
    answer = imported(suffix)
    assert isinstance(answer, dict), answer
    assert answer["trouble"] == []
    assert names(answer["slices"]) == {**SPANS, **INSTANTS, **ASYNCS}


@importer
def test_chrome_and_perfetto_show_the_same():
    assert plain_slices("json") == plain_slices("pftrace")


@importer
def test_perfetto_has_the_times_of_the_lines():
    written = sorted((line["name"], line.get("start_ns", line.get("time_ns")), line.get("duration_ns", 0))
                     for line in of_type("slice", "instant", "async_slice"))
    assert written == [(name, start, duration) for name, start, duration, *_ in plain_slices("pftrace")]


@importer
@each_imported
def test_spans_nest_on_their_own_threads(suffix):
    depths = collections.defaultdict(set)
    lanes = collections.defaultdict(set)
    for name, _, _, depth, _, lane, *_ in plain_slices(suffix):
        depths[name].add(depth)
        lanes[name].add(lane)
    workers = {f"worker {worker}" for worker in range(WORKERS)}
    assert depths["round"] == {0} and depths["arguments"] == {1} and depths["instant"] == {2}
    assert all(depths[f"deep {depth}"] == {depth} for depth in range(DEEP))
    assert lanes["round"] == lanes["instant"] == lanes["deep 63"] == workers and lanes["open"] == {"main"}


@importer
@each_imported
def test_flows_lead_from_span_to_span(suffix):
    """Also to one that began before the flow did: the importer may draw that either way, as long as it is there."""
    worker_of = {row["ts"]: int(dict((key, value) for key, value, _ in arguments(suffix)[row["arg_set_id"]])["worker"])
                 for row in imported(suffix)["slices"] if row["name"] in ("submit", "loop", "pass on", "finish")}
    found = sorted(sorted([(row["source"], worker_of[row["source_ts"]]), (row["target"], worker_of[row["target_ts"]])])
                   for row in imported(suffix)["flows"])
    steps = [[("pass on", (worker - 1) % WORKERS), ("submit", worker)] for worker in range(WORKERS)]
    ends = [[("finish", worker), ("pass on", (worker - 1) % WORKERS)] for worker in range(WORKERS)]
    direct = [[("loop", worker), ("submit", worker)] for worker in range(WORKERS)]
    assert found == sorted(steps + ends + direct)


@importer
def test_counters_are_the_same():
    rows = {}
    for suffix in ("json", "pftrace"):
        base = chrome_base() if suffix == "json" else 0
        rows[suffix] = sorted((row["name"].removesuffix(" value"), row["ts"] + base, row["value"])
                              for row in imported(suffix)["counters"])
    assert rows["json"] == rows["pftrace"] and len(rows["json"]) == 2 * WORKERS * ROUNDS


# A program that is killed


@functools.cache
def killed(suffix):
    """The path of a trace whose program was killed in the middle, and how many events it had flushed."""
    target = folder() / f"killed.{suffix}"
    with subprocess.Popen([os.environ["SW_TRACE_RECORDINGS"], "endless", target, str(FORMATS[suffix])],
                          stdout=subprocess.PIPE) as process:
        flushed = int(process.stdout.readline())
        process.kill()
    return target, flushed


def assert_whole(rows, flushed):
    assert flushed == 20000
    assert sorted(row["args"]["number"] for row in rows if row["name"] == "before") == list(range(flushed))


def test_lines_of_a_killed_program_are_readable():
    """All but the last line, which may be cut."""
    target, flushed = killed("jsonl")
    text, _, _ = target.read_bytes().decode("utf-8", errors="strict").rpartition("\n")
    assert_whole([line for line in map(traces.strict_json, text.split("\n")) if line["type"] == "slice"], flushed)


def test_chrome_json_of_a_killed_program_is_readable():
    target, flushed = killed("json")
    text = target.read_bytes().decode("utf-8", errors="strict")
    try:
        records = traces.strict_json(text + "]")
    except ValueError:
        records = traces.strict_json(text.rpartition(",\n")[0] + "]")
    assert_whole([record for record in records if record["ph"] == "X"], flushed)


@importer
@each_imported
def test_importer_reads_what_a_killed_program_left(suffix):
    target, flushed = killed(suffix)
    (answer,) = traces.imported((target,))
    assert isinstance(answer, dict), answer
    assert answer["trouble"] == []
    assert names(answer["slices"])["before"] == flushed
