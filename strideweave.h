/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define SW_INSIDE

#include <sw/base/sw-version-macros.h>

#include <sw/base/sw-error.h>
#include <sw/base/sw-types.h>
#include <sw/shape/sw-layout.h>
#include <sw/shape/sw-shape.h>
#include <sw/shape/sw-stride.h>
#include <sw/tensor/sw-buffer.h>
#include <sw/tensor/sw-carrier.h>
#include <sw/tensor/sw-dtype.h>
#include <sw/tensor/sw-tensor.h>
#include <sw/tensor/sw-value-list.h>
#include <sw/tensor/sw-value.h>
#include <sw/operations/sw-execution-options.h>
#include <sw/operations/sw-functions.h>
#include <sw/operations/sw-operation.h>
#include <sw/carriers/cpu/sw-cpu-operations.h>
#include <sw/carriers/cpu/sw-cpu.h>
#include <sw/carriers/evictable/sw-evictable-operation.h>
#include <sw/carriers/evictable/sw-evictable.h>
#include <sw/carriers/file-backed/sw-file-backed.h>
#include <sw/carriers/generic/sw-generic-operations.h>
#include <sw/carriers/generic/sw-generic.h>
#include <sw/carriers/sw-move.h>
#include <sw-profiler/export/sw-trace-format.h>
#include <sw-profiler/operation/sw-input-shapes.h>
#include <sw-profiler/operation/sw-profile-scope.h>
#include <sw-profiler/operation/sw-profiler-aggregate.h>
#include <sw-profiler/operation/sw-profiler-event.h>
#include <sw-profiler/operation/sw-profiler.h>
#include <sw-profiler/operation/sw-type-name.h>
#include <sw-profiler/zone/sw-call-statistics.h>
#include <sw-profiler/zone/sw-duration-histogram.h>
#include <sw-profiler/zone/sw-duration-statistics.h>
#include <sw-profiler/zone/sw-frame-stats-entry.h>
#include <sw-profiler/zone/sw-frame-stats.h>
#include <sw-profiler/zone/sw-profiler-diagnostics.h>
#include <sw-profiler/zone/sw-profiler-site.h>
#include <sw-profiler/zone/sw-timeline.h>
#include <sw-profiler/zone/sw-zone-chunk.h>
#include <sw-profiler/zone/sw-zone-frame.h>
#include <sw-profiler/zone/sw-zone-profiler-desc.h>
#include <sw-profiler/zone/sw-zone-profiler.h>
#include <sw-profiler/zone/sw-zone-scope.h>
#include <sw-profiler/zone/sw-zone-selection.h>
#include <sw-profiler/zone/sw-zone-trace.h>
#include <sw-profiler/zone/sw-zone-types.h>
#include <library/sw-enum-types.h>
#include <library/sw-version.h>

#undef SW_INSIDE
