/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-trace-sorter-private.h"

G_BEGIN_DECLS

/* What sw-trace-sorter.c gathers and sw-sorted-events.c gives back. */

/* In memory, and in the file, where its key stands before it. Arguments, flows and texts follow; the texts of arguments are
 * offsets from the event. */
typedef struct
{
  guint32 size; /* a multiple of 8 */
  guint32 track;
  guint32 name;
  guint32 category;
  guint16 kind;
  guint16 flags;
  guint32 n_args;
  guint32 n_flows;
  guint32 unused;
} SwStoredEvent;

G_STATIC_ASSERT (sizeof (SwStoredEvent) % 8 == 0 && sizeof (SwTraceArg) % 8 == 0 && sizeof (SwTraceFlow) % 8 == 0);

/* A part of the file that is in order. */
typedef struct
{
  guint64 offset;
  guint64 end;
} SwSortedRun;

struct _SwTraceSorter
{
  gsize budget;
  GArray *keys; /* of SwSliceRecord, whose labels are places of events, in units of 8 bytes */
  guint8 *events;
  gsize n_bytes;
  gsize room;
  GArray *runs; /* of SwSortedRun */
  int fd;       /* -1: none yet */
  guint64 end;  /* of the file */
  GError *error;
  guint64 n_events;
  gint64 first_ns, last_ns;
};

static inline gboolean
sw_stored_arg_has_text (const SwTraceArg *arg)
{
  return arg->type == SW_TRACE_ARG_STRING || arg->type == SW_TRACE_ARG_JSON;
}

G_END_DECLS
