# SPDX-License-Identifier: LGPL-2.1-or-later
"""New tensors on CPU, out of numbers, lists and bytes; the last mode is the fastest, as in NumPy's arrays."""
import array
import ctypes
import operator
import sys

from gi.repository import GLib

from .arrays import TYPE_STRINGS, tensor_from_numpy
from .dtypes import DType, check_dtype, dtype_or_own
from .errors import call, check_instance, raw, type_name
from .layouts import as_shape
from .trees import integer
from .values import plain_number, to_value

_CODES = {DType.FLOAT32: "f", DType.FLOAT64: "d", DType.INT32: "i", DType.INT64: "q", DType.BOOL: "B"}


def _new(shape, dtype, is_empty):
    carrier = call(raw.CPU.new, shape.size, True, dtype, is_empty)
    return call(raw.Tensor.new, carrier, 0, call(raw.Layout.new_row_major, shape))


def _pack(dtype, values):
    try:
        return array.array(_CODES[dtype], values).tobytes()
    except OverflowError:
        raise ValueError(f"a value is out of the range of {dtype.name}") from None
    except TypeError as error:
        raise TypeError(f"values must be numbers that {dtype.name} holds: {error}") from None


def _filled(shape, dtype, data):
    tensor = _new(as_shape(shape), dtype, True)
    ctypes.memmove(call(raw.CPU.get_address, tensor.carrier), data, len(data))
    return tensor


def _check_like(like):
    if like is not None:
        check_instance("like", like, raw.Carrier)
    return like


def zeros(shape, dtype=None, *, like=None):
    """A Tensor of zeros on CPU, of Float32 where no dtype is given; or on a carrier like the given one, of its dtype."""
    return call(raw.zeros, as_shape(shape), dtype_or_own(dtype), _check_like(like))


def full(shape, value, dtype=None, *, like=None):
    """A Tensor on CPU whose values are all the same, of the value's own dtype where none is given; or on a carrier like the
    given one, of its dtype."""
    value = plain_number(value)
    if like is None and _dtype_of(value, "value") == DType.INT64:
        integer(value, "value")
    return call(raw.full, as_shape(shape), to_value(value), dtype_or_own(dtype), _check_like(like))


def ones(shape, dtype=None, *, like=None):
    """A Tensor of ones on CPU, of Float32 where no dtype is given; or on a carrier like the given one, of its dtype."""
    return call(raw.ones, as_shape(shape), dtype_or_own(dtype), _check_like(like))


def _stored(dtype, value):
    if dtype == DType.BOOL:
        return bool(value)
    return float(value) if dtype in (DType.FLOAT32, DType.FLOAT64) else operator.index(value)


def _dtype_of(value, argument):
    if isinstance(value, bool):
        return DType.BOOL
    if isinstance(value, int):
        return DType.INT64
    if isinstance(value, float):
        return DType.FLOAT64
    raise TypeError(f"{argument} must be a number, not {type_name(value)}")


def arange(start, stop=None, step=1, dtype=None, *, like=None):
    """The numbers from start, or 0, up to stop and without it, on CPU: of Int64 where all are integers, else Float64; or on
    a carrier like the given one, of its dtype."""
    if stop is None:
        start, stop = 0, start
    given = [("start", plain_number(start)), ("stop", plain_number(stop)), ("step", plain_number(step))]
    is_whole = all(_dtype_of(value, name) == DType.INT64 for name, value in given)
    numbers = [integer(value, name) if is_whole else float(value) for name, value in given]
    return call(raw.arange if is_whole else raw.arange_doubles, *numbers, dtype_or_own(dtype), _check_like(like))


def _extents(values):
    extents = []
    while isinstance(values, (list, tuple)):
        extents.append(len(values))
        if not values:
            break
        values = values[0]
    return extents


def _flatten(values, extents, found):
    if isinstance(values, (list, tuple)) != bool(extents) or (extents and len(values) != extents[0]):
        raise ValueError("values must be nested evenly, like the rows of a matrix")
    if not extents:
        found.append(values)
        return
    for part in values:
        _flatten(part, extents[1:], found)


def _is_array(values):
    # There is none where nobody has loaded NumPy.
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(values, numpy.ndarray)


def _check_stored(dtype):
    if dtype not in _CODES:
        raise ValueError(f"dtype is {dtype.name}, which CPU does not hold")


def _converted(array, dtype):
    """A copy, whose values are those of the array."""
    numpy = sys.modules["numpy"]
    kind = numpy.dtype(TYPE_STRINGS[dtype])
    if dtype != DType.BOOL and not numpy.can_cast(array.dtype, kind, "same_kind"):
        raise TypeError(f"values are of {array.dtype}, which {dtype.name} does not hold; cast() converts")
    copy = array.astype(kind, order="C", copy=True)
    if kind.kind == "i" and not numpy.array_equal(copy, array):
        raise ValueError(f"a value is out of the range of {dtype.name}")
    return copy


def _tensor_of_array(array, dtype):
    if dtype is None:
        return tensor_from_numpy(array.copy(order="C"))
    _check_stored(check_dtype("dtype", dtype))
    return tensor_from_numpy(_converted(array, dtype))


def tensor(values, dtype=None):
    """A Tensor on CPU out of a number or evenly nested lists of numbers: of Bool, Int64 or Float64 where none is given, and of
    Float64 where there are no numbers; or out of an array of NumPy's, which is copied, of its dtype. Tensor.from_numpy() shares the array's memory instead."""
    if _is_array(values):
        return _tensor_of_array(values, dtype)
    extents, found = _extents(values), []
    _flatten(values, extents, found)
    found = [plain_number(value) for value in found]
    kinds = {_dtype_of(value, "a value") for value in found}
    if DType.BOOL in kinds and len(kinds) > 1 and dtype is None:
        raise TypeError("values has both truth values and numbers; say which dtype they are to have")
    own = DType.FLOAT64 if DType.FLOAT64 in kinds or not kinds else kinds.pop()
    dtype = own if dtype is None else check_dtype("dtype", dtype)
    _check_stored(dtype)
    return _filled(tuple(extents), dtype, _pack(dtype, [_stored(dtype, value) for value in found]))


def from_bytes(data, shape, dtype=DType.FLOAT32):
    """An immutable Tensor on CPU over a copy of bytes in the machine's order, of the given shape."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data must be bytes, not {type_name(data)}")
    return call(raw.from_bytes, GLib.Bytes.new(bytes(data)), as_shape(shape), check_dtype("dtype", dtype))


FUNCTIONS = ("arange", "from_bytes", "full", "ones", "tensor", "zeros")
for _name in FUNCTIONS:
    globals()[_name].__module__ = "strideweave"
