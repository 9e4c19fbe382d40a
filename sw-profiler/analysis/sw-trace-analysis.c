/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-trace-analysis-private.h"

#include "sw-profiler/analysis/sw-spill-private.h"
#include "sw-profiler/analysis/sw-trace-moments-private.h"
#include "sw/base/sw-hash-private.h"

#define USUAL_BUDGET (64u << 20)
#define NO_LABEL G_MAXUINT32

static void
prepare_slices (gpointer records,
                gsize n)
{
  sw_slice_records_sort (records, n);
}

static void
clear_track (gpointer data)
{
  g_free (((SwAnalysisTrack *) data)->name);
  g_free (((SwAnalysisTrack *) data)->unit);
}

static void
clear_session (gpointer data)
{
  g_free (((SwAnalysisSession *) data)->process_name);
}

static void
clear_count (gpointer data)
{
  g_free (((SwAnalysisCount *) data)->name);
}

static GArray *
new_array (gsize size,
           GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) size);

  if (clear != NULL)
    g_array_set_clear_func (array, clear);
  return array;
}

static void
init (SwTraceAnalysis *self)
{
  self->slices = sw_spill_new (sizeof (SwSliceRecord), self->budget, prepare_slices);
  self->labels = new_array (sizeof (SwTraceLabel), NULL);
  self->labels_by_name = new_array (sizeof (guint32), NULL);
  self->further_labels = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->tracks = new_array (sizeof (SwAnalysisTrack), clear_track);
  self->sessions = new_array (sizeof (SwAnalysisSession), clear_session);
  self->instants = new_array (sizeof (SwAnalysisInstants), NULL);
  self->instants_by_key = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->counters = new_array (sizeof (SwAnalysisCounter), NULL);
  self->drops = new_array (sizeof (SwAnalysisCount), clear_count);
  self->diagnostics = new_array (sizeof (SwAnalysisCount), clear_count);
  self->drops_by_name = g_hash_table_new (sw_hash_text, g_str_equal);
  self->diagnostics_by_name = g_hash_table_new (sw_hash_text, g_str_equal);
  self->first_ns = G_MAXINT64;
  self->last_ns = G_MININT64;
  g_array_set_size (self->sessions, 1);
}

SwTraceAnalysis *
sw_trace_analysis_new (SwTraceNameFunc name_func,
                       gpointer name_data,
                       gsize budget)
{
  SwTraceAnalysis *self = g_new0 (SwTraceAnalysis, 1);

  self->name_func = name_func;
  self->name_data = name_data;
  self->budget = budget != 0 ? budget : USUAL_BUDGET;
  init (self);
  return self;
}

static void
clear (SwTraceAnalysis *self)
{
  sw_spill_free (self->slices);
  g_clear_pointer (&self->moments, sw_spill_free);
  g_array_unref (self->labels);
  g_array_unref (self->labels_by_name);
  g_hash_table_unref (self->further_labels);
  g_array_unref (self->tracks);
  g_array_unref (self->sessions);
  g_array_unref (self->instants);
  g_hash_table_unref (self->instants_by_key);
  g_array_unref (self->counters);
  g_hash_table_unref (self->drops_by_name);
  g_hash_table_unref (self->diagnostics_by_name);
  g_array_unref (self->drops);
  g_array_unref (self->diagnostics);
}

void
sw_trace_analysis_free (SwTraceAnalysis *self)
{
  clear (self);
  g_free (self);
}

/* While it is read. */

static void
take_restart (gpointer data)
{
  SwTraceAnalysis *self = data;
  SwTraceAnalysis new = { .name_func = self->name_func, .name_data = self->name_data, .budget = self->budget };
  gboolean keeps_moments = self->moments != NULL;

  clear (self);
  *self = new;
  init (self);
  if (keeps_moments)
    sw_trace_analysis_keep_moments (self);
}

static void
take_session (gpointer data,
              const SwTraceSession *session,
              gboolean has_base)
{
  SwTraceAnalysis *self = data;
  SwAnalysisSession *first = &g_array_index (self->sessions, SwAnalysisSession, 0);
  SwAnalysisSession new = {
    .base_ns = session->base_ns,
    .wall_ns = session->wall_ns,
    .pid = session->pid,
    .process_name = g_strdup (session->process_name),
    .has_base = has_base,
  };

  /* The place of the one that is not named is free as long as nothing came before. */
  if (self->sessions->len == 1 && !first->has_base && first->pid == 0 && first->process_name == NULL && self->tracks->len == 0)
    *first = new;
  else
    g_array_append_val (self->sessions, new);
}

static void
take_track (gpointer data,
            guint32 id,
            const SwTraceTrackInfo *info)
{
  SwTraceAnalysis *self = data;
  SwAnalysisTrack *track;

  if (id >= self->tracks->len)
    g_array_set_size (self->tracks, id + 1);
  track = &g_array_index (self->tracks, SwAnalysisTrack, id);
  clear_track (track);
  if (!track->is_known)
    track->session = self->sessions->len - 1;
  track->is_known = TRUE;
  track->kind = info->kind;
  track->process = info->process;
  track->id = info->id;
  track->name = g_strdup (info->name);
  track->unit = g_strdup (info->unit);
}

static guint32
add_label (SwTraceAnalysis *self,
           guint32 name,
           guint32 category)
{
  guint64 pair = (guint64) name << 32 | category;
  SwTraceLabel label = { name, category };
  guint32 id = self->labels->len;

  while (self->labels_by_name->len <= name)
    {
      guint32 none = NO_LABEL;

      g_array_append_val (self->labels_by_name, none);
    }
  if (g_array_index (self->labels_by_name, guint32, name) == NO_LABEL)
    g_array_index (self->labels_by_name, guint32, name) = id;
  else
    g_hash_table_insert (self->further_labels, g_memdup2 (&pair, sizeof pair), GUINT_TO_POINTER (id));
  g_array_append_val (self->labels, label);
  return id;
}

/* Most names have one category. */
static inline guint32
find_label (SwTraceAnalysis *self,
            guint32 name,
            guint32 category)
{
  guint32 label = name < self->labels_by_name->len ? g_array_index (self->labels_by_name, guint32, name) : NO_LABEL;
  guint64 pair = (guint64) name << 32 | category;
  gpointer found;

  if (label != NO_LABEL && g_array_index (self->labels, SwTraceLabel, label).category == category)
    return label;
  if (label != NO_LABEL && g_hash_table_lookup_extended (self->further_labels, &pair, NULL, &found))
    return GPOINTER_TO_UINT (found);
  return add_label (self, name, category);
}

static inline void
extend (SwTraceAnalysis *self,
        gint64 first_ns,
        gint64 last_ns)
{
  self->first_ns = MIN (self->first_ns, first_ns);
  self->last_ns = MAX (self->last_ns, last_ns);
}

static void
take_slice (gpointer data,
            const SwTraceReadSlice *read)
{
  SwTraceAnalysis *self = data;
  const SwTraceSlice *slice = &read->slice;
  gint64 duration_ns = MAX (slice->duration_ns, 0);
  SwSliceRecord *record;
  gint64 end_ns;

  self->n_negative += slice->duration_ns < 0;
  self->n_unfinished += (read->flags & SW_TRACE_READ_UNFINISHED) != 0;
  self->n_slices++;
  /* No time is after the last one. */
  if (__builtin_add_overflow (slice->start_ns, duration_ns, &end_ns))
    {
      end_ns = G_MAXINT64;
      duration_ns = end_ns - slice->start_ns;
    }
  extend (self, slice->start_ns, end_ns);
  record = sw_spill_add (self->slices, slice->track);
  *record = (SwSliceRecord){
    .start_ns = slice->start_ns,
    .duration_ns = duration_ns,
    .label = find_label (self, slice->name, slice->category),
    .order = (guint16) MIN (slice->depth < 0 ? read->order : (guint) slice->depth, G_MAXUINT16),
    .flags = (read->flags & SW_TRACE_READ_UNFINISHED) != 0 ? SW_SLICE_UNFINISHED : 0,
  };
}

/* Their place. */
static guint32
find_instants (SwTraceAnalysis *self,
               guint32 track,
               guint32 label)
{
  guint64 key = (guint64) track << 32 | label;
  SwAnalysisInstants new = { track, label, 0, G_MAXINT64, G_MININT64 };
  gpointer place;

  if (!g_hash_table_lookup_extended (self->instants_by_key, &key, NULL, &place))
    {
      place = GUINT_TO_POINTER (self->instants->len);
      g_hash_table_insert (self->instants_by_key, g_memdup2 (&key, sizeof key), place);
      g_array_append_val (self->instants, new);
    }
  return GPOINTER_TO_UINT (place);
}

static void
take_instant (gpointer data,
              const SwTraceSlice *instant)
{
  SwTraceAnalysis *self = data;
  guint32 place = find_instants (self, instant->track, find_label (self, instant->name, instant->category));

  self->n_instants++;
  sw_analysis_instants_add (&g_array_index (self->instants, SwAnalysisInstants, place), instant->start_ns);
  sw_trace_moments_keep_instant (self, place, instant->start_ns);
  extend (self, instant->start_ns, instant->start_ns);
}

static void
take_counter (gpointer data,
              const SwTraceReadCounter *read)
{
  SwTraceAnalysis *self = data;

  self->n_counters++;
  if (read->track >= self->counters->len)
    g_array_set_size (self->counters, read->track + 1);
  sw_analysis_counter_add (&g_array_index (self->counters, SwAnalysisCounter, read->track), read);
  sw_trace_moments_keep_counter (self, read);
  extend (self, read->time_ns, read->time_ns);
}

/* A trace of several sessions says it several times. */
static void
add_count (GArray *counts,
           GHashTable *by_name,
           const char *name,
           guint64 n)
{
  SwAnalysisCount new = { NULL, n };
  SwAnalysisCount *known;
  gpointer place;

  if (g_hash_table_lookup_extended (by_name, name, NULL, &place))
    {
      known = &g_array_index (counts, SwAnalysisCount, GPOINTER_TO_UINT (place));
      if (__builtin_add_overflow (known->n, n, &known->n))
        known->n = G_MAXUINT64;
      return;
    }
  new.name = g_strdup (name);
  g_hash_table_insert (by_name, new.name, GUINT_TO_POINTER (counts->len));
  g_array_append_val (counts, new);
}

static void
take_drops (gpointer data,
            const char *reason,
            guint64 n)
{
  SwTraceAnalysis *self = data;

  add_count (self->drops, self->drops_by_name, reason, n);
}

static void
take_diagnostic (gpointer data,
                 const char *name,
                 guint64 n)
{
  SwTraceAnalysis *self = data;

  add_count (self->diagnostics, self->diagnostics_by_name, name, n);
}

const SwTraceVisitor sw_trace_analysis_visitor = {
  .no_args = TRUE,
  .restart = take_restart,
  .session = take_session,
  .track = take_track,
  .slice = take_slice,
  .instant = take_instant,
  .counter = take_counter,
  .drops = take_drops,
  .diagnostic = take_diagnostic,
};

/* When it has been read. */

gboolean
sw_trace_analysis_finish (SwTraceAnalysis *self,
                          GError **error)
{
  return sw_spill_finish (self->slices, error) && (self->moments == NULL || sw_spill_finish (self->moments, error));
}

const char *
sw_trace_analysis_get_text (const SwTraceAnalysis *self,
                            guint32 name)
{
  return name == 0 ? "" : self->name_func (self->name_data, name)->text;
}

const SwTraceLabel *
sw_trace_analysis_get_label (const SwTraceAnalysis *self,
                             guint32 label)
{
  return &g_array_index (self->labels, SwTraceLabel, label);
}

const SwAnalysisTrack *
sw_trace_analysis_get_track (const SwTraceAnalysis *self,
                             guint32 track)
{
  if (track >= self->tracks->len || !g_array_index (self->tracks, SwAnalysisTrack, track).is_known)
    return NULL;
  return &g_array_index (self->tracks, SwAnalysisTrack, track);
}

gint64
sw_trace_analysis_get_pid (const SwTraceAnalysis *self,
                           guint32 id,
                           const char **name)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self, id);
  const SwAnalysisTrack *process = track;
  const SwAnalysisSession *session;

  if (track != NULL && track->kind != SW_TRACE_TRACK_PROCESS)
    process = sw_trace_analysis_get_track (self, track->process);
  if (process != NULL)
    {
      *name = process->name;
      return process->id;
    }
  session = &g_array_index (self->sessions, SwAnalysisSession, track != NULL ? track->session : 0);
  *name = session->process_name;
  return session->pid;
}
