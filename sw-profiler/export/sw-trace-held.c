/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-held-private.h"

#include <string.h>

static void
copy_arg (SwTraceArg *arg)
{
  if (arg->type == SW_TRACE_ARG_STRING || arg->type == SW_TRACE_ARG_JSON)
    arg->value.string = g_strdup (arg->value.string);
  else if (arg->type == SW_TRACE_ARG_SHAPE)
    sw_shape_ref (arg->value.shape);
}

static void
clear_arg (const SwTraceArg *arg)
{
  if (arg->type == SW_TRACE_ARG_STRING || arg->type == SW_TRACE_ARG_JSON)
    g_free ((char *) arg->value.string);
  else if (arg->type == SW_TRACE_ARG_SHAPE)
    sw_shape_unref (arg->value.shape);
}

SwTraceHeld *
sw_trace_held_new (const SwTraceSlice *slice,
                   gboolean is_instant,
                   SwTracePart parts)
{
  SwTraceHeld *self = g_new (SwTraceHeld, 1);
  SwTraceArg *args = g_memdup2 (slice->args, slice->n_args * sizeof (SwTraceArg));

  self->next = NULL;
  self->last = self;
  self->is_instant = is_instant;
  self->parts = parts;
  self->slice = *slice;
  self->slice.name_text = g_strdup (slice->name_text);
  self->slice.args = args;
  for (guint i = 0; i < slice->n_args; i++)
    copy_arg (&args[i]);
  self->slice.flows = g_memdup2 (slice->flows, slice->n_flows * sizeof (SwTraceFlow));
  return self;
}

void
sw_trace_held_free (SwTraceHeld *self)
{
  for (guint i = 0; i < self->slice.n_args; i++)
    clear_arg (&self->slice.args[i]);
  g_free ((char *) self->slice.name_text);
  g_free ((gpointer) self->slice.args);
  g_free ((gpointer) self->slice.flows);
  g_free (self);
}
