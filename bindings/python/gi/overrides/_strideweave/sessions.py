# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profilers by schedule, and for all threads of the process."""
from .errors import StrideweaveError, call, check_bool, guarded, raw, type_name
from .profilers import Profiler, ProfilerEvent, _check_table_options, _column_list, _name_classes
from .registry import register
from .threads import name_of_main_thread
from .trees import INT64_MAX, integer


def _check_id(argument, value):
    if type(value) is int:
        return max(min(value, INT64_MAX), -1)  # there are no events and steps so far away
    return max(integer(value, argument), -1)


@register
class ProfilerCycle(raw.ProfilerCycle):
    """What a ProfilerSchedule recorded in one cycle: a completed Profiler, and which steps its events are of."""

    def __init_subclass__(cls, **kwargs):
        raise TypeError("ProfilerCycle is closed: it cannot be subclassed")

    def __new__(cls, *args, **kwargs):
        raise TypeError("a ProfilerCycle is made by a ProfilerSchedule only")

    @property
    def profiler(self):
        return raw.ProfilerCycle.get_profiler(self)

    @property
    def number(self):
        """Which cycle it is, from 0."""
        return raw.ProfilerCycle.get_number(self)

    @property
    def steps(self):
        """The numbers of the recorded steps, as a range."""
        first = raw.ProfilerCycle.get_first_step(self)
        return range(first, first + raw.ProfilerCycle.get_n_steps(self))

    @property
    def partial(self):
        """Whether the schedule was left before the last step of the cycle had ended."""
        return raw.ProfilerCycle.is_partial(self)

    def step_of(self, event):
        """The step in which an event (or the one of an id) began."""
        id = event.id if isinstance(event, ProfilerEvent) else event
        return call(raw.ProfilerCycle.get_step_of_event, self, _check_id("event", id))

    def events(self, step=None):
        """The events that began in a step, or in all of them."""
        events = self.profiler.events()
        if step is None:
            return events
        _, first, n = call(raw.ProfilerCycle.get_events_of_step, self, _check_id("step", step))
        return events[first : first + n]

    def __repr__(self):
        partial = ", partial" if self.partial else ""
        return f"<ProfilerCycle {self.number}: steps {self.steps.start} to {self.steps.stop - 1}{partial}>"


def _enter(context, kind):
    try:
        call(kind.enter, context)
    except StrideweaveError:
        raise
    except BaseException:
        # An interrupt that came just then. There will be no __exit__.
        if kind.is_active(context):
            call(kind.exit, context)
        raise


def _deliverer(function):
    def deliver(cycle, *_):
        function(cycle)
        return True

    return guarded(deliver)


@register
class ProfilerSchedule(raw.ProfilerSchedule):
    """Records some steps of a loop in cycles, each with a fresh Profiler, from `with` until its end.

    The first `skip_first` steps are left out; then cycles follow of `wait` unrecorded steps, `warmup` steps whose
    recording is thrown away, and `active` recorded ones, `repeat` times, or for ever with 0. `on_cycle(cycle)` gets each
    finished ProfilerCycle, in step() or at the end of the `with` block.
    """

    def __init_subclass__(cls, **kwargs):
        raise TypeError("ProfilerSchedule is closed: it cannot be subclassed")

    def __new__(
        cls,
        skip_first=0,
        wait=0,
        warmup=0,
        active=1,
        repeat=0,
        on_cycle=None,
        *,
        carriers=None,
        record_shapes=False,
    ):
        counts = dict(skip_first=skip_first, wait=wait, warmup=warmup, active=active, repeat=repeat)
        counts = [integer(value, name) for name, value in counts.items()]
        if on_cycle is not None and not callable(on_cycle):
            raise TypeError(f"on_cycle must be callable or None, not {type_name(on_cycle)}")
        options = Profiler(carriers=carriers, record_shapes=record_shapes)
        self = call(raw.ProfilerSchedule.new, options, *counts)
        self._on_cycle = on_cycle
        return self

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def __enter__(self):
        # C keeps the function from here to the exit only: before and after, the garbage collector can see it.
        given = self._on_cycle if not raw.ProfilerSchedule.is_active(self) else None
        if given is not None:
            raw.ProfilerSchedule.set_cycle_func(self, _deliverer(given))
        try:
            _enter(self, raw.ProfilerSchedule)
        except BaseException:
            if given is not None:
                raw.ProfilerSchedule.set_cycle_func(self, None)
            raise
        return self

    def __exit__(self, exception_type=None, exception=None, traceback=None):
        call(raw.ProfilerSchedule.exit, self)
        return False

    def step(self):
        """Ends a step and begins the next one. What `on_cycle` raises comes out, and the next step has begun all the same."""
        call(raw.ProfilerSchedule.step, self)

    @property
    def current_step(self):
        """The number of the step, from 0."""
        return raw.ProfilerSchedule.get_step(self)


@register
class ProfilerThread(raw.ProfilerThread):
    """What a ProfilerGroup recorded on one thread."""

    def __init_subclass__(cls, **kwargs):
        raise TypeError("ProfilerThread is closed: it cannot be subclassed")

    def __new__(cls, *args, **kwargs):
        raise TypeError("a ProfilerThread is made by a ProfilerGroup only")

    @property
    def profiler(self):
        return raw.ProfilerThread.get_profiler(self)

    @property
    def name(self):
        """What the program named it, else what threading calls it, else what the system does."""
        return self.__dict__.get("_name") or raw.ProfilerThread.get_name(self)

    @property
    def native_id(self):
        return raw.ProfilerThread.get_os_thread_id(self)

    @property
    def thread_id(self):
        """The `thread_id` of its events."""
        return raw.ProfilerThread.get_thread_id(self)

    def events(self):
        return self.profiler.events()

    def __repr__(self):
        return f"<ProfilerThread {self.name!r} ({self.native_id})>"


@register
class ProfilerGroup(raw.ProfilerGroup):
    """Records the dispatched operations of all threads of the process, from `with` until its end; used once."""

    def __init_subclass__(cls, **kwargs):
        raise TypeError("ProfilerGroup is closed: it cannot be subclassed")

    _main = None

    def __new__(cls, *, carriers=None, record_shapes=False):
        return raw.ProfilerGroup.new(Profiler(carriers=carriers, record_shapes=record_shapes))

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def __enter__(self):
        _enter(self, raw.ProfilerGroup)
        return self

    def __exit__(self, exception_type=None, exception=None, traceback=None):
        call(raw.ProfilerGroup.exit, self)
        self._main = name_of_main_thread()
        return False

    def threads(self):
        """A ProfilerThread for each thread that executed an operation, in the order of the first one."""
        threads = self.__dict__.get("_threads")
        if threads is None:
            threads = tuple(call(raw.ProfilerGroup.dup_threads, self))
            for thread in threads:
                # In traces the main thread has the name of the program.
                if self._main is not None and self._main[0] == thread.thread_id:
                    thread._name = self._main[1]
            self._threads = threads
        return threads

    def events(self):
        """The events of all threads, thread after thread."""
        return tuple(event for thread in self.threads() for event in thread.events())

    @property
    def n_lost_threads(self):
        """How many threads' events were lost, because the system stopped them amid writing one."""
        return raw.ProfilerGroup.get_n_lost_threads(self)

    def key_averages(self, *, group_by_input_shape=False, statistics=False):
        """One row for each name and carrier class of all threads together; with `statistics` as a Profiler's."""
        check_bool("group_by_input_shape", group_by_input_shape)
        check_bool("statistics", statistics)
        _name_classes()
        read = raw.ProfilerGroup.dup_key_statistics if statistics else raw.ProfilerGroup.dup_key_averages
        return tuple(call(read, self, group_by_input_shape))

    def aggregate_columns(self, *, group_by_input_shape=False, statistics=True):
        """The rows of key_averages() as a structured NumPy array."""
        return _aggregate_array(raw.ProfilerGroup.tabulate_aggregates, self, group_by_input_shape, statistics)

    def table(
        self,
        *,
        sort_by="self_total_time_ns",
        descending=True,
        group_by_input_shape=False,
        row_limit=None,
        columns=(),
        by_thread=False,
    ):
        """The rows of key_averages() as aligned text, or those of each thread under its name."""
        threads = self.threads()
        columns = _column_list(columns)
        _check_table_options(sort_by, descending, group_by_input_shape, row_limit, columns)
        check_bool("by_thread", by_thread)
        if by_thread:
            options = dict(
                sort_by=sort_by,
                descending=descending,
                group_by_input_shape=group_by_input_shape,
                row_limit=row_limit,
                columns=columns,
            )
            return "\n\n".join(
                f"Thread {' '.join(thread.name.split())} ({thread.native_id})\n{thread.profiler.table(**options)}"
                for thread in threads
            )
        _name_classes()
        limit = -1 if row_limit is None else min(row_limit, INT64_MAX)
        options = sort_by, descending, group_by_input_shape, limit
        return call(raw.ProfilerGroup.dup_table_with_columns, self, columns, *options)


def _aggregate_array(tabulate, of, group_by_input_shape, statistics):
    from .columns import array_of

    check_bool("group_by_input_shape", group_by_input_shape)
    check_bool("statistics", statistics)
    _name_classes()
    return array_of(call(tabulate, of, raw.ColumnOrder.ROWS, group_by_input_shape, statistics))


def _profiler_list(profilers):
    try:
        profilers = list(profilers)
    except TypeError:
        raise TypeError(f"profilers must be an iterable of Profilers, not {type_name(profilers)}") from None
    for place, profiler in enumerate(profilers):
        if not isinstance(profiler, raw.Profiler):
            raise TypeError(f"profilers[{place}] must be a Profiler, not {type_name(profiler)}")
    return profilers


def merged_key_averages(profilers, *, group_by_input_shape=False, statistics=False):
    """The rows of several completed Profilers together, such as those of the cycles of a schedule."""
    check_bool("group_by_input_shape", group_by_input_shape)
    check_bool("statistics", statistics)
    _name_classes()
    read = raw.Profiler.dup_merged_key_statistics if statistics else raw.Profiler.dup_merged_key_averages
    return tuple(call(read, _profiler_list(profilers), group_by_input_shape))


def merged_aggregate_columns(profilers, *, group_by_input_shape=False, statistics=True):
    """The rows of merged_key_averages() as a structured NumPy array."""
    profilers = _profiler_list(profilers)
    return _aggregate_array(raw.Profiler.tabulate_merged_aggregates, profilers, group_by_input_shape, statistics)


def merged_table(
    profilers,
    *,
    sort_by="self_total_time_ns",
    descending=True,
    group_by_input_shape=False,
    row_limit=None,
    columns=(),
):
    """The rows of merged_key_averages() as aligned text."""
    columns = _column_list(columns)
    _check_table_options(sort_by, descending, group_by_input_shape, row_limit, columns)
    _name_classes()
    limit = -1 if row_limit is None else min(row_limit, INT64_MAX)
    options = sort_by, descending, group_by_input_shape, limit
    return call(raw.Profiler.dup_merged_table_with_columns, _profiler_list(profilers), columns, *options)


for _function in (merged_aggregate_columns, merged_key_averages, merged_table):
    _function.__module__ = "strideweave.operation"
