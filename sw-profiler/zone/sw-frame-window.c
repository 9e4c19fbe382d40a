/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-sample-private.h"

#include <stdlib.h>
#include <string.h>

#include "sw-profiler/zone/sw-duration-statistics-private.h"
#include "sw-profiler/zone/sw-frame-stats-private.h"
#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw/base/sw-site-registry-private.h"

/* From a window's samples to statistics: the paths become entries in their order, the samples rows of a matrix. */

/* A path on its way to its place. */
typedef struct
{
  guint32 path;
  guint32 parent;
  const SwSite *site;
} Place;

typedef struct
{
  SwFrameWindow *window;
  Place *places; /* by parent, and in order among siblings */
  guint32 n_places;
  guint32 *first_child; /* by path: a place; places of one parent follow each other */
  guint32 *entry_of;    /* by path */
  SwFrameStats *stats;
  guint32 n_filled;
  guint64 *cpu_ns; /* by entry and sample */
  guint64 *gpu_ns; /* by entry; only the samples with complete times */
  guint32 *n_gpu;  /* by entry: how many these are */
  SwCallSums *cpu_sums;
  SwCallSums *gpu_sums;
} Computation;

static const SwSite unknown_site = { .file = "", .signature = "", .function = "", .name = "" };

/* By text, so that the order does not depend on which site was used first. */
static int
compare_sites (const SwSite *a,
               const SwSite *b)
{
  int order = strcmp (a->name, b->name);

  if (order == 0)
    order = strcmp (a->function, b->function);
  if (order == 0)
    order = strcmp (a->file, b->file);
  if (order == 0)
    order = (a->line > b->line) - (a->line < b->line);
  return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static int
compare_places (gconstpointer a,
                gconstpointer b)
{
  const Place *x = a, *y = b;

  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  return x->site == y->site ? 0 : compare_sites (x->site, y->site);
}

/* A place for each path that some sample has. */
static void
collect_places (Computation *self)
{
  SwFrameWindow *window = self->window;
  g_autofree guint8 *is_used = g_new0 (guint8, window->n_paths);

  self->places = g_new (Place, window->n_paths);
  for (guint32 s = 0; s < window->n_samples; s++)
    for (guint32 r = 0; r < window->samples[s]->n_records; r++)
      is_used[window->samples[s]->records[r].path] = 1;
  for (guint32 path = 1; path < window->n_paths; path++)
    if (is_used[path])
      {
        const SwSite *site = sw_site_registry_get (window->paths[path].site_id);

        self->places[self->n_places++] = (Place){ path, window->paths[path].parent, site != NULL ? site : &unknown_site };
      }
  qsort (self->places, self->n_places, sizeof (Place), compare_places);
}

static void
find_children (Computation *self)
{
  self->first_child = g_new (guint32, self->window->n_paths);
  for (guint32 path = 0; path < self->window->n_paths; path++)
    self->first_child[path] = self->n_places;
  for (guint32 i = self->n_places; i > 0; i--)
    self->first_child[self->places[i - 1].parent] = i - 1;
}

static void
fill_entry (Computation *self,
            const Place *place)
{
  SwFrameStatsEntry *entry = g_new0 (SwFrameStatsEntry, 1);
  guint32 index = self->n_filled++;

  sw_ref_count_init (&entry->ref_count);
  entry->site_id = self->window->paths[place->path].site_id;
  entry->name = place->site->name;
  entry->parent_index = -1;
  self->entry_of[place->path] = index;
  if (place->parent != SW_FRAME_ROOT)
    {
      entry->parent_index = (gint32) self->entry_of[place->parent];
      entry->depth = self->stats->entries[entry->parent_index]->depth + 1;
    }
  self->stats->entries[index] = entry;
}

/* Depth first, without recursion: paths may be as long as anyone likes. */
static void
order_entries (Computation *self)
{
  g_autofree guint32 *ways = NULL;
  guint32 depth = 0;

  collect_places (self);
  find_children (self);
  self->stats->n_entries = self->n_places;
  self->stats->entries = g_new (SwFrameStatsEntry *, self->n_places);
  self->entry_of = g_new (guint32, self->window->n_paths);
  ways = g_new (guint32, self->n_places + 1);
  ways[0] = self->first_child[SW_FRAME_ROOT];
  for (guint32 parent = SW_FRAME_ROOT;;)
    {
      guint32 i = ways[depth];

      if (i < self->n_places && self->places[i].parent == parent)
        {
          ways[depth]++;
          fill_entry (self, &self->places[i]);
          parent = self->places[i].path;
          ways[++depth] = self->first_child[parent];
        }
      else if (depth == 0)
        break;
      else
        {
          parent = self->window->paths[parent].parent;
          depth--;
        }
    }
}

static SwGpuStatus
get_status (const SwFrameRecord *record)
{
  if (record->n_incomplete > 0)
    return SW_GPU_STATUS_INCOMPLETE;
  return record->gpu.count > 0 ? SW_GPU_STATUS_COMPLETE : SW_GPU_STATUS_UNAVAILABLE;
}

/* The columns that have a number for each sample and entry. */
typedef struct
{
  guint32 *calls;
  double *cpu_ms;
  double *gpu_ms;
  guint8 *status;
} Matrix;

static void
fill_cell (Computation *self,
           Matrix *matrix,
           guint32 sample,
           const SwFrameRecord *record)
{
  guint32 n_samples = self->window->n_samples;
  guint32 entry = self->entry_of[record->path];
  gsize cell = (gsize) sample * self->n_places + entry;

  matrix->calls[cell] = (guint32) MIN (record->cpu.count, G_MAXUINT32);
  matrix->cpu_ms[cell] = sw_ns_to_ms (record->cpu.total_ns);
  matrix->status[cell] = (guint8) get_status (record);
  self->cpu_ns[(gsize) entry * n_samples + sample] = record->cpu.total_ns;
  sw_call_sums_merge (&self->cpu_sums[entry], &record->cpu);
  sw_call_sums_merge (&self->gpu_sums[entry], &record->gpu);
  if (matrix->status[cell] != SW_GPU_STATUS_COMPLETE)
    return;
  matrix->gpu_ms[cell] = sw_ns_to_ms (record->gpu.total_ns);
  self->gpu_ns[(gsize) entry * n_samples + self->n_gpu[entry]++] = record->gpu.total_ns;
}

static void
fill_matrix (Computation *self)
{
  SwFrameStats *stats = self->stats;
  gsize n_cells = (gsize) self->window->n_samples * self->n_places;
  Matrix matrix = {
    g_new0 (guint32, n_cells),
    g_new0 (double, n_cells),
    g_new0 (double, n_cells),
    g_new0 (guint8, n_cells),
  };

  self->cpu_ns = g_new0 (guint64, n_cells);
  self->gpu_ns = g_new (guint64, n_cells);
  self->n_gpu = g_new0 (guint32, self->n_places);
  self->cpu_sums = g_new0 (SwCallSums, self->n_places);
  self->gpu_sums = g_new0 (SwCallSums, self->n_places);
  for (guint32 s = 0; s < self->window->n_samples; s++)
    for (guint32 r = 0; r < self->window->samples[s]->n_records; r++)
      fill_cell (self, &matrix, s, &self->window->samples[s]->records[r]);
  stats->sample_call_count = g_bytes_new_take (matrix.calls, n_cells * sizeof (guint32));
  stats->sample_cpu_time_ms = g_bytes_new_take (matrix.cpu_ms, n_cells * sizeof (double));
  stats->sample_gpu_time_ms = g_bytes_new_take (matrix.gpu_ms, n_cells * sizeof (double));
  stats->sample_gpu_status = g_bytes_new_take (matrix.status, n_cells);
}

static void
fill_entries (Computation *self)
{
  guint32 n_samples = self->window->n_samples;

  for (guint32 i = 0; i < self->n_places; i++)
    {
      SwFrameStatsEntry *entry = self->stats->entries[i];

      entry->cpu_time_per_frame = sw_duration_statistics_new (self->cpu_ns + (gsize) i * n_samples, n_samples);
      entry->gpu_time_per_frame = sw_duration_statistics_new (self->gpu_ns + (gsize) i * n_samples, self->n_gpu[i]);
      entry->cpu_time_per_call = sw_call_statistics_new_from_sums (&self->cpu_sums[i]);
      entry->gpu_time_per_call = sw_call_statistics_new_from_sums (&self->gpu_sums[i]);
    }
}

static void
fill_frames (SwFrameStats *stats,
             const SwFrameWindow *window)
{
  guint32 n = window->n_samples;
  guint32 *index = g_new (guint32, n);
  guint64 *start_ns = g_new (guint64, n);
  double *time_ms = g_new (double, n);
  g_autofree guint64 *times = g_new (guint64, n);
  g_autofree guint64 *intervals = g_new (guint64, n);
  guint64 sum = 0;

  for (guint32 s = 0; s < n; s++)
    {
      index[s] = window->samples[s]->index;
      start_ns[s] = window->samples[s]->start_ns;
      times[s] = window->samples[s]->duration_ns;
      time_ms[s] = sw_ns_to_ms (times[s]);
      intervals[s] = s > 0 && start_ns[s] > start_ns[s - 1] ? start_ns[s] - start_ns[s - 1] : 0;
      sum += intervals[s];
    }
  stats->fps = sum > 0 ? (n - 1) * 1e9 / (double) sum : 0;
  stats->latest_frame_ms = n > 0 ? time_ms[n - 1] : 0;
  stats->frame_time = sw_duration_statistics_new (times, n);
  stats->frame_interval = sw_duration_statistics_new (intervals + (n > 0), n > 0 ? n - 1 : 0);
  stats->sample_frame_index = g_bytes_new_take (index, n * sizeof *index);
  stats->sample_frame_start_ns = g_bytes_new_take (start_ns, n * sizeof *start_ns);
  stats->sample_frame_time_ms = g_bytes_new_take (time_ms, n * sizeof *time_ms);
}

static void
free_computation (Computation *self)
{
  g_free (self->places);
  g_free (self->first_child);
  g_free (self->entry_of);
  g_free (self->cpu_ns);
  g_free (self->gpu_ns);
  g_free (self->n_gpu);
  g_free (self->cpu_sums);
  g_free (self->gpu_sums);
  for (guint32 s = 0; s < self->window->n_samples; s++)
    sw_frame_sample_unref (self->window->samples[s]);
  g_free (self->window->samples);
  g_free (self->window->paths);
  g_free (self->window);
}

SwFrameStats *
sw_frame_window_finish (SwFrameWindow *window,
                        const SwDiagnosticCounters *diagnostics)
{
  SwFrameStats *stats = g_new0 (SwFrameStats, 1);
  Computation computation = { .window = window, .stats = stats };

  sw_ref_count_init (&stats->ref_count);
  stats->n_samples = window->n_samples;
  stats->n_pending_frames = window->n_pending_frames;
  stats->diagnostics = sw_profiler_diagnostics_new (diagnostics);
  fill_frames (stats, window);
  order_entries (&computation);
  fill_matrix (&computation);
  fill_entries (&computation);
  free_computation (&computation);
  return stats;
}
