/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-format.h"
#include "sw-profiler/operation/sw-input-shapes.h"
#include "sw-profiler/operation/sw-profiler-columns.h"
#include "sw-profiler/operation/sw-profiler-event.h"

G_BEGIN_DECLS

/* Marks a failed event in SwEventBlock.site; the other bits are the index of the site. */
#define SW_EVENT_FAILED (1u << 31)
/* SwEventBlock.parent of an event without a selected parent. */
#define SW_EVENT_NO_PARENT G_MAXUINT32

/* Where events come from: what all of them share. Two sites of a source are distinct as triples. */
typedef struct
{
  const char *name; /* any text; valid as long as the source */
  GType carrier_type;
  GType implementation_type;
  /* Of a recording that comes from a file: what its types were called there, and the names that they had in the
   * type system. NULL: what this process calls them. */
  const char *carrier_name;
  const char *implementation_name;
  const char *carrier_key;
  const char *implementation_key;
} SwEventSite;

/* Contiguous columns of the events first, first + 1 ... first + n - 1. */
typedef struct
{
  gsize first;
  gsize n;
  const gint64 *start_ns;
  const gint64 *duration_ns;
  const gint64 *self_ns;
  const guint32 *parent;
  const guint32 *site;
  const guint32 *shapes; /* indices into SwEventSource.shapes; 0: none recorded. NULL: none recorded in this block */
} SwEventBlock;

/* Where and when a recording was made, for those who put it beside others. */
typedef struct
{
  guint64 session_id[2]; /* random */
  gint64 process_id;
  gint64 thread_id;      /* what the operating system calls it */
  gint64 wall_offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
  const char *thread_name; /* valid as long as the recording */
} SwEventIdentity;

/* A frozen recording, as those see it who make results of it: read-only, usable from any thread, events in the order
 * of their start. Blocks follow each other without gaps. */
typedef struct
{
  gsize n_events;
  guint64 n_dropped;      /* events that found no memory */
  guint64 n_clock_faults; /* durations that are 0 because the clock ran backwards */
  gsize n_blocks;
  void (*get_block) (gconstpointer data,
                     gsize index,
                     SwEventBlock *block);
  gconstpointer data;
  const SwEventSite *sites;
  gsize n_sites;
  /* By id; place 0 is NULL. No two are equal, but a reader may rely on that only for speed. */
  SwInputShapes *const *shapes;
  gsize n_shapes;
  guint64 thread_id;
  SwEventIdentity identity;
} SwEventSource;

/* Of a thread, which is still to be named. */
void sw_event_identity_init (SwEventIdentity *self,
                             guint64 thread_id);

/* What results call the types of a site. */
const char *sw_event_site_get_carrier_name (const SwEventSite *self);
const char *sw_event_site_get_implementation_name (const SwEventSite *self);

/* All events, or the one of a valid @id. */
GPtrArray *sw_event_source_dup_events (const SwEventSource *self) G_GNUC_WARN_UNUSED_RESULT;
SwProfilerEvent *sw_event_source_dup_event (const SwEventSource *self,
                                            gsize id) G_GNUC_WARN_UNUSED_RESULT;

/* As sw_profiler_dup_event_columns () describes them. */
GBytes *sw_event_source_dup_columns (const SwEventSource *self) G_GNUC_WARN_UNUSED_RESULT;

/* As sw_profiler_tabulate_events () and sw_profiler_tabulate_aggregates () describe them. */
SwProfilerColumns *sw_event_source_tabulate_events (const SwEventSource *self,
                                                    SwColumnOrder order) G_GNUC_WARN_UNUSED_RESULT;
SwProfilerColumns *sw_event_source_tabulate_aggregates (const SwEventSource *self,
                                                        SwColumnOrder order,
                                                        gboolean group_by_shape,
                                                        gboolean with_statistics) G_GNUC_WARN_UNUSED_RESULT;

/* Rows of SwProfilerAggregate, in ascending order of their key. */
GPtrArray *sw_event_source_dup_key_averages (const SwEventSource *self,
                                             gboolean group_by_shape) G_GNUC_WARN_UNUSED_RESULT;

/* The same rows, which also know their statistics: takes another pass over the events, and a copy of their durations. */
GPtrArray *sw_event_source_dup_key_statistics (const SwEventSource *self,
                                               gboolean group_by_shape) G_GNUC_WARN_UNUSED_RESULT;

/* @sort_by NULL: self_total_time_ns. @row_limit -1: all rows. VALUE error for what the table does not know. */
char *sw_event_source_dup_table (const SwEventSource *self,
                                 const char *sort_by,
                                 gboolean descending,
                                 gboolean group_by_shape,
                                 gint64 row_limit,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @columns: fields of statistics to show beside the usual ones, up to a NULL, in the order in which they are shown;
 * @sort_by may be one of them. */
char *sw_event_source_dup_table_with_columns (const SwEventSource *self,
                                              const char *const *columns,
                                              const char *sort_by,
                                              gboolean descending,
                                              gboolean group_by_shape,
                                              gint64 row_limit,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same text that is saved. */
char *sw_event_source_dup_json (const SwEventSource *self) G_GNUC_WARN_UNUSED_RESULT;
/* Writes @path as a whole, or leaves it as it was and fails with IO. */
gboolean sw_event_source_save_json (const SwEventSource *self,
                                    const char *path,
                                    GError **error);

/* The same of @path, which becomes a trace. */
gboolean sw_event_source_write_trace (const SwEventSource *self,
                                      const char *path,
                                      SwTraceFormat format,
                                      GError **error);

G_END_DECLS
