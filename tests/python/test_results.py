# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results as data: NumPy arrays, CSV, JSON, saved profilers, and a Profiler as a list."""
import csv
import gc
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from gi.repository import Gio, GObject, Strideweave
from helpers import evictable, hierarchical, in_thread, recorded, several, stepping_class, vector
from helpers import step as run_step

import strideweave as sw

FIELDS = list(sw.ProfilerEvent.__match_args__)
LABELS = ("name", "carrier_type", "implementation_type", "input_shapes")


def work():
    several()
    sw.relu(evictable([1.0]))
    sw.mul(hierarchical([1.0] * 24), 2.0)


def class_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


# --- Arrays ---


@pytest.mark.parametrize("record_shapes", [False, True])
def test_event_columns(record_shapes):
    profiler = recorded(work, record_shapes=record_shapes)
    events = profiler.events()
    array = profiler.event_columns()
    assert list(array.dtype.names) == FIELDS and len(array) == len(events)
    for field in ("id", "start_time_ns", "duration_ns", "self_time_ns", "thread_id", "succeeded"):
        assert array[field].tolist() == [getattr(event, field) for event in events]
    assert array["parent_id"].tolist() == [-1 if e.parent_id is None else e.parent_id for e in events]
    assert array.labelled("name").tolist() == [event.name for event in events]
    assert array.labelled("carrier_type").tolist() == [event.carrier_name for event in events]
    assert array.labelled("implementation_type").tolist() == [event.implementation_name for event in events]
    assert array.labelled("input_shapes").tolist() == [event.input_shapes for event in events]
    # Each label once, so that they can be categories.
    assert all(len(set(array.labels[field])) == len(array.labels[field]) for field in LABELS)


def test_arrays_are_read_only_and_outlive_the_profiler():
    profiler = recorded(work)
    array = profiler.event_columns()
    durations = [event.duration_ns for event in profiler.events()]
    column = array["duration_ns"]
    with pytest.raises(ValueError):
        column[0] = 1
    with pytest.raises(ValueError):
        array.flags.writeable = True
    del profiler, array
    gc.collect()
    recorded(work)
    assert column.tolist() == durations and not column.flags.owndata


def test_arrays_are_numpys():
    array = recorded(work).event_columns()
    relu = array[array["name"] == array.labels["name"].index("relu")]
    assert set(relu.labelled("name")) == {"relu"} and relu["duration_ns"].sum() > 0
    assert np.sort(array, order="duration_ns")["duration_ns"].tolist() == sorted(array["duration_ns"].tolist())
    copy = pickle.loads(pickle.dumps(array))
    assert (copy == array).all() and dict(copy.labels) == dict(array.labels)
    with pytest.raises(TypeError):
        array.labels["name"] = ()


def test_no_events():
    profiler = recorded(lambda: None)
    array = profiler.event_columns()
    assert len(array) == 0 and list(array.dtype.names) == FIELDS and array.labels["name"] == ()
    assert array.labelled("name").tolist() == [] and len(profiler.aggregate_columns()) == 0


@pytest.mark.parametrize("by_shape", [False, True])
@pytest.mark.parametrize("statistics", [False, True])
def test_aggregate_columns(by_shape, statistics):
    profiler = recorded(work, record_shapes=True)
    array = profiler.aggregate_columns(group_by_input_shape=by_shape, statistics=statistics)
    rows = profiler.key_averages(group_by_input_shape=by_shape, statistics=statistics)
    assert len(array) == len(rows) and len(array.dtype.names) == (15 if statistics else 9)
    for field in array.dtype.names:
        if field == "carrier_type":
            assert array.labelled(field).tolist() == [row.carrier_name for row in rows]
        elif field in LABELS:
            assert array.labelled(field).tolist() == [getattr(row, field) for row in rows]
        else:
            assert array[field].tolist() == [getattr(row, field) for row in rows]


# --- Text ---


def test_csv_of_events():
    profiler = recorded(work, record_shapes=True)
    header, *lines = csv.reader(io.StringIO(profiler.to_csv(), newline=""), strict=True)
    assert header == FIELDS and len(lines) == len(profiler)
    for line, event in zip(lines, profiler):
        assert line[0] == str(event.id) and line[2] == event.name and line[3] == class_name(event.carrier_type)
        assert line[1] == ("" if event.parent_id is None else str(event.parent_id))
        assert line[5] == ("" if event.input_shapes is None else str(event.input_shapes))
        assert line[6:] == [
            str(event.start_time_ns),
            str(event.duration_ns),
            str(event.self_time_ns),
            str(event.thread_id),
            "true" if event.succeeded else "false",
        ]


def test_csv_of_aggregates(tmp_path):
    profiler = recorded(work, record_shapes=True)
    options = {"aggregates": True, "group_by_input_shape": True, "statistics": True}
    text = profiler.to_csv(**options)
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    rows = profiler.key_averages(group_by_input_shape=True, statistics=True)
    assert [float(line["p99_time_ns"]) for line in lines] == [row.p99_time_ns for row in rows]
    assert [int(line["count"]) for line in lines] == [row.count for row in rows]
    assert profiler.to_csv(tmp_path / "rows.csv", **options) == len(rows)
    assert (tmp_path / "rows.csv").read_bytes().decode() == text


HOSTILE = ["a,b", 'say "a"', "two\nlines", "cr\rlf\r\n", " spaces ", "tab\t", "\x01\x7f", "日本", "=1+1", '{"a": 1}', "'"]


def hostile():
    cls = stepping_class("Hostile")
    cls.__qualname__ = 'Ho,st"ile\n'
    cls.operations = {name: cls.operations["step"] for name in HOSTILE}
    for name in HOSTILE:
        sw.call_operation(name, vector([1.0], cls))


def test_hostile_names():
    profiler = recorded(hostile)
    lines = list(csv.DictReader(io.StringIO(profiler.to_csv(), newline="")))
    assert [line["name"] for line in lines] == HOSTILE
    assert {line["carrier_type"] for line in lines} == {class_name(profiler[0].carrier_type)}
    loaded = json.loads(profiler.to_json())
    assert [event["name"] for event in loaded["events"]] == HOSTILE
    assert list(profiler.event_columns().labelled("name")) == HOSTILE


def test_files_are_the_text(tmp_path):
    profiler = recorded(work, record_shapes=True)
    n = len(profiler)
    for path in (tmp_path / "first", str(tmp_path / "second"), os.fsencode(tmp_path / "third")):
        assert profiler.to_json(path) == profiler.save_json(path) == n
        assert pathlib.Path(os.fsdecode(path)).read_text() == profiler.to_json()
        assert profiler.to_csv(path) == n
        assert pathlib.Path(os.fsdecode(path)).read_bytes().decode() == profiler.to_csv()
    # Nothing recorded is a result, and says so.
    empty = recorded(lambda: None)
    assert empty.to_csv(tmp_path / "empty.csv") == empty.to_json(tmp_path / "empty.json") == 0
    assert (tmp_path / "empty.csv").read_text().splitlines() == [",".join(FIELDS)]
    assert json.loads((tmp_path / "empty.json").read_text())["events"] == []


def test_text_options():
    profiler = recorded()
    for option in ("aggregates", "group_by_input_shape", "statistics"):
        with pytest.raises(TypeError, match=option):
            profiler.to_csv(**{option: 1})
    with pytest.raises(ValueError, match="aggregates=True"):
        profiler.to_csv(statistics=True)
    for write in (profiler.to_csv, profiler.to_json, profiler.save):
        with pytest.raises(TypeError, match="path"):
            write(5)
        with pytest.raises(ValueError, match="path"):
            write("a\0b")
        with pytest.raises(OSError):
            write("/no/such/folder/file")


def test_before_exit(tmp_path):
    with sw.profile() as profiler:
        for read in (
            profiler.event_columns,
            profiler.aggregate_columns,
            profiler.to_csv,
            profiler.to_json,
            lambda: profiler.save(tmp_path / "x"),
            lambda: profiler.to_csv(tmp_path / "x"),
            lambda: len(profiler),
            lambda: list(profiler),
        ):
            with pytest.raises(RuntimeError, match="only after context exit"):
                read()
        assert profiler
    assert list(tmp_path.iterdir()) == []


# --- Saved profilers ---


def results(profiler):
    return (
        profiler.events(),
        profiler.key_averages(),
        profiler.key_averages(group_by_input_shape=True),
        profiler.table(),
        profiler.table(group_by_input_shape=True, columns=["p50_time_ns"]),
        profiler.to_json(),
        profiler.to_csv(),
    )


@pytest.mark.parametrize("record_shapes", [False, True])
def test_load_is_save(record_shapes, tmp_path):
    profiler = recorded(work, record_shapes=record_shapes)
    assert profiler.save(tmp_path / "saved") == len(profiler)
    loaded = sw.Profiler.load(tmp_path / "saved")
    assert results(loaded) == results(profiler)
    assert isinstance(loaded, sw.Profiler)
    with pytest.raises(RuntimeError, match="single-use"):
        loaded.__enter__()


READER = """
import sys
import time
import strideweave as sw
profiler = sw.Profiler.load(sys.argv[1])
print(profiler.table(group_by_input_shape=True))
print(*sorted({event.carrier_type.__name__ for event in profiler}))
print(*sorted({event.carrier_name for event in profiler}))
"""


def test_classes_that_another_process_does_not_have(tmp_path):
    first, second = stepping_class("Zebra"), stepping_class("Ant")

    def run():
        for cls in (first, second, second):
            run_step(cls)
        sw.relu(vector([1.0]))

    profiler = recorded(run, record_shapes=True)
    profiler.save(tmp_path / "saved")
    done = subprocess.run(
        [sys.executable, "-c", READER, tmp_path / "saved"], stdout=subprocess.PIPE, check=True, text=True
    )
    *table, classes, names = done.stdout.splitlines()
    assert "\n".join(table) == profiler.table(group_by_input_shape=True)
    assert classes == "Carrier Generic"
    assert names == "helpers.Ant helpers.Zebra strideweave.Generic"


def test_load_refuses(tmp_path):
    path = tmp_path / "saved"
    recorded(work).save(path)
    good = path.read_bytes()
    for bad in (b"", b"PK\x03\x04", good[:-1], good + b"\0", good[: len(good) // 2], good.replace(b"relu", b"rely")):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="saved"):
            sw.Profiler.load(path)
    with pytest.raises(OSError, match="missing"):
        sw.Profiler.load(tmp_path / "missing")
    with pytest.raises(OSError):
        sw.Profiler.load(tmp_path)
    for wrong in (None, 5, ["x"]):
        with pytest.raises(TypeError, match="path"):
            sw.Profiler.load(wrong)


# --- A list ---


def test_sequence():
    profiler = recorded(work)
    events = profiler.events()
    assert tuple(profiler) == events and len(profiler) == len(events) and profiler[-1] is events[-1]
    assert profiler[1:3] == events[1:3] and events[0] in profiler and list(reversed(profiler))[0] is events[-1]
    for change in (lambda: profiler.__setitem__(0, events[0]), lambda: profiler.__delitem__(0)):
        with pytest.raises(TypeError):
            change()


def test_list_model():
    profiler = sw.Profiler()
    changes = []
    profiler.connect("items-changed", lambda _, *change: changes.append(change))
    with profiler:
        several()
        assert profiler.get_n_items() == 0 and profiler.get_item(0) is None and changes == []
    events = profiler.events()
    assert changes == [(0, 0, len(events))]
    assert isinstance(profiler, Gio.ListModel)
    assert profiler.get_item_type() == GObject.type_from_name("SwProfilerEventItem")
    for place, event in enumerate(events):
        item = profiler.get_item(place)
        assert isinstance(item, Strideweave.ProfilerEventItem)
        assert item.get_event() == event and profiler.get_item(place) is item
        assert (item.props.name, item.props.duration_ns) == (event.name, event.duration_ns)
    assert profiler.get_item(len(events)) is None
    item = profiler.get_item(0)
    del profiler, events
    gc.collect()
    assert item.get_event().name == "relu"


def test_loaded_profilers_make_the_same_traces(tmp_path):
    """Of the same process, thread and wall clock, whoever writes them."""
    profiler = in_thread(lambda: recorded(record_shapes=True))
    profiler.save(tmp_path / "saved")
    for number, each in enumerate((profiler, sw.Profiler.load(tmp_path / "saved"))):
        for format in sw.operation.TraceFormat.CHROME_JSON, sw.operation.TraceFormat.JSONL, sw.operation.TraceFormat.PERFETTO:
            each.write_trace(tmp_path / f"{number}-{int(format)}", format)
    for format in range(3):
        first, second = ((tmp_path / f"{number}-{format}").read_bytes() for number in range(2))
        assert first == second, format
    header = json.loads((tmp_path / f"1-{int(sw.operation.TraceFormat.JSONL)}").read_text().splitlines()[0])
    assert header["pid"] == os.getpid() and abs(header["wall_ns"] - time.time_ns()) < 10**12
