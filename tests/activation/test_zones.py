# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones of programs that know nothing of how they are recorded: in the trace among the operations, and in the table."""
import collections
import os
import re
import subprocess

import pytest
from programs import PATIENCE, PROGRAM, environment, is_complete, lines, pid_of, run, slices

TOOL = os.environ["SW_PROFILER"]
GPU_PROGRAM = os.environ["SW_ACTIVATION_GPU_PROGRAM"]
NESTED = {"outer": None, "inner": "outer", "relu": "inner", "span": "outer", "in span": "span"}


def parents(found):
    """Of each slice, by its name: the names that the one around it has, where all nest as their times say."""
    around = collections.defaultdict(set)
    by_track = collections.defaultdict(list)
    # Of those that begin together, the one around the other comes first.
    for order, one in enumerate(found):
        by_track[one["track"]].append((one["start_ns"], -one["duration_ns"], order, one["name"]))
    for track in by_track.values():
        open_ones = []
        for start, length, _, name in sorted(track):
            while open_ones and open_ones[-1][0] <= start:
                open_ones.pop()
            assert not open_ones or start - length <= open_ones[-1][0], f"{name} overlaps {open_ones[-1][1]}"
            around[name].add(open_ones[-1][1] if open_ones else None)
            open_ones.append((start - length, name))
    return around


def section(text, what):
    """Of the table of that name: {zone: numbers}."""
    rows = {}
    for line in text.partition(f"\n{what} of ")[2].split("\n\n")[0].splitlines()[3:]:
        name, *numbers = line.rsplit(maxsplit=6)
        rows[name] = [int(number) for number in numbers]
    return rows


def gpu_slices(path):
    """What ran on the GPU, and the tracks of its queues by their numbers."""
    tracks = {line["track"]: line for line in lines(path) if line["type"] == "track" and line["kind"] == "gpu_queue"}
    return [one for one in slices(path) if one["track"] in tracks], tracks


def not_recorded(path):
    return lines(path)[-1]["dropped"].get("not_recorded", 0)


def counts(path):
    return collections.Counter(one["name"] for one in slices(path))


@pytest.mark.parametrize("way, times", [("zones", 1), ("zones-threads", 2), ("zones-own", 1)])
def test_zones_are_among_the_operations_of_their_thread(tmp_path, way, times):
    done = run(way, 50, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0, done.stderr
    found = slices(tmp_path / "out.jsonl")
    assert counts(tmp_path / "out.jsonl") == {name: 50 * times for name in NESTED}
    frames = [line["name"] for line in lines(tmp_path / "out.jsonl") if line.get("category") == "frame"]
    assert frames == (["frame"] if way == "zones-own" else [])
    assert parents(found) == {name: {parent} for name, parent in NESTED.items()}
    assert len({one["tid"] for one in found}) == times
    [summary] = [line for line in lines(tmp_path / "out.jsonl") if line["type"] == "summary"]
    assert is_complete(tmp_path / "out.jsonl") and summary["diagnostics"]["other_lane"] == 0


def test_zones_that_are_open_at_the_end_end_with_the_trace(tmp_path):
    done = run("zones-open", 5, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0, done.stderr
    found = slices(tmp_path / "out.jsonl")
    still_open = {"open outer": None, "open span": "open outer", "open inner": "open span"}
    assert counts(tmp_path / "out.jsonl") == {**{name: 10 for name in NESTED}, **{name: 2 for name in still_open}}
    assert parents(found) == {name: {parent} for name, parent in {**NESTED, "outer": "open inner", **still_open}.items()}
    assert {one["name"] for one in found if one.get("args", {}).get("interrupted")} == set(still_open)
    assert len({one["start_ns"] + one["duration_ns"] for one in found if one["name"] in still_open}) == 1
    [summary] = [line for line in lines(tmp_path / "out.jsonl") if line["type"] == "summary"]
    assert is_complete(tmp_path / "out.jsonl") and summary["diagnostics"]["other_lane"] == 0
    # How long they would have taken nobody knows.
    assert not set(still_open) & set(section(done.stderr, "Zones")) and section(done.stderr, "Zones")["outer"][0] == 10


def test_zones_outlast_their_profiler(tmp_path):
    done = run("zones-outlast", 5, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0, done.stderr
    found = slices(tmp_path / "out.jsonl")
    assert counts(tmp_path / "out.jsonl") == {**{name: 5 for name in NESTED}, "never ends": 1, "ends late": 1}
    assert parents(found) == {**{name: {parent} for name, parent in NESTED.items()}, "outer": {"ends late"},
                              "ends late": {"never ends"}, "never ends": {None}}
    assert [one["name"] for one in found if one.get("args", {}).get("interrupted")] == ["never ends"]
    assert is_complete(tmp_path / "out.jsonl")
    zones = section(done.stderr, "Zones")
    assert set(zones) == {"outer", "inner", "in span", "ends late"} and zones["ends late"][0] == 1


def test_a_gpu_zone_that_is_open_at_the_end_has_its_thread_s_part(tmp_path):
    run(GPU_PROGRAM, "open", 3, trace=tmp_path / "out.jsonl")
    found, tracks = gpu_slices(tmp_path / "out.jsonl")
    assert counts(tmp_path / "out.jsonl") == {"pass": 6, "draw": 6, "never ended": 1} and len(found) == 6
    [zone] = [one for one in slices(tmp_path / "out.jsonl") if one["name"] == "never ended"]
    assert zone["track"] not in tracks and zone["args"]["interrupted"] and not_recorded(tmp_path / "out.jsonl") == 1


@pytest.mark.parametrize("attempt", range(3))
def test_each_zone_is_there_once_however_the_end_meets_it(tmp_path, attempt):
    done = run("zones-busy", 20, trace=tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    found = slices(tmp_path / "out.jsonl")
    same = collections.Counter((one["track"], one["name"], one["start_ns"]) for one in found if one["category"] == "zone")
    assert set(same.values()) == {1}
    # Nor was any recorded before the trace began.
    assert lines(tmp_path / "out.jsonl")[-1]["diagnostics"].get("before_base", 0) == 0
    if not_recorded(tmp_path / "out.jsonl") == 0:
        misplaced = {name: around - {NESTED[name], None} for name, around in parents(found).items()}
        assert not any(misplaced.values()), misplaced


@pytest.mark.parametrize("way", ["ready", "finish"])
def test_gpu_times_are_on_the_track_of_their_queue(tmp_path, way):
    done = run(GPU_PROGRAM, way, 20, trace=tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    found, tracks = gpu_slices(tmp_path / "out.jsonl")
    assert [track["name"] for track in tracks.values()] == ["fake queue"] and not_recorded(tmp_path / "out.jsonl") == 0
    assert collections.Counter(one["name"] for one in found) == {"pass": 20, "draw": 20}
    assert {one["category"] for one in found} == {"gpu"} and parents(found) == {"pass": {None}, "draw": {"pass"}}
    # The device's clock is the host's by another count: each is inside of the zone of the thread that recorded it.
    of_thread = [one for one in slices(tmp_path / "out.jsonl") if one["track"] not in tracks]
    for name in ("pass", "draw"):
        pairs = zip(*(sorted((one for one in side if one["name"] == name), key=lambda one: one["start_ns"])
                      for side in (of_thread, found)), strict=True)
        for cpu, gpu in pairs:
            assert cpu["start_ns"] - 1e6 <= gpu["start_ns"]
            assert gpu["start_ns"] + gpu["duration_ns"] <= cpu["start_ns"] + cpu["duration_ns"] + 1e6
            assert gpu["args"]["function"] == "work" and "gpu-program.c:" in gpu["args"]["source"]


@pytest.mark.parametrize("way, missing", [("lost", 14), ("pending", 14), ("exhausted", 13)])
def test_gpu_times_that_did_not_come_are_counted(tmp_path, way, missing):
    run(GPU_PROGRAM, way, 7, trace=tmp_path / "out.jsonl")
    found, _ = gpu_slices(tmp_path / "out.jsonl")
    assert len(found) == 14 - missing and not_recorded(tmp_path / "out.jsonl") == missing
    assert counts(tmp_path / "out.jsonl")["pass"] == 7 + len(found)


@pytest.mark.parametrize("ending", ["json", "pftrace"])
def test_gpu_times_in_all_formats(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    run(GPU_PROGRAM, "ready", 5, trace=path)
    converted = subprocess.run([TOOL, "convert", str(path), str(tmp_path / "again.jsonl")], capture_output=True, text=True,
                               timeout=PATIENCE, env=environment())
    assert converted.returncode == 0, converted.stderr
    found, tracks = gpu_slices(tmp_path / "again.jsonl")
    assert collections.Counter(one["name"] for one in found) == {"pass": 5, "draw": 5}
    assert [track["name"] for track in tracks.values()] == ["fake queue"]


def test_a_zone_says_where_it_is(tmp_path):
    run("zones", 1, trace=tmp_path / "out.jsonl")
    [zone] = [one for one in slices(tmp_path / "out.jsonl") if one["name"] == "outer"]
    assert zone["category"] == "zone" and zone["args"]["function"] == "record_zones" and "program.c:" in zone["args"]["source"]


@pytest.mark.parametrize("way, times", [("zones", 1), ("zones-threads", 2), ("zones-own", 1)])
def test_the_table_has_zones(way, times):
    done = run(way, 30, profile="table")
    rows = section(done.stderr, "Zones")
    assert done.returncode == 0 and set(rows) == {"outer", "inner", "in span"}
    for count, total, own, mean, least, most in rows.values():
        assert count == 30 * times and least <= mean <= most <= total and own <= total and mean == total // count
    # What is inside of another zone is that one's, and an operation is no zone.
    assert rows["outer"][2] == rows["outer"][1] - rows["inner"][1] - rows["in span"][1]
    assert rows["inner"][1] == rows["inner"][2]


def test_the_table_agrees_with_the_trace(tmp_path):
    done = run("zones", 20, trace=tmp_path / "out.jsonl", profile="table")
    rows = section(done.stderr, "Zones")
    for name in rows:
        durations = [one["duration_ns"] for one in slices(tmp_path / "out.jsonl") if one["name"] == name]
        # Both convert ticks, each on its own.
        assert abs(sum(durations) - rows[name][1]) <= len(durations) and abs(max(durations) - rows[name][5]) <= 1


def test_options_of_the_table():
    done = run("zones-threads", 5, profile="table,top=1,by=thread")
    zones = done.stderr.partition("\nZones of ")[2].partition("\nKernels of ")[0]
    assert zones.count("Thread ") == 2 and zones.count("\nouter") + zones.count("\ninner") + zones.count("\nin span") == 2


def test_many_zones_in_one(tmp_path):
    done = run("zones", 20000, trace=tmp_path / "out.jsonl", profile="table")
    [summary] = [line for line in lines(tmp_path / "out.jsonl") if line["type"] == "summary"]
    lost = summary["dropped"]["not_recorded"]
    # Beside the slices, which kernel each operation chose.
    assert summary["events"] + lost == 20000 * (len(NESTED) + 1)
    if lost == 0:
        assert summary["diagnostics"]["other_lane"] == 0
        assert parents(slices(tmp_path / "out.jsonl")) == {name: {parent} for name, parent in NESTED.items()}
        assert all(row[0] == 20000 for row in section(done.stderr, "Zones").values())


@pytest.mark.parametrize("verbosity, names", [("decisions", {"span"}), ("operations", set(NESTED))])
def test_zones_are_as_important_as_operations(tmp_path, verbosity, names):
    run("zones", 3, trace=f"{tmp_path / 'out.jsonl'},verbosity={verbosity}")
    assert set(counts(tmp_path / "out.jsonl")) == names


def test_a_child_has_its_own_zones(tmp_path):
    done = run("zones-fork", 10, trace=tmp_path / "out.jsonl", profile="table")
    assert done.returncode == 0, done.stderr
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 2 and len({pid_of(path) for path in paths}) == 2
    for path in paths:
        assert counts(path) == {name: 10 for name in NESTED} and is_complete(path)
    assert done.stderr.count("Zones of ") == 2


def test_zones_of_a_program_without_operations(tmp_path):
    done = subprocess.run([TOOL, "run", PROGRAM, "zones-only", "7"], env=environment(), capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0 and "Operations of" not in done.stderr
    assert section(done.stderr, "Zones")["alone"][0] == 7


def test_programs_that_are_not_recorded_record_no_zone():
    assert run("zones-off").returncode == 0


def test_the_programs_own_collector_has_what_it_has_otherwise(tmp_path):
    done = run("own-collector", trace=tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert counts(tmp_path / "out.jsonl") == {"relu": 20} and is_complete(tmp_path / "out.jsonl")


def kernels(text):
    """Of the tables of kernels: (operation, kernel, why, calls) of each row."""
    rows = []
    for line in text.partition("\nKernels of ")[2].splitlines()[1:]:
        cells = re.split(r"  +", line.strip())
        if len(cells) == 5 and cells[4].isdigit():
            rows.append((cells[0], cells[2], cells[3], int(cells[4])))
    return rows


@pytest.mark.parametrize("level", ["base", None])
def test_kernels_are_counted(level):
    process = subprocess.run([PROGRAM, "return", "12"], capture_output=True, text=True, timeout=PATIENCE,
                             env={**environment(profile="table"), **({"STRIDEWEAVE_SIMD": level} if level else {})})
    [(operation, kernel, why, calls)] = kernels(process.stderr)
    assert (operation, calls) == ("relu", 12) and kernel.endswith("contiguous") and "threads: below the size for threads" in why
    if level == "base":
        assert kernel == "base contiguous" and "STRIDEWEAVE_SIMD asks for less" in why


def test_kernels_by_thread():
    rows = kernels(run("zones-threads", 5, profile="table,by=thread").stderr)
    assert [(operation, calls) for operation, _, _, calls in rows] == [("relu", 5)] * 2


def test_kernels_of_a_child_are_its_own(tmp_path):
    done = run("zones-fork", 10, profile=tmp_path / "%p.txt")
    assert done.returncode == 0, done.stderr
    for path in tmp_path.iterdir():
        assert [calls for *_, calls in kernels(path.read_text())] == [10]
