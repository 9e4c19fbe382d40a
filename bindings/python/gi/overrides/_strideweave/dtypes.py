# SPDX-License-Identifier: LGPL-2.1-or-later
"""DType: the introspected enumeration with the names that Python users write."""
from .errors import raw, type_name

DType = raw.DType

NAMES = {
    DType.FLOAT32: "Float32",
    DType.FLOAT64: "Float64",
    DType.INT32: "Int32",
    DType.INT64: "Int64",
    DType.BOOL: "Bool",
    DType.FLOATING: "Floating",
    DType.ANY: "Any",
}

# How NumPy calls what each dtype keeps in memory; Any has no such form.
TYPE_STRINGS = {
    DType.FLOAT32: "f4",
    DType.FLOAT64: "f8",
    DType.INT32: "i4",
    DType.INT64: "i8",
    DType.BOOL: "b1",
    DType.FLOATING: "f8",
}


def _name(self):
    return NAMES.get(self, "Invalid")


for _dtype, _text in NAMES.items():
    setattr(DType, _text, _dtype)
DType.name = property(_name)
DType.value = property(_name)
DType.__repr__ = lambda self: f"DType.{_name(self)}"
DType.__str__ = DType.__repr__


def check_dtype(argument, dtype):
    if not isinstance(dtype, DType) or dtype == DType.INVALID:
        raise TypeError(f"{argument} must be a DType, not {type_name(dtype)}")
    return dtype


def dtype_or_own(dtype):
    """What C calls "the dtype that you have already"."""
    return DType.INVALID if dtype is None else check_dtype("dtype", dtype)


def dtype_or_none(dtype):
    return None if dtype == DType.INVALID else dtype
