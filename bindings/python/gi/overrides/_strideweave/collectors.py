# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the events of a TraceContext go: the collectors of the library, and those that are written in Python."""
from .errors import call, check_instance, check_path, own, raw, stash_for_later, type_name
from .registry import register
from .trees import integer

_HOOKS = "do_emit", "do_emit_many", "do_flush", "do_close"
_is_closed = raw.Collector.get_is_closed
_refuse = raw.Collector.refuse


def _check_done(done, collector, name):
    if not isinstance(done, bool):
        raise TypeError(f"{type(collector).__name__}.{name}() must return a bool or None, not {type_name(done)}")
    return done


def _own(argument):
    """As own (), for lists of values, too."""
    return [event.copy() for event in argument] if isinstance(argument, list) else own(argument)


def _hook_for_c(name, function):
    def hook(self, *args):
        try:
            args = tuple(map(_own, args))
            done = function(self, *args)
            return True if done is None else _check_done(done, self, name)
        except BaseException as exception:
            failure, self._failures = stash_for_later(exception, self._failures)
        finally:
            args = None
        try:
            raise failure
        finally:
            del failure

    hook.__wrapped__ = function
    hook.__name__ = name
    return hook


def _many_of(function):
    """What C calls in place of a `do_emit`, so that many events need the interpreter's lock once."""

    def do_emit_many(self, events):
        failure = None
        for place, event in enumerate(_own(events)):
            try:
                # It may have closed itself; one that is bound gets what was emitted before, all the same.
                done = function(self, event) if self._is_bound or not _is_closed(self) else False
                if done is None or _check_done(done, self, "do_emit"):
                    continue
            except BaseException as exception:
                error, self._failures = stash_for_later(exception, self._failures)
                failure = failure or error
            _refuse(self, place)
        events = event = None
        if failure is None:
            return True
        try:
            raise failure
        finally:
            del failure

    return do_emit_many


def _read(name, doc):
    get = getattr(raw.Collector, name)
    return property(lambda self: get(self), doc=doc)


@register
class Collector(raw.Collector):
    """Takes the events of a TraceContext.

    A subclass has `do_emit(event)`, and where needed `do_flush()` and `do_close()`. They run on a thread of the library,
    one at a time, or, after `bind_to_thread()`, on one thread only. The first exception there is raised by the next
    `flush()` of the context or the collector, or by `close()`; an event whose `do_emit` raises or returns False counts as
    dropped. In place of `do_emit` there may be `do_emit_many(events)`, which takes a list; those that it names by
    `refuse(index)` are dropped, and all of them when it raises or returns False and has named none.
    """

    _failures = ()
    _is_bound = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__module__ == "gi.repository.Strideweave":
            return
        own_hooks = {name: cls.__dict__[name] for name in _HOOKS if name in cls.__dict__}
        for name, function in own_hooks.items():
            if not callable(function):
                raise TypeError(f"{cls.__name__}.{name} must be a method, not {type_name(function)}")
            setattr(cls, name, _hook_for_c(name, function))
        if "do_emit" in own_hooks and "do_emit_many" not in own_hooks:
            cls.do_emit_many = _many_of(own_hooks["do_emit"])

    is_closed = _read("get_is_closed", "Whether it was closed.")
    event_count = _read("get_event_count", "How many events it took.")
    dropped_count = _read("get_dropped_count", "How many events were lost.")

    def emit(self, event):
        """Takes an event as if a context had passed it; False where it was dropped."""
        check_instance("event", event, TraceEvent)
        return call(raw.Collector.emit, self, event)

    def bind_to_thread(self):
        """From here on, its methods are called on this thread only: by its main context, and inside of `flush()` and `close()`."""
        call(raw.Collector.bind_to_thread, self, None)
        self._is_bound = True

    def refuse(self, index):
        """Inside of `do_emit_many`: that event of the list is dropped."""
        index = integer(index, "index")
        if not 0 <= index < 2**32:
            raise IndexError(f"index is {index}, and do_emit_many was not given so many events")
        call(_refuse, self, index)

    def flush(self):
        """Passes on what is held back, of all that was emitted before; raises what went wrong since the last time."""
        call(raw.Collector.flush, self)

    def close(self):
        """Completes what was collected; the contexts that it has then have none."""
        call(raw.Collector.close, self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        return False


@register
class MemoryCollector(raw.MemoryCollector):
    """Keeps events in memory, up to a capacity; what comes when it is full is dropped and counted."""

    def __new__(cls, capacity=100000):
        return call(raw.MemoryCollector.new, integer(capacity, "capacity"))

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @property
    def capacity(self):
        """How many events it keeps at most."""
        return raw.MemoryCollector.get_capacity(self)

    def events(self):
        """All events that were emitted until now, as a list of TraceEvent in the order in which they arrived."""
        return raw.MemoryCollector.dup_events(self)

    def clear(self):
        """Forgets the events."""
        raw.MemoryCollector.clear(self)

    def write_trace(self, path, format):
        """Writes the events as a trace in the TraceFormat `format`; whole or not at all."""
        check_instance("format", format, raw.TraceFormat)
        call(raw.MemoryCollector.write_trace, self, check_path("path", path), format)


@register
class FileCollector(raw.FileCollector):
    """Writes events to a file, while they come, in the TraceFormat `format`; `.gz` at the end of the path compresses."""

    def __new__(cls, path, format=raw.TraceFormat.PERFETTO):
        check_instance("format", format, raw.TraceFormat)
        return call(raw.FileCollector.new, check_path("path", path), format)

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @property
    def path(self):
        """Where it writes to."""
        return raw.FileCollector.dup_path(self)

    @property
    def format(self):
        """In what form it writes."""
        return raw.FileCollector.get_format(self)


@register
class CompositeCollector(raw.CompositeCollector):
    """Passes each event to each of several collectors; one that fails keeps nothing from the others."""

    def __new__(cls, collectors):
        try:
            collectors = list(collectors)
        except TypeError:
            raise TypeError(f"collectors must be a list of Collectors, not {type_name(collectors)}") from None
        for place, collector in enumerate(collectors):
            check_instance(f"collectors[{place}]", collector, raw.Collector)
        return call(raw.CompositeCollector.new, collectors)

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @property
    def collectors(self):
        """Where it passes events to, as a new list."""
        return raw.CompositeCollector.dup_collectors(self)


@register
class SysprofCollector(raw.SysprofCollector):
    """Writes events as marks and counters into a capture that Sysprof opens: at a path, or that of the Sysprof that started
    the program."""

    def __new__(cls, path=None):
        if path is None:
            return call(raw.SysprofCollector.new_for_session)
        return call(raw.SysprofCollector.new, check_path("path", path))

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @staticmethod
    def is_available():
        """Whether the library was built with what writes captures."""
        return raw.SysprofCollector.is_available()


@register
class IttCollector(raw.IttCollector):
    """Passes events, as they are emitted, to the tool whose library INTEL_LIBITTNOTIFY64 names, such as VTune's."""

    def __new__(cls):
        return call(raw.IttCollector.new)

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @staticmethod
    def is_available():
        """Whether the environment names a library that can be loaded."""
        return raw.IttCollector.is_available()


def _count(name, doc):
    get = getattr(raw.CuptiCollector, name)
    return property(lambda self: get(self), doc=doc)


@register
class CuptiCollector(raw.CuptiCollector):
    """Passes events on to `target`, and adds to them what GPUs of NVIDIA's do, on lanes like "GPU 0 · stream 7"."""

    def __new__(cls, target):
        check_instance("target", target, raw.Collector)
        return call(raw.CuptiCollector.new, target)

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @staticmethod
    def is_available():
        """Whether CUPTI can be loaded, and has a driver to work with."""
        return raw.CuptiCollector.is_available()

    @property
    def target(self):
        """Where it passes events to."""
        return raw.CuptiCollector.dup_target(self)

    gpu_event_count = _count("get_gpu_event_count", "How many of the events came from CUPTI.")
    unlinked_count = _count("get_unlinked_count", "To how many of those no flow leads.")
    gpu_dropped_count = _count("get_gpu_dropped_count", "How many records CUPTI dropped, with all buffers full.")
    malformed_count = _count("get_malformed_count", "How many of CUPTI's buffers could not be read to their end.")
    untimed_count = _count("get_untimed_count", "How many records had no times, or times that cannot be.")
    unknown_count = _count("get_unknown_count", "How many records were of a kind that nobody asked for.")
    late_count = _count("get_late_count", "How many records came after it was closed.")


def _field(getter, doc):
    get = getattr(raw.TraceEvent, getter)
    return property(lambda self: get(self), doc=doc)


@register
class TraceEvent(raw.TraceEvent):
    """What was emitted: immutable. Times are nanoseconds of the monotonic clock."""

    def __new__(cls):
        raise TypeError("a TraceEvent is made by what is emitted")

    kind = _field("get_kind", "What it is, a TraceEventKind.")
    level = _field("get_level", "From which TraceVerbosity on it is recorded.")
    name = _field("get_name", "What it is called.")
    category = _field("get_category", "What viewers filter by; empty for none.")
    start_ns = _field("get_start_ns", "When it began, or happened.")
    duration_ns = _field("get_duration_ns", "How long it took.")
    depth = _field("get_depth", "In how many spans of its thread it lies; -1 where it does not nest.")
    interrupted = _field("get_interrupted", "Whether it was still open when recording ended.")
    value = _field("get_value", "Of a counter, the value.")
    thread_id = _field("get_thread_id", "The number that the system has for the thread; 0 for a span of a GPU.")
    lane_id = _field("get_lane_id", "A number of the thread, or the queue of a GPU, that no other one had or will have.")
    thread_name = _field("dup_thread_name", "What the thread is called, or the queue, like \"GPU 0 · stream 7\".")

    @property
    def arguments(self):
        """The arguments as a new dict; shapes are tuples."""
        return raw.TraceEvent.dup_arguments(self).unpack()

    @property
    def flows(self):
        """The flows that pass through a span: tuples of the id, the time in ns, and "start", "step" or "end"."""
        return raw.TraceEvent.dup_flows(self).unpack()

    def to_dict(self):
        """All fields by name."""
        return {field: getattr(self, field) for field in _EVENT_FIELDS}

    def __repr__(self):
        return f"TraceEvent({', '.join(f'{field}={getattr(self, field)!r}' for field in _EVENT_FIELDS)})"


_EVENT_FIELDS = (
    "kind",
    "level",
    "name",
    "category",
    "start_ns",
    "duration_ns",
    "depth",
    "interrupted",
    "value",
    "thread_id",
    "lane_id",
    "thread_name",
    "arguments",
    "flows",
)
