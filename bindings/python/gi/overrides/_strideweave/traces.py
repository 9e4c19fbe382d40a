# SPDX-License-Identifier: LGPL-2.1-or-later
"""TraceContext: spans as contexts and as decorators of functions, coroutines and generators.

With the extension, spans and the methods that programs call all the time are its own; what is given in an odd way, and what
is wrong with it, is here for both.
"""
import atexit
import functools
import inspect
import numbers
import warnings
import weakref

from gi.repository import GLib

from .collectors import Collector, FileCollector, IttCollector, SysprofCollector
from .errors import StrideweaveError, call, check_bool, check_instance, check_name, raw, sayable, type_name
from .extension import extension
from .layouts import Shape
from .registry import register
from .threads import begin_to_record, set_thread_name
from .trees import integer, tokens_of
from .zones import wrap

_OPERATIONS = raw.TraceVerbosity.OPERATIONS
# How a body is left that goes on later, or is done.
_NO_FAILURES = StopIteration, StopAsyncIteration, GeneratorExit


def _variant_of_shape(tree):
    if isinstance(tree, tuple):
        return GLib.Variant.new_tuple(*map(_variant_of_shape, tree))
    return GLib.Variant.new_int64(tree)


def _variant(key, value):
    return _variant_of(key, value() if callable(value) else value)


def _variant_of(key, value):
    if isinstance(value, str):
        return GLib.Variant.new_string(sayable(value))
    if isinstance(value, bool):
        return GLib.Variant.new_boolean(value)
    if isinstance(value, numbers.Integral):
        number = int(value)
        if 2**63 <= number < 2**64:
            return GLib.Variant.new_uint64(number)
        return GLib.Variant.new_int64(integer(number, key))
    if isinstance(value, numbers.Real):
        return GLib.Variant.new_double(float(value))
    if isinstance(value, Shape):
        value = value.top_level
    if isinstance(value, (tuple, list)):
        tokens_of(value, key, 0)
        return _variant_of_shape(_tuples(value))
    raise TypeError(f"argument {key!r} must be a str, number, bool or shape, not {type_name(value)}")


def _tuples(items):
    return tuple(_tuples(item) if isinstance(item, (tuple, list)) else int(item) for item in items)


def _arguments(given, more):
    """What an event is to hold, or None; called only for one that is recorded."""
    if callable(given):
        given = given()
    if given is not None and not hasattr(given, "items"):
        raise TypeError(f"arguments must be a dict, or a function that returns one, not {type_name(given)}")
    if not given and not more:
        return None
    result = GLib.VariantDict.new(None)
    for items in (given or {}, more):
        for key, value in items.items():
            result.insert_value(check_name("the name of an argument", key), _variant(key, value))
    return result.end()


def _check_level(level):
    if not isinstance(level, raw.TraceVerbosity):
        raise TypeError(f"level must be a TraceVerbosity, not {type_name(level)}")
    if level == raw.TraceVerbosity.NONE:
        raise ValueError("level is NONE, from which on nothing is recorded")


def _check(name, category, level):
    check_name("name", name)
    if category is not None:
        check_name("category", category)
    _check_level(level)


class TraceSpan:
    """A span of a TraceContext, for a with statement, or to decorate a function."""

    __slots__ = ("context", "name", "category", "level", "_given", "_more", "_token", "_entered")

    def __init__(self, context, name, category, level, given, more):
        self.context = context
        self.name = name
        self.category = category
        self.level = level
        self._given = given
        self._more = more
        self._token = 0
        self._entered = False

    def __enter__(self):
        if self._entered:
            raise RuntimeError("this span is entered already")
        context = self.context
        if _is_on(context, self.level):
            begin_to_record()
            self._token = call(_begin, context, self.name, self.category, self.level, _arguments(self._given, self._more))
        self._entered = True
        return self

    def __exit__(self, kind, *_):
        self._entered = False
        token, self._token = self._token, 0
        if token:
            if kind is not None and not issubclass(kind, _NO_FAILURES):
                _mark_failed(self.context, kind)
            _end(self.context, token)
        return False

    def annotate(self, **arguments):
        """Adds arguments to the innermost span of this thread, which is this one if no other was begun inside of it."""
        if self._token:
            self.context.annotate(**arguments)

    def __call__(self, function):
        if not callable(function):
            raise TypeError(f"a span decorates a function, not {type_name(function)}")
        parts = self.context, self.name, self.category, self.level, self._given, self._more
        return wrap(functools.partial(TraceSpan, *parts), function)

    def __repr__(self):
        return f"TraceSpan({self.name!r})"


class TraceAsyncSpan:
    """A span that belongs to no thread: for a with statement, also around what awaits, or ended by end ()."""

    __slots__ = ("context", "name", "id")

    def __init__(self, context, name, number):
        self.context = context
        self.name = name
        self.id = number

    def end(self):
        """Ends the span, from any thread; a second time does nothing."""
        number, self.id = self.id, 0
        if number:
            _end_async(self.context, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        return False

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.end()
        return False

    def __repr__(self):
        return f"TraceAsyncSpan({self.name!r})"


_is_on = raw.TraceContext.is_on
_begin = raw.TraceContext.begin_span
_annotate = raw.TraceContext.annotate


def _count(context, name, level, value):
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        call(context.emit_counter_int64, name, level, integer(int(value), "value"))
    elif isinstance(value, numbers.Real) and not isinstance(value, bool):
        call(context.emit_counter, name, level, float(value))
    else:
        raise TypeError(f"value must be a number, not {type_name(value)}")


def _end(context, token):
    try:
        raw.TraceContext.end_span(context, token)
    except GLib.Error:
        pass  # On another thread, or in the child of a fork: instrumentation must not break what it measures.


def _end_async(context, number):
    call(raw.TraceContext.end_async_span, context, number)


def _mark_failed(context, kind):
    # Of the exception only the class: its text may hold anything.
    for key, value in (("failed", GLib.Variant.new_boolean(True)), ("error", GLib.Variant.new_string(sayable(kind.__name__)))):
        _annotate(context, key, value)


def _read(name, doc):
    get = getattr(raw.TraceContext, name)
    return property(lambda self: get(self), doc=doc)


_recording = weakref.WeakSet()


def _flow_id(flow):
    number = integer(flow, "flow")
    if number < 0:
        raise ValueError(f"flow is {number}, which no flow ever had")
    return number


@atexit.register
def _leave_python():
    """C empties all contexts when the process ends, after Python has: nothing of Python may be left in them."""
    for context in list(_recording):
        collector = context.collector
        if collector is not None and not isinstance(collector, (FileCollector, IttCollector, SysprofCollector)):
            # It is of Python, or some of its collectors may be, and others files to complete.
            try:
                collector.close()
            finally:
                context.collector = None


@register
class TraceContext(raw.TraceContext):
    """What code of every layer emits spans, instants and counters through: a clock, a session and a verbosity."""

    def __init_subclass__(cls, **kwargs):
        raise TypeError("TraceContext is closed: it cannot be subclassed")

    def __new__(cls, collector=None, verbosity=raw.TraceVerbosity.FULL):
        self = raw.TraceContext.new()
        self.verbosity = verbosity
        self.collector = collector
        return self

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def _set_enabled(self, enabled):
        check_bool("enabled", enabled)
        self.set_enabled(enabled)

    def _set_verbosity(self, verbosity):
        check_instance("verbosity", verbosity, raw.TraceVerbosity)
        self.set_verbosity(verbosity)

    def _set_collector(self, collector):
        if collector is not None:
            check_instance("collector", collector, Collector, "a Collector or None")
            _recording.add(self)
        self.set_collector(collector)

    def _set_process_name(self, name):
        self.set_process_name(check_name("process_name", name))

    enabled = property(raw.TraceContext.get_enabled, _set_enabled, doc="Whether the context is switched on.")
    verbosity = property(raw.TraceContext.get_verbosity, _set_verbosity, doc="How much is recorded.")
    collector = property(raw.TraceContext.dup_collector, _set_collector, doc="Where events go to; None: nowhere.")
    process_name = property(raw.TraceContext.dup_process_name, _set_process_name, doc="What the process is called.")
    process_id = _read("get_process_id", "The number of the process.")
    session_id = _read("dup_session_id", "The id of this recording, in every output of it.")
    emitted_count = _read("get_emitted_count", "How many events were emitted.")
    dropped_count = _read("get_dropped_count", "How many of them found no room on their way to the collector.")
    misplaced_end_count = _read("get_misplaced_end_count", "How many spans were ended while later ones were open.")
    backward_clock_count = _read("get_backward_clock_count", "How many spans have no length, as the clock went back.")
    stray_flow_count = _read("get_stray_flow_count", "How many places of flows are missing: no span was open there.")

    set_thread_name = staticmethod(set_thread_name)

    def is_on(self, level):
        """Whether events of this level are recorded now."""
        _check_level(level)
        return _is_on(self, level)

    def span(self, name, arguments=None, *, category=None, level=_OPERATIONS, **more):
        """A span of the thread's time, for `with` or as a decorator.

        Arguments are strings, numbers, bools and shapes, as a dict, a function that returns one, or keywords, each a
        value or a function that returns it. Functions are called only when the span is recorded.
        """
        _check(name, category, level)
        return _span_of(self, name, category, level, arguments, more)

    def traced(self, function=None, *, name=None, category=None, level=_OPERATIONS):
        """Decorates a function, coroutine or generator: each run of its body is a span with its name."""
        if function is None:
            return functools.partial(self.traced, name=name, category=category, level=level)
        if not callable(function) and not isinstance(function, (staticmethod, classmethod)):
            raise TypeError(f"traced decorates a function, not {type_name(function)}")
        if name is None:
            inner = inspect.unwrap(getattr(function, "__func__", function))
            name = sayable(getattr(inner, "__qualname__", type_name(inner)))
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(self.traced(function.__func__, name=name, category=category, level=level))
        return self.span(name, category=category, level=level)(function)

    def instant(self, name, arguments=None, *, category=None, level=_OPERATIONS, **more):
        """Records that something happened now, on this thread."""
        _check(name, category, level)
        if _is_on(self, level):
            begin_to_record()
            call(self.emit_instant, name, category, level, _arguments(arguments, more))

    def counter(self, name, value, *, level=_OPERATIONS):
        """Records what a counter of the process counts from now on: a number, or a function that returns one."""
        _check(name, None, level)
        if not _is_on(self, level):
            return
        begin_to_record()
        _count(self, name, level, value() if callable(value) else value)

    def annotate(self, **arguments):
        """Adds arguments to the innermost span that this thread has open; nothing where there is none."""
        if _is_on(self, raw.TraceVerbosity.DECISIONS):
            for key, value in arguments.items():
                call(_annotate, self, check_name("the name of an argument", key), _variant(key, value))

    def async_span(self, name, arguments=None, *, category=None, level=_OPERATIONS, **more):
        """Begins a span that belongs to no thread, may overlap others, and is ended by `with` or end ()."""
        _check(name, category, level)
        number = 0
        if _is_on(self, level):
            begin_to_record()
            number = call(self.begin_async_span, name, category, level, _arguments(arguments, more))
        return TraceAsyncSpan(self, name, number)

    def flow_start(self, *, level=_OPERATIONS):
        """Begins a flow in the innermost span of this thread: an arrow to others. Returns its number; 0 for none."""
        _check_level(level)
        return call(raw.TraceContext.flow_start, self, level)

    def flow_step(self, flow):
        """Leads a flow through the innermost span of this thread."""
        call(raw.TraceContext.flow_step, self, _flow_id(flow))

    def flow_end(self, flow):
        """Ends a flow in the innermost span of this thread."""
        call(raw.TraceContext.flow_end, self, _flow_id(flow))

    def flush(self):
        """Makes sure that all that was emitted before has arrived at the collector, and flushes that."""
        call(raw.TraceContext.flush, self)


for _class in (TraceSpan, TraceAsyncSpan):
    _class.__module__ = "strideweave"


def _plain(key, value):
    """A value that the extension does not know the class of, or not such a one, as one that it knows."""
    variant = _variant_of(key, value)
    if not variant.get_type_string().startswith("("):
        return variant.unpack()
    try:
        return Shape(*_tuples(value))
    except StrideweaveError as error:
        failure = type(error)(f"argument '{key}': {error.message}", error.domain, error.code)
    raise failure


def _decorate(span, function):
    if not callable(function):
        raise TypeError(f"a span decorates a function, not {type_name(function)}")
    return wrap(span._again, function, span._is_wanted)


_span_of = TraceSpan
if extension is not None:
    try:
        extension.use_traces(
            TraceContext(),
            _OPERATIONS,
            Shape,
            (_decorate, _count, functools.partial(check_name, "the name of an argument"), _plain),
            TraceAsyncSpan,
        )
    except ImportError as error:
        warnings.warn(f"spans of {extension.__file__} are not used: {error}", RuntimeWarning, stacklevel=2)
    else:
        TraceSpan = extension.TraceSpan
        _span_of = extension.span_of
        _end_async = extension.end_async_span
