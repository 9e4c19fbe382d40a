# SPDX-License-Identifier: LGPL-2.1-or-later
"""Carriers: the open base class with its hooks, and the four that the library has, which are closed."""
import weakref
from typing import NamedTuple

from gi.repository import GObject

from .dtypes import DType, check_dtype, dtype_or_none, dtype_or_own
from .errors import call, check_bool, check_instance, check_name, check_path, guarded, raw, type_name, with_article
from .registry import register
from .trees import integer
from .values import from_list, from_value, to_list, to_value

# Classes whose Python names the Profiler's tables do not know yet.
unnamed_classes = []


def is_introspected(cls):
    """Whether the library itself brings the class, be it as it is or overridden here."""
    return "__info__" in cls.__dict__ or cls.__module__.startswith("gi.overrides.") or cls.__module__ == "strideweave"


def refuse_closed(cls, open_bases, advice):
    for base in cls.__mro__[1:]:
        if issubclass(base, GObject.Object) and not issubclass(base, open_bases) and not issubclass(open_bases[0], base):
            raise TypeError(f"{cls.__name__} derives from {base.__name__}, too, but an object of C is of one kind only")
        if base in open_bases or not issubclass(base, open_bases):
            continue
        if base.__module__ in ("gi.repository.Strideweave", "strideweave") and is_introspected(base):
            raise TypeError(f"{base.__name__} is closed: it cannot be subclassed; {advice}")


@register
class Carrier(raw.Carrier):
    """A flat sequence of values of one dtype, and the operations on tensors that it carries.

    A subclass overrides `size, dtype, get_value, set_value, _is_mutable, new_like, allocate_like, scatter` and
    `_dispatch_op`, or the same as `do_size` and so on in the form of C; its `__init__` calls `super().__init__()`.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if is_introspected(cls):
            return
        refuse_closed(cls, (raw.Carrier, Carrier), "subclass Carrier")
        _install_hooks(cls)
        unnamed_classes.append(weakref.ref(cls))

    def size(self):
        """How many values there are."""
        return call(raw.Carrier.size, self)

    def dtype(self):
        """What each value is."""
        return call(raw.Carrier.dtype, self)

    def get_value(self, index):
        return from_value(call(raw.Carrier.get_value, self, integer(index, "index")))

    def set_value(self, index, value):
        call(raw.Carrier.set_value, self, integer(index, "index"), to_value(value))

    def is_mutable(self):
        return call(raw.Carrier.is_mutable, self)

    _is_mutable = is_mutable

    def is_owned(self):
        """Whether a composite carrier owns this one; then it is read-only."""
        return raw.Carrier.is_owned(self)

    def is_released(self):
        return raw.Carrier.is_released(self)

    def release(self):
        """Gives the storage back now; views of it stay valid, and the carrier is of no more use."""
        call(raw.Carrier.release, self)

    @property
    def version(self):
        """A number that grows when values are written."""
        return raw.Carrier.get_version(self)

    def supports_storage_dtype(self, dtype):
        return call(raw.Carrier.supports_storage_dtype, self, check_dtype("dtype", dtype))

    def new_like(self, values, *, mutable=True, dtype=None):
        """A fresh carrier of the same kind that holds @values."""
        check_bool("mutable", mutable)
        return call(raw.Carrier.new_like, self, to_list(values), mutable, dtype_or_own(dtype))

    def allocate_like(self, size, *, mutable=True, dtype=None, empty=False):
        """A fresh carrier of the same kind with @size zeros; @empty allows to leave them undefined."""
        check_bool("mutable", mutable)
        check_bool("empty", empty)
        return call(raw.Carrier.allocate_like, self, integer(size, "size"), mutable, dtype_or_own(dtype), empty)

    def scatter(self, source, onto, mapping, mapping_offset=0):
        """Writes each value of @source where @mapping, from @mapping_offset on, says, into the storage under @onto."""
        check_instance("source", source, raw.Tensor)
        check_instance("onto", onto, raw.Tensor)
        check_instance("mapping", mapping, raw.Layout)
        call(raw.Carrier.scatter, self, source, onto, mapping, integer(mapping_offset, "mapping_offset"))

    def dispatch_op(self, name):
        """A fresh Operation that executes @name on tensors of this carrier."""
        return call(raw.Carrier.dispatch_op, self, check_name("name", name))

    def _dispatch_op(self, name):
        """The hook behind dispatch_op (). Here: an Operation of the class that the library has, not yet dispatched."""
        return type(self.dispatch_op(name))()

    def __getitem__(self, index):
        return from_value(call(raw.Carrier.get_value, self, integer(index, "index")))

    def __setitem__(self, index, value):
        call(raw.Carrier.set_value, self, integer(index, "index"), to_value(value))

    def __iter__(self):
        return (self[index] for index in range(self.size()))


def _returned(self, hook, value, cls):
    if not isinstance(value, cls):
        raise TypeError(f"{type(self).__name__}.{hook}() must return {with_article(cls)}, not {type_name(value)}")
    return value


def _whether(self, hook, value):
    is_numpy_bool = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
    if not isinstance(value, bool) and not is_numpy_bool:
        raise TypeError(f"{type(self).__name__}.{hook}() must return a bool, not {type_name(value)}")
    return bool(value)


# What a hook returned in the form of Python, as C wants it; @hook is what to call it in an error.


def _size(self, hook, value):
    return integer(value, f"{type(self).__name__}.{hook}()")


def _dtype(self, hook, value):
    return _returned(self, hook, value, DType)


def _value(self, hook, value):
    return to_value(value)


def _done(self, hook, value):
    return True if value is None else _whether(self, hook, value)


def _carrier(self, hook, value):
    return _returned(self, hook, value, raw.Carrier)


def _operation(self, hook, value):
    return _returned(self, hook, value, raw.Operation)


def _do_size(self):
    return self.size()


def _do_dtype(self):
    return self.dtype()


def _do_get_value(self, index):
    return self.get_value(index)


def _do_set_value(self, index, value):
    value = from_value(value)
    self.set_value(index, value)


def _do_is_mutable(self):
    return self._is_mutable()


def _do_new_like(self, values, is_mutable, dtype):
    values = from_list(values)
    return self.new_like(values, mutable=is_mutable, dtype=dtype_or_none(dtype))


def _do_allocate_like(self, size, is_mutable, dtype, is_empty):
    return self.allocate_like(size, mutable=is_mutable, dtype=dtype_or_none(dtype), empty=is_empty)


def _do_scatter(self, source, onto, mapping, mapping_offset):
    self.scatter(source, onto, mapping, mapping_offset)


def _do_dispatch_op(self, name):
    return self._dispatch_op(name)


def _hook_for_c(function, name, convert):
    """What C calls: @function, with what it returns checked and converted."""

    def hook(self, *arguments):
        return convert(self, name, function(self, *arguments))

    return guarded(hook)


# The Python name of each hook, the name that C calls, what leads from one to the other, and what comes back.
_HOOKS = (
    ("size", "do_size", _do_size, _size),
    ("dtype", "do_dtype", _do_dtype, _dtype),
    ("get_value", "do_get_value", _do_get_value, _value),
    ("set_value", "do_set_value", _do_set_value, _done),
    ("_is_mutable", "do_is_mutable", _do_is_mutable, _whether),
    ("new_like", "do_new_like", _do_new_like, _carrier),
    ("allocate_like", "do_allocate_like", _do_allocate_like, _carrier),
    ("scatter", "do_scatter", _do_scatter, _done),
    ("_dispatch_op", "do_dispatch_op", _do_dispatch_op, _operation),
)
_TRAMPOLINES = {vfunc: _hook_for_c(function, name, convert) for name, vfunc, function, convert in _HOOKS}


def check_named_class(cls):
    # PyGObject takes much else for a GType, not all of it without harm.
    if not (isinstance(cls, type) and issubclass(cls, (raw.Carrier, raw.Operation))):
        raise TypeError(f"cls must be a Carrier class or an Operation class, not {cls!r}")


def check_callable(cls, name, hook):
    if not callable(hook):
        raise TypeError(f"{cls.__name__}.{name} must be a method, not {with_article(type(hook))}")


def _install_hooks(cls):
    """PyGObject hooks up what the class itself has under the name do_*, and when the class is made: so put it there."""
    for name, vfunc, _, convert in _HOOKS:
        own = cls.__dict__.get(vfunc)
        if own is not None:
            check_callable(cls, vfunc, own)
            setattr(cls, vfunc, _hook_for_c(own, vfunc, convert))
        elif getattr(cls, name) is not getattr(Carrier, name):
            check_callable(cls, name, getattr(cls, name))
            setattr(cls, vfunc, _TRAMPOLINES[vfunc])


class _Made:
    """A carrier that a constructor of C made whole."""

    def __init__(self, *args, **kwargs):
        pass


@register
class Generic(_Made, raw.Generic):
    """Values of any kind in memory, with plain reference implementations of all operations."""

    def __new__(cls, values, *, mutable=True, dtype=DType.FLOATING):
        check_bool("mutable", mutable)
        return call(raw.Generic.new, to_list(values), mutable, check_dtype("dtype", dtype))


class CacheStatistics(NamedTuple):
    """Of the memory that is kept for later CPU carriers, since the process began."""

    n_bytes: int
    n_hits: int
    n_misses: int


@register
class CPU(_Made, raw.CPU):
    """Numbers of one dtype in contiguous memory, with fast implementations of all operations."""

    def __new__(cls, size, pointer=None, *, mutable=True, dtype=DType.FLOAT32, empty=False):
        check_bool("mutable", mutable)
        check_bool("empty", empty)
        size = integer(size, "size")
        check_dtype("dtype", dtype)
        if pointer is None:
            return call(raw.CPU.new, size, mutable, dtype, empty)
        pointer = integer(pointer, "pointer")
        if pointer < 0:
            raise ValueError(f"pointer is {pointer}, but must be an address")
        return call(raw.CPU.new_for_address, size, pointer, mutable, dtype)

    @property
    def address(self):
        """Where the values are in memory."""
        return call(raw.CPU.get_address, self)

    @staticmethod
    def get_n_threads():
        """On how many threads at once one operation may compute, the calling one included."""
        return raw.CPU.get_n_threads()

    @staticmethod
    def set_n_threads(n_threads):
        """Says on how many threads, from 1 to 256, one operation may compute; sets the number of OpenBLAS's, too."""
        n_threads = integer(n_threads, "n_threads")
        if not 1 <= n_threads <= 256:
            raise ValueError(f"n_threads is {n_threads}, which is not from 1 to 256")
        call(raw.CPU.set_n_threads, n_threads)

    @staticmethod
    def get_cache_limit():
        """How many bytes of memory that no CPU carrier uses any more are kept at most for others."""
        return raw.CPU.get_cache_limit()

    @staticmethod
    def set_cache_limit(n_bytes):
        """Limits the memory that is kept for later carriers; 0 keeps none."""
        call(raw.CPU.set_cache_limit, integer(n_bytes, "n_bytes"))

    @staticmethod
    def trim_cache():
        """Gives all memory back that is kept for later carriers, and says how many bytes."""
        return raw.CPU.trim_cache()

    @staticmethod
    def get_cache_statistics():
        """How many bytes are kept, how often they served, and how often there was nothing to serve with."""
        return CacheStatistics(*raw.CPU.get_cache_statistics())


@register
class FileBacked(_Made, raw.FileBacked):
    """Numbers of one dtype in a file; storage only, it executes no operations."""

    def __new__(cls, filename=None, *, mutable=True, dtype=DType.FLOAT32):
        check_bool("mutable", mutable)
        if filename is not None and not isinstance(filename, str):
            raise TypeError(f"filename must be a str, not {type_name(filename)}")
        if filename is not None:
            filename = check_path("filename", filename)
        return call(raw.FileBacked.new, filename, mutable, check_dtype("dtype", dtype))

    @property
    def path(self):
        return raw.FileBacked.get_path(self)


@register
class Evictable(_Made, raw.Evictable):
    """Two tiers, which it owns: values rest in the secondary and are promoted to the primary, which computes."""

    def __new__(cls, primary, secondary):
        check_instance("primary", primary, raw.Carrier)
        check_instance("secondary", secondary, raw.Carrier)
        return call(raw.Evictable.new, primary, secondary)

    @property
    def primary(self):
        return raw.Evictable.get_primary(self)

    @property
    def secondary(self):
        return raw.Evictable.get_secondary(self)

    def is_evicted(self):
        return raw.Evictable.is_evicted(self)

    def evict(self):
        """Moves the values to the secondary tier; either all of it happens, or nothing."""
        call(raw.Evictable.evict, self)

    def promote(self):
        """Moves the values back to the primary tier."""
        call(raw.Evictable.promote, self)


unnamed_classes += [weakref.ref(cls) for cls in (Generic, CPU, FileBacked, Evictable)]
