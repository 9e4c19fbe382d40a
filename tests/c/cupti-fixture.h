/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

#include "fake-cupti.h"
#include "sw-profiler/trace/sw-cupti-private.h"

extern FakeCupti fake;

char *fake_cupti_dup_path (const char *name);
/* The library from here on loads the one that stands for CUPTI. */
void fake_cupti_use (void);

SwMemoryCollector *fixture_memory (void);
SwCuptiCollector *fixture_cupti (SwCollector *target);
/* A context that records into it, at that verbosity. */
SwTraceContext *fixture_context (SwCollector *collector,
                                 SwTraceVerbosity verbosity);
void fixture_close (SwCollector *collector);
void fixture_flush (SwCollector *collector);
/* The first event with that name; it must be there. */
SwTraceEvent *fixture_find (GPtrArray *events,
                            const char *name);
/* The id of the only flow; 0: it has none. @step: what it must do there. */
guint64 fixture_get_flow (SwTraceEvent *event,
                          const char *step);

/* Records as CUDA 13 makes them, which are longer than what the library looks at. Times are CUPTI's. */
void put_kernel (const char *name,
                 guint32 stream,
                 guint64 start,
                 guint64 end,
                 guint32 correlation);
void put_kernel_on (guint32 device,
                    guint32 context,
                    guint32 stream,
                    guint64 start,
                    guint64 end);
void put_memcpy (guint8 copy_kind,
                 guint64 bytes,
                 guint64 start,
                 guint64 end);
void put_memset (guint64 bytes,
                 guint64 start,
                 guint64 end);
void put_overhead (guint32 kind,
                   guint64 start,
                   guint64 end);
/* As CUDA does: the call says inside of what it is made, and then the kernel runs. */
void launch (const char *name,
             guint32 stream,
             guint64 start,
             guint64 end);
