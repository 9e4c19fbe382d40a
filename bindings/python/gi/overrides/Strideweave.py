# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Python makes of the namespace Strideweave: `from gi.repository import Strideweave` has it all."""
from ._strideweave import creation as _creation
from ._strideweave import elementwise as _elementwise
from ._strideweave import operations as _operations
from ._strideweave.carriers import CPU, Carrier, Evictable, FileBacked, Generic
from ._strideweave.collectors import (
    Collector,
    CompositeCollector,
    CuptiCollector,
    FileCollector,
    IttCollector,
    MemoryCollector,
    SysprofCollector,
    TraceEvent,
)
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
from ._strideweave.processes import activation_finish, watch_processes as _watch_processes
from ._strideweave.profilers import Profiler, ProfilerAggregate, ProfilerEvent, profile
from ._strideweave.sessions import (
    ProfilerCycle,
    ProfilerGroup,
    ProfilerSchedule,
    ProfilerThread,
    merged_aggregate_columns,
    merged_key_averages,
    merged_table,
)
from ._strideweave.tensors import Tensor
from ._strideweave.traces import TraceAsyncSpan, TraceContext, TraceSpan
from ._strideweave.zone_profilers import (
    CaptureDesc,
    ZoneProfiler,
    ZoneProfilerDesc,
    current_profiler,
    current_profiler_or_none,
)
from ._strideweave.zone_values import (
    ZONE_NO_FRAME,
    CallStatistics,
    DurationHistogram,
    DurationStatistics,
    FrameStats,
    FrameStatsEntry,
    ProfilerDiagnostics,
    ProfilerSite,
    Timeline,
    ZoneChunk,
    ZoneFrame,
    ZoneSelection,
    ZoneTrace,
)
from ._strideweave.zones import profile_frame, profile_function, profile_zone

_watch_processes()

__all__ = [
    "CPU",
    "CallStatistics",
    "CaptureDesc",
    "Carrier",
    "Collector",
    "CompositeCollector",
    "CuptiCollector",
    "DType",
    "DurationHistogram",
    "DurationStatistics",
    "Evictable",
    "FUNCTIONS",
    "FileBacked",
    "FileCollector",
    "FrameStats",
    "FrameStatsEntry",
    "Generic",
    "IttCollector",
    "Layout",
    "MemoryCollector",
    "Operation",
    "Profiler",
    "ProfilerAggregate",
    "ProfilerCycle",
    "ProfilerDiagnostics",
    "ProfilerEvent",
    "ProfilerGroup",
    "ProfilerSchedule",
    "ProfilerSite",
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
    "SysprofCollector",
    "Tensor",
    "Timeline",
    "TraceAsyncSpan",
    "TraceContext",
    "TraceEvent",
    "TraceSpan",
    "ZONE_NO_FRAME",
    "ZoneChunk",
    "ZoneFrame",
    "ZoneProfiler",
    "ZoneProfilerDesc",
    "ZoneSelection",
    "ZoneTrace",
    "activation_finish",
    "current_profiler",
    "current_profiler_or_none",
    "merged_aggregate_columns",
    "merged_key_averages",
    "merged_table",
    "operation_execution_options",
    "profile",
    "profile_frame",
    "profile_function",
    "profile_zone",
]
# The functions on tensors, which strideweave.operation has too.
FUNCTIONS = (*_elementwise.FUNCTIONS, *_operations.FUNCTIONS)
for _module in (_creation, _operations, _elementwise):
    for _name in _module.FUNCTIONS:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
