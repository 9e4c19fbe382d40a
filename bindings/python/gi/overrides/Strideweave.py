# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Python makes of the namespace Strideweave: `from gi.repository import Strideweave` has it all."""
from ._strideweave import creation as _creation
from ._strideweave import elementwise as _elementwise
from ._strideweave import operations as _operations
from ._strideweave.carriers import CPU, Carrier, Evictable, FileBacked, Generic
from ._strideweave.dtypes import DType
from ._strideweave.errors import (
    StrideweaveError,
    StrideweaveIndexError,
    StrideweaveNotImplementedError,
    StrideweaveOSError,
    StrideweaveTypeError,
    StrideweaveUnsupportedError,
    StrideweaveValueError,
)
from ._strideweave.layouts import Layout, Shape, Stride
from ._strideweave.operations import Operation, operation_execution_options
from ._strideweave.profilers import Profiler, ProfilerAggregate, ProfilerEvent, profile
from ._strideweave.sessions import (
    ProfilerCycle,
    ProfilerGroup,
    ProfilerSchedule,
    ProfilerThread,
    merged_key_averages,
    merged_table,
)
from ._strideweave.tensors import Tensor

__all__ = [
    "CPU",
    "Carrier",
    "DType",
    "Evictable",
    "FUNCTIONS",
    "FileBacked",
    "Generic",
    "Layout",
    "Operation",
    "Profiler",
    "ProfilerAggregate",
    "ProfilerCycle",
    "ProfilerEvent",
    "ProfilerGroup",
    "ProfilerSchedule",
    "ProfilerThread",
    "Shape",
    "StrideweaveError",
    "StrideweaveIndexError",
    "StrideweaveNotImplementedError",
    "StrideweaveOSError",
    "StrideweaveTypeError",
    "StrideweaveUnsupportedError",
    "StrideweaveValueError",
    "Stride",
    "Tensor",
    "merged_key_averages",
    "merged_table",
    "operation_execution_options",
    "profile",
]
# The functions on tensors, which strideweave.operation has too.
FUNCTIONS = (*_elementwise.FUNCTIONS, *_operations.FUNCTIONS)
for _module in (_creation, _operations, _elementwise):
    for _name in _module.FUNCTIONS:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
