/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-trace-sorter-file-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sw-profiler/analysis/sw-spill-file-private.h"
#include "sw/base/sw-error.h"

#define FIRST_ROOM (64 * 1024)
#define WRITTEN_AT_ONCE (256 * 1024)

SwTraceSorter *
sw_trace_sorter_new (gsize budget)
{
  SwTraceSorter *self = g_new0 (SwTraceSorter, 1);

  self->budget = budget;
  self->keys = g_array_new (FALSE, FALSE, sizeof (SwSliceRecord));
  self->runs = g_array_new (FALSE, FALSE, sizeof (SwSortedRun));
  self->fd = -1;
  self->first_ns = G_MAXINT64;
  self->last_ns = G_MININT64;
  return self;
}

void
sw_trace_sorter_free (SwTraceSorter *self)
{
  g_array_unref (self->keys);
  g_array_unref (self->runs);
  g_free (self->events);
  if (self->fd >= 0)
    close (self->fd);
  g_clear_error (&self->error);
  g_free (self);
}

static void
set_failed (SwTraceSorter *self)
{
  if (self->error == NULL)
    g_set_error (&self->error, SW_ERROR, SW_ERROR_IO, "the temporary file for what has no room in memory: %s", g_strerror (errno));
}

static gboolean
write_out (SwTraceSorter *self,
           GByteArray *buffer)
{
  gboolean is_done = sw_spill_file_write (self->fd, &self->end, buffer->data, buffer->len);

  g_byte_array_set_size (buffer, 0);
  return is_done;
}

static gboolean
write_run (SwTraceSorter *self)
{
  g_autoptr (GByteArray) buffer = g_byte_array_sized_new (WRITTEN_AT_ONCE);
  SwSortedRun run = { self->end, 0 };

  for (guint i = 0; i < self->keys->len; i++)
    {
      const SwSliceRecord *key = &g_array_index (self->keys, SwSliceRecord, i);
      const guint8 *event = self->events + (gsize) key->label * 8;

      g_byte_array_append (buffer, (const guint8 *) key, sizeof *key);
      g_byte_array_append (buffer, event, ((const SwStoredEvent *) (gconstpointer) event)->size);
      if (buffer->len >= WRITTEN_AT_ONCE && !write_out (self, buffer))
        return FALSE;
    }
  if (!write_out (self, buffer))
    return FALSE;
  run.end = self->end;
  g_array_append_val (self->runs, run);
  return TRUE;
}

static void
sort_keys (SwTraceSorter *self)
{
  sw_slice_records_sort ((SwSliceRecord *) (gpointer) self->keys->data, self->keys->len);
}

static void
spill (SwTraceSorter *self)
{
  sort_keys (self);
  if (self->fd < 0 && self->error == NULL)
    self->fd = sw_spill_file_open ();
  if (self->error == NULL && (self->fd < 0 || !write_run (self)))
    set_failed (self);
  g_array_set_size (self->keys, 0);
  self->n_bytes = 0;
}

static SwStoredEvent *
make_room (SwTraceSorter *self,
           gsize size)
{
  SwStoredEvent *event;

  if (self->keys->len > 0 && self->keys->len * sizeof (SwSliceRecord) + self->n_bytes + size > self->budget)
    spill (self);
  if (self->n_bytes + size > self->room)
    {
      self->room = MAX (self->n_bytes + size, self->room + MAX (self->room / 2, FIRST_ROOM));
      self->events = g_realloc (self->events, self->room);
    }
  event = (SwStoredEvent *) (gpointer) (self->events + self->n_bytes);
  self->n_bytes += size;
  return event;
}

static gsize
stored_size (const SwTraceSlice *slice)
{
  gsize size = sizeof (SwStoredEvent) + slice->n_args * sizeof (SwTraceArg) + slice->n_flows * sizeof (SwTraceFlow);

  for (guint i = 0; i < slice->n_args; i++)
    if (sw_stored_arg_has_text (&slice->args[i]))
      size += strlen (slice->args[i].value.string) + 1;
  return (size + 7) & ~(gsize) 7;
}

static void
store_contents (SwStoredEvent *event,
                const SwTraceSlice *slice)
{
  SwTraceArg *args = (SwTraceArg *) (gpointer) (event + 1);
  SwTraceFlow *flows = (SwTraceFlow *) (gpointer) (args + slice->n_args);
  char *text = (char *) (flows + slice->n_flows);

  if (slice->n_flows > 0)
    memcpy (flows, slice->flows, slice->n_flows * sizeof *flows);
  for (guint i = 0; i < slice->n_args; i++)
    {
      gsize length;

      args[i] = slice->args[i];
      if (!sw_stored_arg_has_text (&args[i]))
        continue;
      length = strlen (slice->args[i].value.string) + 1;
      memcpy (text, slice->args[i].value.string, length);
      args[i].value.uint64 = (guint64) (text - (char *) event);
      text += length;
    }
}

void
sw_trace_sorter_add (SwTraceSorter *self,
                     SwSortedKind kind,
                     const SwTraceSlice *slice,
                     guint flags,
                     guint order)
{
  gsize size = stored_size (slice);
  SwSliceRecord key = { slice->start_ns, slice->duration_ns, 0, (guint16) MIN (order, G_MAXUINT16), 0 };
  SwStoredEvent *event;

  if (size > G_MAXUINT32)
    {
      errno = EFBIG;
      set_failed (self);
      return;
    }
  event = make_room (self, size);
  *event = (SwStoredEvent){
    .size = (guint32) size,
    .track = slice->track,
    .name = slice->name,
    .category = slice->category,
    .kind = (guint16) kind,
    .flags = (guint16) flags,
    .n_args = slice->n_args,
    .n_flows = slice->n_flows,
  };
  store_contents (event, slice);
  key.label = (guint32) ((gsize) ((guint8 *) event - self->events) / 8);
  g_array_append_val (self->keys, key);
  self->n_events++;
  self->first_ns = MIN (self->first_ns, slice->start_ns);
  self->last_ns = MAX (self->last_ns, slice->start_ns + slice->duration_ns);
}

void
sw_trace_sorter_add_counter (SwTraceSorter *self,
                             const SwTraceReadCounter *counter)
{
  SwTraceArg value = { .type = counter->is_integer ? SW_TRACE_ARG_INT64 : SW_TRACE_ARG_DOUBLE };
  SwTraceSlice slice = { .track = counter->track, .start_ns = counter->time_ns, .args = &value, .n_args = 1 };

  if (counter->is_integer)
    value.value.int64 = counter->integer;
  else
    value.value.real = counter->real;
  sw_trace_sorter_add (self, SW_SORTED_COUNTER, &slice, 0, G_MAXUINT);
}

gboolean
sw_trace_sorter_finish (SwTraceSorter *self,
                        GError **error)
{
  if (self->error == NULL)
    {
      sort_keys (self);
      return TRUE;
    }
  g_propagate_error (error, g_error_copy (self->error));
  return FALSE;
}

guint64
sw_trace_sorter_get_n_events (const SwTraceSorter *self)
{
  return self->n_events;
}

gboolean
sw_trace_sorter_get_times (const SwTraceSorter *self,
                           gint64 *first_ns,
                           gint64 *last_ns)
{
  *first_ns = self->first_ns;
  *last_ns = self->last_ns;
  return self->n_events > 0;
}
