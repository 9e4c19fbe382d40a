# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones and frames, and the ZoneProfiler that records them all the while a program runs."""
from ._namespace import Strideweave

ZoneProfiler = Strideweave.ZoneProfiler
ZoneProfilerDesc = Strideweave.ZoneProfilerDesc
CaptureDesc = Strideweave.CaptureDesc

profile_zone = Strideweave.profile_zone
profile_function = Strideweave.profile_function
profile_frame = Strideweave.profile_frame
current_profiler = Strideweave.current_profiler
current_profiler_or_none = Strideweave.current_profiler_or_none

ZoneTrace = Strideweave.ZoneTrace
ZoneChunk = Strideweave.ZoneChunk
ZoneFrame = Strideweave.ZoneFrame
ZoneSelection = Strideweave.ZoneSelection
Timeline = Strideweave.Timeline
TimelineType = Strideweave.TimelineType
StopReason = Strideweave.StopReason
ProfilerSite = Strideweave.ProfilerSite
ProfilerDiagnostics = Strideweave.ProfilerDiagnostics
FrameStats = Strideweave.FrameStats
FrameStatsEntry = Strideweave.FrameStatsEntry
GpuStatus = Strideweave.GpuStatus
DurationStatistics = Strideweave.DurationStatistics
DurationHistogram = Strideweave.DurationHistogram
CallStatistics = Strideweave.CallStatistics
ZONE_NO_FRAME = Strideweave.ZONE_NO_FRAME

__all__ = [
    "CallStatistics",
    "CaptureDesc",
    "DurationHistogram",
    "DurationStatistics",
    "FrameStats",
    "FrameStatsEntry",
    "GpuStatus",
    "ProfilerDiagnostics",
    "ProfilerSite",
    "StopReason",
    "Timeline",
    "TimelineType",
    "ZONE_NO_FRAME",
    "ZoneChunk",
    "ZoneFrame",
    "ZoneProfiler",
    "ZoneProfilerDesc",
    "ZoneSelection",
    "ZoneTrace",
    "current_profiler",
    "current_profiler_or_none",
    "profile_frame",
    "profile_function",
    "profile_zone",
]
