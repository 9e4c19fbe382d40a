/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

G_BEGIN_DECLS

/* A trace as one array, which tests like better than chunks. */
typedef struct
{
  guint64 start;
  guint64 duration;
  guint64 correlation;
  guint32 timeline;
  guint32 site;
  gint32 parent;
  guint32 frame;
  const char *name;
} TestZone;

typedef struct
{
  TestZone *zones;
  guint n;
  GPtrArray *timelines;
  GPtrArray *frames;
} TestTrace;

SwZoneProfiler *test_zone_profiler_new (gint64 thread_event_capacity);
/* A profiler of the default description, which captures. */
SwZoneProfiler *test_zone_profiler_capturing (void);
SwZoneTrace *test_zone_profiler_stop (SwZoneProfiler *profiler);

/* Takes the trace, and checks what has to hold in every one. */
TestTrace *test_trace_new (SwZoneTrace *trace);
void test_trace_free (TestTrace *self);
/* The only zone of this name. */
const TestZone *test_trace_find (TestTrace *self,
                                 const char *name);
guint test_trace_count (TestTrace *self,
                        const char *name);
const char *test_trace_parent_name (TestTrace *self,
                                    const TestZone *zone);

#define test_assert_counts(diagnostics)                                                   \
  g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (diagnostics), ==,          \
                    sw_profiler_diagnostics_get_recorded_count (diagnostics) +            \
                        sw_profiler_diagnostics_get_producer_drop_count (diagnostics) +   \
                        sw_profiler_diagnostics_get_memory_limit_count (diagnostics) +    \
                        sw_profiler_diagnostics_get_unresolved_count (diagnostics) +      \
                        sw_profiler_diagnostics_get_discarded_count (diagnostics))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestTrace, test_trace_free)

G_END_DECLS
