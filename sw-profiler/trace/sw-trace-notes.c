/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-notes-private.h"

#include "sw-profiler/operation/sw-type-name.h"
#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw/base/sw-note-private.h"
#include "sw/base/sw-site-registry-private.h"

/* What the library says about what it does, as events of the default context. */

#define MAX_ARGUMENTS 16

G_STATIC_ASSERT ((guint) SW_NOTE_DECISIONS == (guint) SW_TRACE_VERBOSITY_DECISIONS);
G_STATIC_ASSERT ((guint) SW_NOTE_OPERATIONS == (guint) SW_TRACE_VERBOSITY_OPERATIONS);
G_STATIC_ASSERT ((guint) SW_NOTE_FULL == (guint) SW_TRACE_VERBOSITY_FULL);

static SwTraceProducer *
get_producer (void)
{
  return sw_trace_core_get_producer (sw_trace_core_get_default ());
}

static guint32
get_site (SwNote *note)
{
  /* Relaxed, both: whoever comes by at the same time finds and stores the same. */
  guint32 site = __atomic_load_n (&note->site, __ATOMIC_RELAXED);

  if (G_LIKELY (site != 0))
    return site;
  site = sw_site_registry_intern (NULL, 0, note->category, note->name);
  __atomic_store_n (&note->site, site, __ATOMIC_RELAXED);
  return site;
}

/* FALSE: there is nothing to say. */
static gboolean
convert_argument (const SwNoteArgument *from,
                  SwTraceArgument *to)
{
  const char *text = from->value.v_text;

  switch (from->type)
    {
    case SW_NOTE_ARGUMENT_INT64:
      *to = SW_TRACE_INT64 (from->key, from->value.v_int64);
      return TRUE;
    case SW_NOTE_ARGUMENT_UINT64:
      *to = SW_TRACE_UINT64 (from->key, from->value.v_uint64);
      return TRUE;
    case SW_NOTE_ARGUMENT_BOOLEAN:
      *to = SW_TRACE_BOOLEAN (from->key, from->value.v_boolean);
      return TRUE;
    case SW_NOTE_ARGUMENT_TYPE:
      text = from->value.v_type != G_TYPE_INVALID ? sw_profiler_get_type_name (from->value.v_type) : NULL;
      break;
    case SW_NOTE_ARGUMENT_TEXT:
    default:
      break;
    }
  *to = SW_TRACE_STRING (from->key, text);
  return text != NULL;
}

static gsize
convert_arguments (const SwNoteArgument *from,
                   gsize n_from,
                   SwTraceArgument *to)
{
  gsize n = 0;

  for (gsize i = 0; i < MIN (n_from, MAX_ARGUMENTS); i++)
    n += convert_argument (&from[i], &to[n]);
  return n;
}

static void
say (SwNote *note,
     const SwNoteArgument *arguments,
     gsize n_arguments)
{
  SwTraceProducer *producer = get_producer ();
  SwTraceArgument converted[MAX_ARGUMENTS];
  SwTraceSpec spec = { .level = note->level, .arguments = converted };

  if (producer == NULL)
    return;
  spec.site = get_site (note);
  spec.n_arguments = convert_arguments (arguments, n_arguments, converted);
  sw_trace_producer_instant (producer, &spec);
}

static void
count (SwNote *note,
       gint64 value)
{
  SwTraceProducer *producer = get_producer ();
  SwTraceSpec spec = { .level = note->level };

  if (producer == NULL)
    return;
  spec.site = get_site (note);
  sw_trace_producer_counter (producer, &spec, (guint64) value, TRUE);
}

static guint64
begin (SwNote *note,
       const SwNoteArgument *arguments,
       gsize n_arguments)
{
  SwTraceProducer *producer = get_producer ();
  SwTraceArgument converted[MAX_ARGUMENTS];
  SwTraceSpec spec = { .level = note->level, .arguments = converted };

  if (producer == NULL)
    return 0;
  spec.site = get_site (note);
  spec.n_arguments = convert_arguments (arguments, n_arguments, converted);
  return sw_trace_producer_begin (producer, &spec);
}

static void
end (guint64 token,
     const SwNoteArgument *arguments,
     gsize n_arguments)
{
  SwTraceProducer *producer = get_producer ();
  SwTraceArgument converted[MAX_ARGUMENTS];
  gsize n;

  if (producer == NULL)
    return;
  n = convert_arguments (arguments, n_arguments, converted);
  for (gsize i = 0; i < n; i++)
    sw_trace_producer_annotate_span (producer, token, &converted[i]);
  sw_trace_producer_end (producer, token);
}

static const SwNoteObserver observer = { say, count, begin, end };

void
sw_trace_notes_switch (guint level)
{
  sw_note_observe (&observer, level);
}
