/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-intern-private.h"

#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw/base/sw-hash-private.h"

#define FIRST_SLOTS 1024

void
sw_trace_intern_init (SwTraceIntern *self)
{
  SwTraceName empty = { "", 0, 2, "\"\"" };
  guint32 no_hash = 0;

  self->by_id = g_array_new (FALSE, FALSE, sizeof (SwTraceName));
  self->hashes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (self->by_id, empty);
  g_array_append_val (self->hashes, no_hash);
  self->texts = g_string_chunk_new (64 * 1024);
  self->n_slots = FIRST_SLOTS;
  self->slots = g_new0 (guint32, self->n_slots);
}

void
sw_trace_intern_clear (SwTraceIntern *self)
{
  g_array_unref (self->by_id);
  g_array_unref (self->hashes);
  g_string_chunk_free (self->texts);
  g_free (self->slots);
}

static void
put_slot (SwTraceIntern *self,
          guint32 id)
{
  guint32 mask = self->n_slots - 1;
  guint32 slot = g_array_index (self->hashes, guint32, id) & mask;

  while (self->slots[slot] != 0)
    slot = (slot + 1) & mask;
  self->slots[slot] = id;
}

static void
grow (SwTraceIntern *self)
{
  g_free (self->slots);
  self->n_slots *= 2;
  self->slots = g_new0 (guint32, self->n_slots);
  for (guint32 id = 1; id < self->by_id->len; id++)
    put_slot (self, id);
}

static guint32
add (SwTraceIntern *self,
     const char *text,
     gsize length,
     guint32 hash)
{
  g_autofree char *json = g_malloc (sw_trace_json_string_size (length));
  SwTraceName name;

  name.text_length = (guint32) length;
  name.json_length = (guint32) (sw_trace_put_json_string (json, text, length) - json);
  name.text = g_string_chunk_insert_len (self->texts, text, (gssize) length);
  name.json = g_string_chunk_insert_len (self->texts, json, (gssize) name.json_length);
  g_array_append_val (self->by_id, name);
  g_array_append_val (self->hashes, hash);
  if (self->by_id->len > self->n_slots / 2)
    grow (self);
  else
    put_slot (self, self->by_id->len - 1);
  return self->by_id->len - 1;
}

static guint32
intern_replaced (SwTraceIntern *self,
                 const char *text,
                 gsize length);

static guint32
intern_valid (SwTraceIntern *self,
              const char *text,
              gsize length)
{
  guint32 hash = (guint32) sw_hash_bytes (text, length);
  guint32 mask = self->n_slots - 1;

  if (length == 0)
    return 0;
  for (guint32 slot = hash & mask; self->slots[slot] != 0; slot = (slot + 1) & mask)
    {
      guint32 id = self->slots[slot];
      const SwTraceName *name = sw_trace_intern_get (self, id);

      if (g_array_index (self->hashes, guint32, id) == hash && name->text_length == length &&
          memcmp (name->text, text, length) == 0)
        return id;
    }
  /* What it would cut short in tables and in names of threads is replaced; only what is new has to be looked at. */
  return memchr (text, '\0', length) != NULL ? intern_replaced (self, text, length) : add (self, text, length, hash);
}

static guint32
intern_replaced (SwTraceIntern *self,
                 const char *text,
                 gsize length)
{
  g_autofree char *valid = g_malloc (3 * length + 1);
  const char *end = text + length;
  char *to = valid;

  self->n_replaced++;
  while (text < end)
    {
      const char *nul = memchr (text, '\0', (gsize) (end - text));
      const char *stop = nul != NULL ? nul : end;

      to = sw_trace_put_utf8 (to, text, (gsize) (stop - text));
      if (nul != NULL)
        to += g_unichar_to_utf8 (0xfffd, to);
      text = stop + (nul != NULL);
    }
  return intern_valid (self, valid, (gsize) (to - valid));
}

guint32
sw_trace_intern (SwTraceIntern *self,
                 const char *text,
                 gsize length,
                 gboolean is_ascii)
{
  return is_ascii || g_utf8_validate_len (text, (gssize) length, NULL) ? intern_valid (self, text, length)
                                                                       : intern_replaced (self, text, length);
}
