/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-section-private.h"

/* What is added to spans while they are open. */

static guint8 *
extend (SwTraceOpen *open,
        gsize size)
{
  gsize used = open->text_size + open->items_size;

  if (used + size > SW_TRACE_LARGEST_RECORD / 2)
    return NULL;
  if (used + size > open->extra_allocated)
    {
      open->extra_allocated = (guint32) (2 * used + size);
      open->extra = g_realloc (open->extra, open->extra_allocated);
    }
  open->items_size += (guint32) size;
  return open->extra + used;
}

/* The innermost that is open; of those that were left behind, one only where there is no other. There is always one that is
 * not ended at the top. */
static SwTraceOpen *
get_innermost (SwTraceProducer *self)
{
  SwTraceOpen *last = self->n_open > 0 ? &self->open[self->n_open - 1] : NULL;

  if (G_LIKELY (self->n_left == 0))
    return last;
  for (guint i = self->n_open; i-- > 0;)
    if (self->open[i].serial != 0 && self->open[i].left_at == 0)
      return &self->open[i];
  return last;
}

static gboolean
annotate_open (SwTraceOpen *open,
               const SwTraceArgument *argument)
{
  guint8 *at = open != NULL ? extend (open, sw_trace_argument_size (argument)) : NULL;

  if (at == NULL)
    return FALSE;
  sw_trace_argument_put (argument, at);
  return TRUE;
}

gboolean
sw_trace_producer_annotate (SwTraceProducer *self,
                            const SwTraceArgument *argument)
{
  gboolean is_done;

  sw_trace_section_enter (self);
  is_done = annotate_open (get_innermost (self), argument);
  sw_trace_section_leave_settled (self);
  return is_done;
}

gboolean
sw_trace_producer_annotate_span (SwTraceProducer *self,
                                 guint64 token,
                                 const SwTraceArgument *argument)
{
  gboolean is_done;

  sw_trace_section_enter (self);
  is_done = annotate_open (sw_trace_producer_find_open (self, token), argument);
  sw_trace_section_leave_settled (self);
  return is_done;
}

static gboolean
put_flow (SwTraceOpen *open,
          guint64 flow,
          guint step,
          guint64 time)
{
  guint8 *at = open != NULL ? extend (open, SW_TRACE_FLOW_SIZE) : NULL;

  if (at == NULL)
    return FALSE;
  sw_trace_flow_put (flow, step, time, at);
  open->flags |= SW_TRACE_RECORD_FLOWS;
  return TRUE;
}

guint64
sw_trace_open_make_link (SwTraceOpen *self)
{
  guint64 link = sw_trace_live_make_link (self->live, self->start);

  return link != 0 && put_flow (self, link, SW_TRACE_FLOW_START, self->start) ? link : 0;
}

void
sw_trace_producer_add_flow (SwTraceProducer *self,
                            guint64 flow,
                            guint step)
{
  guint64 now = sw_clock_ticks ();

  sw_trace_section_enter (self);
  if (sw_trace_core_get_level (self->core) != SW_TRACE_VERBOSITY_NONE && !put_flow (get_innermost (self), flow, step, now))
    sw_trace_section_count (&self->n_stray_flows);
  sw_trace_section_leave_settled (self);
}

void
sw_trace_producer_count_stray_flow (SwTraceProducer *self)
{
  sw_trace_section_count (&self->n_stray_flows);
}
