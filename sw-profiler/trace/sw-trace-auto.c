/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-auto-private.h"

#include "sw-profiler/operation/sw-type-name.h"
#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw-profiler/trace/sw-trace-notes-private.h"
#include "sw/base/sw-site-registry-private.h"
#include "sw/operations/sw-boundary-private.h"

/* What dispatched operations emit by themselves, into the default context. A boundary's slot keeps the token where others
 * keep the number of their recording. */

#define N_KNOWN 64
#define MAX_OPERANDS 16
#define N_OTHER_ARGUMENTS 2

typedef struct
{
  const char *name; /* interned */
  guint32 site;
} KnownOperation;

static guint32
find_site (const char *name)
{
  static _Thread_local KnownOperation known[N_KNOWN];
  KnownOperation *operation = &known[((gsize) name >> 3) % N_KNOWN];

  if (operation->name != name)
    {
      operation->site = sw_site_registry_intern (NULL, 0, "operation", name);
      operation->name = name;
    }
  return operation->site;
}

static gpointer
join (void)
{
  sw_trace_core_get_producer (sw_trace_core_get_default ());
  return sw_thread.recorders[SW_RECORDER_TRACE];
}

/* "input" and so on, and what dtype the first has. */
static gsize
describe_operands (const SwBoundaryInfo *info,
                   SwTraceArgument *arguments)
{
  static const char *const keys[MAX_OPERANDS] = { "shape_0", "shape_1", "shape_2", "shape_3", "shape_4", "shape_5",
                                                  "shape_6", "shape_7", "shape_8", "shape_9", "shape_10", "shape_11",
                                                  "shape_12", "shape_13", "shape_14", "shape_15" };
  gboolean has_dtype = FALSE;
  gsize n = 0;

  for (guint i = 0; i < MIN (info->n_operands, MAX_OPERANDS); i++)
    {
      SwTensor *tensor = info->operands[i].tensor;

      if (info->operands[i].kind != SW_VALUE_TENSOR)
        continue;
      if (!has_dtype)
        arguments[n++] = SW_TRACE_STRING ("dtype", sw_dtype_to_string (sw_tensor_get_dtype (tensor)));
      has_dtype = TRUE;
      arguments[n++] = SW_TRACE_SHAPE (keys[i], sw_tensor_get_shape (tensor));
    }
  return n;
}

static gboolean
enter (gpointer recorder,
       SwBoundarySlot *slot,
       const SwBoundarySlot *enclosing,
       const SwBoundaryInfo *info)
{
  SwTraceCore *core = sw_trace_core_get_default ();
  SwTraceProducer *producer = sw_trace_core_get_producer (core);
  SwTraceArgument arguments[MAX_OPERANDS + N_OTHER_ARGUMENTS];
  SwTraceSpec spec = { .level = SW_TRACE_VERBOSITY_OPERATIONS, .arguments = arguments };

  if (producer == NULL)
    return FALSE;
  spec.site = find_site (info->name);
  if (sw_trace_core_get_level (core) >= SW_TRACE_VERBOSITY_FULL)
    {
      arguments[0] = SW_TRACE_STRING ("carrier", sw_profiler_get_type_name (info->carrier_type));
      spec.n_arguments = 1 + describe_operands (info, arguments + 1);
    }
  slot->session = sw_trace_producer_begin (producer, &spec);
  return slot->session != 0;
}

static void
leave (gpointer recorder,
       SwBoundarySlot *slot,
       SwBoundarySlot *enclosing,
       gboolean succeeded)
{
  SwTraceProducer *producer = sw_trace_core_get_producer (sw_trace_core_get_default ());
  const SwTraceArgument failed = SW_TRACE_BOOLEAN ("failed", TRUE);

  if (producer == NULL)
    return;
  if (!succeeded)
    sw_trace_producer_annotate_span (producer, slot->session, &failed);
  sw_trace_producer_end (producer, slot->session);
}

static const SwBoundaryObserver observer = { join, enter, leave };

void
sw_trace_auto_switch (guint level)
{
  static gboolean is_open;
  gboolean wants_open = level >= SW_TRACE_VERBOSITY_OPERATIONS;

  sw_trace_notes_switch (level);
  if (wants_open == is_open)
    return;
  is_open = wants_open;
  sw_boundary_set_observer (SW_RECORDER_TRACE, &observer);
  if (wants_open)
    sw_gate_open (SW_RECORDER_TRACE);
  else
    sw_gate_close (SW_RECORDER_TRACE);
}
