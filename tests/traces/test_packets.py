# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bytes of what trace-workloads and zone-traces write for Perfetto, against the lines that they write of the same."""
import collections
import functools
import os
import pathlib
import subprocess
import tempfile

import packets
import pytest
import traces

WORKLOADS = ["empty", "ties", "times", "deep", "threads", "lanes", "overlaps", "async", "flows", "counters", "instants", "args",
             "hostile", "losses", "random"]
ZONES = ["plain", "gpu", "hostile zones", "no zones"]
each_trace = pytest.mark.parametrize("trace", WORKLOADS + ZONES)


@functools.cache
def folder(program):
    folder.kept = getattr(folder, "kept", [])
    folder.kept.append(tempfile.TemporaryDirectory())
    subprocess.run([os.environ[program], folder.kept[-1].name], check=True)
    return pathlib.Path(folder.kept[-1].name)


def path(trace, suffix):
    if trace in WORKLOADS:
        return folder("SW_TRACE_WORKLOADS") / f"{trace}.{suffix}"
    name = {"hostile zones": "hostile", "no zones": "empty"}.get(trace, trace)
    return folder("SW_ZONE_TRACES") / f"{name}.{suffix}"


@each_trace
def test_no_event_is_missing_and_none_is_there_twice(trace):
    written = collections.Counter(line["type"] for line in traces.jsonl(path(trace, "jsonl")))
    empty = sum(line.get("duration_ns") == 0 and line["type"] == "slice" for line in traces.jsonl(path(trace, "jsonl")))
    kinds = collections.Counter(kind for _, kind, _ in packets.events(path(trace, "pftrace")))
    assert kinds[packets.BEGIN] == kinds[packets.END] == written["slice"] - empty + written["async_slice"]
    assert kinds[packets.INSTANT] == written["instant"] + empty
    assert kinds[packets.COUNTER] == written["counter"]


@each_trace
def test_beginnings_and_ends_are_those_of_the_lines(trace):
    """On every track each end has a beginning, and the other way around; together they have the times that they should."""
    assert collections.Counter(packets.slices(path(trace, "pftrace"))) == collections.Counter(
        (line["start_ns"], line["duration_ns"]) for line in traces.jsonl(path(trace, "jsonl"))
        if line["type"] in ("slice", "async_slice") and (line["duration_ns"] > 0 or line["type"] == "async_slice"))


@each_trace
def test_texts_are_utf8(trace):
    found = collections.defaultdict(set)
    for packet in packets.packets(path(trace, "pftrace")):
        for what, value in packets.texts(packet):
            found[what].add(value.decode("utf-8", errors="strict"))
    names = {line["name"] for line in traces.jsonl(path(trace, "jsonl")) if line["type"] in ("slice", "instant", "async_slice")}
    assert names <= found["name"] | {""}


@each_trace
def test_the_first_packet_has_the_clock(trace):
    first = next(iter(packets.packets(path(trace, "pftrace"))))
    (snapshot,) = first[packets.CLOCK_SNAPSHOT]
    clocks = [packets.message(value)[1][0] for value in packets.message(snapshot)[1]]
    assert 3 in clocks
    assert all(packets.SEQUENCE in packet and packet[packets.SEQUENCE][0] != 0
               for packet in packets.packets(path(trace, "pftrace")))


def test_ranks_are_written():
    ranks = {}
    for packet in packets.packets(path("lanes", "pftrace")):
        for value in packet.get(packets.TRACK_DESCRIPTOR, []):
            track = packets.message(value)
            name = packets.message(track[4][0])[5][0] if 4 in track else packets.message(track[3][0])[6][0] if 3 in track else b""
            if 12 in track:
                ranks[name.decode()] = track[12][0] - (1 << 64 if track[12][0] >> 63 else 0)
    assert ranks == {"ranked": 7, "zero": -7, "other process": 3}
