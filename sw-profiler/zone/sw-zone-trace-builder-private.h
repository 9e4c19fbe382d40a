/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw-profiler/zone/sw-timeline.h"
#include "sw-profiler/zone/sw-zone-trace.h"

G_BEGIN_DECLS

/* Collects finished zones and makes immutable traces of them: one at its end (a capture), or any number on the way (the
 * live history). One thread at a time may use it; what it hands out is free of it and may be used from any thread.
 *
 * A row has a number that rises by one with each row and stays its own when older ones are dropped. In a trace, indices
 * count from that trace's first row: parents that are not in the trace any more are -1 there. */
typedef struct _SwZoneTraceBuilder SwZoneTraceBuilder;

#define SW_ZONE_NO_ROW ((gint64) -1)
#define SW_ZONE_NO_TIMELINE G_MAXUINT32

typedef struct
{
  guint64 start_ns;
  guint64 duration_ns;
  guint64 correlation_id;
  gint64 parent; /* a row's number; SW_ZONE_NO_ROW: a root, or not known yet */
  guint32 timeline_id;
  guint32 site_id;
  guint32 frame_index; /* SW_ZONE_NO_FRAME outside any */
} SwZoneRow;

/* What a trace says of itself. */
typedef struct
{
  guint64 start_ns;
  guint64 stop_ns;
  SwStopReason stop_reason;
  gboolean truncated;
  SwDiagnosticCounters diagnostics;
} SwZoneTraceInfo;

/* All memory that the rows, timelines and frames take together never exceeds @max_memory_bytes; G_MAXSIZE for no limit. */
SwZoneTraceBuilder *sw_zone_trace_builder_new (gsize max_memory_bytes) G_GNUC_WARN_UNUSED_RESULT;
void sw_zone_trace_builder_free (SwZoneTraceBuilder *self);

/* Returns the row's number; SW_ZONE_NO_ROW, with nothing changed, when the limit (or the machine) has no room for it. */
gint64 sw_zone_trace_builder_append (SwZoneTraceBuilder *self,
                                     const SwZoneRow *row);

/* Children end before their parents. Either remember the numbers of the children and set each one's parent when it has a
 * number itself; rows that were dropped meanwhile are passed over. */
void sw_zone_trace_builder_set_parent (SwZoneTraceBuilder *self,
                                       gint64 row,
                                       gint64 parent);
/* Or keep one number for all children of a zone that is still open, in no memory of their own however many they are:
 * @waiting, first SW_ZONE_NO_ROW, is the last child that waits. The row must be newer than it. */
void sw_zone_trace_builder_wait (SwZoneTraceBuilder *self,
                                 gint64 row,
                                 gint64 *waiting);
/* Gives all that wait this parent, SW_ZONE_NO_ROW for none, and empties @waiting. */
void sw_zone_trace_builder_adopt (SwZoneTraceBuilder *self,
                                  gint64 *waiting,
                                  gint64 parent);

/* The caller names a timeline by a key that it never uses for another: not the OS thread id, which is reused.
 * SW_ZONE_NO_TIMELINE when it is not there. */
guint32 sw_zone_trace_builder_find_timeline (SwZoneTraceBuilder *self,
                                             guint64 key);
/* The same when the limit has no room. Of a key that is there, it replaces the timeline: that is how one is renamed.
 * Adding may forget timelines that no row is left of and use their ids again, so that a history with many short threads
 * stays bounded: find others again afterwards. */
guint32 sw_zone_trace_builder_add_timeline (SwZoneTraceBuilder *self,
                                            guint64 key,
                                            SwTimeline *timeline);
/* In the order of their indices; @name is copied. FALSE when the limit has no room. */
gboolean sw_zone_trace_builder_add_frame (SwZoneTraceBuilder *self,
                                          guint32 index,
                                          const char *name,
                                          guint64 begin_ns,
                                          guint64 end_ns);

/* The number of the oldest row that is left, and the one that the next row will have. */
gint64 sw_zone_trace_builder_first_row (const SwZoneTraceBuilder *self);
gint64 sw_zone_trace_builder_end_row (const SwZoneTraceBuilder *self);
gsize sw_zone_trace_builder_memory_bytes (const SwZoneTraceBuilder *self);
/* How much more the next row will take: 0 while there is room in what is allocated. */
gsize sw_zone_trace_builder_bytes_for_next (SwZoneTraceBuilder *self);

/* Drops the oldest rows and frames until at most so many are left, and then the rows before the oldest frame that is
 * left. Cheap: meant to follow each row. */
void sw_zone_trace_builder_trim (SwZoneTraceBuilder *self,
                                 gsize max_rows,
                                 gsize max_frames);

/* A trace of what is there; it shares the columns and takes 4 bytes a zone of its own. */
SwZoneTrace *sw_zone_trace_builder_snapshot (SwZoneTraceBuilder *self,
                                             const SwZoneTraceInfo *info) G_GNUC_WARN_UNUSED_RESULT;
/* Makes all of it a trace, without copying, and frees the builder. */
SwZoneTrace *sw_zone_trace_builder_finish (SwZoneTraceBuilder *self,
                                           const SwZoneTraceInfo *info) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
