/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-live-private.h"

#include "sw-profiler/trace/sw-cupti-live-private.h"
#include "sw-profiler/trace/sw-itt-private.h"
#include "sw/base/sw-lane-private.h"

static const SwTraceLive *const lives[SW_TRACE_N_LIVE] = {
  [SW_TRACE_LIVE_ITT] = &sw_itt_live,
  [SW_TRACE_LIVE_CUPTI] = &sw_cupti_live,
};

static _Thread_local gboolean is_inside;
static _Thread_local guint named; /* the bits of those that know the thread's name */

guint
sw_trace_live_filter (guint live)
{
  return is_inside ? 0 : live;
}

static void
name_thread (guint live)
{
  g_autofree char *name = sw_lane_dup_name (sw_lane_get ());

  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    if ((live & ~named & 1u << kind) != 0 && lives[kind]->name_thread != NULL)
      lives[kind]->name_thread (name);
  named |= live;
}

static void
enter (guint live)
{
  is_inside = TRUE;
  if ((live & ~named) != 0)
    name_thread (live);
}

static void
leave (void)
{
  is_inside = FALSE;
}

guint64
sw_trace_live_make_link (guint live,
                         guint64 ticks)
{
  guint64 link = 0;

  for (guint kind = 0; kind < SW_TRACE_N_LIVE && link == 0; kind++)
    if ((live & 1u << kind) != 0 && lives[kind]->make_link != NULL)
      link = lives[kind]->make_link (ticks);
  return link;
}

guint
sw_trace_live_begin (guint live,
                     const SwTraceLiveEvent *event)
{
  guint begun = 0;

  enter (live);
  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    if ((live & 1u << kind) != 0 && lives[kind]->begin (event))
      begun |= 1u << kind;
  leave ();
  return begun;
}

void
sw_trace_live_end (SwTraceLiveKind kind,
                   guint n)
{
  enter (0);
  for (guint i = 0; i < n; i++)
    lives[kind]->end ();
  leave ();
}

void
sw_trace_live_instant (guint live,
                       const SwTraceLiveEvent *event)
{
  enter (live);
  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    if ((live & 1u << kind) != 0 && lives[kind]->instant != NULL)
      lives[kind]->instant (event);
  leave ();
}

void
sw_trace_live_counter (guint live,
                       const SwTraceLiveEvent *event,
                       guint64 bits,
                       gboolean is_integer)
{
  union
  {
    guint64 bits;
    double real;
  } cell = { .bits = bits };

  enter (live);
  for (guint kind = 0; kind < SW_TRACE_N_LIVE; kind++)
    if ((live & 1u << kind) != 0 && lives[kind]->counter != NULL)
      lives[kind]->counter (event, (gint64) bits, cell.real, is_integer);
  leave ();
}

void
sw_trace_live_rename_thread (void)
{
  named = 0;
}
