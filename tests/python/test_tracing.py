# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracing from Python: spans as contexts and decorators, lazy arguments, collectors that are written in Python."""
import asyncio
import gc
import json
import subprocess
import sys
import threading
import weakref

import pytest
from strideweave import (
    Collector,
    FileCollector,
    MemoryCollector,
    Shape,
    StrideweaveError,
    TraceContext,
    TraceEventKind,
    TraceFormat,
    TraceVerbosity,
)


@pytest.fixture
def memory():
    return MemoryCollector(10000)


@pytest.fixture
def context(memory):
    return TraceContext(memory)


def names(memory):
    return [event.name for event in memory.events()]


def only(memory):
    (event,) = memory.events()
    return event


def test_span(context, memory):
    with context.span("outer", category="test", level=TraceVerbosity.DECISIONS, n=1) as outer:
        with context.span("inner"):
            pass
        outer.annotate(later="yes")
    inner, outer = memory.events()
    assert (outer.name, outer.category, outer.level, outer.depth) == ("outer", "test", TraceVerbosity.DECISIONS, 0)
    assert outer.arguments == {"n": 1, "later": "yes"}
    assert (inner.name, inner.category, inner.depth, inner.kind) == ("inner", "", 1, TraceEventKind.SPAN)
    assert outer.start_ns <= inner.start_ns <= inner.start_ns + inner.duration_ns <= outer.start_ns + outer.duration_ns
    assert not outer.interrupted and outer.thread_id == inner.thread_id


def test_arguments(context, memory):
    with context.span(
        "span",
        {"name": "key", "lazy": lambda: "value"},
        text="\0a\n",
        big=2**64 - 1,
        small=-(2**63),
        real=0.5,
        yes=True,
        shape=(2, (3, 4)),
        own=Shape(5),
    ):
        pass
    assert only(memory).arguments == {
        "name": "key",
        "lazy": "value",
        "text": "a\n",
        "big": 2**64 - 1,
        "small": -(2**63),
        "real": 0.5,
        "yes": True,
        "shape": "(2, (3, 4))",
        "own": "(5,)" if only(memory).arguments["own"] == "(5,)" else "5",
    }


def test_lazy_arguments(context, memory):
    calls = []

    def describe():
        calls.append("dict")
        return {"n": lambda: calls.append("value") or 1}

    with context.span("span", describe):
        assert calls == ["dict", "value"]
    context.instant("instant", describe, more=lambda: 2)
    assert calls == ["dict", "value"] * 2
    context.verbosity = TraceVerbosity.DECISIONS
    with context.span("unseen", describe, more=describe):
        context.annotate(more=lambda: 1)
    context.instant("unseen", describe)
    context.counter("unseen", describe)
    context.async_span("unseen", describe).end()
    context.enabled = False
    with context.span("unseen", describe, level=TraceVerbosity.DECISIONS):
        context.annotate(more=describe)
    assert calls == ["dict", "value"] * 2
    assert names(memory) == ["span", "instant"]


def test_other_kinds(context, memory):
    context.instant("instant", category="test", n=1)
    context.counter("real", 0.5)
    context.counter("integer", lambda: -(2**62))
    with context.async_span("block", n=2):
        pass
    span = context.async_span("elsewhere")
    thread = threading.Thread(target=span.end)
    thread.start()
    thread.join()
    span.end()
    kinds = [(event.kind, event.name, event.value) for event in memory.events()]
    assert sorted(kinds) == sorted(
        [
            (TraceEventKind.INSTANT, "instant", 0.0),
            (TraceEventKind.COUNTER, "real", 0.5),
            (TraceEventKind.COUNTER, "integer", -(2.0**62)),
            (TraceEventKind.ASYNC_SPAN, "block", 0.0),
            (TraceEventKind.ASYNC_SPAN, "elsewhere", 0.0),
        ]
    )


def test_flows_lead_from_span_to_span(context, memory):
    with context.span("from"):
        flow = context.flow_start()
    thread = threading.Thread(target=lambda: context.span("through")(lambda: context.flow_step(flow))())
    thread.start()
    thread.join()
    with context.span("to"):
        context.flow_end(flow)
    assert flow > 0
    assert [len(event.dup_flows().unpack()) for event in memory.events()] == [1, 1, 1]
    context.verbosity = TraceVerbosity.DECISIONS
    assert context.flow_start() == 0
    context.flow_end(0)
    with pytest.raises(TypeError, match="level must be a TraceVerbosity"):
        context.flow_start(level=2)
    with pytest.raises(TypeError, match="flow must be an int"):
        context.flow_step("x")


def test_exceptions_pass_through_and_are_told_by_their_class(context, memory):
    failure = ValueError("secret 1234.5")
    with pytest.raises(ValueError) as caught, context.span("span"):
        raise failure
    assert caught.value is failure
    assert only(memory).arguments == {"failed": True, "error": "ValueError"}


def test_function(context, memory):
    @context.traced
    def double(number, *, plus=0):
        "Doubles."
        return 2 * number + plus

    @context.traced(name="named", category="test", level=TraceVerbosity.DECISIONS)
    def fail():
        raise KeyError

    assert double(2, plus=1) == 5
    assert (double.__name__, double.__doc__) == ("double", "Doubles.")
    with pytest.raises(KeyError):
        fail()
    doubled, failed = memory.events()
    assert doubled.name == "test_function.<locals>.double" and doubled.arguments == {}
    assert (failed.name, failed.category, failed.arguments["failed"]) == ("named", "test", True)


def test_methods(context, memory):
    class Thing:
        @context.traced(name="method")
        def method(self):
            return self

        @context.traced(name="static")
        @staticmethod
        def static():
            return 1

        @context.traced(name="class")
        @classmethod
        def make(cls):
            return cls()

    thing = Thing.make()
    assert thing.method() is thing and thing.static() == 1
    assert names(memory) == ["class", "method", "static"]


def test_generator(context, memory):
    @context.traced(name="numbers")
    def numbers():
        got = yield 1
        yield got
        return "end"

    generator = numbers()
    assert names(memory) == []
    assert next(generator) == 1 and generator.send(7) == 7
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "end"
    # Each run of the body, none of which failed.
    assert [(event.name, event.arguments) for event in memory.events()] == [("numbers", {})] * 3


def test_coroutines_that_take_turns_do_not_nest(context, memory):
    @context.traced(name="worker")
    async def work(n):
        for _ in range(n):
            await asyncio.sleep(0)
        return n

    async def both():
        return await asyncio.gather(work(3), work(2))

    assert asyncio.run(both()) == [3, 2]
    events = memory.events()
    assert [event.depth for event in events] == [0] * 7
    assert context.misplaced_end_count == 0
    assert all(a.start_ns + a.duration_ns <= b.start_ns for a, b in zip(events, events[1:]))


def test_async_span_over_an_await_overlaps_others(context, memory):
    async def request(name, n):
        async with context.async_span(name):
            for _ in range(n):
                await asyncio.sleep(0)

    async def both():
        await asyncio.gather(request("a", 3), request("b", 2))

    asyncio.run(both())
    b, a = memory.events()
    assert (a.name, b.name) == ("a", "b") and a.start_ns < b.start_ns < b.start_ns + b.duration_ns
    assert b.start_ns < a.start_ns + a.duration_ns


def test_asynchronous_spans_are_around_nothing_of_other_tasks(context, memory):
    async def request():
        async with context.async_span("request"):
            await asyncio.sleep(0)
            with context.span("own"):
                pass

    async def other():
        with context.span("other"):
            with context.span("inner"):
                pass

    async def both():
        await asyncio.gather(request(), other())

    asyncio.run(both())
    assert {event.name: event.depth for event in memory.events() if event.kind == TraceEventKind.SPAN} == {
        "other": 0, "inner": 1, "own": 0}


def test_a_span_of_an_object_lasts_from_call_to_call(context, memory):
    """It has no block around it, and other spans begin and end meanwhile."""
    class Job:
        def start(self):
            self.span = context.span("job").__enter__()

        def finish(self):
            self.span.__exit__(None, None, None)

    job = Job()
    with context.span("first frame"):
        job.start()
    with context.span("second frame"):
        pass
    with context.span("third frame"):
        job.finish()
    first, second, whole, third = memory.events()
    assert [event.name for event in (first, second, whole, third)] == ["first frame", "second frame", "job", "third frame"]
    assert first.start_ns <= whole.start_ns < first.start_ns + first.duration_ns <= second.start_ns
    assert third.start_ns <= whole.start_ns + whole.duration_ns <= third.start_ns + third.duration_ns
    assert (second.depth, third.depth) == (0, 0) and not any(event.interrupted for event in memory.events())


def test_switched_off_inside(context, memory):
    with context.span("span"):
        context.enabled = False
    assert only(memory).interrupted
    context.enabled = True
    with context.span("span"):
        context.collector = None
        assert context.collector is None
    assert len(memory.events()) == 2


def test_end_on_another_thread_disturbs_nobody(context):
    span = context.span("span")
    span.__enter__()
    thread = threading.Thread(target=lambda: span.__exit__(None, None, None))
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda c: c.span(1), TypeError, "name must be a str, not int"),
        (lambda c: c.span("a\0"), ValueError, "NUL"),
        (lambda c: c.span("a", category=1), TypeError, "category must be a str"),
        (lambda c: c.span("a", level=2), TypeError, "level must be a TraceVerbosity, not int"),
        (lambda c: c.span("a", level=TraceVerbosity.NONE), ValueError, "level is NONE"),
        (lambda c: c.span("a", 5).__enter__(), TypeError, "arguments must be a dict"),
        (lambda c: c.span("a", n=object()).__enter__(), TypeError, "argument 'n' must be a str, number, bool or shape, not object"),
        (lambda c: c.span("a", n=2**64).__enter__(), ValueError, "does not fit into 64 bits"),
        (lambda c: c.span("a", n=(1, "x")).__enter__(), TypeError, "n must be an int"),
        (lambda c: c.span("a", n=(-1,)).__enter__(), ValueError, "n is -1, but must be at least 0"),
        (lambda c: c.span("a", {1: 2}).__enter__(), TypeError, "the name of an argument must be a str"),
        (lambda c: c.instant("a", n=[None]), TypeError, "n must be an int"),
        (lambda c: c.counter("a", "x"), TypeError, "value must be a number, not str"),
        (lambda c: c.counter("a", True), TypeError, "value must be a number, not bool"),
        (lambda c: c.traced(5), TypeError, "traced decorates a function, not int"),
        (lambda c: c.span("a")(5), TypeError, "a span decorates a function, not int"),
        (lambda c: c.annotate(n=object()), TypeError, "argument 'n'"),
        (lambda c: setattr(c, "verbosity", 2), TypeError, "verbosity must be a TraceVerbosity"),
        (lambda c: setattr(c, "enabled", 1), TypeError, "enabled must be a bool, not int"),
        (lambda c: setattr(c, "collector", 1), TypeError, "a Collector or None"),
        (lambda c: MemoryCollector(0), ValueError, "capacity is 0"),
        (lambda c: MemoryCollector("x"), TypeError, "capacity must be an int"),
        (lambda c: FileCollector("/no/such/folder/x", TraceFormat.JSONL), OSError, "/no/such/folder"),
        (lambda c: FileCollector("x", 1), TypeError, "format must be a TraceFormat"),
        (lambda c: c.is_on(1), TypeError, "level must be a TraceVerbosity"),
    ],
)
def test_bad_input(context, call, error, message):
    with pytest.raises(error, match=message):
        call(context)


def test_a_span_cannot_be_entered_twice(context):
    with context.span("span") as span, pytest.raises(RuntimeError, match="entered already"):
        span.__enter__()


class Keeping(Collector):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.calls = []

    def do_emit(self, event):
        if event.name.startswith("fail"):
            raise KeyError(event.name)
        if event.name == "refused":
            return False
        if event.name == "nonsense":
            return 5
        self.seen.append(event)

    def do_flush(self):
        self.calls.append("flush")

    def do_close(self):
        self.calls.append("close")


def test_collector_in_python():
    collector = Keeping()
    context = TraceContext(collector)
    for name in ("one", "refused", "two"):
        context.instant(name, n=1)
    context.flush()
    assert [(event.name, event.arguments) for event in collector.seen] == [("one", {"n": 1}), ("two", {"n": 1})]
    assert (collector.event_count, collector.dropped_count) == (2, 1)
    assert collector.calls == ["flush"]
    collector.close()
    assert collector.is_closed and collector.calls[-1] == "close" and context.collector is None


def test_exceptions_of_a_collector_come_up_at_the_next_flush():
    collector = Keeping()
    context = TraceContext(collector)
    for name in ("fail 1", "fail 2", "fine"):
        context.instant(name)
    with pytest.raises(KeyError, match="fail 1"):
        context.flush()
    context.flush()
    context.instant("fail 3")
    with pytest.raises(KeyError, match="fail 3"):
        collector.close()
    assert [event.name for event in collector.seen] == ["fine"]
    assert (collector.event_count, collector.dropped_count) == (1, 3)


def test_nonsense_from_a_collector_is_a_type_error():
    context = TraceContext(Keeping())
    context.instant("nonsense")
    with pytest.raises(TypeError, match=r"do_emit\(\) must return a bool or None, not int"):
        context.flush()


def test_failures_that_nobody_asks_for_do_not_pile_up():
    from gi.overrides._strideweave import errors

    collector = Keeping()
    context = TraceContext(collector)
    before = len(errors._pending)
    for _ in range(1000):
        context.instant("fail")
    while collector.dropped_count < 1000:
        with pytest.raises(KeyError):
            context.flush()
    assert len(errors._pending) == before


def test_events_of_other_threads_reach_a_collector_in_python():
    collector = Keeping()
    context = TraceContext(collector)

    def work(n):
        for _ in range(50):
            with context.span(f"thread {n}"):
                pass

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context.flush()
    assert sorted(event.name for event in collector.seen) == sorted([f"thread {n}" for n in range(4)] * 50)
    assert len({event.lane_id for event in collector.seen}) == 4


def test_nothing_is_leaked(memory):
    context = TraceContext(Keeping())
    collector = weakref.ref(context.collector)

    def body():
        pass

    traced = context.traced(body)
    traced()
    function = weakref.ref(body)
    context.flush()
    del traced, body, context
    gc.collect()
    assert function() is None and collector() is None


def test_file(tmp_path):
    path = tmp_path / "trace.jsonl"
    with FileCollector(path, TraceFormat.JSONL) as collector:
        context = TraceContext(collector)
        context.process_name = "tested"
        with context.span("räksmörgås", n=1):
            pass
        assert collector.path == str(path) and collector.format == TraceFormat.JSONL
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(line.get("name") == "räksmörgås" for line in lines)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(StrideweaveError):
        FileCollector(tmp_path, TraceFormat.JSONL)


AT_EXIT = """
import strideweave as sw

class Printing(sw.Collector):
    def do_emit(self, event):
        print(event.name)

printing = sw.TraceContext(Printing())
printing.instant("arrives")
sw.TraceContext.get_default().collector = Printing()
sw.TraceContext.get_default().instant("arrives, too")
kept = sw.TraceContext(sw.MemoryCollector(10))
kept.collector.note = "a wrapper that Python keeps"
kept.instant("nowhere")
written = sw.TraceContext(sw.FileCollector("trace.jsonl", sw.TraceFormat.JSONL))
written.instant("in the file")
"""


def test_what_is_recorded_at_the_end_of_the_program_arrives(tmp_path):
    done = subprocess.run([sys.executable, "-c", AT_EXIT], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == ["arrives", "arrives, too"]
    assert "in the file" in (tmp_path / "trace.jsonl").read_text()


def test_default_context():
    assert TraceContext.get_default() is TraceContext.get_default()
    assert isinstance(TraceContext.get_default(), TraceContext)
    assert TraceContext.get_default().collector is None
    assert not TraceContext.get_default().is_on(TraceVerbosity.DECISIONS)
