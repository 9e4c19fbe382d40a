# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operations, the functions on tensors, and the Profiler that shows where their time goes."""
from ._namespace import Strideweave

Operation = Strideweave.Operation
ExecutionOptions = Strideweave.ExecutionOptions

Profiler = Strideweave.Profiler
ProfilerAggregate = Strideweave.ProfilerAggregate
ProfilerCycle = Strideweave.ProfilerCycle
ProfilerEvent = Strideweave.ProfilerEvent
ProfilerGroup = Strideweave.ProfilerGroup
ProfilerSchedule = Strideweave.ProfilerSchedule
ProfilerThread = Strideweave.ProfilerThread
merged_aggregate_columns = Strideweave.merged_aggregate_columns
merged_key_averages = Strideweave.merged_key_averages
merged_table = Strideweave.merged_table
TraceFormat = Strideweave.TraceFormat
profile = Strideweave.profile

__all__ = [
    "ExecutionOptions",
    "Operation",
    "Profiler",
    "ProfilerAggregate",
    "ProfilerCycle",
    "ProfilerEvent",
    "ProfilerGroup",
    "ProfilerSchedule",
    "ProfilerThread",
    "TraceFormat",
    "merged_aggregate_columns",
    "merged_key_averages",
    "merged_table",
    "profile",
]

for _name in Strideweave.FUNCTIONS:
    globals()[_name] = getattr(Strideweave, _name)
    __all__.append(_name)


def __getattr__(name):
    """The operation classes of the library's own carriers, such as GenericReLUOperation."""
    if name.endswith("Operation") and not name.startswith("_"):
        return getattr(Strideweave, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
