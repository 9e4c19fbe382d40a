/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-section-private.h"

#include <string.h>

#include "sw/base/sw-site-registry-private.h"

/* What a thread does for live collectors, around its sections. */

void
sw_trace_section_owe (SwTraceProducer *self,
                      guint live)
{
  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    self->n_owed[kind] += (live >> kind) & 1;
  self->is_owing = TRUE;
}

void
sw_trace_section_leave_and_settle (SwTraceProducer *self)
{
  guint32 n_owed[SW_TRACE_N_LIVE];

  if (sw_trace_live_filter (1) == 0)
    {
      /* From within a call of a live collector: it is not asked to end anything until it has returned. */
      sw_trace_section_leave (self);
      return;
    }
  memcpy (n_owed, self->n_owed, sizeof n_owed);
  memset (self->n_owed, 0, sizeof self->n_owed);
  self->is_owing = FALSE;
  sw_trace_section_leave (self);
  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    sw_trace_live_end (kind, n_owed[kind]);
}

void
sw_trace_producer_settle (SwTraceProducer *self)
{
  sw_trace_section_enter (self);
  sw_trace_section_leave_settled (self);
}

static SwTraceLiveEvent
make_event (const SwTraceSpec *spec,
            guint64 link)
{
  const SwSite *site = spec->site != 0 ? sw_site_registry_get (spec->site) : NULL;

  return (SwTraceLiveEvent){
    .site = spec->site,
    .name = site != NULL ? site->name : spec->name,
    .category = site != NULL ? site->signature : spec->category,
    .arguments = spec->arguments,
    .n_arguments = spec->n_arguments,
    .link = link,
  };
}

/* What was not begun is not ended either; meanwhile it may have been interrupted. */
static void
take_back (SwTraceProducer *self,
           guint64 token,
           guint live)
{
  SwTraceOpen *open;

  sw_trace_section_enter (self);
  open = sw_trace_producer_find_open (self, token);
  if (open != NULL)
    open->live &= (guint8) ~live;
  else
    for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
      self->n_owed[kind] -= (live >> kind) & 1;
  sw_trace_section_leave_settled (self);
}

void
sw_trace_section_begin_live (SwTraceProducer *self,
                             const SwTraceSpec *spec,
                             guint64 token,
                             guint live,
                             guint64 link)
{
  SwTraceLiveEvent event = make_event (spec, link);
  guint begun = sw_trace_live_begin (live, &event);

  if (G_UNLIKELY (begun != live))
    take_back (self, token, live & ~begun);
}

void
sw_trace_section_pass_instant (const SwTraceSpec *spec,
                               guint live)
{
  SwTraceLiveEvent event = make_event (spec, 0);

  sw_trace_live_instant (live, &event);
}

void
sw_trace_section_pass_counter (const SwTraceSpec *spec,
                               guint live,
                               guint64 value,
                               gboolean is_integer)
{
  SwTraceLiveEvent event = make_event (spec, 0);

  sw_trace_live_counter (live, &event, value, is_integer);
}
