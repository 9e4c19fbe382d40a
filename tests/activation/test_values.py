# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the two variables may say, and what becomes of a program where they say something else."""
import csv
import json
import os
import pwd
import shutil

import pytest
from programs import PROGRAM, STATIC_PROGRAM, is_complete, run, slices, table_rows


def records(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("value, reason", [
    ("out", "the file ends in none of .json, .jsonl and .pftrace"),
    ("out.xml", "the file ends in none of"),
    ("out.json:xml", "the format is 'xml', which is none of chrome-json, jsonl and perfetto"),
    ("out.json:", "the format is '', which is none of"),
    (":json", "it names no file"),
    ("out.json,verbosity=loud", "the verbosity is 'loud', which is none of none, decisions, operations and full"),
    ("out.json,colour=red", "the option is 'colour', which is neither verbosity nor gpu"),
    ("out.json,gpu=rocm", "gpu is 'rocm', which is not cupti"),
    ("out-%d.json", "% is followed by neither p, for the number of the process, nor %"),
    ("out.json%", "the file ends in none of"),
    ("%.json", "% is followed by neither p"),
])
def test_a_bad_trace_is_one_warning(tmp_path, value, reason):
    done = run("return", trace=value, cwd=tmp_path)
    assert done.returncode == 0 and list(tmp_path.iterdir()) == []
    assert done.stderr.count("\n") <= 2 and done.stderr.count("WARNING") == 1
    assert f'STRIDEWEAVE_TRACE is "{value}", which records nothing: {reason}' in done.stderr


@pytest.mark.parametrize("value, reason", [
    ("yes", "it is neither table nor a file that ends in .txt, .csv or .json"),
    ("table,top=0", "top is '0', which is no positive number"),
    ("table,top=-3", "top is '-3', which is no positive number"),
    ("table,events=1e6", "events is '1e6', which is no positive number"),
    ("table,top=99999999999999999999", "top is '99999999999999999999', which is no positive number"),
    ("table,by=carrier", "by is 'carrier', which is not thread"),
    ("table,sort=name", "the option is 'sort', which is none of top, by and events"),
])
def test_a_bad_profile_is_one_warning(tmp_path, value, reason):
    done = run("return", profile=value, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.count("WARNING") == 1
    assert f'STRIDEWEAVE_PROFILE is "{value}", which records nothing: {reason}' in done.stderr


def test_one_bad_value_does_not_spoil_the_other(tmp_path):
    done = run("return", trace="nonsense", profile="table", cwd=tmp_path)
    assert done.stderr.count("WARNING") == 1 and table_rows(done.stderr) == [{"relu": 10}]


def test_what_is_no_text_is_shown_all_the_same(tmp_path):
    done = run("return", trace=os.fsdecode(b"\xff\xfe"), cwd=tmp_path)
    # How a replacement looks is up to the locale.
    assert done.returncode == 0 and done.stderr.count('STRIDEWEAVE_TRACE is "') == 1 and "which records nothing" in done.stderr


def test_empty_values_are_none(tmp_path):
    done = run("return", trace="", profile="", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "" and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name, reason", [
    ("absent/out.json", "No such file or directory"),
    ("folder.json", "Is a directory"),
    ("link.json", "symbolic link"),
])
def test_a_file_that_cannot_be_made_is_one_warning(tmp_path, name, reason):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "elsewhere.json")
    done = run("fork", trace=tmp_path / name, profile=tmp_path / "absent/out.txt")
    assert done.returncode == 0
    assert done.stderr.count("STRIDEWEAVE_TRACE: ") == 2 and done.stderr.count("STRIDEWEAVE_PROFILE: ") == 2  # of two processes
    assert reason in done.stderr
    assert not (tmp_path / "elsewhere.json").exists()


def test_a_full_disk_is_one_warning():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    done = run("return", trace="/dev/full:jsonl")
    assert done.returncode == 0 and done.stderr.count("WARNING") == 1 and "No space left on device" in done.stderr


def test_a_comma_and_a_colon_may_be_in_a_path(tmp_path):
    name = "a,b:c.d"
    run("return", trace=f"{tmp_path / name}:jsonl,verbosity=operations")
    assert len(slices(tmp_path / name)) == 10


@pytest.mark.parametrize("verbosity, count", [("decisions", 10), ("operations", 10), ("full", 20)])
def test_verbosity_of_emitted_events(tmp_path, verbosity, count):
    run("spans", trace=f"{tmp_path}/out.jsonl,verbosity={verbosity}")
    with open(tmp_path / "out.jsonl") as file:
        events = [line for line in map(json.loads, file) if line["type"] in ("slice", "instant")]
    assert len(events) == count


@pytest.mark.parametrize("verbosity, names", [("decisions", ["out.jsonl"]), ("operations", ["out.jsonl"]), ("none", [])])
def test_verbosity_of_operations(tmp_path, verbosity, names):
    done = run("return", trace=f"{tmp_path}/out.jsonl,verbosity={verbosity}")
    assert done.returncode == 0 and [path.name for path in tmp_path.iterdir()] == names


def test_full_verbosity_has_shapes(tmp_path):
    run("return", trace=f"{tmp_path}/out.jsonl,verbosity=full")
    assert all(span["args"]["carrier"] == "Strideweave.CPU" and "shape_0" in span["args"] for span in slices(tmp_path / "out.jsonl"))


def test_profiles_as_files(tmp_path):
    for name in ("out.txt", "out.csv", "out.json"):
        assert run("fork-nothing", profile=tmp_path / name).stderr == ""
    assert table_rows((tmp_path / "out.txt").read_text()) == [{"relu": 20}]
    [row] = records(tmp_path / "out.csv")
    assert row["name"] == "relu" and int(row["count"]) == 20
    [thread] = json.loads((tmp_path / "out.json").read_text())
    assert [event["name"] for event in thread["events"]] == ["relu"] * 20 and thread["n_dropped_events"] == 0


def test_zones_and_kernels_are_in_files_beside_the_operations(tmp_path):
    done = run("zones-threads", 5, profile=f"{tmp_path}/out.csv,by=thread,top=1")
    assert done.stderr == "" and {path.name for path in tmp_path.iterdir()} == {"out.csv", "out.zones.csv", "out.kernels.csv"}
    assert (tmp_path / "out.zones.csv").stat().st_mode & 0o777 == 0o600
    zones = {row["name"]: row for row in records(tmp_path / "out.zones.csv")}
    assert set(zones) == {"outer", "inner", "in span"}
    total = {name: int(row["total_time_ns"]) for name, row in zones.items()}
    for row in zones.values():
        assert row["function"] == "record_zones" and row["file"].endswith("program.c") and int(row["line"]) > 0
        assert row["count"] == "10" and int(row["mean_time_ns"]) == int(row["total_time_ns"]) // 10
        assert int(row["min_time_ns"]) <= int(row["mean_time_ns"]) <= int(row["max_time_ns"])
    assert int(zones["outer"]["self_total_time_ns"]) == total["outer"] - total["inner"] - total["in span"]
    [kernel] = records(tmp_path / "out.kernels.csv")
    assert (kernel["operation"], kernel["carrier_type"], kernel["count"]) == ("relu", "Strideweave.CPU", "10")
    assert kernel["kernel"].endswith("contiguous") and "threads: below the size for threads" in kernel["rejections"]


def test_files_beside_are_there_only_for_what_there_was(tmp_path):
    run("return", profile=tmp_path / "operations.csv")
    run("zones-only", 3, profile=tmp_path / "zones.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"operations.csv", "operations.kernels.csv", "zones.csv", "zones.zones.csv"}
    assert records(tmp_path / "zones.csv") == [] and records(tmp_path / "zones.zones.csv")[0]["count"] == "3"


def test_files_beside_overwrite_nothing(tmp_path):
    (tmp_path / "out.zones.csv").write_text("mine")
    (tmp_path / "out.kernels.csv").symlink_to(tmp_path / "elsewhere.csv")
    done = run("zones", 3, profile=tmp_path / "out.csv")
    assert "out.zones.csv' exists, so this process writes '" in done.stderr and done.stderr.count("exists") == 2
    assert (tmp_path / "out.zones.csv").read_text() == "mine"
    [other] = [path for path in tmp_path.iterdir() if path.name.startswith("out.zones.") and path.name != "out.zones.csv"]
    assert len(records(other)) == 3 and not (tmp_path / "elsewhere.csv").exists()
    # Where the first file has a number, so have those beside it.
    run("zones", 3, profile=tmp_path / "out.csv")
    [again] = [path for path in tmp_path.glob("out.*.csv") if path.name.split(".")[1].isdigit() and path.name.count(".") == 2]
    assert (tmp_path / f"{again.stem}.zones.csv").exists() and (tmp_path / f"{again.stem}.kernels.csv").exists()


def test_a_file_beside_that_cannot_be_made_is_a_warning(tmp_path):
    path = tmp_path / ("x" * 247 + ".csv")
    done = run("zones", 3, profile=path)
    assert done.returncode == 0 and done.stderr.count("WARNING") == 1 and "x.zones.csv': File name too long" in done.stderr
    assert len(records(path)) == 1 and len(list(tmp_path.iterdir())) == 1


def test_zones_and_kernels_are_with_their_threads(tmp_path):
    done = run("zones-threads", 5, trace=tmp_path / "out.jsonl", profile=tmp_path / "out.json")
    assert done.stderr == ""
    threads = json.loads((tmp_path / "out.json").read_text())
    assert {thread["os_thread_id"] for thread in threads} == {one["tid"] for one in slices(tmp_path / "out.jsonl")}
    assert len(threads) == 2 and all(thread["thread_name"] for thread in threads)
    for thread in threads:
        assert [event["name"] for event in thread["events"]] == ["relu"] * 5
        zones = {zone["name"]: zone for zone in thread["zones"]}
        assert set(zones) == {"outer", "inner", "in span"} and all(zone["count"] == 5 for zone in zones.values())
        spans = [one["duration_ns"] for one in slices(tmp_path / "out.jsonl")
                 if one["tid"] == thread["os_thread_id"] and one["name"] == "outer"]
        assert abs(sum(spans) - zones["outer"]["total_time_ns"]) <= len(spans)
        [kernel] = thread["kernels"]
        assert (kernel["operation"], kernel["count"]) == ("relu", 5) and kernel["kernel"].endswith("contiguous")


def test_threads_of_zones_alone_are_there_too(tmp_path):
    run("zones-only", 3, profile=tmp_path / "out.json")
    [thread] = json.loads((tmp_path / "out.json").read_text())
    assert thread["format"] == "strideweave-operations" and thread["events"] == [] and thread["thread_id"] > 0
    assert [(zone["name"], zone["count"]) for zone in thread["zones"]] == [("alone", 3)] and thread["kernels"] == []


def test_tables_by_thread_and_by_length():
    by_thread = run("exit-in-thread", profile="table,by=thread").stderr
    # Of its operations, and of its kernels.
    assert by_thread.count("\nThread ") == 2 and table_rows(by_thread) == [{"relu": 10}]
    assert table_rows(run("return", profile="table,top=1").stderr) == [{"relu": 10}]


def test_what_a_thread_does_not_keep_is_counted():
    done = run("return", 300000, profile="table,events=1000")
    [table] = table_rows(done.stderr)
    [line] = [line for line in done.stderr.splitlines() if "more executions are not in the table" in line]
    assert table["relu"] < 300000 and table["relu"] + int(line.split()[0]) == 300000


def test_more_rights_than_the_user_has_record_nothing(tmp_path):
    """The program belongs to somebody else and takes that one's rights: the variables are another one's wish."""
    if os.geteuid() != 0:
        pytest.skip("it takes root to make such a program")
    program = tmp_path / "program"
    shutil.copy(STATIC_PROGRAM, program)
    os.chown(program, pwd.getpwnam("nobody").pw_uid, -1)
    os.chmod(program, 0o4755)
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o777)
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("a sanitizer does not start in such a program")
    done = run(program, "return", trace=folder / "out.jsonl", profile="table")
    assert done.returncode == 0 and done.stderr == "" and list(folder.iterdir()) == []
    os.chmod(program, 0o755)
    done = run(program, "return", trace=folder / "out.jsonl", profile="table")
    assert done.returncode == 0 and is_complete(folder / "out.jsonl") and table_rows(done.stderr) == [{"relu": 10}]


def test_the_programs_are_there():
    assert os.access(PROGRAM, os.X_OK) and os.access(STATIC_PROGRAM, os.X_OK)
