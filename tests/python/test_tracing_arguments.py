# SPDX-License-Identifier: LGPL-2.1-or-later
"""What events of a TraceContext take as names and arguments: the same with the module of C and without it."""
import gc
import sys
import weakref

import numpy
import pytest
from strideweave import MemoryCollector, Shape, TraceContext, TraceVerbosity


@pytest.fixture
def memory():
    return MemoryCollector(100000)


@pytest.fixture
def context(memory):
    return TraceContext(memory)


def recorded(memory, context, value):
    with context.span("span", key=value):
        pass
    context.flush()
    result = memory.events()[-1].arguments["key"]
    return type(result), result


class Text(str):
    def __call__(self):
        return "called"


class Whole(int):
    pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        ("", ""),
        ("é\N{SNOWMAN}", "é\N{SNOWMAN}"),
        ("half \ud800", "half ?"),
        ("a\0b", "ab"),
        (Text("text"), "called"),
        (0, 0),
        (2**63 - 1, 2**63 - 1),
        (2**63, 2**63),
        (2**64 - 1, 2**64 - 1),
        (-(2**63), -(2**63)),
        (Whole(7), 7),
        (numpy.int32(-3), -3),
        (numpy.uint64(2**64 - 1), 2**64 - 1),
        (True, True),
        (False, False),
        (0.25, 0.25),
        (float("inf"), float("inf")),
        (numpy.float32(0.5), 0.5),
        ((2, (3, 4)), "(2, (3, 4))"),
        ((), "()"),
        ((0, (3, 0)), "(0, (3, 0))"),
        (Shape(0, 3), "(0, 3)"),
        ([2, [3, 4]], "(2, (3, 4))"),
        ((numpy.int64(2), 3), "(2, 3)"),
        ((1,) * 80, str((1,) * 80)),
        (Shape(2, (3, 4)), "(2, (3, 4))"),
        (lambda: 1, 1),
        (lambda: (1, 2), "(1, 2)"),
    ],
    ids=repr,
)
def test_values(memory, context, value, expected):
    assert recorded(memory, context, value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (2**64, ValueError, "key is 18446744073709551616, which does not fit into 64 bits"),
        (-(2**63) - 1, ValueError, "key is -9223372036854775809, which does not fit into 64 bits"),
        (None, TypeError, "argument 'key' must be a str, number, bool or shape, not NoneType"),
        (1j, TypeError, "not complex"),
        (b"bytes", TypeError, "not bytes"),
        (lambda: len, TypeError, "not builtin_function_or_method"),
        ((2, -1), ValueError, "key is -1, but must be at least 0"),
        ((2**62, 4), ValueError, r"argument 'key': shape \(4611686018427387904, 4\) has more than"),
        ((2, 1.5), TypeError, "key"),
        ((True, 2), TypeError, "key"),
    ],
)
def test_impossible_values(memory, context, value, error, message):
    for emit in (lambda: context.span("span", key=value).__enter__(), lambda: context.instant("instant", key=value)):
        with pytest.raises(error, match=message):
            emit()
    with context.span("open") as span:
        with pytest.raises(error, match=message):
            span.annotate(key=value)
    context.flush()
    assert [event.name for event in memory.events()] == ["open"]


@pytest.mark.parametrize("given", [1, "text", (1, 2), lambda: [1]])
def test_arguments_that_are_no_dict(context, given):
    with pytest.raises(TypeError, match="arguments must be a dict, or a function that returns one, not"):
        context.instant("instant", given)


@pytest.mark.parametrize("key", ["a\0b", "half \ud800", 3])
def test_impossible_keys(context, key):
    with pytest.raises((TypeError, ValueError), match="the name of an argument"):
        context.instant("instant", {key: 1})


def test_impossible_calls(context):
    for call, error in (
        (lambda: context.span(), TypeError),
        (lambda: context.span(1), TypeError),
        (lambda: context.span("a\0"), ValueError),
        (lambda: context.span("a", {}, 3), TypeError),
        (lambda: context.span("a", name="b"), TypeError),
        (lambda: context.span("a", category=1), TypeError),
        (lambda: context.span("a", category="\0"), ValueError),
        (lambda: context.span("a", level=2), TypeError),
        (lambda: context.span("a", level=TraceVerbosity.NONE), ValueError),
        (lambda: context.instant("a", level=None), TypeError),
        (lambda: context.counter("a"), TypeError),
        (lambda: context.counter("a", True), TypeError),
        (lambda: context.counter("a", "1"), TypeError),
        (lambda: context.counter("a", lambda: "1"), TypeError),
        (lambda: context.counter("a", 2**63), ValueError),
        (lambda: context.counter("a", 1, category="b"), TypeError),
        (lambda: context.annotate(1), TypeError),
        (lambda: context.span("a").annotate(1), TypeError),
        (lambda: context.span("a")(1), TypeError),
        (lambda: context.span("a")(len, more=1), TypeError),
        (lambda: context.span("a").__exit__(), TypeError),
    ):
        with pytest.raises(error):
            call()
    assert context.emitted_count == 0


def test_keywords_in_every_way(memory, context):
    many = {f"key{i}": i for i in range(40)}
    with context.span(name="named", arguments={"a": 1}, category="test", level=TraceVerbosity.DECISIONS, b=2) as named:
        pass
    assert (named.name, named.category, named.level, named.context) == ("named", "test", TraceVerbosity.DECISIONS, context)
    with context.span("many", **many) as span:
        pass
    assert span.category is None and repr(span) == "TraceSpan('many')"
    with context.span("both", {"a": 1, "b": lambda: 2}, b=3, **{"".join(["cate", "gory"]): "joined"}):
        pass
    context.instant("many", many, **{f"more{i}": -i for i in range(20)})
    context.counter("counter", value=3)
    context.flush()
    first, second, third, instant, counter = memory.events()
    assert (first.category, first.arguments) == ("test", {"a": 1, "b": 2})
    assert second.arguments == many
    assert (third.category, third.arguments) == ("joined", {"a": 1, "b": 3})
    assert len(instant.arguments) == 60 and counter.value == 3


def test_names_that_are_made_up(memory, context):
    """None of them is taken for another, however often it comes, and whatever the category."""
    expected = []
    for i in range(6000):
        name, category = f"request {i % 5000}", ("a", "b", None)[i % 3]
        with context.span(name, category=category):
            pass
        expected.append((name, category or ""))
    for length in (250, 300, 70000):
        for _ in range(3):
            context.instant("x" * length)
            expected.append(("x" * length, ""))
    context.instant(Text("subclass"))
    expected.append(("subclass", ""))
    context.flush()
    assert [(event.name, event.category) for event in memory.events()] == expected


def test_a_span_is_entered_again(memory, context):
    span = context.span("span", n=1)
    with span:
        with pytest.raises(RuntimeError, match="entered already"):
            span.__enter__()
    context.enabled = False
    with span:
        pass
    context.enabled = True
    with span:
        pass
    context.flush()
    assert [event.arguments for event in memory.events()] == [{"n": 1}] * 2


def test_a_failing_argument_leaves_nothing_open(memory, context):
    failure = KeyError("lazy")

    def fail():
        raise failure

    for make in (lambda: context.span("span", fail), lambda: context.span("span", {"a": "x", "key": fail}, b=fail)):
        with pytest.raises(KeyError) as caught:
            with make():
                pass
        assert caught.value is failure
    with pytest.raises(KeyError):
        context.counter("counter", fail)
    with context.span("after"):
        pass
    context.flush()
    assert [(event.name, event.depth) for event in memory.events()] == [("after", 0)]


def test_a_span_in_a_cycle_goes_away(context):
    class Owner:
        pass

    for make in (lambda owner: context.span("span", key=lambda: owner), lambda owner: context.span("span", lambda: owner)):
        owner = Owner()
        owner.span = make(owner)
        gone = weakref.ref(owner)
        del owner
        gc.collect()
        assert gone() is None


def test_references_are_given_back(context):
    values = [object.__repr__(object()), 2**80 % 2**64, 3.75, (2, 3), Shape(2, 3)]
    keys = {"".join(["ke", "y", str(i)]): value for i, value in enumerate(values)}
    held = [*values, *keys, keys, context]
    before = [sys.getrefcount(value) for value in held]
    for _ in range(200):
        with context.span("span", keys, **keys) as span:
            span.annotate(**keys)
        context.instant("instant", lambda: keys, other=values[0])
        context.counter("counter", values[2])
        with pytest.raises(TypeError):
            context.instant("instant", keys, bad=None)
        context.span("never entered", keys, **keys)
    del span, _
    gc.collect()
    after = [sys.getrefcount(value) for value in held]
    assert max(b - a for a, b in zip(before, after)) <= 1

