/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/analysis/sw-merge-heap-private.h"
#include "sw-profiler/analysis/sw-spill-file-private.h"
#include "sw-profiler/analysis/sw-trace-sorter-file-private.h"

/* A merge of what is in order: the runs in the files, and what stayed in memory. */

#define BUFFERED (128 * 1024)

typedef struct
{
  SwTraceSorter *sorter;
  guint file;
  guint number; /* of equal events, those of the lower come first */
  gint64 shift;
  SwSliceRecord key; /* of the next event, shifted */
  SwStoredEvent *event;

  guint place; /* in memory: of the key behind that */
  /* In the file. */
  gboolean is_run;
  SwSortedRun rest; /* what is not read yet */
  guint8 *buffer;
  gsize room;
  gsize at;
  gsize n; /* bytes in the buffer */
} Source;

struct _SwSortedEvents
{
  Source *sources;
  guint n_sources;
  gpointer *heap; /* the one with the first event is first */
  guint n;
  gboolean is_begun; /* the first one was given out, and is to go on */
};

/* That @n bytes are in the buffer, from at on. */
static gboolean
need (Source *self,
      gsize n,
      GError **error)
{
  gsize n_more;

  if (self->n - self->at >= n)
    return TRUE;
  memmove (self->buffer, self->buffer + self->at, self->n - self->at);
  self->n -= self->at;
  self->at = 0;
  if (n > self->room)
    {
      self->room = n;
      self->buffer = g_realloc (self->buffer, n);
    }
  n_more = MIN (self->room - self->n, self->rest.end - self->rest.offset);
  if (!sw_spill_file_read (self->sorter->fd, self->rest.offset, self->buffer + self->n, n_more, error))
    return FALSE;
  self->n += n_more;
  self->rest.offset += n_more;
  return TRUE;
}

/* FALSE at the end, or with an error. */
static gboolean
advance_run (Source *self,
             GError **error)
{
  SwStoredEvent head;

  if (self->at == self->n && self->rest.offset == self->rest.end)
    return FALSE;
  if (!need (self, sizeof self->key + sizeof head, error))
    return FALSE;
  memcpy (&self->key, self->buffer + self->at, sizeof self->key);
  memcpy (&head, self->buffer + self->at + sizeof self->key, sizeof head);
  if (!need (self, sizeof self->key + head.size, error))
    return FALSE;
  self->event = (SwStoredEvent *) (gpointer) (self->buffer + self->at + sizeof self->key);
  self->at += sizeof self->key + head.size;
  return TRUE;
}

static gboolean
advance (Source *self,
         GError **error)
{
  if (self->is_run)
    {
      if (!advance_run (self, error))
        return FALSE;
    }
  else
    {
      if (self->place == self->sorter->keys->len)
        return FALSE;
      self->key = g_array_index (self->sorter->keys, SwSliceRecord, self->place++);
      self->event = (SwStoredEvent *) (gpointer) (self->sorter->events + (gsize) self->key.label * 8);
    }
  self->key.start_ns += self->shift;
  return TRUE;
}

static gboolean
is_before (gconstpointer a,
           gconstpointer b)
{
  const Source *x = a;
  const Source *y = b;
  int result = sw_slice_record_compare (&x->key, &y->key);

  return result != 0 ? result < 0 : x->number < y->number;
}

static void
add_sources (SwSortedEvents *self,
             SwTraceSorter *sorter,
             guint file,
             gint64 shift)
{
  for (guint i = 0; i <= sorter->runs->len; i++)
    {
      Source *source = &self->sources[self->n_sources];

      source->sorter = sorter;
      source->file = file;
      source->number = self->n_sources++;
      source->shift = shift;
      source->is_run = i < sorter->runs->len;
      if (!source->is_run)
        continue;
      source->rest = g_array_index (sorter->runs, SwSortedRun, i);
      source->room = BUFFERED;
      source->buffer = g_malloc (BUFFERED);
    }
}

static gboolean
begin (SwSortedEvents *self,
       GError **error)
{
  for (guint i = 0; i < self->n_sources; i++)
    {
      GError *failure = NULL;

      if (advance (&self->sources[i], &failure))
        self->heap[self->n++] = &self->sources[i];
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
    }
  sw_merge_heap_build (self->heap, self->n, is_before);
  return TRUE;
}

SwSortedEvents *
sw_sorted_events_new (SwTraceSorter *const *sorters,
                      const gint64 *shifts,
                      guint n_sorters,
                      GError **error)
{
  g_autoptr (SwSortedEvents) self = g_new0 (SwSortedEvents, 1);
  guint n_sources = 0;

  for (guint i = 0; i < n_sorters; i++)
    n_sources += sorters[i]->runs->len + 1;
  self->sources = g_new0 (Source, n_sources);
  self->heap = g_new (gpointer, n_sources);
  for (guint i = 0; i < n_sorters; i++)
    add_sources (self, sorters[i], i, shifts[i]);
  return begin (self, error) ? g_steal_pointer (&self) : NULL;
}

void
sw_sorted_events_free (SwSortedEvents *self)
{
  for (guint i = 0; i < self->n_sources; i++)
    g_free (self->sources[i].buffer);
  g_free (self->sources);
  g_free (self->heap);
  g_free (self);
}

static void
fill (const Source *source,
      SwSortedEvent *event)
{
  SwStoredEvent *stored = source->event;
  SwTraceArg *args = (SwTraceArg *) (gpointer) (stored + 1);
  SwTraceFlow *flows = (SwTraceFlow *) (gpointer) (args + stored->n_args);

  for (guint i = 0; i < stored->n_args; i++)
    if (sw_stored_arg_has_text (&args[i]))
      args[i].value.string = (const char *) stored + args[i].value.uint64;
  for (guint i = 0; i < stored->n_flows; i++)
    if (flows[i].time_ns != 0)
      flows[i].time_ns += source->shift;
  *event = (SwSortedEvent){
    .kind = (SwSortedKind) stored->kind,
    .flags = stored->flags,
    .file = source->file,
    .slice = {
        .track = stored->track,
        .name = stored->name,
        .category = stored->category,
        .depth = SW_TRACE_DEPTH_UNKNOWN,
        .start_ns = source->key.start_ns,
        .duration_ns = source->key.duration_ns,
        .args = args,
        .n_args = stored->n_args,
        .flows = flows,
        .n_flows = stored->n_flows,
    },
  };
}

gboolean
sw_sorted_events_next (SwSortedEvents *self,
                       SwSortedEvent *event,
                       GError **error)
{
  GError *failure = NULL;

  if (self->is_begun && self->n > 0)
    {
      if (!advance (self->heap[0], &failure))
        self->heap[0] = self->heap[--self->n];
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      sw_merge_heap_sift_down (self->heap, self->n, 0, is_before);
    }
  self->is_begun = TRUE;
  if (self->n == 0)
    return FALSE;
  fill (self->heap[0], event);
  return TRUE;
}
