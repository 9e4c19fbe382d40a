# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiler and its results."""
import gc
from dataclasses import FrozenInstanceError
from inspect import Parameter, Signature

from .carriers import check_named_class, unnamed_classes
from .errors import (
    StrideweaveError,
    call,
    check_bool,
    check_name,
    check_path,
    check_python_lives,
    closing,
    raw,
    sayable,
    type_name,
)
from .extension import extension
from .registry import class_of, register
from .sequences import EventSequence
from .trees import INT64_MAX, tree_of

_SORT_FIELDS = frozenset(
    (
        "name",
        "carrier_type",
        "input_shapes",
        "count",
        "total_time_ns",
        "self_total_time_ns",
        "mean_time_ns",
        "min_time_ns",
        "max_time_ns",
    )
)
_STATISTICS = (
    "p50_time_ns",
    "p90_time_ns",
    "p99_time_ns",
    "stddev_time_ns",
    "total_percent",
    "self_total_percent",
)

_classes = {}
_snapshots = {}


def _class(gtype):
    cls = _classes.get(gtype)
    if cls is None:
        cls = _classes[gtype] = class_of(gtype, raw)
    return cls


def _snapshot(shapes):
    return None if shapes is None else tree_of(shapes.dup_tokens())


def _statistic(field, doc):
    get = getattr(raw.ProfilerAggregate, f"get_{field}")

    def read(row):
        # An unpickled row has what the pickle says.
        return get(row) if row.has_statistics() else row.__dict__.get(field)

    return property(read, doc=doc)


def _parent(event):
    known, parent = raw.ProfilerEvent.get_parent_id(event)
    return parent if known else None


class _Record:
    """An immutable value with named fields."""

    __slots__ = ()
    _fields = ()
    _getters = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        kind = Parameter.POSITIONAL_OR_KEYWORD
        cls.__signature__ = Signature([Parameter(field, kind) for field in cls._fields])

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    @classmethod
    def _bind(cls, args, kwargs):
        name, fields = cls.__name__, cls._fields
        if len(args) > len(fields):
            raise TypeError(f"{name}() takes {len(fields)} arguments, but {len(args)} were given")
        values = dict(zip(fields, args))
        for key, value in kwargs.items():
            if key not in fields:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if key in values:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[key] = value
        missing = [field for field in fields if field not in values]
        if missing:
            raise TypeError(f"{name}() is missing the required arguments {', '.join(missing)}")
        return {field: values[field] for field in fields}

    def __setattr__(self, name, value):
        raise FrozenInstanceError(f"cannot assign to field '{name}'")

    def __delattr__(self, name):
        raise FrozenInstanceError(f"cannot delete field '{name}'")

    def _astuple(self):
        return tuple(getattr(self, field) for field in self._fields)

    def __eq__(self, other):
        return self._astuple() == other._astuple() if type(other) is type(self) else NotImplemented

    def __ne__(self, other):
        return self._astuple() != other._astuple() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash(self._astuple())

    def __lt__(self, other):
        return NotImplemented

    __le__ = __gt__ = __ge__ = __lt__

    def __repr__(self):
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self._fields)
        return f"{type(self).__name__}({fields})"

    __str__ = __repr__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return type(self), self._astuple()

    def __dir__(self):
        return sorted({*super().__dir__(), *self._fields})


class _LazyRecord(_Record):
    """Fields that C has are read when they are asked for, those that Python gave are kept."""

    __slots__ = ()

    def __getattr__(self, field):
        getter = type(self)._getters.get(field)
        if getter is None:
            raise AttributeError(f"{type(self).__name__} has no attribute '{field}'")
        value = self.__dict__[field] = getter(self)
        return value

    def _keep(self, values):
        self.__dict__.update(values)


if extension is None:
    _EventRecord = _LazyRecord
else:

    class _EventRecord(_Record):
        """The same by means of the extension: its class of events has a descriptor for each field."""

        __slots__ = ()

        def _keep(self, values):
            extension.keep_fields(self, tuple(values.values()))


def _event_class(body):
    """The class of events that @body describes: a subclass of the introspected one.

    With the extension, a sibling of that, which has all that it has but a dict in each instance.
    """
    introspected = raw.ProfilerEvent
    if extension is None:
        made = type(introspected)("ProfilerEvent", (body, introspected), {"__doc__": body.__doc__})
    else:
        made = extension.event_class((body, introspected.__base__), lambda event, field: body._getters[field](event))
        for name, value in vars(introspected).items():
            if not name.startswith("__") or name in ("__info__", "__gtype__"):
                setattr(made, name, value)
        # A type of C takes that from its base alone.
        made.__new__ = body.__new__
        made.__doc__ = body.__doc__
        body.__init_subclass__.__func__(made)
    return register(made)


def _gtype(cls, base):
    return cls if isinstance(cls, type) and issubclass(cls, base) else base


def _int64(value):
    return value if type(value) is int and abs(value) <= INT64_MAX else 0


def _tree_tokens(tree):
    if tree is None:
        return [-1]
    if isinstance(tree, tuple):
        return [-2 - len(tree), *(token for item in tree for token in _tree_tokens(item))]
    return [tree]


def _input_shapes(snapshot):
    """What C keeps of a snapshot that Python made: what it can say, else nothing."""
    try:
        return raw.InputShapes.new_from_tokens(_tree_tokens(snapshot)) if isinstance(snapshot, tuple) else None
    except Exception:
        return None


def _text(value):
    return sayable(value) if isinstance(value, str) else ""


@_event_class
class ProfilerEvent(_EventRecord):
    """One attempt of a dispatched operation: what, on which classes, when, for how long, under which parent."""

    __slots__ = ()
    _fields = __match_args__ = (
        "id",
        "parent_id",
        "name",
        "carrier_type",
        "implementation_type",
        "input_shapes",
        "start_time_ns",
        "duration_ns",
        "self_time_ns",
        "thread_id",
        "succeeded",
    )
    _getters = {
        "id": raw.ProfilerEvent.get_id,
        "parent_id": _parent,
        "name": raw.ProfilerEvent.get_name,
        "carrier_type": lambda event: _class(event.get_carrier_type()),
        "implementation_type": lambda event: _class(event.get_implementation_type()),
        "input_shapes": lambda event: _snapshot(event.get_input_shapes()),
        "start_time_ns": raw.ProfilerEvent.get_start_time_ns,
        "duration_ns": raw.ProfilerEvent.get_duration_ns,
        "self_time_ns": raw.ProfilerEvent.get_self_time_ns,
        "thread_id": raw.ProfilerEvent.get_thread_id,
        "succeeded": raw.ProfilerEvent.get_succeeded,
    }
    carrier_name = property(raw.ProfilerEvent.get_carrier_name, doc="What results call the class of the carrier.")
    implementation_name = property(raw.ProfilerEvent.get_implementation_name, doc="The same for the operation's class.")

    def __new__(cls, *args, **kwargs):
        values = cls._bind(args, kwargs)
        thread_id = values["thread_id"]
        self = raw.ProfilerEvent.new(
            _int64(values["id"]),
            -1 if values["parent_id"] is None else _int64(values["parent_id"]),
            _text(values["name"]),
            _gtype(values["carrier_type"], raw.Carrier),
            _gtype(values["implementation_type"], raw.Operation),
            _input_shapes(values["input_shapes"]),
            _int64(values["start_time_ns"]),
            _int64(values["duration_ns"]),
            _int64(values["self_time_ns"]),
            thread_id if type(thread_id) is int and 0 <= thread_id < 2**64 else 0,
            values["succeeded"] is True,
        )
        self._keep(values)
        return self


@register
class ProfilerAggregate(_LazyRecord, raw.ProfilerAggregate):
    """What all events of one name and carrier class (and input shapes) come to.

    Percentiles, `stddev_time_ns` and shares are None unless key_averages () was asked for statistics. They are no part of
    the value: rows are compared, hashed and printed without them.
    """

    _fields = __match_args__ = (
        "name",
        "carrier_type",
        "input_shapes",
        "count",
        "total_time_ns",
        "self_total_time_ns",
        "mean_time_ns",
        "min_time_ns",
        "max_time_ns",
    )
    _getters = {
        "name": raw.ProfilerAggregate.get_name,
        "carrier_type": lambda row: _class(row.get_carrier_type()),
        "input_shapes": lambda row: _snapshot(row.get_input_shapes()),
        "count": raw.ProfilerAggregate.get_count,
        "total_time_ns": raw.ProfilerAggregate.get_total_time_ns,
        "self_total_time_ns": raw.ProfilerAggregate.get_self_total_time_ns,
        "mean_time_ns": raw.ProfilerAggregate.get_mean_time_ns,
        "min_time_ns": raw.ProfilerAggregate.get_min_time_ns,
        "max_time_ns": raw.ProfilerAggregate.get_max_time_ns,
    }
    carrier_name = property(raw.ProfilerAggregate.get_carrier_name, doc="What results call the class of the carrier.")
    p50_time_ns = _statistic("p50_time_ns", "The median duration.")
    p90_time_ns = _statistic("p90_time_ns", "What nine of ten durations do not exceed.")
    p99_time_ns = _statistic("p99_time_ns", "What 99 of a hundred durations do not exceed.")
    stddev_time_ns = _statistic("stddev_time_ns", "The standard deviation, as of a whole population.")
    total_percent = _statistic("total_percent", "The durations' share in the time of all outermost events.")
    self_total_percent = _statistic("self_total_percent", "The self times' share in the time of all outermost events.")

    def __reduce__(self):
        return type(self), self._astuple(), {field: getattr(self, field) for field in _STATISTICS}

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __new__(cls, *args, **kwargs):
        values = cls._bind(args, kwargs)
        mean = values["mean_time_ns"]
        self = raw.ProfilerAggregate.new(
            _text(values["name"]),
            _gtype(values["carrier_type"], raw.Carrier),
            _input_shapes(values["input_shapes"]),
            _int64(values["count"]),
            _int64(values["total_time_ns"]),
            _int64(values["self_total_time_ns"]),
            mean if type(mean) is float else float(_int64(mean)),
            _int64(values["min_time_ns"]),
            _int64(values["max_time_ns"]),
        )
        self._keep(values)
        return self


def _name_classes():
    """Tells C how Python calls its carrier classes; a class has no GType yet when it could tell by itself."""
    while unnamed_classes:
        try:
            cls = unnamed_classes.pop()()
        except IndexError:
            return  # another thread took it
        if cls is not None:
            raw.Profiler.set_type_name(cls.__gtype__, sayable(f"{cls.__module__}.{cls.__qualname__}"))


def _carrier_list(carriers):
    try:
        # A carrier can be iterated as well, and one that is empty would pass for no classes.
        items = None if isinstance(carriers, raw.Carrier) else iter(carriers)
    except TypeError:
        items = None
    if items is None:
        raise TypeError(f"carriers must be an iterable of Carrier classes, not {type_name(carriers)}")
    classes = list(items)
    for place, cls in enumerate(classes):
        if not (isinstance(cls, type) and issubclass(cls, raw.Carrier)):
            raise TypeError(f"carriers[{place}] must be a Carrier class, not {cls!r}")
    return classes


def _column_list(columns):
    try:
        names = None if isinstance(columns, str) else list(columns)
    except TypeError:
        names = None
    if names is None:
        raise TypeError(f"columns must be an iterable of names, not {type_name(columns)}")
    for place, name in enumerate(names):
        check_name(f"columns[{place}]", name)
    return names


def _check_table_options(sort_by, descending, group_by_input_shape, row_limit, columns):
    try:
        known = sort_by in _SORT_FIELDS or sort_by in {name for name in columns if name in _STATISTICS}
    except TypeError:
        raise TypeError(f"sort_by must be the name of a sort field, not {type_name(sort_by)}") from None
    if not known or not isinstance(sort_by, str):
        raise ValueError(f"sort_by is {sort_by!r}, which is not a sort field: {', '.join(sorted(_SORT_FIELDS))}")
    check_bool("descending", descending)
    check_bool("group_by_input_shape", group_by_input_shape)
    if row_limit is not None and (isinstance(row_limit, bool) or not isinstance(row_limit, int) or row_limit < 0):
        raise ValueError(f"row_limit is {row_limit!r}, but must be a non-negative integer or None")


@register
class Profiler(EventSequence, raw.Profiler):
    """Records the dispatched operations of one thread, from `with` until its end; used once.

    Time is host time of the thread, in nanoseconds of the monotonic clock.
    """

    def __init_subclass__(cls, **kwargs):
        raise TypeError("Profiler is closed: it cannot be subclassed")

    def __new__(cls, *, carriers=None, record_shapes=False):
        check_bool("record_shapes", record_shapes)
        if carriers is None:
            return raw.Profiler.new(record_shapes)
        return call(raw.Profiler.new_for_carriers, _carrier_list(carriers), record_shapes)

    @staticmethod
    def get_type_name(cls):
        """What tables call a class."""
        check_named_class(cls)
        _name_classes()
        return raw.Profiler.get_type_name(cls)

    @staticmethod
    def set_type_name(cls, qualified_name):
        """Lets tables call a class something else than its module and name; with None, what GObject calls it."""
        check_named_class(cls)
        if qualified_name is not None:
            check_name("qualified_name", qualified_name)
        _name_classes()
        raw.Profiler.set_type_name(cls, qualified_name)

    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def __enter__(self):
        try:
            call(raw.Profiler.enter, self)
            return self
        except StrideweaveError:
            raise
        except BaseException:
            # An interrupt that came just then. There will be no __exit__.
            if raw.Profiler.is_active(self):
                call(raw.Profiler.exit, self)
            raise

    def __exit__(self, exception_type=None, exception=None, traceback=None):
        call(raw.Profiler.exit, self)
        return False

    @property
    def _session(self):
        """What records now: this Profiler while it is active, else None."""
        return self if raw.Profiler.is_active(self) else None

    def events(self):
        """All events in the order of their start; the same tuple each time."""
        events = self.__dict__.get("_events")
        if events is None:
            events = self._events = self._read_events()
        return events

    def _read_events(self):
        # So many new objects at once make the collector look through them again and again, in vain.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            if extension is None:
                return tuple(call(raw.Profiler.dup_events, self))
            if closing:
                check_python_lives()
            return extension.read_events(self)
        finally:
            if was_enabled:
                gc.enable()

    def key_averages(self, *, group_by_input_shape=False, statistics=False):
        """One row for each name and carrier class, and input shapes if so asked, in ascending order.

        With `statistics`, which takes some times longer, rows also have percentiles and more: `p50_time_ns`,
        `p90_time_ns`, `p99_time_ns`, `stddev_time_ns`, `total_percent` and `self_total_percent`.
        """
        check_bool("group_by_input_shape", group_by_input_shape)
        check_bool("statistics", statistics)
        _name_classes()
        read = raw.Profiler.dup_key_statistics if statistics else raw.Profiler.dup_key_averages
        return tuple(call(read, self, group_by_input_shape))

    def table(
        self,
        *,
        sort_by="self_total_time_ns",
        descending=True,
        group_by_input_shape=False,
        row_limit=None,
        columns=(),
    ):
        """The rows of key_averages() as aligned text.

        `columns` names statistics to show behind the other fields; `sort_by` may be one of them then.
        """
        call(raw.Profiler.count_events, self)
        columns = _column_list(columns)
        _check_table_options(sort_by, descending, group_by_input_shape, row_limit, columns)
        _name_classes()
        limit = -1 if row_limit is None else min(row_limit, INT64_MAX)
        options = sort_by, descending, group_by_input_shape, limit
        return call(raw.Profiler.dup_table_with_columns, self, columns, *options)

    def event_columns(self):
        """All events as a structured NumPy array, read-only, which needs no copy and outlives the Profiler.

        It has the fields of events. Names, classes and shapes are numbers there: `array.labels["name"]` says what they
        stand for.
        """
        from .columns import array_of

        _name_classes()
        return array_of(call(raw.Profiler.tabulate_events, self, raw.ColumnOrder.ROWS))

    def aggregate_columns(self, *, group_by_input_shape=False, statistics=True):
        """The rows of key_averages() in the same form, with statistics unless they are not wanted."""
        from .columns import array_of

        check_bool("group_by_input_shape", group_by_input_shape)
        check_bool("statistics", statistics)
        _name_classes()
        options = raw.ColumnOrder.ROWS, group_by_input_shape, statistics
        return array_of(call(raw.Profiler.tabulate_aggregates, self, *options))

    def to_csv(self, path=None, *, aggregates=False, group_by_input_shape=False, statistics=False):
        """All events, or the aggregates, as comma-separated values: as text, or to a file, replaced as a whole.

        Returns the text; with a path, how many rows it wrote.
        """
        for name, value in (
            ("aggregates", aggregates),
            ("group_by_input_shape", group_by_input_shape),
            ("statistics", statistics),
        ):
            check_bool(name, value)
        if not aggregates and (group_by_input_shape or statistics):
            raise ValueError("group_by_input_shape and statistics are options of aggregates: say aggregates=True")
        _name_classes()
        options = (group_by_input_shape, statistics) if aggregates else ()
        if path is None:
            return call(raw.Profiler.dup_aggregates_csv if aggregates else raw.Profiler.dup_events_csv, self, *options)
        write = raw.Profiler.save_aggregates_csv if aggregates else raw.Profiler.save_events_csv
        call(write, self, check_path("path", path), *options)
        return len(self.key_averages(group_by_input_shape=group_by_input_shape)) if aggregates else len(self)

    def to_json(self, path=None):
        """All events as JSON: as text, or to a file, replaced as a whole.

        Returns the text; with a path, how many events it wrote.
        """
        if path is not None:
            return self.save_json(path)
        _name_classes()
        return call(raw.Profiler.dup_json, self)

    def save_json(self, path):
        """Writes all events to a file, either whole or not at all, and returns how many there are."""
        _name_classes()
        call(raw.Profiler.save_json, self, check_path("path", path))
        return len(self)

    def save(self, path):
        """Writes the completed Profiler to a file for load(), either whole or not at all; returns the number of events."""
        _name_classes()
        call(raw.Profiler.save, self, check_path("path", path))
        return len(self)

    @staticmethod
    def load(path):
        """The completed Profiler that a file of save() holds.

        Classes that are not defined now are Carrier and Operation; `carrier_name` and `implementation_name` tell what
        they were called. ValueError for any other file, OSError for one that cannot be read.
        """
        return call(raw.Profiler.load, check_path("path", path))

    def write_trace(self, path, format):
        """Writes all events as a trace in the TraceFormat `format`, for timeline viewers; whole or not at all.

        A path that ends in ".gz" is compressed.
        """
        if not isinstance(format, raw.TraceFormat):
            raise TypeError(f"format must be a TraceFormat, not {type_name(format)}")
        _name_classes()
        call(raw.Profiler.write_trace, self, check_path("path", path), format)


def profile(*, carriers=None, record_shapes=False):
    """A Profiler for a `with` statement.

    `carriers`: the exact Carrier classes to record, or None for all. `record_shapes`: whether to keep the shapes of
    tensor inputs.
    """
    return Profiler(carriers=carriers, record_shapes=record_shapes)


profile.__module__ = "strideweave.operation"
