/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-names-private.h"

#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw/base/sw-hash-private.h"

void
sw_trace_names_init (SwTraceNames *self)
{
  self->by_id = g_array_new (FALSE, FALSE, sizeof (SwTraceName));
  self->ids = g_hash_table_new_full (sw_hash_gbytes, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  self->texts = g_string_chunk_new (64 * 1024);
  self->n_bytes = 0;
  sw_trace_names_intern (self, "", 0);
}

void
sw_trace_names_clear (SwTraceNames *self)
{
  g_array_unref (self->by_id);
  g_hash_table_unref (self->ids);
  g_string_chunk_free (self->texts);
}

static guint32
names_add (SwTraceNames *self,
           GBytes *key)
{
  gsize length;
  const char *bytes = g_bytes_get_data (key, &length);
  g_autofree char *text = g_malloc (3 * length + 1);
  g_autofree char *json = g_malloc (sw_trace_json_string_size (length));
  SwTraceName name;

  name.text_length = (guint32) (sw_trace_put_utf8 (text, bytes, length) - text);
  name.json_length = (guint32) (sw_trace_put_json_string (json, bytes, length) - json);
  name.text = g_string_chunk_insert_len (self->texts, text, name.text_length);
  name.json = g_string_chunk_insert_len (self->texts, json, name.json_length);
  g_array_append_val (self->by_id, name);
  g_hash_table_insert (self->ids, key, GUINT_TO_POINTER (self->by_id->len - 1));
  self->n_bytes += length + name.text_length + name.json_length;
  return self->by_id->len - 1;
}

guint32
sw_trace_names_intern (SwTraceNames *self,
                       const char *text,
                       gsize length)
{
  g_autoptr (GBytes) probe = g_bytes_new_static (text, length);
  gpointer id;

  if (g_hash_table_lookup_extended (self->ids, probe, NULL, &id))
    return GPOINTER_TO_UINT (id);
  return names_add (self, g_bytes_new (text, length));
}
