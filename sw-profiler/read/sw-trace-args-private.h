/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw-profiler/read/sw-json-scan-private.h"

G_BEGIN_DECLS

/* The arguments and flows of the event that is being read. Until sw_trace_scratch_finish () texts are offsets. */
typedef struct
{
  GArray *args;  /* of SwTraceArg */
  GArray *flows; /* of SwTraceFlow */
  GString *texts;
} SwTraceScratch;

void sw_trace_scratch_init (SwTraceScratch *self);
void sw_trace_scratch_clear (SwTraceScratch *self);
void sw_trace_scratch_reset (SwTraceScratch *self);

void sw_trace_scratch_add_number (SwTraceScratch *self,
                                  guint32 key,
                                  SwTraceArgType type,
                                  guint64 bits);
void sw_trace_scratch_add_real (SwTraceScratch *self,
                                guint32 key,
                                double value);
/* A text with a NUL inside becomes JSON, which can say it. */
void sw_trace_scratch_add_string (SwTraceScratch *self,
                                  guint32 key,
                                  const char *text,
                                  gsize length);
void sw_trace_scratch_add_json (SwTraceScratch *self,
                                guint32 key,
                                const SwJsonText *value);
/* Of what is JSON already. */
void sw_trace_scratch_add_text (SwTraceScratch *self,
                                guint32 key,
                                const char *json);
void sw_trace_scratch_add_flow (SwTraceScratch *self,
                                guint64 id,
                                SwTraceFlowStep step);

/* When the flow that was added last came, where that is a number. */
void sw_trace_scratch_time_flow (SwTraceScratch *self,
                                 const SwJsonText *time);

/* Puts both into a slice, for as long as nothing else is read. */
void sw_trace_scratch_finish (SwTraceScratch *self,
                              SwTraceSlice *slice);

/* The same, to keep: one block of memory, or several that are one only when they are looked at. So much may come to one slice that it must
 * not be copied each time. */
typedef struct _SwTraceExtra SwTraceExtra;
struct _SwTraceExtra
{
  guint n_args;
  guint n_flows;
  SwTraceArg *args;
  SwTraceFlow *flows;
  SwTraceExtra *next; /* NULL: this is all */
  SwTraceExtra *last; /* of the first: that of the list */
};

/* NULL for neither. */
SwTraceExtra *sw_trace_extra_new (const SwTraceSlice *slice);
void sw_trace_extra_free (SwTraceExtra *self);
/* Those of both, which it takes; either may be NULL. */
SwTraceExtra *sw_trace_extra_join (SwTraceExtra *first,
                                   SwTraceExtra *second);
/* All of it in one block; takes @self, which may be NULL. */
SwTraceExtra *sw_trace_extra_flatten (SwTraceExtra *self);

static inline void
sw_trace_extra_put (const SwTraceExtra *self,
                    SwTraceSlice *slice)
{
  if (self == NULL)
    return;
  slice->args = self->args;
  slice->n_args = self->n_args;
  slice->flows = self->flows;
  slice->n_flows = self->n_flows;
}

G_END_DECLS
