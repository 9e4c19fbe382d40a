# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every key that is written is in the guide to the formats."""
import json
import os
import pathlib
import re
import subprocess

import pytest
import traces

GUIDE = pathlib.Path(__file__).parent.parent.parent / "docs" / "guide" / "trace-formats.md"


def section(title):
    text = GUIDE.read_text()
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title):
    """First cell -> the words in code style of the others, for each row of the tables."""
    table = {}
    for line in section(title).splitlines():
        cells = line.strip("|").split(" | ")
        if line.startswith("| ") and len(cells) > 1 and not set(line) <= set("| -"):
            for name in re.findall(r"`(\w+)`", cells[0]):
                table[name] = set(re.findall(r"`(\w+)`", " ".join(cells[1:])))
    # The heads of the tables.
    return {name: words for name, words in table.items() if name not in ("type", "ph")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workloads")
    subprocess.run([os.environ["SW_TRACE_WORKLOADS"], folder], check=True)
    return folder


def test_jsonl_keys_are_those_of_the_guide(folder):
    documented = rows("JSONL")
    documented["async_slice"] -= {"tid", "flows"}
    documented["async_slice"] |= documented["slice"] - {"tid", "flows"}
    written = {}
    for path in folder.glob("*.jsonl"):
        for line in traces.jsonl(path):
            written.setdefault(line["type"], set()).update(line.keys() - {"type"})
    assert written.keys() == documented.keys()
    for kind, keys in written.items():
        assert keys <= documented[kind], kind
        values = {"strideweave", "CLOCK_MONOTONIC", "process", "thread", "gpu_queue", "async", "counter"}
        assert documented[kind] - values <= keys, kind


def test_chrome_keys_are_those_of_the_guide(folder):
    documented = rows("Chrome JSON")
    everywhere = {"ph", "name", "pid", "tid"}
    written, metadata = {}, {}
    for path in folder.glob("*.json"):
        for record in json.loads(path.read_text() + ("]" if path.stem == "killed" else "")):
            written.setdefault(record["ph"], set()).update(record.keys() - everywhere)
            if record["ph"] == "M":
                metadata.setdefault(record["name"], set()).update(record["args"])
    assert written.keys() == documented.keys()
    for kind, keys in written.items():
        assert keys <= documented[kind], kind
    for name, keys in metadata.items():
        assert {name} | keys <= documented["M"], name


def test_tallies_are_those_of_the_guide(folder):
    documented = rows("Events")
    for path in folder.glob("*.jsonl"):
        summary = traces.jsonl(path)[-1]
        if path.stem == "killed":
            continue
        assert summary.keys() - {"type"} == {"events", "dropped", "diagnostics"} <= documented.keys()
        assert summary["diagnostics"].keys() <= documented["diagnostics"]
        if path.stem != "losses":
            assert summary["dropped"].keys() <= documented["dropped"]


def test_every_format_is_in_the_guide():
    header = (GUIDE.parent.parent.parent / "sw-profiler" / "export" / "sw-trace-format.h").read_text()
    formats = set(re.findall(r"^  SW_TRACE_FORMAT_(\w+),", header, re.MULTILINE))
    assert formats and all(f"| `{name}` |" in GUIDE.read_text() for name in formats)
