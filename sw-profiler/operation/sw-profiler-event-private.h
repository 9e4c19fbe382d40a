/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-event.h"

G_BEGIN_DECLS

/* What events of one site on one thread have in common. */
typedef struct
{
  int ref_count;
  GType carrier_type;
  GType implementation_type;
  guint64 thread_id;
  /* NULL: what the process calls the types. */
  const char *carrier_name;
  const char *implementation_name;
  char name[]; /* and behind it the other two texts */
} SwEventOrigin;

/* What events are part of that were made with many others, see sw-event-slab-private.h. */
typedef struct _SwEventSlab SwEventSlab;

struct _SwProfilerEvent
{
  int ref_count;
  gboolean succeeded;
  SwEventSlab *slab; /* or NULL */
  SwEventOrigin *origin;
  SwInputShapes *input_shapes;
  gint64 id;
  gint64 parent_id; /* -1: none */
  gint64 start_time_ns;
  gint64 duration_ns;
  gint64 self_time_ns;
};

/* Has no reference yet: the caller sets ref_count to the number of events that it makes from it. */
SwEventOrigin *sw_event_origin_new (const char *name,
                                    GType carrier_type,
                                    GType implementation_type,
                                    guint64 thread_id) G_GNUC_WARN_UNUSED_RESULT;
/* The same for types that are called something of their own; NULL: as the process calls them. */
SwEventOrigin *sw_event_origin_new_named (const char *name,
                                          GType carrier_type,
                                          GType implementation_type,
                                          const char *carrier_name,
                                          const char *implementation_name,
                                          guint64 thread_id) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
