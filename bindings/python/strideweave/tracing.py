# SPDX-License-Identifier: LGPL-2.1-or-later
"""TraceContext, which code of every layer emits spans, instants and counters through, and where these go."""
from ._namespace import Strideweave

Collector = Strideweave.Collector
CompositeCollector = Strideweave.CompositeCollector
CuptiCollector = Strideweave.CuptiCollector
FileCollector = Strideweave.FileCollector
IttCollector = Strideweave.IttCollector
MemoryCollector = Strideweave.MemoryCollector
SysprofCollector = Strideweave.SysprofCollector
TraceAsyncSpan = Strideweave.TraceAsyncSpan
TraceContext = Strideweave.TraceContext
TraceEvent = Strideweave.TraceEvent
TraceEventKind = Strideweave.TraceEventKind
TraceSpan = Strideweave.TraceSpan
TraceVerbosity = Strideweave.TraceVerbosity
activation_finish = Strideweave.activation_finish

__all__ = [
    "Collector",
    "CompositeCollector",
    "CuptiCollector",
    "FileCollector",
    "IttCollector",
    "MemoryCollector",
    "SysprofCollector",
    "TraceAsyncSpan",
    "TraceContext",
    "TraceEvent",
    "TraceEventKind",
    "TraceSpan",
    "TraceVerbosity",
    "activation_finish",
]
