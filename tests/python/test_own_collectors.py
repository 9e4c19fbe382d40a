# SPDX-License-Identifier: LGPL-2.1-or-later
"""Collectors that are written in Python: many events in one call, and those that are bound to a thread."""
import subprocess
import sys
import threading
import time

import pytest
import strideweave as sw
from gi.repository import GLib
from strideweave import CompositeCollector, MemoryCollector, TraceContext


class Own(sw.Collector):
    def __init__(self, on_emit=None):
        super().__init__()
        self.on_emit = on_emit
        self.events = []
        self.threads = set()
        self.calls = []

    def do_emit(self, event):
        self.threads.add(threading.get_ident())
        self.events.append(event)
        return self.on_emit and self.on_emit(event)

    def do_flush(self):
        self.calls.append("flush")

    def do_close(self):
        self.calls.append("close")

    @property
    def names(self):
        return [event.name for event in self.events]


class Many(sw.Collector):
    def __init__(self, on_emit=None):
        super().__init__()
        self.on_emit = on_emit
        self.batches = []

    def do_emit_many(self, events):
        self.batches.append(events)
        return self.on_emit and self.on_emit(events)

    @property
    def names(self):
        return [event.name for batch in self.batches for event in batch]


def emit(context, *names):
    for name in names:
        context.instant(name)


def test_several_at_once():
    many = Many()
    context = TraceContext(many)
    emit(context, *(f"event {i}" for i in range(5000)))
    context.flush()
    assert many.names == [f"event {i}" for i in range(5000)]
    assert len(many.batches) < 20 and all(type(batch) is list for batch in many.batches)
    assert (many.event_count, many.dropped_count) == (5000, 0)


def test_refused():
    many = Many(lambda events: [many.refuse(place) for place, event in enumerate(events) if event.name == "bad"] and None)
    memory = MemoryCollector(1)
    composite = CompositeCollector([many, memory])
    context = TraceContext(composite)
    emit(context, "bad", "good", "bad", "good")
    context.flush()
    assert (many.event_count, many.dropped_count) == (2, 2)
    assert (composite.event_count, composite.dropped_count) == (3, 1)
    many.on_emit = lambda events: False
    emit(context, "good")
    context.flush()
    assert (many.event_count, many.dropped_count) == (2, 3)
    with pytest.raises(RuntimeError, match="is not in emit_many on this thread"):
        many.refuse(0)
    for index, error in ((-1, IndexError), (2**32, IndexError), ("0", TypeError), (1.0, TypeError)):
        with pytest.raises(error):
            many.refuse(index)


@pytest.mark.parametrize("cls", [Own, Many])
def test_events_are_kept_whatever_happens(cls):
    """What a failing call was given, too."""
    failure = KeyError("mine")

    def fail(_):
        raise failure

    collector = cls(fail)
    context = TraceContext(collector)
    emit(context, *(f"event {i}" for i in range(100)))
    with pytest.raises(KeyError) as caught:
        context.flush()
    assert caught.value is failure
    assert (collector.event_count, collector.dropped_count) == (0, 100)
    others = TraceContext(MemoryCollector(1000))
    emit(others, *(f"another {i}" for i in range(1000)))
    others.collector.clear()
    assert collector.names == [f"event {i}" for i in range(100)]
    context.flush()


def test_an_exception_after_several_that_came_out_as_one():
    def fail(failure):
        def on_emit(event):
            raise failure

        return on_emit

    owns = [Own(), Own()]
    context = TraceContext(CompositeCollector(owns))
    for _ in range(20):
        for i, own in enumerate(owns):
            own.on_emit = fail(KeyError(f"mine {i}"))
        emit(context, "bad", "bad")
        with pytest.raises(sw.StrideweaveError, match="2 of 2 collectors failed: .*mine 0.*mine 1"):
            context.flush()
        failure = KeyError("alone")
        owns[0].on_emit, owns[1].on_emit = fail(failure), None
        emit(context, "bad")
        with pytest.raises(KeyError) as caught:
            context.flush()
        assert caught.value is failure
        context.flush()


def test_each_event_counts_for_itself():
    def choose(event):
        if event.name == "bad":
            raise ValueError(event.name)
        return event.name != "refused"

    own = Own(choose)
    context = TraceContext(own)
    emit(context, "good", "bad", "refused", "bad", "good")
    with pytest.raises(ValueError, match="bad"):
        context.flush()
    assert (own.event_count, own.dropped_count) == (2, 3)
    own.on_emit = lambda event: 1
    emit(context, "nonsense")
    with pytest.raises(TypeError, match=r"Own.do_emit\(\) must return a bool or None, not int"):
        context.flush()


def test_nothing_comes_after_it_closed_itself():
    own = Own(lambda event: own.close() if event.name == "close" else None)
    context = TraceContext(own)
    emit(context, "before", "close", "behind", "behind")
    context.flush()
    assert own.names == ["before", "close"] and own.calls[-1] == "close"
    assert (own.event_count, own.dropped_count) == (2, 2)


def test_classes_of_classes():
    class Derived(Own):
        def do_emit(self, event):
            super().do_emit(event)
            self.calls.append(event.name)

    class Plain(Derived):
        pass

    class Other(Many):
        def do_emit(self, event):
            self.batches.append([event])

    for cls, calls in ((Derived, ["one", "two"]), (Plain, ["one", "two"])):
        collector = cls()
        with TraceContext(collector).span("two"):
            TraceContext(collector).instant("one")
        collector.flush()
        assert sorted(collector.names) == sorted(collector.calls[:2]) == sorted(calls)
    other = Other()
    emit(TraceContext(other), "one", "two")
    other.flush()
    assert other.names == ["one", "two"] and [len(batch) for batch in other.batches] == [1, 1]
    with pytest.raises(TypeError, match="do_emit_many must be a method, not int"):
        type("Bad", (sw.Collector,), {"do_emit_many": 5})


def test_busy_threads_lose_nothing_silently():
    own = Own()
    context = TraceContext(own)
    until = time.monotonic() + 0.5

    def work():
        while time.monotonic() < until:
            with context.span("work"):
                sum(range(100))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context.flush()
    assert own.event_count == len(own.events) == context.emitted_count - context.dropped_count
    assert own.dropped_count == context.dropped_count


def test_bound_to_a_thread():
    own = Own()
    own.bind_to_thread()
    context = TraceContext(own)
    thread = threading.Thread(target=lambda: [emit(context, "there"), context.flush()])
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and own.events == []
    while own.calls == []:
        GLib.MainContext.default().iteration(True)
    emit(context, "here")
    context.flush()
    assert own.names == ["there", "here"] and own.threads == {threading.get_ident()}
    assert own.calls == ["flush", "flush"]
    own.on_emit = lambda event: 1 / 0
    emit(context, "bad")
    with pytest.raises(ZeroDivisionError):
        own.close()
    assert own.calls[-1] == "close" and (own.event_count, own.dropped_count) == (2, 1)
    with pytest.raises(RuntimeError, match="is closed"):
        own.bind_to_thread()
    with pytest.raises(NotImplementedError, match="cannot be bound"):
        MemoryCollector(1).bind_to_thread()


def test_bound_to_another_thread():
    """Which has a main context of its own, and ends."""
    made = threading.Event()
    enough = threading.Event()
    collectors = []

    def run():
        main = GLib.MainContext.new()
        main.push_thread_default()
        collectors.append(Own())
        collectors[0].bind_to_thread()
        made.set()
        while not enough.is_set() or len(collectors[0].events) < 50:
            main.iteration(False)
        collectors[0].close()
        main.pop_thread_default()

    thread = threading.Thread(target=run)
    thread.start()
    made.wait(60)
    context = TraceContext(collectors[0])
    emit(context, *["seen"] * 50)
    context.flush()
    enough.set()
    thread.join(60)
    assert not thread.is_alive() and context.collector is None
    assert collectors[0].names == ["seen"] * 50 and collectors[0].threads == {thread.ident}


@pytest.mark.parametrize("bound", [False, True])
def test_closed_when_python_ends(bound):
    program = f"""
import strideweave as sw

class Last(sw.Collector):
    seen = 0
    def do_emit(self, event):
        self.seen += 1
    def do_close(self):
        print("closed after", self.seen)

last = Last()
if {bound}:
    last.bind_to_thread()
context = sw.TraceContext(last)
for _ in range(3000):
    context.instant("seen")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed after 3000\n", "")
