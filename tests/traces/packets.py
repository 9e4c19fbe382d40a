# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads files of Perfetto's as the bytes that they are, by the rules of protocol buffers alone."""
import collections
import pathlib

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
PACKET = 1
TRACK_EVENT, INTERNED_DATA, TRACK_DESCRIPTOR, CLOCK_SNAPSHOT, SEQUENCE, TIMESTAMP, CLOCK, DEFAULTS = 11, 12, 60, 6, 10, 8, 58, 59
MONOTONIC = 3
# Where texts are: the way through the fields of a packet.
TEXTS = {
    (INTERNED_DATA, 1, 2): "category", (INTERNED_DATA, 2, 2): "name", (INTERNED_DATA, 3, 2): "argument",
    (INTERNED_DATA, 29, 2): "value", (TRACK_EVENT, 22): "category", (TRACK_EVENT, 23): "name", (TRACK_EVENT, 4, 10): "argument",
    (TRACK_EVENT, 4, 6): "value", (TRACK_DESCRIPTOR, 2): "track", (TRACK_DESCRIPTOR, 14): "description",
    (TRACK_DESCRIPTOR, 3, 6): "process", (TRACK_DESCRIPTOR, 4, 5): "thread", (TRACK_DESCRIPTOR, 8, 6): "unit",
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Number and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            length, at = (8, at) if kind == 1 else (4, at) if kind == 5 else varint(data, at)
            assert kind in (1, 2, 5) and at + length <= len(data), f"field {key >> 3} is of kind {kind}, or cut short"
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def packets(path):
    for number, value in fields(pathlib.Path(path).read_bytes()):
        assert number == PACKET
        yield message(value)


def texts(found, way=()):
    """All texts of a packet, with what they are."""
    for number, values in found.items():
        here = (*way, number)
        for value in values:
            if here in TEXTS:
                yield TEXTS[here], value
            elif any(known[:len(here)] == here for known in TEXTS) and isinstance(value, bytes):
                yield from texts(message(value), here)


def time_of(packet, last):
    """By CLOCK_MONOTONIC where the packet says so, else by the clock of its sequence, which counts from the time before."""
    if packet.get(CLOCK) == [MONOTONIC]:
        return packet[TIMESTAMP][0]
    sequence = packet[SEQUENCE][0]
    last[sequence] += packet.get(TIMESTAMP, [0])[0]
    return last[sequence]


def events(path):
    """Time, kind and track of each event, in the order of the file."""
    defaults, last = {}, {}
    for packet in packets(path):
        sequence = packet[SEQUENCE][0]
        for inner in packet.get(DEFAULTS, []):
            for event in message(inner).get(TRACK_EVENT, []):
                defaults[sequence] = message(event).get(11, [None])[0]
        for snapshot in packet.get(CLOCK_SNAPSHOT, []):
            for clock in map(message, message(snapshot)[1]):
                if clock.get(3) == [1]:
                    last[sequence] = clock[2][0]
        assert len(packet.get(TRACK_EVENT, [])) <= 1, "of two events in a packet, readers take the last one"
        for value in packet.get(TRACK_EVENT, []):
            event = message(value)
            yield time_of(packet, last), event[9][0], event[11][0] if 11 in event else defaults[sequence]


def slices(path):
    """Beginning and length of each slice: an end is that of the innermost one that is open on its track. In the order of
    time; where that is the same, in the order of the file."""
    found, stacks = [], collections.defaultdict(list)
    for time, kind, track in sorted(events(path), key=lambda event: event[0]):
        if kind == BEGIN:
            stacks[track].append(time)
        elif kind == END:
            assert stacks[track], f"nothing is open on {track} that ends at {time}"
            begin = stacks[track].pop()
            found.append((begin, time - begin))
    assert not any(stacks.values()), "a slice does not end"
    return found
