# SPDX-License-Identifier: LGPL-2.1-or-later
"""ZoneProfiler, and how it and its captures are described."""
from .errors import call, check_bool, check_instance, raw
from .registry import register
from .trees import integer

_NUMBERS = (
    "thread_event_capacity",
    "live_frame_count",
    "live_event_capacity",
    "frame_stats_window_size",
    "gpu_query_pool_size",
    "max_memory_bytes",
)


class _Description:
    """Fields with default values, which may be set."""

    _fields = ()

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def _fill(self, fields):
        for name, value in fields.items():
            if name not in self._fields:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{name}'")
            setattr(self, name, value)
        return self

    def __setattr__(self, name, value):
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        if name in _NUMBERS:
            value = integer(value, name)
        else:
            check_bool(name, value)
        super().__setattr__(name, value)

    def _astuple(self):
        return tuple(getattr(self, name) for name in self._fields)

    def __eq__(self, other):
        return self._astuple() == other._astuple() if type(other) is type(self) else NotImplemented

    # That of a boxed type compares addresses.
    __ne__ = object.__ne__

    __hash__ = None

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce_ex__(self, protocol):
        return _describe, (type(self), self.to_dict())

    def to_dict(self):
        """All fields by name."""
        return {name: getattr(self, name) for name in self._fields}

    def __repr__(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({fields})"


def _describe(cls, fields):
    return cls(**fields)


@register
class ZoneProfilerDesc(_Description, raw.ZoneProfilerDesc):
    """How a ZoneProfiler is made; what is impossible is refused there."""

    _fields = (*_NUMBERS[:5], "enable_auto_zones", "enable_debug_groups")

    def __new__(cls, **fields):
        return raw.ZoneProfilerDesc.new()._fill(fields)


@register
class CaptureDesc(_Description, raw.CaptureDesc):
    """How a capture is made."""

    _fields = ("max_memory_bytes",)

    def __new__(cls, **fields):
        return raw.CaptureDesc.new()._fill(fields)


def _described(cls, desc, fields):
    if desc is None:
        return cls(**fields) if fields else None
    check_instance("desc", desc, cls)
    if fields:
        raise TypeError(f"desc is given, and so {next(iter(fields))} must not be")
    return desc


def _switch(name, doc):
    get, set_ = getattr(raw.ZoneProfiler, f"get_{name}"), getattr(raw.ZoneProfiler, f"set_{name}")

    def write(self, value):
        check_bool(name, value)
        set_(self, value)

    return property(lambda self: get(self), write, doc=doc)


@register
class ZoneProfiler(raw.ZoneProfiler):
    """Records zones all the while a program runs, in memory that has bounds.

    The first one made on a thread is that thread's default. `with profiler:` makes it the current one for a while, on
    any thread. `ZoneProfiler(desc)` takes a ZoneProfilerDesc, `ZoneProfiler(live_frame_count=10)` its fields.
    """

    def __init_subclass__(cls, **kwargs):
        raise TypeError("ZoneProfiler is closed: it cannot be subclassed")

    def __new__(cls, desc=None, **fields):
        return call(raw.ZoneProfiler.new, _described(ZoneProfilerDesc, desc, fields))

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def __enter__(self):
        call(raw.ZoneProfiler.enter, self)
        return self

    def __exit__(self, *_):
        call(raw.ZoneProfiler.exit, self)
        return False

    @property
    def desc(self):
        """How it was made: a copy."""
        return self.dup_desc()

    enabled = _switch("enabled", "Whether it records.")
    enable_auto_zones = _switch("enable_auto_zones", "Whether each dispatched operation is a zone.")
    enable_debug_groups = _switch("enable_debug_groups", "Whether zones with GPU times are named in the command stream.")

    @property
    def capture_active(self):
        """Whether a capture goes on: one that has reached its memory limit does not, and waits to be stopped."""
        return self.get_capture_active()

    @property
    def diagnostics(self):
        """What was recorded, what was dropped and why."""
        return self.dup_diagnostics()

    @property
    def slow_frame_threshold_ns(self):
        """From how many nanoseconds on a frame is kept as a slow one; None: no frame."""
        threshold = self.get_slow_frame_threshold_ns()
        return None if threshold < 0 else threshold

    @slow_frame_threshold_ns.setter
    def slow_frame_threshold_ns(self, value):
        self.set_slow_frame_threshold_ns(-1 if value is None else integer(value, "slow_frame_threshold_ns"))

    def start_capture(self, desc=None, **fields):
        """Begins to keep every zone that begins from here on, up to a limit of memory: `max_memory_bytes`."""
        call(raw.ZoneProfiler.start_capture, self, _described(CaptureDesc, desc, fields))

    def stop_capture(self):
        """Ends the capture, and returns it as a ZoneTrace."""
        return call(raw.ZoneProfiler.stop_capture, self)

    def discard_capture(self):
        """Ends the capture, and forgets it."""
        call(raw.ZoneProfiler.discard_capture, self)

    def __repr__(self):
        return f"<ZoneProfiler, {'enabled' if self.enabled else 'disabled'}>"


def current_profiler_or_none():
    """The ZoneProfiler that zones of this thread go to, or None."""
    return raw.ZoneProfiler.dup_current()


def current_profiler():
    """The ZoneProfiler that zones of this thread go to; RuntimeError when there is none."""
    profiler = raw.ZoneProfiler.dup_current()
    if profiler is None:
        raise RuntimeError("there is no current ZoneProfiler on this thread")
    return profiler


for _function in (current_profiler, current_profiler_or_none):
    _function.__module__ = "strideweave"
