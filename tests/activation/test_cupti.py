# SPDX-License-Identifier: LGPL-2.1-or-later
"""What GPUs do, in the trace of a program that knows nothing of it: by gpu=cupti, among its operations."""
import collections
import os
import signal

import pytest
from programs import is_complete, lines, pid_of, run

PROGRAM = os.environ["SW_ACTIVATION_CUPTI_PROGRAM"]
LIBRARIES = os.environ["SW_FAKE_CUPTI"]
TOOL = os.environ["SW_PROFILER"]
STEPS = 20
# What is launched, inside of what, and where it runs.
LAUNCHED = {"relu_kernel": ("relu", "GPU 0 · stream 7"), "step_kernel": ("step", "GPU 0 · stream 8")}
WHOLE = {"step": STEPS, "relu": STEPS, "relu_kernel": STEPS, "step_kernel": STEPS}
HOST = {"step": STEPS, "relu": STEPS}


def record(path, *arguments, options=",gpu=cupti"):
    return run(PROGRAM, *arguments, trace=f"{path}{options}")


def counts(path):
    return collections.Counter(line["name"] for line in lines(path) if line["type"] == "slice")


def check_links(path):
    """That each kernel is on the lane of its stream, and began after what it was launched in, of which a flow leads to it."""
    found = lines(path)
    tracks = {line["track"]: line for line in found if line["type"] == "track"}
    begun = {point["id"]: line for line in found for point in line.get("flows", []) if point["step"] == "start"}
    kernels = [line for line in found if line["type"] == "slice" and line["name"] in LAUNCHED]
    for kernel in kernels:
        launcher, lane = LAUNCHED[kernel["name"]]
        track = tracks[kernel["track"]]
        assert (track["kind"], track["name"]) == ("gpu_queue", lane) and kernel["category"] == "gpu.kernel"
        [point] = kernel["flows"]
        assert point["step"] == "step" and begun[point["id"]]["name"] == launcher
        assert begun[point["id"]]["start_ns"] <= kernel["start_ns"]
        assert tracks[begun[point["id"]]["track"]]["kind"] == "thread"
    return kernels


@pytest.mark.parametrize("way, status", [("launches", 0), ("term", -signal.SIGTERM), ("finish", 0), ("own-later", 0)])
def test_kernels_are_in_one_file_with_the_operations_that_launched_them(tmp_path, way, status):
    path = tmp_path / "out.jsonl"
    done = record(path, way, STEPS)
    assert (done.returncode, done.stderr) == (status, "")
    assert counts(path) == WHOLE and is_complete(path)
    kernels = check_links(path)
    assert len({point["id"] for kernel in kernels for point in kernel["flows"]}) == 2 * STEPS


def test_what_cuda_forgets_at_its_end_is_in_the_trace(tmp_path):
    done = record(tmp_path / "out.jsonl", "cuda-ends-first", STEPS)
    assert (done.returncode, done.stderr) == (0, "")
    assert counts(tmp_path / "out.jsonl") == WHOLE and is_complete(tmp_path / "out.jsonl")


def test_a_trace_that_ends_while_others_launch(tmp_path):
    done = record(tmp_path / "out.jsonl", "busy", STEPS)
    assert (done.returncode, done.stderr) == (0, "")
    found = counts(tmp_path / "out.jsonl")
    assert {name: found[name] for name in ("step", "relu_kernel", "step_kernel")} == dict.fromkeys(
        ("step", "relu_kernel", "step_kernel"), STEPS)
    check_links(tmp_path / "out.jsonl")


@pytest.mark.parametrize("options, has_kernels", [
    ("", False),
    (",verbosity=decisions,gpu=cupti", False),
    (",verbosity=full,gpu=cupti", True),
    (",gpu=cupti,verbosity=operations", True),
])
def test_who_gets_kernels(tmp_path, options, has_kernels):
    done = record(tmp_path / "out.jsonl", "launches", STEPS, options=options)
    assert (done.returncode, done.stderr) == (0, "")
    found = counts(tmp_path / "out.jsonl")
    assert (found["relu_kernel"], found["step_kernel"]) == ((STEPS, STEPS) if has_kernels else (0, 0))


@pytest.mark.parametrize("library, reason", [
    ("absent.so", "cannot be loaded"),
    ("libfake-cupti-old.so", "lacks cuptiActivityPopExternalCorrelationId"),
])
@pytest.mark.parametrize("way, n_files", [("none", 1), ("fork-none", 3)])
def test_without_cupti_there_is_one_warning_and_the_rest(tmp_path, monkeypatch, library, reason, way, n_files):
    monkeypatch.setenv("STRIDEWEAVE_CUPTI", os.path.join(LIBRARIES, library))
    done = record(tmp_path / "out-%p.jsonl", way, STEPS)
    assert done.returncode == 0
    assert done.stderr.count("WARNING") == 1 and done.stderr.count("gpu=cupti adds nothing to the trace: ") == 1
    assert reason in done.stderr
    files = list(tmp_path.iterdir())
    assert len(files) == n_files
    assert all(counts(file) == HOST and is_complete(file) for file in files)


@pytest.mark.parametrize("way, reason", [
    ("denied", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
    ("own-first", "there is a CuptiCollector already"),
])
def test_cupti_that_cannot_be_had_is_one_warning(tmp_path, way, reason):
    done = record(tmp_path / "out.jsonl", way, STEPS)
    assert done.returncode == 0 and done.stderr.count("WARNING") == 1 and reason in done.stderr
    assert counts(tmp_path / "out.jsonl") == HOST and is_complete(tmp_path / "out.jsonl")


def test_children_have_no_gpu_times_and_the_parent_keeps_its(tmp_path):
    done = record(tmp_path / "out-%p.jsonl", "fork", STEPS)
    assert (done.returncode, done.stderr) == (0, "")
    found = [counts(file) for file in tmp_path.iterdir() if is_complete(file)]
    assert sorted(found, key=len) == [HOST, HOST, WHOLE]


def test_children_of_a_process_that_used_no_cupti_use_it(tmp_path):
    done = record(tmp_path / "out-%p.jsonl", "only-children", STEPS)
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "Nothing was recorded" in done.stderr  # by the parent
    files = list(tmp_path.iterdir())
    assert len({pid_of(file) for file in files}) == len(files) == 2
    for file in files:
        assert counts(file) == WHOLE and is_complete(file)
        check_links(file)


@pytest.mark.parametrize("ending", ["json", "pftrace", "jsonl.gz"])
def test_all_formats_by_the_tool(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    done = run(TOOL, "run", "--trace", path, "--gpu=cupti", "--no-table", "--", PROGRAM, "launches", STEPS)
    assert done.returncode == 0, done.stderr
    done = run(TOOL, "convert", path, tmp_path / "again.jsonl")
    assert done.returncode == 0, done.stderr
    assert counts(tmp_path / "again.jsonl") == WHOLE
