# SPDX-License-Identifier: LGPL-2.1-or-later
"""New tensors on CPU, out of numbers, lists and bytes; the last mode is the fastest, as in NumPy's arrays."""
import array
import ctypes
import math
import operator

from gi.repository import GLib

from .dtypes import DType, check_dtype
from .errors import call, raw, type_name
from .layouts import Layout, Stride, as_shape
from .trees import tree_of

_CODES = {DType.FLOAT32: "f", DType.FLOAT64: "d", DType.INT32: "i", DType.INT64: "q", DType.BOOL: "B"}


def _row_major(shape):
    """The compact layout of a shape with its last leaf fastest."""
    steps, step = [], 1
    for token in reversed(shape.dup_tokens()):
        steps.append(token if token < -1 else step)
        step *= token if token > 0 else 1
    return Layout(shape, Stride(tree_of(steps[::-1])))


def _new(shape, dtype, is_empty):
    shape = as_shape(shape)
    carrier = call(raw.CPU.new, shape.size, True, check_dtype("dtype", dtype), is_empty)
    return call(raw.Tensor.new, carrier, 0, _row_major(shape))


def _pack(dtype, values):
    try:
        return array.array(_CODES[dtype], values).tobytes()
    except OverflowError:
        raise ValueError(f"a value is out of the range of {dtype.name}") from None
    except TypeError as error:
        raise TypeError(f"values must be numbers that {dtype.name} holds: {error}") from None


def _filled(shape, dtype, make_bytes):
    tensor = _new(shape, dtype, True)
    data = make_bytes(tensor.size())
    ctypes.memmove(call(raw.CPU.get_address, tensor.carrier), data, len(data))
    return tensor


def zeros(shape, dtype=DType.FLOAT32):
    """A Tensor of zeros on CPU."""
    return _new(shape, dtype, False)


def full(shape, value, dtype=None):
    """A Tensor on CPU whose values are all the same; the dtype is the value's own where none is given."""
    dtype = _dtype_of(value, "value") if dtype is None else check_dtype("dtype", dtype)
    if dtype not in _CODES:
        raise ValueError(f"dtype is {dtype.name}, which CPU does not hold")
    return _filled(shape, dtype, lambda size: _pack(dtype, [_stored(dtype, value)]) * size)


def ones(shape, dtype=DType.FLOAT32):
    """A Tensor of ones on CPU."""
    return full(shape, 1, dtype)


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


def arange(start, stop=None, step=1, dtype=None):
    """The numbers from start, or 0, up to stop and without it, on CPU: of Int64 where all are integers, else Float64."""
    if stop is None:
        start, stop = 0, start
    whole = all(_dtype_of(value, name) == DType.INT64 for name, value in (("start", start), ("stop", stop), ("step", step)))
    dtype = (DType.INT64 if whole else DType.FLOAT64) if dtype is None else check_dtype("dtype", dtype)
    if step == 0 or step != step:
        raise ValueError(f"step is {step}, which leads nowhere")
    count = len(range(start, stop, step)) if whole else math.ceil((stop - start) / step)
    if count < 1:
        raise ValueError(f"there is nothing from {start} to {stop} by {step}, and there are no empty tensors")
    if dtype not in _CODES:
        raise ValueError(f"dtype is {dtype.name}, which CPU does not hold")
    return _filled((count,), dtype, lambda size: _pack(dtype, [_stored(dtype, start + i * step) for i in range(size)]))


def _extents(values):
    extents = []
    while isinstance(values, (list, tuple)):
        if not values:
            raise ValueError("values has an empty list, and there are no empty tensors")
        extents.append(len(values))
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


def tensor(values, dtype=None):
    """A Tensor on CPU out of a number or evenly nested lists of numbers: of Bool, Int64 or Float64 where none is given."""
    extents, found = _extents(values), []
    _flatten(values, extents, found)
    kinds = {_dtype_of(value, "a value") for value in found}
    if DType.BOOL in kinds and len(kinds) > 1 and dtype is None:
        raise TypeError("values has both truth values and numbers; say which dtype they are to have")
    own = DType.FLOAT64 if DType.FLOAT64 in kinds else kinds.pop()
    dtype = own if dtype is None else check_dtype("dtype", dtype)
    if dtype not in _CODES:
        raise ValueError(f"dtype is {dtype.name}, which CPU does not hold")
    return _filled(tuple(extents), dtype, lambda size: _pack(dtype, [_stored(dtype, value) for value in found]))


def from_bytes(data, shape, dtype=DType.FLOAT32):
    """An immutable Tensor on CPU over a copy of bytes in the machine's order, of the given shape."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data must be bytes, not {type_name(data)}")
    return call(raw.from_bytes, GLib.Bytes.new(bytes(data)), as_shape(shape), check_dtype("dtype", dtype))


FUNCTIONS = ("arange", "from_bytes", "full", "ones", "tensor", "zeros")
for _name in FUNCTIONS:
    globals()[_name].__module__ = "strideweave"
