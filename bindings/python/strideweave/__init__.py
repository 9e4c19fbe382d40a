# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensor operations over hierarchical layouts, and where their time goes.

The classes are those of `gi.repository.Strideweave`.
"""
from . import carriers, operation, tracing, zones
from ._namespace import Strideweave
from .carriers import *  # noqa: F403
from .operation import *  # noqa: F403
from .tracing import *  # noqa: F403
from .zones import *  # noqa: F403

DType = Strideweave.DType
Layout = Strideweave.Layout
Shape = Strideweave.Shape
Stride = Strideweave.Stride
StrideweaveError = Strideweave.StrideweaveError
Tensor = Strideweave.Tensor

arange = Strideweave.arange
from_bytes = Strideweave.from_bytes
full = Strideweave.full
ones = Strideweave.ones
tensor = Strideweave.tensor
zeros = Strideweave.zeros

__version__ = Strideweave.version()

__all__ = ["DType", "Layout", "Shape", "Stride", "StrideweaveError", "Tensor"]
__all__ += ["arange", "from_bytes", "full", "list_operations", "ones", "tensor", "zeros"]
__all__ += carriers.__all__
__all__ += operation.__all__
__all__ += tracing.__all__
__all__ += zones.__all__


def list_operations():
    """The dispatch names of all operations of the library."""
    return Strideweave.list_operations()


def __getattr__(name):
    """The operation classes of the library's own carriers, such as GenericReLUOperation."""
    if name.endswith("Operation") and not name.startswith("_"):
        return getattr(Strideweave, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
