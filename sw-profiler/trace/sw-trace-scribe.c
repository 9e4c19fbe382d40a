/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-scribe-private.h"

/* The writer keeps each name that it interns: what a program makes up as it goes, like "request 4711", is written out where
 * it stands once there were so many. */
#define MAX_NAMES 65536
/* Likewise tracks of counters and asynchronous spans; what is beyond shares the last one. */
#define MAX_TRACKS 4096
/* The session's process is the writer's first track. */
#define PROCESS_TRACK 1

typedef struct
{
  SwLane *lane;
  guint32 track;
  char *name; /* as it was last written */
} LaneTrack;

typedef struct
{
  guint32 name;
  guint32 category;
} SiteNames;

struct _SwTraceScribe
{
  SwTraceWriter *writer;
  GArray *sites;     /* SiteNames by site; name 0: not seen yet */
  GHashTable *names; /* of texts */
  GHashTable *lanes; /* id -> LaneTrack */
  LaneTrack *last_lane;
  GHashTable *tracks; /* kind and name -> track */
  GArray *args;
  GArray *flows;
};

static void
lane_track_free (gpointer data)
{
  LaneTrack *self = data;

  sw_lane_unref (self->lane);
  g_free (self->name);
  g_free (self);
}

SwTraceScribe *
sw_trace_scribe_new (SwTraceWriter *writer)
{
  SwTraceScribe *self = g_new0 (SwTraceScribe, 1);

  self->writer = writer;
  self->sites = g_array_new (FALSE, TRUE, sizeof (SiteNames));
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->lanes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, lane_track_free);
  self->tracks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->args = g_array_new (FALSE, FALSE, sizeof (SwTraceArg));
  self->flows = g_array_new (FALSE, FALSE, sizeof (SwTraceFlow));
  return self;
}

static guint32
intern (SwTraceScribe *self,
        const char *text)
{
  gpointer id = g_hash_table_lookup (self->names, text);

  if (id != NULL)
    return GPOINTER_TO_UINT (id);
  if (*text == '\0' || g_hash_table_size (self->names) >= MAX_NAMES)
    return 0;
  id = GUINT_TO_POINTER (sw_trace_writer_intern (self->writer, text, -1));
  g_hash_table_insert (self->names, g_strdup (text), id);
  return GPOINTER_TO_UINT (id);
}

/* Whatever is left over beyond the limit is interned all the same: categories and keys of arguments come from programs. */
static guint32
intern_always (SwTraceScribe *self,
               const char *text)
{
  guint32 id = intern (self, text);

  return id != 0 ? id : sw_trace_writer_intern (self->writer, text, -1);
}

static LaneTrack *
add_lane (SwTraceScribe *self,
          SwLane *lane)
{
  LaneTrack *added = g_new0 (LaneTrack, 1);
  SwTraceTrackInfo info = { .kind = SW_TRACE_TRACK_THREAD, .order = SW_TRACE_ORDER_END, .rank = SW_TRACE_NO_RANK };
  guint64 *key = g_new (guint64, 1);

  if (sw_lane_is_queue (lane))
    info.kind = SW_TRACE_TRACK_GPU_QUEUE;
  added->lane = sw_lane_ref (lane);
  added->name = sw_lane_dup_name (lane);
  info.id = (gint64) sw_lane_get_thread_id (lane);
  info.name = added->name;
  added->track = sw_trace_writer_add_track (self->writer, &info);
  *key = sw_lane_get_id (lane);
  g_hash_table_insert (self->lanes, key, added);
  return added;
}

static guint32
find_lane (SwTraceScribe *self,
           SwLane *lane)
{
  guint64 id;

  if (G_LIKELY (self->last_lane != NULL && self->last_lane->lane == lane))
    return self->last_lane->track;
  id = sw_lane_get_id (lane);
  self->last_lane = g_hash_table_lookup (self->lanes, &id);
  if (self->last_lane == NULL)
    self->last_lane = add_lane (self, lane);
  return self->last_lane->track;
}

static guint32
find_track (SwTraceScribe *self,
            SwTraceTrackKind kind,
            const char *name)
{
  gboolean is_full = g_hash_table_size (self->tracks) >= MAX_TRACKS;
  g_autofree char *key = g_strconcat (kind == SW_TRACE_TRACK_COUNTER ? "c" : "a", name, NULL);
  SwTraceTrackInfo info = { .kind = kind, .order = SW_TRACE_ORDER_END, .rank = SW_TRACE_NO_RANK, .name = name };
  gpointer track = g_hash_table_lookup (self->tracks, key);

  if (track == NULL && is_full)
    {
      g_free (key);
      key = g_strdup (kind == SW_TRACE_TRACK_COUNTER ? "c(other)" : "a(other)");
      info.name = "(other)";
      track = g_hash_table_lookup (self->tracks, key);
    }
  if (track == NULL)
    {
      track = GUINT_TO_POINTER (sw_trace_writer_add_track (self->writer, &info));
      g_hash_table_insert (self->tracks, g_steal_pointer (&key), track);
    }
  return GPOINTER_TO_UINT (track);
}

static void
set_names (SwTraceScribe *self,
           const SwTraceRecord *record,
           SwTraceSlice *slice)
{
  SiteNames *names;

  if (record->site == 0)
    {
      slice->name = intern (self, record->name);
      slice->name_text = slice->name == 0 ? record->name : NULL;
      slice->category = *record->category != '\0' ? intern_always (self, record->category) : 0;
      return;
    }
  if (record->site >= self->sites->len)
    g_array_set_size (self->sites, record->site + 64);
  names = &g_array_index (self->sites, SiteNames, record->site);
  if (G_UNLIKELY (names->name == 0))
    {
      names->name = intern_always (self, record->name);
      names->category = *record->category != '\0' ? intern_always (self, record->category) : 0;
    }
  slice->name = names->name;
  slice->category = names->category;
}

static void
add_arg (SwTraceScribe *self,
         const SwTraceItem *item)
{
  static const SwTraceArgType types[] = {
    [SW_TRACE_ITEM_STRING] = SW_TRACE_ARG_STRING,
    [SW_TRACE_ITEM_INT64] = SW_TRACE_ARG_INT64,
    [SW_TRACE_ITEM_UINT64] = SW_TRACE_ARG_UINT64,
    [SW_TRACE_ITEM_DOUBLE] = SW_TRACE_ARG_DOUBLE,
    [SW_TRACE_ITEM_BOOLEAN] = SW_TRACE_ARG_BOOL,
    [SW_TRACE_ITEM_SHAPE] = SW_TRACE_ARG_SHAPE,
  };
  SwTraceArg arg = { .key = intern_always (self, item->text), .type = types[item->type] };

  arg.value.uint64 = item->value.v_uint64;
  if (item->type == SW_TRACE_ITEM_STRING)
    arg.value.string = sw_trace_item_get_string (item);
  else if (item->type == SW_TRACE_ITEM_BOOLEAN)
    arg.value.boolean = item->value.v_uint64 != 0;
  g_array_append_val (self->args, arg);
}

/* A flow may come to a slice that is much older than itself, such as the loop of a worker. Viewers would have it go back in
 * time. */
static void
add_flow (SwTraceScribe *self,
          const SwTraceRecord *record,
          const SwTraceItem *item)
{
  SwTraceFlow flow = { item->value.v_uint64, item->extra, 0 };

  if (flow.step != SW_TRACE_FLOW_START && record->start_ns < sw_trace_flow_get_start_ns (flow.id))
    flow.time_ns = (gint64) sw_trace_flow_get_time (item);
  g_array_append_val (self->flows, flow);
}

static void
set_items (SwTraceScribe *self,
           const SwTraceRecord *record,
           SwTraceSlice *slice)
{
  const guint8 *end = record->items + record->items_size;

  g_array_set_size (self->args, 0);
  g_array_set_size (self->flows, 0);
  for (const SwTraceItem *item = (const void *) record->items; (const guint8 *) item < end;
       item = sw_trace_item_next (item))
    {
      if (item->type == SW_TRACE_ITEM_FLOW)
        add_flow (self, record, item);
      else
        add_arg (self, item);
    }
  if (record->interrupted)
    {
      SwTraceArg arg = { .key = intern_always (self, "interrupted"), .type = SW_TRACE_ARG_BOOL };

      arg.value.boolean = TRUE;
      g_array_append_val (self->args, arg);
    }
  slice->args = (const SwTraceArg *) (const void *) self->args->data;
  slice->n_args = self->args->len;
  slice->flows = (const SwTraceFlow *) (const void *) self->flows->data;
  slice->n_flows = self->flows->len;
}

static void
put_counter (SwTraceScribe *self,
             const SwTraceRecord *record)
{
  guint32 track = find_track (self, SW_TRACE_TRACK_COUNTER, record->name);

  if (record->is_integer)
    sw_trace_writer_counter_int64 (self->writer, track, record->start_ns, record->value.integer);
  else
    sw_trace_writer_counter (self->writer, track, record->start_ns, record->value.real);
}

void
sw_trace_scribe_put (SwTraceScribe *self,
                     const SwTraceRecord *record)
{
  SwTraceSlice slice = { .depth = record->depth, .start_ns = record->start_ns, .duration_ns = record->duration_ns };

  if (G_UNLIKELY (record->went_back))
    /* The writer counts it. */
    slice.duration_ns = -1;

  if (record->kind == SW_TRACE_EVENT_KIND_COUNTER)
    {
      put_counter (self, record);
      return;
    }
  set_names (self, record, &slice);
  if (G_UNLIKELY (record->items_size > 0 || record->interrupted))
    set_items (self, record, &slice);
  if (record->kind == SW_TRACE_EVENT_KIND_ASYNC_SPAN)
    {
      slice.track = find_track (self, SW_TRACE_TRACK_ASYNC, record->name);
      slice.depth = SW_TRACE_DEPTH_UNKNOWN;
    }
  else
    slice.track = find_lane (self, record->lane);
  if (record->kind == SW_TRACE_EVENT_KIND_INSTANT)
    sw_trace_writer_instant (self->writer, &slice);
  else
    sw_trace_writer_slice (self->writer, &slice);
}

void
sw_trace_scribe_set_process_name (SwTraceScribe *self,
                                  const char *name)
{
  sw_trace_writer_rename_track (self->writer, PROCESS_TRACK, name != NULL ? name : "");
}

static void
rename_lanes (SwTraceScribe *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->lanes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      LaneTrack *lane = value;
      g_autofree char *name = sw_lane_dup_name (lane->lane);

      if (g_str_equal (name, lane->name))
        continue;
      sw_trace_writer_rename_track (self->writer, lane->track, name);
      g_free (lane->name);
      lane->name = g_steal_pointer (&name);
    }
}

gboolean
sw_trace_scribe_flush (SwTraceScribe *self,
                       GError **error)
{
  rename_lanes (self);
  return sw_trace_writer_flush (self->writer, error);
}

gboolean
sw_trace_scribe_close (SwTraceScribe *self,
                       guint64 n_dropped,
                       GError **error)
{
  gboolean succeeded;

  rename_lanes (self);
  sw_trace_writer_add_drops (self->writer, "not_recorded", n_dropped);
  succeeded = sw_trace_writer_close (self->writer, error);
  g_array_unref (self->sites);
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->lanes);
  g_hash_table_unref (self->tracks);
  g_array_unref (self->args);
  g_array_unref (self->flows);
  g_free (self);
  return succeeded;
}
