# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sw-profiler prints for programs, and the guide that says what it means."""
import json
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import toolbox  # noqa: E402
from toolbox import run, slice_record, write_chrome  # noqa: E402

GUIDE = (pathlib.Path(__file__).parent.parent.parent / "docs" / "guide" / "reading-traces.md").read_text()


def section(name):
    """The words in code marks there."""
    text = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"`([^`]+)`", text))


def keys(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.fixture
def trace(tmp_path):
    return write_chrome(tmp_path / "t.json", [
        slice_record("step", 0, 1000), {"ph": "i", "pid": 1, "tid": 1, "name": "mark", "ts": 5, "s": "t"},
        {"ph": "C", "pid": 1, "tid": 1, "name": "bytes", "ts": 5, "args": {"value": 1}},
        {"ph": "b", "pid": 1, "tid": 1, "cat": "frame", "id": "1", "name": "frame", "ts": 5},
        {"ph": "e", "pid": 1, "tid": 1, "cat": "frame", "id": "1", "name": "frame", "ts": 50}])


@pytest.mark.parametrize("command, files", [("summary", 1), ("tree", 1), ("diff", 2)])
def test_every_key_is_in_the_guide(trace, command, files):
    found = keys(json.loads(run(command, "--json", *[trace] * files)[0]))
    assert len(found) > 8 and found - section(command) == set()


@pytest.mark.parametrize("command, files", [("summary", 1), ("diff", 2)])
def test_every_column_is_in_the_guide(trace, command, files):
    header = run(command, "--csv", *[trace] * files)[0].split("\r\n")[0].split(",")
    assert len(header) > 8 and set(header) - section(command) == set()


def test_frames_have_their_rate(tmp_path):
    frames = [record for i in range(11) for record in (
        {"ph": "b", "pid": 1, "tid": 1, "cat": "frame", "id": str(i), "name": "frame", "ts": 10_000_000 * i},
        {"ph": "e", "pid": 1, "tid": 1, "cat": "frame", "id": str(i), "name": "frame", "ts": 10_000_000 * i + 4_000_000})]
    path = write_chrome(tmp_path / "t.json", frames)
    (row,) = toolbox.summary(path)["rows"]
    assert (row["kind"], row["calls"], row["mean_ns"], row["fps"]) == ("frame", 11, 4e6, 100)
    assert "100.0" in run("summary", path)[0]
