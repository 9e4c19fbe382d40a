/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-file-writer-private.h"
#include "sw-profiler/operation/sw-text-private.h"

/* Text that many events share is made once, as it is written. */
typedef struct
{
  const SwEventSource *source;
  SwFileWriter *file;
  char **sites;  /* the members that tell the site */
  char **shapes; /* made when first needed */
} JsonWriter;

static char *
site_to_json (const SwEventSite *site)
{
  GString *text = g_string_new (",\"name\":");

  sw_text_append_json (text, site->name);
  g_string_append (text, ",\"carrier_type\":");
  sw_text_append_json (text, sw_event_site_get_carrier_name (site));
  g_string_append (text, ",\"implementation_type\":");
  sw_text_append_json (text, sw_event_site_get_implementation_name (site));
  g_string_append (text, ",\"input_shapes\":");
  return g_string_free (text, FALSE);
}

/* The nested tuples of the text form, as nested arrays: no recursion, however deep the shapes are. */
static char *
shapes_to_json (SwInputShapes *shapes)
{
  g_autofree char *tuples = sw_input_shapes_to_string (shapes);
  GString *text = g_string_sized_new (strlen (tuples));

  for (const char *c = tuples; *c != '\0'; c++)
    {
      if (*c == '(')
        g_string_append_c (text, '[');
      else if (*c == ')')
        g_string_append_c (text, ']');
      else if (*c == 'N')
        {
          g_string_append (text, "null");
          c += strlen ("None") - 1;
        }
      else if (*c != ' ' && !(*c == ',' && c[1] == ')'))
        g_string_append_c (text, *c);
    }
  return g_string_free (text, FALSE);
}

static const char *
get_shapes (JsonWriter *self,
            guint32 id)
{
  if (id == 0)
    return "null";
  if (self->shapes[id] == NULL)
    self->shapes[id] = shapes_to_json (self->source->shapes[id]);
  return self->shapes[id];
}

static void
put_event (JsonWriter *self,
           const SwEventBlock *block,
           gsize i)
{
  SwFileWriter *file = self->file;

  sw_file_writer_put_string (file, block->first + i > 0 ? ",\n{\"id\":" : "\n{\"id\":");
  sw_file_writer_put_uint64 (file, block->first + i);
  sw_file_writer_put_string (file, ",\"parent_id\":");
  if (block->parent[i] == SW_EVENT_NO_PARENT)
    sw_file_writer_put_string (file, "null");
  else
    sw_file_writer_put_uint64 (file, block->parent[i]);
  sw_file_writer_put_string (file, self->sites[block->site[i] & ~SW_EVENT_FAILED]);
  sw_file_writer_put_string (file, get_shapes (self, block->shapes != NULL ? block->shapes[i] : 0));
  sw_file_writer_put_string (file, ",\"start_time_ns\":");
  sw_file_writer_put_int64 (file, block->start_ns[i]);
  sw_file_writer_put_string (file, ",\"duration_ns\":");
  sw_file_writer_put_int64 (file, block->duration_ns[i]);
  sw_file_writer_put_string (file, ",\"self_time_ns\":");
  sw_file_writer_put_int64 (file, block->self_ns[i]);
  sw_file_writer_put_string (file, ",\"thread_id\":");
  sw_file_writer_put_uint64 (file, self->source->thread_id);
  sw_file_writer_put_string (file, (block->site[i] & SW_EVENT_FAILED) != 0 ? ",\"succeeded\":false}" : ",\"succeeded\":true}");
}

static void
put_events (JsonWriter *self)
{
  const SwEventSource *source = self->source;

  sw_file_writer_put_string (self->file, "{\"format\":\"strideweave-operations\",\"version\":1,\"thread_id\":");
  sw_file_writer_put_uint64 (self->file, source->thread_id);
  sw_file_writer_put_string (self->file, ",\"n_dropped_events\":");
  sw_file_writer_put_uint64 (self->file, source->n_dropped);
  sw_file_writer_put_string (self->file, ",\"events\":[");
  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;

      source->get_block (source->data, k, &block);
      for (gsize i = 0; i < block.n; i++)
        put_event (self, &block, i);
    }
  sw_file_writer_put_string (self->file, "\n]}\n");
}

static void
write_json (const SwEventSource *source,
            SwFileWriter *file)
{
  JsonWriter writer = { .source = source, .file = file };

  writer.sites = g_new0 (char *, source->n_sites);
  writer.shapes = g_new0 (char *, source->n_shapes);
  for (gsize i = 0; i < source->n_sites; i++)
    writer.sites[i] = site_to_json (&source->sites[i]);
  put_events (&writer);

  for (gsize i = 0; i < source->n_sites; i++)
    g_free (writer.sites[i]);
  for (gsize i = 0; i < source->n_shapes; i++)
    g_free (writer.shapes[i]);
  g_free (writer.sites);
  g_free (writer.shapes);
}

gboolean
sw_event_source_save_json (const SwEventSource *self,
                           const char *path,
                           GError **error)
{
  SwFileWriter *file = sw_file_writer_new (path, error);

  if (file == NULL)
    return FALSE;
  write_json (self, file);
  return sw_file_writer_commit (file, error);
}

char *
sw_event_source_dup_json (const SwEventSource *self)
{
  SwFileWriter *file = sw_file_writer_new_in_memory ();

  write_json (self, file);
  return sw_file_writer_finish (file);
}
