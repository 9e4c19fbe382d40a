/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-memory-notes-private.h"

/* Counted at all times, so that whoever begins to listen late hears the truth; in several places, so that threads do not
 * fight for one cache line. */
#define N_COUNTERS 16

typedef struct
{
  gint64 n_bytes;
  char padding[64 - sizeof (gint64)];
} Counter;

static Counter counters[N_COUNTERS] __attribute__ ((aligned (64)));

static void
count (gint64 n_bytes)
{
  /* Threads' states lie some kilobytes apart. */
  gsize place = ((gsize) &sw_thread >> 12) % N_COUNTERS;

  /* Relaxed: only the sum counts. */
  __atomic_fetch_add (&counters[place].n_bytes, n_bytes, __ATOMIC_RELAXED);
}

gint64
sw_memory_get_n_bytes (void)
{
  gint64 n_bytes = 0;

  for (guint i = 0; i < N_COUNTERS; i++)
    /* Relaxed: what others do meanwhile may be in it or not. */
    n_bytes += __atomic_load_n (&counters[i].n_bytes, __ATOMIC_RELAXED);
  return n_bytes;
}

static void
note_bytes (void)
{
  SW_NOTE_COUNT (SW_NOTE_FULL, "memory.carriers", sw_memory_get_n_bytes ());
}

void
sw_memory_note_allocated (GType type,
                          SwDType dtype,
                          gsize n_bytes)
{
  count ((gint64) n_bytes);
  SW_NOTE (SW_NOTE_FULL, "memory", "allocate", SW_NOTE_BYTES (n_bytes), SW_NOTE_TYPE ("carrier", type),
           SW_NOTE_TEXT ("dtype", sw_dtype_to_string (dtype)));
  note_bytes ();
}

void
sw_memory_note_released (GType type,
                         SwDType dtype,
                         gsize n_bytes)
{
  count (-(gint64) n_bytes);
  SW_NOTE (SW_NOTE_FULL, "memory", "release", SW_NOTE_BYTES (n_bytes), SW_NOTE_TYPE ("carrier", type),
           SW_NOTE_TEXT ("dtype", sw_dtype_to_string (dtype)));
  note_bytes ();
}

void
sw_memory_note_refused (GType type,
                        SwDType dtype,
                        gsize n_bytes,
                        const GError *error)
{
  SwNoteArgument why[SW_NOTE_N_ERROR_ARGUMENTS];

  if (!sw_note_is_wanted (SW_NOTE_OPERATIONS))
    return;
  sw_note_describe_error (error, why);
  SW_NOTE (SW_NOTE_OPERATIONS, "memory", "allocate", SW_NOTE_BYTES (n_bytes), SW_NOTE_TYPE ("carrier", type),
           SW_NOTE_TEXT ("dtype", sw_dtype_to_string (dtype)), why[0], why[1], why[2]);
}

SwNoteArgument
sw_memory_note_values (SwCarrier *carrier)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;

  if (builtin == NULL)
    return SW_NOTE_TEXT ("bytes", NULL);
  return SW_NOTE_BYTES ((guint64) sw_carrier_call_size (carrier, NULL) *
                        sw_dtype_get_item_size (sw_carrier_get_private (carrier)->dtype));
}
