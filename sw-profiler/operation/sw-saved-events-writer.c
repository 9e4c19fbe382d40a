/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-saved-events-private.h"

#include <pthread.h>
#include <string.h>

#include "sw-profiler/operation/sw-file-writer-private.h"

/* A row of an event is at most six integers of at most ten bytes. */
#define MAX_ROW_SIZE 64

typedef struct
{
  SwFileWriter *file;
  guint32 crc;
} Writer;

static guint32 crc_table[256];
static pthread_once_t crc_table_once = PTHREAD_ONCE_INIT;

static void
init_crc_table (void)
{
  for (guint32 i = 0; i < 256; i++)
    {
      guint32 crc = i;

      for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
      crc_table[i] = crc;
    }
}

guint32
sw_saved_checksum (guint32 crc,
                   const guint8 *bytes,
                   gsize n_bytes)
{
  pthread_once (&crc_table_once, init_crc_table);
  crc = ~crc;
  for (gsize i = 0; i < n_bytes; i++)
    crc = (crc >> 8) ^ crc_table[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

static void
put_bytes (Writer *self,
           const void *bytes,
           gsize n_bytes)
{
  self->crc = sw_saved_checksum (self->crc, bytes, n_bytes);
  sw_file_writer_put (self->file, bytes, n_bytes);
}

/* Returns where the next one goes. */
static inline guint8 *
encode (guint8 *at,
        guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    *at++ = (guint8) (value | 0x80);
  *at++ = (guint8) value;
  return at;
}

static inline guint64
fold (gint64 value)
{
  return ((guint64) value << 1) ^ (value < 0 ? G_MAXUINT64 : 0);
}

static void
put_uint (Writer *self,
          guint64 value)
{
  guint8 bytes[10];

  put_bytes (self, bytes, (gsize) (encode (bytes, value) - bytes));
}

static void
put_uint32 (Writer *self,
            guint32 value)
{
  guint32 little = GUINT32_TO_LE (value);

  put_bytes (self, &little, sizeof little);
}

static void
put_text (Writer *self,
          const char *text)
{
  gsize length = strlen (text);

  put_uint (self, length);
  put_bytes (self, text, length);
}

static void
put_type (Writer *self,
          const char *displayed,
          GType type,
          const char *key)
{
  const char *name = key != NULL ? key : g_type_name (type);

  put_text (self, displayed);
  put_text (self, name != NULL ? name : "");
}

static void
put_site (Writer *self,
          const SwEventSite *site)
{
  put_text (self, site->name);
  put_type (self, sw_event_site_get_carrier_name (site), site->carrier_type, site->carrier_key);
  put_type (self, sw_event_site_get_implementation_name (site), site->implementation_type, site->implementation_key);
}

static void
put_shapes (Writer *self,
            SwInputShapes *shapes)
{
  gsize n_tokens;
  g_autofree gint64 *tokens = sw_input_shapes_dup_tokens (shapes, &n_tokens);

  put_uint (self, n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    put_uint (self, fold (tokens[i]));
}

static void
put_events (Writer *self,
            const SwEventBlock *block,
            gboolean with_shapes,
            guint64 *last_start)
{
  for (gsize i = 0; i < block->n; i++)
    {
      guint64 start = (guint64) block->start_ns[i];
      guint32 site = block->site[i] & ~SW_EVENT_FAILED;
      guint32 parent = block->parent[i];
      guint8 row[MAX_ROW_SIZE];
      guint8 *at = encode (row, fold ((gint64) (start - *last_start)));

      *last_start = start;
      at = encode (at, (guint64) block->duration_ns[i]);
      at = encode (at, (guint64) block->duration_ns[i] - (guint64) block->self_ns[i]);
      at = encode (at, parent == SW_EVENT_NO_PARENT ? 0 : block->first + i - parent);
      at = encode (at, (guint64) site * 2 + ((block->site[i] & SW_EVENT_FAILED) != 0));
      if (with_shapes)
        at = encode (at, block->shapes != NULL ? block->shapes[i] : 0);
      put_bytes (self, row, (gsize) (at - row));
    }
}

static void
put_identity (Writer *self,
              const SwEventIdentity *identity)
{
  put_uint (self, fold (identity->process_id));
  put_uint (self, fold (identity->thread_id));
  put_uint (self, fold (identity->wall_offset_ns));
  put_uint (self, identity->session_id[0]);
  put_uint (self, identity->session_id[1]);
  put_text (self, identity->thread_name);
}

static void
put_source (Writer *self,
            const SwEventSource *source,
            gboolean with_shapes)
{
  guint64 last_start = 0;

  put_bytes (self, SW_SAVED_MAGIC, SW_SAVED_MAGIC_SIZE);
  put_uint32 (self, SW_SAVED_VERSION);
  put_uint (self, with_shapes ? SW_SAVED_SHAPES : 0);
  put_uint (self, source->thread_id);
  put_uint (self, source->n_dropped);
  put_uint (self, source->n_clock_faults);
  put_identity (self, &source->identity);
  put_uint (self, source->n_sites);
  put_uint (self, source->n_shapes > 0 ? source->n_shapes - 1 : 0);
  put_uint (self, source->n_events);
  for (gsize i = 0; i < source->n_sites; i++)
    put_site (self, &source->sites[i]);
  for (gsize i = 1; i < source->n_shapes; i++)
    put_shapes (self, source->shapes[i]);
  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;

      source->get_block (source->data, k, &block);
      put_events (self, &block, with_shapes, &last_start);
    }
  put_uint32 (self, self->crc);
}

gboolean
sw_event_source_save (const SwEventSource *self,
                      gboolean record_shapes,
                      const char *path,
                      GError **error)
{
  Writer writer = { sw_file_writer_new (path, error), 0 };

  if (writer.file == NULL)
    return FALSE;
  put_source (&writer, self, record_shapes);
  return sw_file_writer_commit (writer.file, error);
}
