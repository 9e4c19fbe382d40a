# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a ZoneProfiler has recorded: immutable values, whose numbers are in columns that are NumPy arrays."""
import ctypes
import numbers

from .errors import call, check_instance, check_name, check_path, raw, type_name
from .layouts import _Immutable
from .registry import register
from .trees import integer


# The frame of what is in none, as the columns have it.
ZONE_NO_FRAME = 2**32 - 1


def _memory_of(data):
    """The memory of a GLib.Bytes, read-only, as an object that keeps it."""
    size = data.get_size()
    if size == 0:
        return memoryview(b"")
    memory = (ctypes.c_byte * size).from_address(data.get_region(1, 0, size))
    memory.strideweave_bytes = data
    return memoryview(memory).cast("B").toreadonly()


def array_of(data, dtype, shape=None):
    """A read-only array over the memory of a GLib.Bytes, which it keeps alive. Nothing is copied."""
    import numpy

    array = numpy.frombuffer(_memory_of(data), dtype) if data.get_size() else numpy.empty(0, dtype)
    array.flags.writeable = False
    return array if shape is None else array.reshape(shape)


def _field(cls, name, doc):
    get = getattr(cls, f"get_{name}", None) or getattr(cls, f"dup_{name}")
    return property(lambda self: get(self), doc=doc)


def _plain(value):
    """As JSON can have it."""
    if isinstance(value, _Value):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    nick = getattr(value, "value_nick", None)
    return value if nick is None else nick


class _Value(_Immutable):
    """An immutable value of C with named fields."""

    _fields = ()
    _docs = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name, doc in cls._docs.items():
            if name not in cls.__dict__:
                setattr(cls, name, _field(cls, name, doc))
        if cls._docs:
            cls._fields = tuple(cls._docs)

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"a {cls.__name__} cannot be made, only be got of a ZoneProfiler")

    def to_dict(self):
        """All fields, in a form that `json` can write."""
        return {name: _plain(getattr(self, name)) for name in self._fields}

    def _astuple(self):
        return tuple(getattr(self, name) for name in self._fields)

    def __eq__(self, other):
        return self._astuple() == other._astuple() if type(other) is type(self) else NotImplemented

    # That of a boxed type compares addresses.
    __ne__ = object.__ne__

    def __hash__(self):
        return hash(self._astuple())

    def __repr__(self):
        values = ((name, getattr(self, name)) for name in self._fields)
        fields = ", ".join(f"{name}={getattr(value, 'value_nick', value)!r}" for name, value in values)
        return f"{type(self).__name__}({fields})"

    def __str__(self):
        to_string = getattr(self, "to_string", None)
        return repr(self) if to_string is None else to_string()

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be pickled; to_dict() can")


_DURATIONS = {
    "count": "How many there are.",
    "total_ms": "Their sum, in milliseconds.",
    "min_ms": "The shortest, in milliseconds.",
    "max_ms": "The longest, in milliseconds.",
    "mean_ms": "Their mean, in milliseconds.",
    "stddev_ms": "Their standard deviation, as of a whole population, in milliseconds.",
}


@register
class DurationStatistics(_Value, raw.DurationStatistics):
    """What a number of durations come to; percentiles are interpolated between neighbours."""

    _docs = _DURATIONS | {
        "p50_ms": "The median, in milliseconds.",
        "p90_ms": "What 90 of a hundred do not exceed, in milliseconds.",
        "p95_ms": "What 95 of a hundred do not exceed, in milliseconds.",
        "p99_ms": "What 99 of a hundred do not exceed, in milliseconds.",
    }


@register
class CallStatistics(_Value, raw.CallStatistics):
    """What a number of calls come to, of which none was kept."""

    _docs = _DURATIONS

    def merge(self, other):
        """The statistics of the calls of both."""
        check_instance("other", other, raw.CallStatistics)
        return raw.CallStatistics.merge(self, other)


@register
class DurationHistogram(_Value, raw.DurationHistogram):
    """How many durations fall into each of a number of bins."""

    _docs = {
        "bin_count": "How many bins there are.",
        "below": "How many are shorter than the first edge.",
        "above": "How many are longer than the last edge.",
    }

    @property
    def edges_ms(self):
        """The edges of the bins, one more than there are bins, in milliseconds: float64."""
        return array_of(self.dup_edges_ms(), "f8")

    @property
    def counts(self):
        """How many durations are in each bin: uint64."""
        return array_of(self.dup_counts(), "u8")

    def _astuple(self):
        return (*super()._astuple(), tuple(self.edges_ms), tuple(self.counts))

    def to_dict(self):
        return super().to_dict() | {"edges_ms": self.edges_ms.tolist(), "counts": self.counts.tolist()}


@register
class ProfilerSite(_Value, raw.ProfilerSite):
    """A place in a program that measures zones, and the name that it gives them."""

    _docs = {
        "id": "The number of the site, from 1, for the life of the process.",
        "file": "The file that it is in.",
        "line": "The line, from 1; 0 when it is not known.",
        "function": "The qualified name of the function.",
        "name": "What it calls its zones.",
    }


@register
class Timeline(_Value, raw.Timeline):
    """What zones lie on: a thread, or a queue of a device."""

    _docs = {
        "timeline_type": "TimelineType.CPU for a thread, TimelineType.GPU for a queue.",
        "name": "The name of the thread or queue.",
        "thread_id": "The number that the system has for the thread.",
        "device_id": "The device of a queue.",
        "queue": "The number of the queue.",
    }

    @property
    def type(self):
        """"cpu" or "gpu"."""
        return self.timeline_type.value_nick


@register
class ZoneFrame(_Value, raw.ZoneFrame):
    """A frame that ended."""

    _docs = {
        "index": "Its number: they rise by one over the life of a profiler.",
        "name": "What it was called.",
        "start_ns": "When it began, in nanoseconds of the monotonic clock.",
        "duration_ns": "How long it took, in nanoseconds.",
    }


@register
class ProfilerDiagnostics(_Value, raw.ProfilerDiagnostics):
    """What was recorded, what was dropped and why, and what was odd."""

    _docs = {
        "emitted_count": "Zones that began and could have been recorded: what was recorded and dropped in sum.",
        "recorded_count": "Zones that were recorded.",
        "producer_drop_count": "Zones dropped since their thread's queue or stack was full.",
        "queue_full_count": "Those of them whose queue was full.",
        "stack_full_count": "Those that were nested too deep.",
        "memory_limit_count": "Zones beyond the memory limit of a capture.",
        "unresolved_count": "Zones whose GPU times never came.",
        "discarded_count": "Zones whose commands were discarded.",
        "first_drop_ns": "When the first zone was dropped, in nanoseconds of the monotonic clock; 0 if none was.",
        "thread_event_queue_high_water_mark": "The most unread zones that any thread's queue has had.",
        "hierarchy_loss_count": "Entries of statistics that lost their parents.",
        "gpu_query_exhaustion_count": "Zones that found no GPU timestamp query free.",
        "pending_gpu_zone_count": "Zones whose GPU times have not come yet.",
        "forced_end_count": "Zones that ended with their thread.",
        "misplaced_end_count": "Ends out of order, of what is not open, or on a wrong thread.",
        "backward_clock_count": "Zones that seemed to end before they began.",
    }


_COLUMNS = {
    "start_ns": ("u8", "When each zone began, in nanoseconds of the monotonic clock: uint64."),
    "duration_ns": ("u8", "How long each took, in nanoseconds: uint64."),
    "correlation_id": ("u8", "What each has in common with its counterpart on another timeline; 0 for nothing: uint64."),
    "timeline_id": ("u4", "The place of the timeline of each among those of the trace: uint32."),
    "site_id": ("u4", "The number of the site of each: uint32."),
    "parent_index": ("i4", "The zone around each, counted through the whole trace; -1 for a root: int32."),
    "frame_index": ("u4", "The frame that each began in, or ZONE_NO_FRAME: uint32."),
}


def _with_columns(cls):
    """A property for each column of zones, and all of them by name."""

    def column(name):
        kind, doc = _COLUMNS[name]
        number = getattr(raw.ZoneColumn, name.upper())
        return property(lambda self: array_of(call(cls.dup_column, self, number), kind), doc=doc)

    for name in _COLUMNS:
        setattr(cls, name, column(name))
    cls.columns = lambda self: {name: getattr(self, name) for name in _COLUMNS}
    cls.columns.__doc__ = """All columns by name."""
    return cls


@register
@_with_columns
class ZoneChunk(_Value, raw.ZoneChunk):
    """Up to 4,096 zones of a trace, in columns: read-only arrays over the chunk's own memory, which they keep alive."""

    _docs = {
        "zone_count": "How many zones there are.",
        "first_index": "The index of the first one in the trace.",
    }

    def __len__(self):
        return self.zone_count

    def __bool__(self):
        return True

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


def _timeline_type(value):
    if value is None:
        return -1
    if isinstance(value, raw.TimelineType) or (type(value) is int and value == -1):
        return int(value)
    if isinstance(value, str):
        kinds = {kind.value_nick: kind for kind in (raw.TimelineType.CPU, raw.TimelineType.GPU)}
        if value in kinds:
            return int(kinds[value])
        raise ValueError(f'timeline_type is {value!r}, but must be "cpu" or "gpu"')
    raise TypeError(f'timeline_type must be a TimelineType, "cpu" or "gpu", not {type_name(value)}')


def _bound(argument, value):
    """-1 is no bound, as in C."""
    return -1 if value is None else integer(value, argument)


@register
class ZoneTrace(_Value, raw.ZoneTrace):
    """What a capture recorded, or a copy of the live history."""

    _docs = {
        "start_ns": "When it starts, in nanoseconds of the monotonic clock.",
        "stop_ns": "When it stops, in nanoseconds of the monotonic clock.",
        "stop_reason": "Why it stops there: a StopReason.",
        "truncated": "Whether zones are missing at its end, as its memory was used up.",
        "memory_bytes": "How much memory it takes.",
        "zone_count": "How many zones are in it.",
        "diagnostics": "What is not in it, by reason.",
    }
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    @property
    def sites(self):
        """The sites that it has zones of, in the order of their numbers."""
        return tuple(self.dup_sites())

    @property
    def timelines(self):
        """The timelines; a zone's timeline_id is a place among them."""
        return tuple(self.dup_timelines())

    @property
    def frames(self):
        """The frames that ended in it, in the order of their numbers."""
        return tuple(self.dup_frames())

    @property
    def zone_chunks(self):
        """The zones, in the order in which they ended."""
        return tuple(self.dup_zone_chunks())

    @property
    def frame_index(self):
        """The numbers of the frames: uint32."""
        return array_of(self.dup_frame_index(), "u4")

    @property
    def frame_start_ns(self):
        """When each frame began, in nanoseconds of the monotonic clock: uint64."""
        return array_of(self.dup_frame_start_ns(), "u8")

    @property
    def frame_duration_ns(self):
        """How long each frame took, in nanoseconds: uint64."""
        return array_of(self.dup_frame_duration_ns(), "u8")

    def __len__(self):
        return self.zone_count

    def __bool__(self):
        return True

    def query_zones(
        self, name=None, timeline_type=None, frame_begin=None, frame_end=None, start_ns=None, end_ns=None
    ):
        """The zones of this exact name, on such timelines, of these frames, that overlap this range of time.

        Ranges are half-open. Where a frame is given, zones outside frames are left out.
        """
        if name is not None:
            check_name("name", name)
        return call(
            raw.ZoneTrace.query_zones,
            self,
            name,
            _timeline_type(timeline_type),
            _bound("frame_begin", frame_begin),
            _bound("frame_end", frame_end),
            _bound("start_ns", start_ns),
            _bound("end_ns", end_ns),
        )

    def frame_statistics(self, *, start_ns=None, end_ns=None):
        """What the durations of frames come to: all, or those in a range of time."""
        return call(raw.ZoneTrace.dup_frame_statistics, self, _bound("start_ns", start_ns), _bound("end_ns", end_ns))

    def fps(self, *, start_ns=None, end_ns=None):
        """Frames a second: all, or in a range of time."""
        return call(raw.ZoneTrace.get_fps, self, _bound("start_ns", start_ns), _bound("end_ns", end_ns))

    def write_to_json(self, path):
        """Writes Chrome's trace-event JSON; the file is there whole, or as it was before."""
        call(raw.ZoneTrace.write_to_json, self, check_path("path", path))

    def write_to_jsonl(self, path):
        """Writes a line of JSON for each thing that there is."""
        call(raw.ZoneTrace.write_to_jsonl, self, check_path("path", path))

    def write_to_perfetto(self, path):
        """Writes a trace for Perfetto."""
        call(raw.ZoneTrace.write_to_perfetto, self, check_path("path", path))

    def write_to_csv(self, path):
        """Writes a line of text for each zone."""
        call(raw.ZoneTrace.write_to_csv, self, check_path("path", path))

    def to_dict(self):
        """What is known of the trace as a whole, in a form that `json` can write; zones are in `zone_chunks`."""
        lists = {name: _plain(getattr(self, name)) for name in ("sites", "timelines", "frames")}
        return super().to_dict() | lists


@register
@_with_columns
class ZoneSelection(_Value, raw.ZoneSelection):
    """Some zones of a trace, and their columns."""

    _docs = {"count": "How many zones there are."}
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    @property
    def trace(self):
        """The trace that the zones are of."""
        return self.get_trace()

    @property
    def indices(self):
        """The indices of the zones in the trace: uint32."""
        return array_of(self.dup_indices(), "u4")

    def __len__(self):
        return self.count

    def __bool__(self):
        return True

    def statistics(self):
        """What the durations of the zones come to."""
        return self.dup_statistics()

    def histogram(self, bins, *, min_ms=None, max_ms=None):
        """How many of the durations are in each of @bins equal parts of a range.

        The range is that of the durations where nothing else is given.
        """
        bins = _count("bins", bins)
        if min_ms is None and max_ms is None:
            return call(raw.ZoneSelection.dup_histogram, self, bins, 0.0, 0.0)
        statistics = self.statistics()
        low = statistics.min_ms if min_ms is None else _real("min_ms", min_ms)
        high = statistics.max_ms if max_ms is None else _real("max_ms", max_ms)
        if not low < high:
            raise ValueError(f"min_ms is {low!r}, which is not less than max_ms, {high!r}")
        return call(raw.ZoneSelection.dup_histogram, self, bins, low, high)

    def slowest(self, count):
        """The @count longest zones, the longest first."""
        return raw.ZoneSelection.slowest(self, _count("count", count))

    def write_to_csv(self, path):
        """Writes a line of text for each zone."""
        call(raw.ZoneSelection.write_to_csv, self, check_path("path", path))

    def to_dict(self):
        """How many there are and what they come to, in a form that `json` can write."""
        return super().to_dict() | {"statistics": self.statistics().to_dict()}


def _real(argument, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{argument} must be a number, not {type_name(value)}")
    return float(value)


def _count(argument, value):
    number = integer(value, argument)
    if not 0 <= number < 2**32:
        raise ValueError(f"{argument} is {number}, but must be from 0 to {2**32 - 1}")
    return number


@register
class FrameStatsEntry(_Value, raw.FrameStatsEntry):
    """A path of zones in the statistics of frames."""

    _docs = {
        "parent_index": "The place of the entry around it; -1 for a root.",
        "depth": "How many entries are around it.",
        "site_id": "The number of its site.",
        "name": "What its zones are called.",
        "cpu_time_per_frame": "Its time in each frame, 0 where it did not run.",
        "gpu_time_per_frame": "The same on the GPU, of frames where all is known.",
        "cpu_time_per_call": "The time of each of its zones.",
        "gpu_time_per_call": "The same on the GPU.",
    }


@register
class FrameStats(_Value, raw.FrameStats):
    """Statistics of the last frames; `str()` is a table."""

    _docs = {
        "sample_count": "How many frames there are.",
        "entry_count": "How many paths of zones there are.",
        "pending_frame_count": "Frames that wait for GPU times.",
        "latest_frame_ms": "How long the last frame took, in milliseconds.",
        "fps": "Frames a second.",
        "frame_time": "What the durations of the frames come to.",
        "frame_interval": "What the times from one frame's beginning to the next one's come to.",
        "diagnostics": "What was dropped, and why.",
    }
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    @property
    def entries(self):
        """The paths of zones, each parent before its children."""
        return tuple(self.dup_entries())

    def to_csv(self):
        """A line of text for each entry."""
        return raw.FrameStats.to_csv(self)

    def to_dict(self):
        return super().to_dict() | {"entries": _plain(self.entries)}


def _add_samples():
    def sample(name, kind, doc, is_matrix):
        get = getattr(raw.FrameStats, f"dup_{name}")

        def read(self):
            return array_of(get(self), kind, (self.sample_count, self.entry_count) if is_matrix else None)

        setattr(FrameStats, name, property(read, doc=doc))

    sample("sample_frame_index", "u4", "The number of each frame: uint32 (n,).", False)
    sample("sample_frame_start_ns", "u8", "When each began, in nanoseconds of the monotonic clock: uint64 (n,).", False)
    sample("sample_frame_time_ms", "f8", "How long each took, in milliseconds: float64 (n,).", False)
    sample("sample_call_count", "u4", "Zones of each entry in each frame: uint32 (n, entry_count).", True)
    sample("sample_cpu_time_ms", "f8", "Time of each entry in each frame, in milliseconds: float64.", True)
    sample("sample_gpu_time_ms", "f8", "The same on the GPU: float64.", True)
    sample("sample_gpu_status", "u1", "What is known of that, a GpuStatus: uint8.", True)


_add_samples()
