# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors as arrays of other libraries, and the other way round, over the same memory.

Every leaf of a layout is one dimension of the array: (2, (3, 4)) has three. NumPy is only needed by who uses it.
"""
import ctypes

from .dtypes import TYPE_STRINGS, DType
from .errors import StrideweaveTypeError, StrideweaveUnsupportedError, call, raw, type_name
from .layouts import Layout, Shape, Stride

_DLTENSOR = b"dltensor"
_DLPACK_CPU = 1

_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# Capsules keep its address, and may outlive this module at exit.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_DLTENSOR))


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


_destructor = raw.Buffer.get_capsule_destructor(
    _address(ctypes.pythonapi.PyCapsule_IsValid), _address(ctypes.pythonapi.PyCapsule_GetPointer)
)


def _buffer(tensor):
    try:
        return call(raw.Buffer.new, tensor)
    except (StrideweaveTypeError, StrideweaveUnsupportedError) as error:
        message = error.message
    raise BufferError(message)


def _memory_of(buffer):
    """The buffer's bytes, as an object that keeps them in place."""
    if buffer.get_size() == 0:
        # Python casts no view of nothing, and nothing has to be kept in place.
        return memoryview(bytearray() if buffer.is_writable() else b"")
    memory = (ctypes.c_byte * buffer.get_size()).from_address(buffer.get_address())
    memory.strideweave_buffer = buffer
    view = memoryview(memory).cast("B")
    return view if buffer.is_writable() else view.toreadonly()


def array_interface(tensor):
    """The array interface, version 3. Its data is an object, which the array keeps, and which holds the storage."""
    buffer = _buffer(tensor)
    type_string = ("|" if buffer.get_dtype() == DType.BOOL else "<") + TYPE_STRINGS[buffer.get_dtype()]
    item_size = int(type_string[2:])
    layout = tensor.layout
    return {
        "version": 3,
        "shape": layout.shape.leaves,
        "typestr": type_string,
        # Steps that lead to no value may be any number.
        "strides": tuple(step * item_size for step in layout.stride.leaves) if layout.size else None,
        "data": _memory_of(buffer),
        "offset": 0,
    }


def dlpack_capsule(tensor):
    buffer = _buffer(tensor)
    if not buffer.is_writable():
        raise BufferError("a Tensor on a read-only carrier cannot be exported: DLPack cannot say that it is read-only")
    return _capsule_new(buffer.new_dlpack(), _DLTENSOR, _destructor)


def dlpack_device(tensor):
    _buffer(tensor)
    return _DLPACK_CPU, 0


def _dtype_of(array):
    for dtype in (DType.FLOAT32, DType.FLOAT64, DType.INT32, DType.INT64, DType.BOOL):
        if array.dtype.kind + str(array.dtype.itemsize) == TYPE_STRINGS[dtype]:
            return dtype
    supported = "float32, float64, int32, int64 and bool"
    raise TypeError(f"array has the dtype {array.dtype}, but only {supported} are supported")


def _fits(array):
    """Whether a layout can describe the array's memory as it is."""
    return (
        array.dtype.isnative
        and array.flags.aligned
        and all(
            extent == 1 or (stride >= 0 and stride % array.itemsize == 0)
            for extent, stride in zip(array.shape, array.strides)
        )
    )


def _copy(array):
    return array.astype(array.dtype.newbyteorder("="), order="C", copy=True)


def tensor_from_numpy(array):
    import numpy

    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"array must be a numpy.ndarray, not {type_name(array)}")
    dtype = _dtype_of(array)
    shape = Shape(array.shape)
    if array.size == 0:
        carrier = call(raw.CPU.new_for_address, 0, 0, array.flags.writeable, dtype)
        return call(raw.Tensor.new, carrier, 0, call(raw.Layout.new_row_major, shape))
    if not _fits(array):
        array = _copy(array)

    # A mode of one element never steps; NumPy may have any number there.
    steps = [
        stride // array.itemsize if extent > 1 else 0 for extent, stride in zip(array.shape, array.strides)
    ]
    layout = Layout(shape, Stride(tuple(steps)))
    carrier = call(
        raw.CPU.new_for_address, layout.cosize, array.__array_interface__["data"][0], array.flags.writeable, dtype
    )
    carrier._keeps_alive = array
    return call(raw.Tensor.new, carrier, 0, layout)
