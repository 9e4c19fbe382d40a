/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-id-set-private.h"

#include <string.h>

#include "sw/base/sw-hash-private.h"

/* Bytes of bits: so many at first, and for each member. */
#define FIRST_BYTES 64
#define BYTES_EACH 8
#define FIRST_SLOTS 16

void
sw_trace_id_set_clear (SwTraceIdSet *self)
{
  g_free (self->bits);
  g_free (self->others);
  memset (self, 0, sizeof *self);
}

/* Where the id is, or would be. */
static guint32 *
find_slot (const SwTraceIdSet *self,
           guint32 id)
{
  guint32 mask = self->n_slots - 1;
  guint32 slot = (guint32) sw_hash_bytes (&id, sizeof id) & mask;

  while (self->others[slot] != 0 && self->others[slot] != id)
    slot = (slot + 1) & mask;
  return &self->others[slot];
}

gboolean
sw_trace_id_set_has_other (const SwTraceIdSet *self,
                           guint32 id)
{
  return *find_slot (self, id) == id;
}

static void
grow_others (SwTraceIdSet *self)
{
  g_autofree guint32 *old = self->others;
  guint32 n_old = self->n_slots;

  self->n_slots = MAX (FIRST_SLOTS, 2 * n_old);
  self->others = g_new0 (guint32, self->n_slots);
  for (guint32 i = 0; i < n_old; i++)
    if (old[i] != 0)
      *find_slot (self, old[i]) = old[i];
}

static gboolean
add_other (SwTraceIdSet *self,
           guint32 id)
{
  guint32 *slot;

  if (self->n_others >= self->n_slots / 2)
    grow_others (self);
  slot = find_slot (self, id);
  if (*slot == id)
    return FALSE;
  *slot = id;
  self->n_others++;
  return TRUE;
}

static void
set_bit (SwTraceIdSet *self,
         guint32 id)
{
  self->bits[id >> 3] |= (guint8) (1u << (id & 7));
}

/* At least twofold, so that all that is copied comes to no more than what is there. */
static void
grow_bits (SwTraceIdSet *self,
           guint64 n_bytes)
{
  guint32 old = self->n_bytes;

  self->n_bytes = (guint32) MIN (MAX (n_bytes, 2 * (guint64) old), G_MAXUINT32 / 8 + 1);
  self->bits = g_realloc (self->bits, self->n_bytes);
  memset (self->bits + old, 0, self->n_bytes - old);
  for (guint32 i = 0; i < self->n_slots; i++)
    if (self->others[i] != 0 && self->others[i] >> 3 < self->n_bytes)
      set_bit (self, self->others[i]);
}

gboolean
sw_trace_id_set_add (SwTraceIdSet *self,
                     guint32 id)
{
  guint64 most_bytes = FIRST_BYTES + BYTES_EACH * (guint64) self->n;

  if (sw_trace_id_set_has (self, id))
    return FALSE;
  if (id >> 3 >= self->n_bytes && id >> 3 < most_bytes)
    grow_bits (self, most_bytes);
  self->n++;
  if (id >> 3 >= self->n_bytes)
    return add_other (self, id);
  set_bit (self, id);
  return TRUE;
}
