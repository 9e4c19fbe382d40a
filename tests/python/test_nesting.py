# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random trees of nested operations, with failures anywhere and any filter: what must be true of every event."""
import random

import pytest
from helpers import Boom, Listed, evictable, vector

import strideweave as sw

MAX_DEPTH = 64


class Node:
    """One attempt of an operation, and those that it makes."""

    def __init__(self, cls, children, fails, forgives, kind):
        self.cls = cls
        self.children = children
        self.fails = fails
        self.forgives = forgives  # goes on after a child's failure
        self.kind = kind  # "step", or an operation of the library


class Grow(sw.Operation):
    def _forward(self, tensor, run):
        return run(tensor)


def tree_class(name):
    return type(name, (Listed,), {"__module__": __name__, "operations": {"grow": Grow}})


CLASSES = [tree_class(f"Tree{letter}") for letter in "ABCD"]
LIBRARY = [sw.Generic, sw.Evictable]


class Record:
    """What a node's execution must leave behind, noted by the test itself."""

    def __init__(self, node, parent):
        self.cls = node.cls
        self.name = "relu" if node.kind == "relu" else "add" if node.kind == "bad add" else "grow"
        self.parent = parent
        self.succeeded = None
        self.children = []


class Execution:
    def __init__(self):
        self.records = []
        self.current = None

    def begin(self, node):
        record = Record(node, self.current)
        if record.parent is not None:
            record.parent.children.append(record)
        self.records.append(record)
        return record

    def run(self, node):
        if node.kind == "grow":
            return self.run_python(node)
        record = self.begin(node)
        if node.kind == "bad add":
            record.succeeded = False
            return sw.add(vector([1.0]), "not a tensor")
        record.succeeded = True
        if node.cls is sw.Evictable:
            inner = Record(node, record)
            inner.cls, inner.succeeded = sw.Generic, True
            record.children.append(inner)
            self.records.append(inner)
            return sw.relu(evictable([1.0]))
        return sw.relu(vector([1.0]))

    def run_python(self, node):
        record = self.begin(node)

        def body(tensor):
            enclosing, self.current = self.current, record
            try:
                record.succeeded = False
                for child in node.children:
                    try:
                        self.run(child)
                    except (Boom, TypeError):
                        if not node.forgives:
                            raise
                if node.fails:
                    raise Boom()
                record.succeeded = True
                return tensor
            finally:
                self.current = enclosing

        tensor = vector([1.0], node.cls)
        return tensor.carrier.dispatch_op("grow").forward(tensor, body)


def random_node(chance, depth):
    if depth == 0 or chance.random() < 0.15:
        kind = chance.choice(["relu", "relu", "bad add", "grow"])
        if kind == "relu":
            return Node(chance.choice(LIBRARY), [], False, False, kind)
        if kind == "bad add":
            return Node(sw.Generic, [], True, False, kind)
        return Node(chance.choice(CLASSES), [], chance.random() < 0.3, False, kind)
    children = [random_node(chance, depth - 1) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    return Node(chance.choice(CLASSES), children, chance.random() < 0.2, chance.random() < 0.6, "grow")


def chain(chance, depth):
    node = random_node(chance, 0)
    for _ in range(depth - 1):
        node = Node(chance.choice(CLASSES), [node], chance.random() < 0.02, chance.random() < 0.5, "grow")
    return node


def random_filter(chance):
    if chance.random() < 0.3:
        return None
    every = CLASSES + LIBRARY
    return chance.sample(every, chance.randint(0, len(every)))


def execute(trees, carriers, **options):
    execution = Execution()
    with sw.profile(carriers=carriers, **options) as profiler:
        for tree in trees:
            try:
                execution.run(tree)
            except (Boom, TypeError):
                pass
    return profiler, execution.records


def selected_ancestor(record, carriers):
    record = record.parent
    while record is not None and carriers is not None and record.cls not in carriers:
        record = record.parent
    return record


def check_events(profiler, records, carriers):
    events = profiler.events()
    selected = [record for record in records if carriers is None or record.cls in carriers]
    assert len(events) == len(selected)
    by_record = dict(zip(map(id, selected), events))
    for place, (event, record) in enumerate(zip(events, selected)):
        ancestor = selected_ancestor(record, carriers)
        assert event.id == place
        assert (event.name, event.carrier_type, event.succeeded) == (record.name, record.cls, record.succeeded)
        assert event.parent_id == (None if ancestor is None else by_record[id(ancestor)].id)
        assert 0 <= event.self_time_ns <= event.duration_ns
        if not record.children:
            assert event.self_time_ns == event.duration_ns
        if all(id(child) in by_record for child in record.children):
            nested = sum(by_record[id(child)].duration_ns for child in record.children)
            assert event.self_time_ns == event.duration_ns - nested
    return events


def check_times(events):
    """A child lies within its parent; those of one parent follow each other; a parent pays for none of them."""
    ends, paid = {None: 0}, {}
    for event in events:
        assert event.start_time_ns >= ends.get(event.parent_id, 0)
        end = event.start_time_ns + event.duration_ns
        ends[event.parent_id] = end
        ends[event.id] = event.start_time_ns
        paid[event.parent_id] = paid.get(event.parent_id, 0) + event.duration_ns
        if event.parent_id is not None:
            parent = events[event.parent_id]
            assert parent.start_time_ns <= event.start_time_ns
            assert end <= parent.start_time_ns + parent.duration_ns
    for event in events:
        assert event.self_time_ns <= event.duration_ns - paid.get(event.id, 0)


def check_aggregates(profiler, events):
    rows = profiler.key_averages()
    assert sum(row.count for row in rows) == len(events)
    for row in rows:
        own = [event for event in events if (event.name, event.carrier_type) == (row.name, row.carrier_type)]
        durations = [event.duration_ns for event in own]
        assert row.count == len(own)
        assert row.total_time_ns == sum(durations)
        assert row.self_total_time_ns == sum(event.self_time_ns for event in own)
        assert row.mean_time_ns == sum(durations) / len(own)
        assert (row.min_time_ns, row.max_time_ns) == (min(durations), max(durations))
    keys = [(row.name, row.carrier_type.__module__, row.carrier_type.__qualname__) for row in rows]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("seed", range(60))
def test_random_trees(seed):
    # Covers: 5.1, 5.2, 8.1, 8.2, 8.3, 8.5, 8.6, 10.5, 10.7, 10.8, 10.9
    chance = random.Random(seed)
    carriers = random_filter(chance)
    trees = [random_node(chance, chance.randint(1, 6)) for _ in range(chance.randint(1, 5))]
    profiler, records = execute(trees, carriers, record_shapes=chance.random() < 0.5)
    events = check_events(profiler, records, carriers)
    check_times(events)
    check_aggregates(profiler, events)


@pytest.mark.parametrize("seed", range(20))
def test_deep_chains(seed):
    # Covers: 8.2, 8.3, 8.6, 8.7
    chance = random.Random(1000 + seed)
    carriers = random_filter(chance)
    depth = MAX_DEPTH if seed < 10 else chance.randint(10, MAX_DEPTH)
    profiler, records = execute([chain(chance, depth) for _ in range(2)], carriers)
    assert len(records) >= 2 * depth
    events = check_events(profiler, records, carriers)
    check_times(events)
    check_aggregates(profiler, events)


def test_what_is_not_seen_is_the_same():
    """A Profiler changes nothing of what the program does."""
    for seed in range(20):
        chance = random.Random(seed)
        trees = [random_node(chance, 5) for _ in range(3)]
        _, seen = execute(trees, None)
        unseen = Execution()
        for tree in trees:
            try:
                unseen.run(tree)
            except (Boom, TypeError):
                pass
        assert [(r.name, r.cls, r.succeeded) for r in seen] == [(r.name, r.cls, r.succeeded) for r in unseen.records]
