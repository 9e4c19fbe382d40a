# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operations, the functions on tensors, and the Profiler that shows where their time goes."""
from ._namespace import Strideweave

Operation = Strideweave.Operation
ExecutionOptions = Strideweave.ExecutionOptions

add = Strideweave.add
argmax = Strideweave.argmax
broadcast_to = Strideweave.broadcast_to
call_operation = Strideweave.call_operation
div = Strideweave.div
elementwise_mul = Strideweave.elementwise_mul
exp = Strideweave.exp
matmul = Strideweave.matmul
maximum = Strideweave.maximum
move = Strideweave.move
mul = Strideweave.mul
neg = Strideweave.neg
permute = Strideweave.permute
reduce_max = Strideweave.reduce_max
reduce_sum = Strideweave.reduce_sum
register_move = Strideweave.register_move
relu = Strideweave.relu
reshape = Strideweave.reshape
sub = Strideweave.sub

Profiler = Strideweave.Profiler
ProfilerAggregate = Strideweave.ProfilerAggregate
ProfilerCycle = Strideweave.ProfilerCycle
ProfilerEvent = Strideweave.ProfilerEvent
ProfilerGroup = Strideweave.ProfilerGroup
ProfilerSchedule = Strideweave.ProfilerSchedule
ProfilerThread = Strideweave.ProfilerThread
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
    "add",
    "argmax",
    "broadcast_to",
    "call_operation",
    "div",
    "elementwise_mul",
    "exp",
    "matmul",
    "maximum",
    "merged_key_averages",
    "merged_table",
    "move",
    "mul",
    "neg",
    "permute",
    "profile",
    "reduce_max",
    "reduce_sum",
    "register_move",
    "relu",
    "reshape",
    "sub",
]


def __getattr__(name):
    """The operation classes of the library's own carriers, such as GenericReLUOperation."""
    if name.endswith("Operation") and not name.startswith("_"):
        return getattr(Strideweave, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
