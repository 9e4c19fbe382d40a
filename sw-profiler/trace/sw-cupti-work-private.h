/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-cupti-private.h"
#include "sw-profiler/trace/sw-trace-record-private.h"

G_BEGIN_DECLS

/* One thing that a GPU did, taken out of its record: the buffer is gone by the time it is passed on. */

typedef struct
{
  guint32 kind; /* SW_CUPTI_KIND_ */
  guint32 generation; /* of the pass that read it */
  SwLane *lane;    /* borrowed; of an overhead NULL */
  const char *name; /* a GRefString */
  gint64 start_ns;
  gint64 end_ns;
  guint32 correlation;
  guint64 link; /* the flow from the span that launched it; 0: none, as far as is known */
  union
  {
    struct
    {
      gint32 grid[3];
      gint32 block[3];
      guint32 registers;
      gint64 shared_memory;
    } kernel;
    struct
    {
      guint64 bytes;
      guint32 value;
      guint32 from_device;
      guint32 to_device;
      guint8 copy_kind;
      guint8 from_kind;
      guint8 to_kind;
    } memory;
    guint32 overhead;
  } of;
} SwCuptiWork;

/* What the record says beside the times, the lane and the kernel's name. FALSE: no kind of work. */
gboolean sw_cupti_work_init (SwCuptiWork *self,
                             const SwCuptiRecord *record);
void sw_cupti_work_get_times (const SwCuptiRecord *record,
                              guint64 *start,
                              guint64 *end);
/* As an event, whose items are made at @items. */
void sw_cupti_work_to_record (const SwCuptiWork *self,
                              GByteArray *items,
                              SwTraceRecord *record);

G_END_DECLS
