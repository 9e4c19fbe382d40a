/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw-profiler/trace/sw-trace-items-private.h"
#include "sw-profiler/trace/sw-trace-types.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* An event on its way to a collector: everything in it is borrowed, and gone after the call that passes it. */
typedef struct
{
  SwTraceEventKind kind;
  SwTraceVerbosity level;
  gboolean interrupted;
  gboolean is_integer;
  guint32 site;         /* of name and category; 0: they do not come from one */
  const char *name;     /* any bytes */
  const char *category; /* "": none */
  SwLane *lane; /* of a GPU span, that of the queue */
  gint32 depth; /* -1: not known */
  gint64 start_ns;
  gint64 duration_ns;
  gboolean went_back; /* the clock did, and there is no duration */
  union
  {
    double real;
    gint64 integer;
  } value; /* of a counter */
  const guint8 *items;
  gsize items_size;
} SwTraceRecord;

G_END_DECLS
