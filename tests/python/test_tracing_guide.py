# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guides about tracing: their examples run, and their catalogue of events is that of the library."""
import asyncio
import pathlib
import re
import struct

import pytest
import strideweave as sw
from strideweave import CPU, DType, Evictable, FileBacked, Generic, Layout, Shape, Stride, Tensor, TraceVerbosity

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
# A number that stands out wherever it is written: Float32 holds it, and so many digits are in no time by chance.
RECOGNISABLE = 13371337.0


def examples(name):
    return re.findall(r"^```python\n(.*?)^```", (GUIDE / name).read_text(), re.M | re.S)


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for example in examples("tracing-python.md"):
        exec(compile(example, "tracing-python.md", "exec"), namespace)
    assert (tmp_path / "trace.pftrace").stat().st_size > 100
    assert asyncio.run(namespace["serve"]()) == 2
    assert namespace["average"](namespace["values"]) is not None


@pytest.fixture
def memory():
    context = sw.TraceContext.get_default()
    collector = sw.MemoryCollector(100000)
    context.verbosity = TraceVerbosity.FULL
    context.collector = collector
    yield collector
    context.collector = None


def tensor(carrier, size):
    return Tensor(carrier, 0, Layout(Shape(size), Stride(1)))


def filled(size):
    carrier = CPU(size)
    for i in range(size):
        carrier[i] = RECOGNISABLE
    return carrier


def workload():
    """Makes everything happen that the library says something about, failures included."""
    sw.relu(tensor(filled(4), 4))
    sw.add(tensor(Generic([RECOGNISABLE]), 1), tensor(Generic([1.0]), 1))
    file = FileBacked()
    sw.operation.move(tensor(filled(4), 4), file)
    assert file[1] == RECOGNISABLE
    file[2] = RECOGNISABLE
    tiers = Evictable(filled(8), FileBacked())
    tiers.evict()
    with pytest.raises(RuntimeError):
        tiers[0]
    path = pathlib.Path(tiers.secondary.get_path())
    whole = path.read_bytes()
    path.write_bytes(whole[:9])
    with pytest.raises(OSError):
        tiers.promote()
    path.write_bytes(whole)
    tiers.promote()
    file.allocate_like(4)
    with pytest.raises(ValueError):
        CPU(1 << 50, empty=True)
    with pytest.raises(TypeError):
        sw.operation.move(tensor(filled(4), 4), Generic([0.0] * 4))
    with pytest.raises((TypeError, ValueError)):
        Generic([RECOGNISABLE], dtype=DType.Int32)


def catalogue():
    """name -> (category, kind, levels, arguments) of the table in the guide."""
    text = (GUIDE / "tracing.md").read_text()
    table = re.search(r"\| name \| category \|.*?\n\n", text, re.S)[0]
    rows = {}
    for line in table.strip().splitlines()[2:]:
        name, category, kind, levels, arguments = [cell.strip() for cell in line.strip("|").split("|")]
        words = set(re.findall(r"`([a-z_0-9.]+)`", arguments))
        if "shape_0" in words:
            words |= {f"shape_{i}" for i in range(16)}
        if "rejected_0" in words:
            words |= {f"{word}_{i}" for word in ("rejected", "reason") for i in range(5)}
        rows[name.strip("`")] = category.strip("`"), kind, set(re.findall(r"`([A-Z]+)`", levels)), words
    return rows


def test_catalogue(memory):
    rows = catalogue()
    operations = rows.pop("the operation's")
    workload()
    seen = {}
    for event in memory.events():
        row = operations if event.category == "operation" else rows.get(event.name)
        assert row is not None, f"{event.name} of {event.category} is not in the catalogue"
        category, kind, levels, arguments = row
        assert event.category == ("" if category == "none" else category), event
        assert event.kind.value_nick == kind, event
        assert event.level.value_nick.upper() in levels, event
        if row is operations:
            arguments = arguments | {"failed"}
        assert set(event.arguments) <= arguments, event
        seen.setdefault(event.name, set()).update(event.arguments)
    sources = "".join(file.read_text() for file in (ROOT / "sw").rglob("*.c"))
    for name, (_, kind, _, arguments) in rows.items():
        assert f'"{name}"' in sources, f"the library does not emit {name}"
        if kind != "counter" and name in seen and name != "kernel.selected":
            assert {"bytes"} <= seen[name] and "carrier" not in arguments - seen[name], name
    assert {"evict", "promote", "move", "file.read", "file.write", "file.reserve", "allocate", "release"} <= set(seen)
    assert {"failed", "error", "reason"} <= seen["promote"]
    assert {"operation", "carrier", "variant", "pieces", "threads", "rejected_0", "reason_0"} <= seen["kernel.selected"]


def forms(value):
    """How a value could be written down."""
    return [str(value), str(int(value)), value.hex(), f"{value:e}", "1.3371337"]


@pytest.mark.parametrize("format", [sw.TraceFormat.CHROME_JSON, sw.TraceFormat.JSONL, sw.TraceFormat.PERFETTO])
def test_neither_traces_nor_logs_hold_values(tmp_path, format, capfd):
    context = sw.TraceContext.get_default()
    path = tmp_path / "trace"
    with sw.FileCollector(path, format) as collector:
        context.verbosity = TraceVerbosity.FULL
        context.collector = collector
        try:
            workload()
            with context.span("operation of mine"), pytest.raises(ValueError):
                with context.span("fails"):
                    raise ValueError(f"cannot take {RECOGNISABLE}")
        finally:
            context.flush()
            context.collector = None
    written = path.read_bytes()
    assert b"evict" in written and b"fails" in written
    out, err = capfd.readouterr()
    for form in forms(RECOGNISABLE):
        assert form.encode() not in written
        assert form not in out + err
    for binary in (struct.pack("<f", RECOGNISABLE), struct.pack("<d", RECOGNISABLE)):
        assert binary not in written
