/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-accumulator-private.h"

#include <string.h>

#include "sw-profiler/zone/sw-frame-sample-private.h"

/* Places in the scratch arrays are given back after a frame that needed more than this. */
#define MAX_SCRATCH 65536
#define IN_PROGRESS G_MAXUINT32

struct _SwFrameAccumulator
{
  guint window_size;
  guint max_pending_frames;
  SwFramePaths paths;
  GQueue window;       /* of completed samples, oldest first */
  GQueue queue;        /* of samples that are pending, or behind one that is */
  GHashTable *pending; /* of SwFramePending, by token */
  guint64 n_frames;    /* ever */
  gsize sample_bytes;
  GArray *path_of; /* scratch: by zone; 0 not known yet */
  GArray *climb;   /* scratch: zones between one whose path is sought and one whose path is known */
  GArray *records; /* scratch: of the frame that is being added */
};

static gsize
sample_size (const SwFrameSample *self)
{
  return sizeof (SwFrameSample) + self->n_records * sizeof (SwFrameRecord) + self->n_awaited * sizeof (SwFramePending);
}

void
sw_frame_sample_unref (SwFrameSample *self)
{
  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_free (self->records);
  g_free (self->awaited);
  g_free (self);
}

SwFrameAccumulator *
sw_frame_accumulator_new (guint window_size,
                          guint max_pending_frames)
{
  SwFrameAccumulator *self = g_new0 (SwFrameAccumulator, 1);

  self->window_size = window_size;
  self->max_pending_frames = max_pending_frames;
  sw_frame_paths_init (&self->paths);
  g_queue_init (&self->window);
  g_queue_init (&self->queue);
  self->pending = g_hash_table_new (g_int64_hash, g_int64_equal);
  self->path_of = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->climb = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->records = g_array_new (FALSE, FALSE, sizeof (SwFrameRecord));
  return self;
}

static void
drop_sample (SwFrameAccumulator *self,
             SwFrameSample *sample)
{
  for (guint32 i = 0; i < sample->n_records; i++)
    sw_frame_paths_unuse (&self->paths, sample->records[i].path);
  self->sample_bytes -= sample_size (sample);
  sw_frame_sample_unref (sample);
}

void
sw_frame_accumulator_clear (SwFrameAccumulator *self)
{
  SwFrameSample *sample;

  g_hash_table_remove_all (self->pending);
  while ((sample = g_queue_pop_head (&self->queue)) != NULL)
    drop_sample (self, sample);
  while ((sample = g_queue_pop_head (&self->window)) != NULL)
    drop_sample (self, sample);
  sw_frame_paths_collect (&self->paths);
}

void
sw_frame_accumulator_free (SwFrameAccumulator *self)
{
  sw_frame_accumulator_clear (self);
  g_hash_table_unref (self->pending);
  sw_frame_paths_clear (&self->paths);
  g_array_unref (self->path_of);
  g_array_unref (self->climb);
  g_array_unref (self->records);
  g_free (self);
}

/* Finds the path of a zone and of all between it and the first whose path is known. Returns 1 when the way up ends where
 * it should not: the zone there becomes a root. */
static guint
find_path (SwFrameAccumulator *self,
           const SwFrameZone *zones,
           gsize n_zones,
           guint32 zone)
{
  guint32 *path_of = (guint32 *) (gpointer) self->path_of->data;
  guint32 path = SW_FRAME_ROOT;
  guint n_lost = 0;

  g_array_set_size (self->climb, 0);
  for (gint64 at = zone; at != -1; at = zones[at].parent)
    {
      if (at < 0 || at >= (gint64) n_zones || path_of[at] == IN_PROGRESS)
        {
          n_lost = 1;
          break;
        }
      if (path_of[at] != 0)
        {
          path = path_of[at];
          break;
        }
      path_of[at] = IN_PROGRESS;
      zone = (guint32) at;
      g_array_append_val (self->climb, zone);
    }
  for (guint i = self->climb->len; i > 0; i--)
    {
      zone = g_array_index (self->climb, guint32, i - 1);
      path = sw_frame_paths_intern (&self->paths, path, zones[zone].site_id);
      path_of[zone] = path;
    }
  return n_lost;
}

/* The record of a path in the frame that is being added. */
static SwFrameRecord *
get_record (SwFrameAccumulator *self,
            guint32 path)
{
  SwFramePathUse *use = &self->paths.uses[path];
  SwFrameRecord record = { .path = path };

  if (use->frame != self->n_frames)
    {
      use->frame = self->n_frames;
      use->record = self->records->len;
      g_array_append_val (self->records, record);
      sw_frame_paths_use (&self->paths, path);
    }
  return &g_array_index (self->records, SwFrameRecord, use->record);
}

/* Returns whether a time is awaited. */
static gboolean
add_zone (SwFrameAccumulator *self,
          const SwFrameZone *zone,
          guint32 path)
{
  SwFrameRecord *record = get_record (self, path);

  sw_call_sums_add (&record->cpu, zone->cpu_ns);
  switch (zone->gpu)
    {
    case SW_FRAME_GPU_COMPLETE:
      sw_call_sums_add (&record->gpu, zone->gpu_ns);
      break;
    case SW_FRAME_GPU_INCOMPLETE:
      record->n_incomplete++;
      break;
    case SW_FRAME_GPU_PENDING:
      record->n_pending++;
      return TRUE;
    case SW_FRAME_GPU_NONE:
    default:
      break;
    }
  return FALSE;
}

static void
give_up (SwFrameSample *sample,
         guint32 record)
{
  sample->records[record].n_pending--;
  sample->records[record].n_incomplete++;
  sample->n_pending--;
}

static void
await_zones (SwFrameAccumulator *self,
             SwFrameSample *sample,
             const SwFrameZone *zones,
             gsize n_zones)
{
  guint32 n = 0;

  sample->awaited = g_new (SwFramePending, sample->n_awaited);
  for (gsize i = 0; i < n_zones; i++)
    {
      SwFramePending *pending;

      if (zones[i].gpu != SW_FRAME_GPU_PENDING)
        continue;
      pending = &sample->awaited[n++];
      *pending = (SwFramePending){
        .token = zones[i].gpu_token,
        .sample = sample,
        .record = self->paths.uses[g_array_index (self->path_of, guint32, i)].record,
      };
      /* Two zones cannot wait for one time. */
      if (g_hash_table_contains (self->pending, &pending->token))
        give_up (sample, pending->record);
      else
        g_hash_table_add (self->pending, &pending->token);
    }
}

static void
forget_pending (SwFrameAccumulator *self,
                SwFrameSample *sample)
{
  for (guint32 i = 0; i < sample->n_awaited && sample->n_pending > 0; i++)
    {
      SwFramePending *pending = &sample->awaited[i];

      if (g_hash_table_lookup (self->pending, &pending->token) != pending)
        continue;
      g_hash_table_remove (self->pending, &pending->token);
      give_up (sample, pending->record);
    }
}

static void
complete (SwFrameAccumulator *self,
          SwFrameSample *sample)
{
  forget_pending (self, sample);
  self->sample_bytes -= sample->n_awaited * sizeof (SwFramePending);
  sample->n_awaited = 0;
  g_clear_pointer (&sample->awaited, g_free);
  g_queue_push_tail (&self->window, sample);
  if (self->window.length > self->window_size)
    drop_sample (self, g_queue_pop_head (&self->window));
}

/* In the order of the frames: what is behind a pending one waits with it, within bounds. */
static void
complete_ready (SwFrameAccumulator *self)
{
  SwFrameSample *first;

  while ((first = g_queue_peek_head (&self->queue)) != NULL &&
         (first->n_pending == 0 || self->queue.length > self->max_pending_frames))
    complete (self, g_queue_pop_head (&self->queue));
}

static SwFrameSample *
make_sample (SwFrameAccumulator *self,
             const SwSealedFrame *frame)
{
  SwFrameSample *sample = g_new0 (SwFrameSample, 1);

  sw_ref_count_init (&sample->ref_count);
  sample->index = frame->index;
  sample->start_ns = frame->begin_ns;
  sample->duration_ns = frame->end_ns > frame->begin_ns ? frame->end_ns - frame->begin_ns : 0;
  sample->n_records = self->records->len;
  sample->records = g_memdup2 (self->records->data, self->records->len * sizeof (SwFrameRecord));
  return sample;
}

static void
release_scratch (GArray **array,
                 gboolean clear)
{
  guint size = g_array_get_element_size (*array);

  if ((*array)->len <= MAX_SCRATCH)
    return;
  g_array_unref (*array);
  *array = g_array_new (FALSE, clear, size);
}

guint
sw_frame_accumulator_add_frame (SwFrameAccumulator *self,
                                const SwSealedFrame *frame,
                                const SwFrameZone *zones,
                                gsize n_zones)
{
  SwFrameSample *sample;
  guint n_lost = 0;
  guint32 n_awaited = 0;

  self->n_frames++;
  g_array_set_size (self->records, 0);
  g_array_set_size (self->path_of, 0);
  g_array_set_size (self->path_of, (guint) n_zones);
  /* From the end: parents mostly come after their children. */
  for (gsize i = n_zones; i > 0; i--)
    {
      if (g_array_index (self->path_of, guint32, i - 1) == 0)
        n_lost += find_path (self, zones, n_zones, (guint32) (i - 1));
      n_awaited += add_zone (self, &zones[i - 1], g_array_index (self->path_of, guint32, i - 1));
    }
  sample = make_sample (self, frame);
  sample->n_awaited = sample->n_pending = n_awaited;
  if (n_awaited > 0)
    await_zones (self, sample, zones, n_zones);
  self->sample_bytes += sample_size (sample);
  g_queue_push_tail (&self->queue, sample);
  complete_ready (self);
  release_scratch (&self->path_of, TRUE);
  release_scratch (&self->climb, FALSE);
  release_scratch (&self->records, FALSE);
  sw_frame_paths_collect (&self->paths);
  return n_lost;
}

gboolean
sw_frame_accumulator_resolve (SwFrameAccumulator *self,
                              guint64 gpu_token,
                              SwFrameGpu gpu,
                              guint64 gpu_ns)
{
  SwFramePending *pending = g_hash_table_lookup (self->pending, &gpu_token);
  SwFrameRecord *record;

  if (pending == NULL)
    return FALSE;
  g_hash_table_remove (self->pending, &gpu_token);
  record = &pending->sample->records[pending->record];
  record->n_pending--;
  if (gpu == SW_FRAME_GPU_COMPLETE)
    sw_call_sums_add (&record->gpu, gpu_ns);
  else
    record->n_incomplete++;
  pending->sample->n_pending--;
  complete_ready (self);
  return TRUE;
}

guint
sw_frame_accumulator_pending_frames (const SwFrameAccumulator *self)
{
  return self->queue.length;
}

gsize
sw_frame_accumulator_memory_bytes (const SwFrameAccumulator *self)
{
  return sizeof (SwFrameAccumulator) + sw_frame_paths_memory_bytes (&self->paths) + self->sample_bytes +
         g_hash_table_size (self->pending) * 3 * sizeof (gpointer);
}

SwFrameWindow *
sw_frame_accumulator_freeze (SwFrameAccumulator *self)
{
  SwFrameWindow *window = g_new0 (SwFrameWindow, 1);

  window->samples = g_new (SwFrameSample *, self->window.length);
  for (GList *l = self->window.head; l != NULL; l = l->next)
    window->samples[window->n_samples++] = sw_frame_sample_ref (l->data);
  window->n_pending_frames = self->queue.length;
  window->n_paths = self->paths.n_paths;
  window->paths = g_memdup2 (self->paths.paths, window->n_paths * sizeof (SwFramePath));
  return window;
}

SwFrameStats *
sw_frame_accumulator_snapshot (SwFrameAccumulator *self,
                               const SwDiagnosticCounters *diagnostics)
{
  return sw_frame_window_finish (sw_frame_accumulator_freeze (self), diagnostics);
}
