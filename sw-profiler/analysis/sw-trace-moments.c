/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-trace-moments-private.h"

#include <math.h>
#include <string.h>

#include "sw-profiler/analysis/sw-spill-private.h"

#define BUDGET (16u << 20)
#define N_BUFFERED 1024
/* All are in one list of the spill: in the order in which they were read, which decides between values of the same time. */
#define LIST 0

typedef enum
{
  MOMENT_INSTANT,
  MOMENT_INTEGER,
  MOMENT_REAL,
} MomentKind;

typedef struct
{
  gint64 time_ns;
  union
  {
    gint64 integer;
    double real;
  } value;
  guint32 place; /* of the instants, or the counter's track */
  guint32 kind;
} Moment;

void
sw_analysis_instants_add (SwAnalysisInstants *self,
                          gint64 time_ns)
{
  self->n++;
  self->first_ns = MIN (self->first_ns, time_ns);
  self->last_ns = MAX (self->last_ns, time_ns);
}

void
sw_analysis_counter_add (SwAnalysisCounter *self,
                         const SwTraceReadCounter *read)
{
  double value = read->is_integer ? (double) read->integer : read->real;
  gboolean is_first = self->n == self->n_not_finite;
  gboolean is_last = is_first || read->time_ns >= self->last_ns;

  self->n++;
  if (!isfinite (value))
    {
      self->n_not_finite++;
      return;
    }
  self->is_integer = read->is_integer && (is_first || self->is_integer);
  self->min = is_first ? value : MIN (self->min, value);
  self->max = is_first ? value : MAX (self->max, value);
  if (read->is_integer)
    {
      self->min_integer = is_first ? read->integer : MIN (self->min_integer, read->integer);
      self->max_integer = is_first ? read->integer : MAX (self->max_integer, read->integer);
    }
  if (is_last)
    {
      self->last = value;
      self->last_integer = read->integer;
      self->last_ns = read->time_ns;
    }
}

void
sw_trace_analysis_keep_moments (SwTraceAnalysis *self)
{
  if (self->moments == NULL)
    self->moments = sw_spill_new (sizeof (Moment), BUDGET, NULL);
}

void
sw_trace_moments_keep_instant (SwTraceAnalysis *self,
                               guint32 instants,
                               gint64 time_ns)
{
  if (self->moments != NULL)
    *(Moment *) sw_spill_add (self->moments, LIST) = (Moment){ .time_ns = time_ns, .place = instants, .kind = MOMENT_INSTANT };
}

void
sw_trace_moments_keep_counter (SwTraceAnalysis *self,
                               const SwTraceReadCounter *read)
{
  Moment moment = { .time_ns = read->time_ns, .place = read->track, .kind = read->is_integer ? MOMENT_INTEGER : MOMENT_REAL };

  if (self->moments == NULL)
    return;
  if (read->is_integer)
    moment.value.integer = read->integer;
  else
    moment.value.real = read->real;
  *(Moment *) sw_spill_add (self->moments, LIST) = moment;
}

static void
add_again (SwTraceAnalysis *self,
           const Moment *moment)
{
  SwTraceReadCounter read = { .track = moment->place, .time_ns = moment->time_ns };

  switch ((MomentKind) moment->kind)
    {
    case MOMENT_INSTANT:
      sw_analysis_instants_add (&g_array_index (self->instants, SwAnalysisInstants, moment->place), moment->time_ns);
      return;
    case MOMENT_INTEGER:
      read.is_integer = TRUE;
      read.integer = moment->value.integer;
      break;
    case MOMENT_REAL:
      read.real = moment->value.real;
      break;
    }
  sw_analysis_counter_add (&g_array_index (self->counters, SwAnalysisCounter, moment->place), &read);
}

static void
forget_all (SwTraceAnalysis *self)
{
  for (guint i = 0; i < self->instants->len; i++)
    {
      SwAnalysisInstants *instants = &g_array_index (self->instants, SwAnalysisInstants, i);

      *instants = (SwAnalysisInstants){ instants->track, instants->label, 0, G_MAXINT64, G_MININT64 };
    }
  if (self->counters->len > 0)
    memset (self->counters->data, 0, self->counters->len * sizeof (SwAnalysisCounter));
}

static gboolean
add_part (SwTraceAnalysis *self,
          gsize i,
          gint64 from_ns,
          gint64 to_ns,
          GError **error)
{
  g_autofree Moment *buffer = g_new (Moment, N_BUFFERED);
  SwSpillPart part;
  const void *records;
  gssize n;

  sw_spill_open_part (self->moments, LIST, i, &part);
  while ((n = sw_spill_read (&part, buffer, N_BUFFERED, &records, error)) > 0)
    for (const Moment *moment = records, *end = moment + n; moment < end; moment++)
      if (moment->time_ns >= from_ns && moment->time_ns < to_ns)
        add_again (self, moment);
  return n == 0;
}

gboolean
sw_trace_analysis_narrow_moments (SwTraceAnalysis *self,
                                  gint64 from_ns,
                                  gint64 to_ns,
                                  GError **error)
{
  gsize n_parts;

  g_return_val_if_fail (self->moments != NULL, FALSE);

  forget_all (self);
  n_parts = sw_spill_get_n_lists (self->moments) > LIST ? sw_spill_get_n_parts (self->moments, LIST) : 0;
  for (gsize i = 0; i < n_parts; i++)
    if (!add_part (self, i, from_ns, to_ns, error))
      return FALSE;
  return TRUE;
}
