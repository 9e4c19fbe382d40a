# SPDX-License-Identifier: LGPL-2.1-or-later
"""The traces that a program and the children that it forks leave, each in a file of its own, merged into one."""
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolbox import run, summary  # noqa: E402

PROGRAM = """
import os, sys
import strideweave as sw
from strideweave import CPU, DType, Tensor
import numpy
tensor = Tensor.from_numpy(numpy.ones(4, "float32"))
def work(n):
    for _ in range(n):
        sw.relu(tensor)
work(1)
children = []
for i in range(2):
    child = os.fork()
    if child == 0:
        work(2 + i)
        sys.exit(0)
    children.append(child)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
print(os.getpid(), *children)
"""


@pytest.mark.parametrize("suffix", ["json", "jsonl", "pftrace"])
def test_forked_children_are_merged(tmp_path, suffix):
    done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, check=True, text=True, timeout=120,
                          env={**os.environ, "STRIDEWEAVE_TRACE": str(tmp_path / f"x-%p.{suffix}")})
    pids = [int(pid) for pid in done.stdout.split()]
    files = [tmp_path / f"x-{pid}.{suffix}" for pid in pids]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    said = run("merge", *files, tmp_path / "all.jsonl")[1]
    assert "another boot" not in said and "same session" not in said
    merged = summary("--name", "*relu*", tmp_path / "all.jsonl")
    assert {process["pid"] for process in merged["processes"]} == set(pids)
    calls = [sum(row["calls"] for row in summary("--name", "*relu*", file)["rows"]) for file in files]
    assert calls == [1, 2, 3]
    assert sum(row["calls"] for row in merged["rows"]) == 6
    alone = [summary("--name", "*relu*", file)["rows"] for file in files]
    assert sum(row["total_ns"] for row in merged["rows"]) == sum(row["total_ns"] for rows in alone for row in rows)
