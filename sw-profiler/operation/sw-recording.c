/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-recording-private.h"

#include "sw-profiler/operation/sw-event-chunk-private.h"
#include "sw-profiler/operation/sw-shape-table-private.h"
#include "sw-profiler/operation/sw-site-table-private.h"
#include "sw/base/sw-ref-count-private.h"

#include <pthread.h>
#include <unistd.h>

/* In the parent column while recording: the parent is the immediately enclosing frame, so the event's duration is to
 * be taken off the parent's self time. */
#define IMMEDIATE (1u << 31)
#define MAX_EVENTS (IMMEDIATE - 1)

struct _SwRecording
{
  SwRefCount ref_count;
  gint abandoned;
  guint64 session;
  guint64 thread_id;
  SwLane *lane;
  char *thread_name; /* from finish () on */
  SwEventIdentity identity;
  pid_t process;

  GPtrArray *chunks;
  SwEventChunk *last; /* where the next event goes, at n_in_last */
  guint n_in_last;
  guint32 n_events;
  guint32 max_events;
  gboolean record_shapes;

  guint64 next_anchor; /* ticks */
  GArray *anchors;     /* of SwClockAnchor */
  guint64 n_dropped;
  guint64 n_clock_faults;

  SwSiteTable sites;
  SwShapeTable shapes;
};

static guint64 last_session;

SwRecording *
sw_recording_new (const GType *carriers,
                  gsize n_carriers,
                  gboolean record_shapes)
{
  SwRecording *self = g_new0 (SwRecording, 1);

  sw_ref_count_init (&self->ref_count);
  /* Relaxed: only has to be unique. */
  self->session = __atomic_add_fetch (&last_session, 1, __ATOMIC_RELAXED);
  self->thread_id = (guint64) pthread_self ();
  self->lane = sw_lane_ref (sw_lane_get ());
  sw_event_identity_init (&self->identity, sw_lane_get_thread_id (self->lane));
  self->process = getpid ();
  self->chunks = g_ptr_array_new_with_free_func (g_free);
  self->anchors = g_array_new (FALSE, FALSE, sizeof (SwClockAnchor));
  self->max_events = MAX_EVENTS;
  self->record_shapes = record_shapes;
  sw_site_table_init (&self->sites, carriers, n_carriers);
  sw_shape_table_init (&self->shapes);
  return self;
}

void
sw_recording_limit (SwRecording *self,
                    gsize max_events)
{
  self->max_events = (guint32) MIN (max_events, MAX_EVENTS);
}

SwRecording *
sw_recording_ref (SwRecording *self)
{
  sw_ref_count_inc (&self->ref_count);
  return self;
}

void
sw_recording_unref (SwRecording *self)
{
  if (!sw_ref_count_dec (&self->ref_count))
    return;

  sw_shape_table_clear (&self->shapes);
  sw_site_table_clear (&self->sites);
  g_array_unref (self->anchors);
  g_ptr_array_unref (self->chunks);
  sw_lane_unref (self->lane);
  g_free (self->thread_name);
  g_free (self);
}

static void
add_anchor (SwRecording *self)
{
  SwClockAnchor anchor = sw_clock_anchor ();

  g_array_append_val (self->anchors, anchor);
  self->next_anchor = sw_clock_source == SW_CLOCK_TSC ? anchor.ticks + sw_clock_ticks_per_second () : G_MAXUINT64;
}

static inline SwEventChunk *
get_chunk (SwRecording *self,
           guint32 row)
{
  return g_ptr_array_index (self->chunks, sw_event_chunk_index (row));
}

static gboolean
add_chunk (SwRecording *self)
{
  guint capacity = self->chunks->len == 0 ? SW_FIRST_CHUNK_SIZE : SW_CHUNK_SIZE;
  SwEventChunk *chunk = self->n_events < self->max_events ? sw_event_chunk_new (capacity, self->record_shapes) : NULL;

  if (chunk == NULL)
    return FALSE;

  g_ptr_array_add (self->chunks, chunk);
  self->last = chunk;
  self->n_in_last = 0;
  return TRUE;
}

/* Begins an event as a failed one of no duration; leave () makes it what it was. */
static guint32
add_event (SwRecording *self,
           guint32 parent,
           guint32 site,
           const SwBoundaryInfo *info)
{
  guint place;

  if (G_UNLIKELY (self->last == NULL || self->n_in_last == self->last->capacity) && !add_chunk (self))
    {
      self->n_dropped++;
      return SW_BOUNDARY_NO_ROW;
    }

  place = self->n_in_last++;
  self->last->parent[place] = parent;
  self->last->site[place] = site | SW_EVENT_FAILED;
  self->last->duration[place] = 0;
  self->last->self[place] = 0;
  if (self->record_shapes)
    self->last->shapes[place] = sw_shape_table_intern (&self->shapes, info->operands, info->n_operands);
  return self->n_events++;
}

static void
detach (SwRecording *self)
{
  sw_thread.recorders[SW_RECORDER_OPERATIONS] = NULL;
  sw_gate_close (SW_RECORDER_OPERATIONS);
  sw_recording_unref (self);
}

static inline gboolean
is_abandoned (SwRecording *self)
{
  /* Acquire: whoever sees it may free the recording, after the abandoning thread is through with it. */
  return __atomic_load_n (&self->abandoned, __ATOMIC_ACQUIRE) != 0;
}

static gboolean
enter (gpointer recorder,
       SwBoundarySlot *slot,
       const SwBoundarySlot *enclosing,
       const SwBoundaryInfo *info)
{
  SwRecording *self = recorder;
  guint32 parent = SW_EVENT_NO_PARENT;
  guint32 site;

  if (G_UNLIKELY (is_abandoned (self)))
    {
      detach (self);
      return FALSE;
    }

  slot->session = self->session;
  slot->hidden_ticks = 0;
  slot->row = SW_BOUNDARY_NO_ROW;
  slot->ancestor = SW_BOUNDARY_NO_ROW;
  if (enclosing != NULL && enclosing->session == self->session)
    {
      slot->ancestor = enclosing->row != SW_BOUNDARY_NO_ROW ? enclosing->row : enclosing->ancestor;
      if (slot->ancestor != SW_BOUNDARY_NO_ROW)
        parent = slot->ancestor | (enclosing->row != SW_BOUNDARY_NO_ROW ? IMMEDIATE : 0);
    }

  site = sw_site_table_lookup (&self->sites, info);
  if (site != SW_SITE_UNSELECTED)
    slot->row = add_event (self, parent, site, info);

  slot->start_ticks = sw_clock_ticks ();
  return TRUE;
}

static inline guint64
get_elapsed (SwRecording *self,
             const SwBoundarySlot *slot,
             guint64 now)
{
  if (G_LIKELY (now >= slot->start_ticks))
    return now - slot->start_ticks;
  self->n_clock_faults++;
  return 0;
}

static void
leave (gpointer recorder,
       SwBoundarySlot *slot,
       SwBoundarySlot *enclosing,
       gboolean succeeded)
{
  SwRecording *self = recorder;
  guint64 now = sw_clock_ticks ();
  guint64 elapsed;

  if (G_UNLIKELY (slot->session != self->session))
    return;

  elapsed = get_elapsed (self, slot, now);
  if (G_UNLIKELY (now >= self->next_anchor))
    add_anchor (self);
  if (slot->row != SW_BOUNDARY_NO_ROW)
    {
      SwEventChunk *chunk = get_chunk (self, slot->row);
      guint place = sw_event_chunk_offset (slot->row);

      chunk->start[place] = (gint64) slot->start_ticks;
      chunk->duration[place] = (gint64) elapsed;
      chunk->self[place] = (gint64) slot->hidden_ticks;
      if (succeeded)
        chunk->site[place] &= ~SW_EVENT_FAILED;
    }
  else if (enclosing != NULL && enclosing->session == self->session)
    {
      enclosing->hidden_ticks += elapsed;
    }
}

const SwBoundaryObserver sw_recording_observer = { NULL, enter, leave };

/* The thread ended without leaving its Profiler, whose results are lost with it. */
static void
leave_thread (gpointer recorder)
{
  SwRecording *self = recorder;

  sw_recording_abandon (self);
  sw_gate_close (SW_RECORDER_OPERATIONS);
  sw_recording_unref (self);
}

SwRecording *
sw_recording_get_current (void)
{
  SwRecording *self = sw_thread.recorders[SW_RECORDER_OPERATIONS];

  if (self != NULL && is_abandoned (self))
    {
      detach (self);
      self = NULL;
    }
  return self;
}

void
sw_recording_begin (SwRecording *self)
{
  sw_clock_init ();
  add_anchor (self);
}

void
sw_recording_start (SwRecording *self)
{
  sw_boundary_set_observer (SW_RECORDER_OPERATIONS, &sw_recording_observer);
  sw_thread_watch_exit (SW_RECORDER_OPERATIONS, leave_thread);
  sw_recording_begin (self);
  sw_thread.recorders[SW_RECORDER_OPERATIONS] = sw_recording_ref (self);
  sw_gate_open (SW_RECORDER_OPERATIONS);
}

void
sw_recording_abandon (SwRecording *self)
{
  /* Release: see is_abandoned (). */
  __atomic_store_n (&self->abandoned, 1, __ATOMIC_RELEASE);
}

void
sw_recording_abandon_inherited (void)
{
  SwRecording *self = sw_recording_get_current ();

  if (self != NULL && self->process != getpid ())
    sw_recording_abandon (self);
}

/* Boundaries that are still open when recording stops end here, as attempts that did not succeed. */
static void
close_open_boundaries (SwRecording *self)
{
  SwBoundary *boundary;

  for (boundary = sw_thread.boundary; boundary != NULL; boundary = boundary->enclosing)
    {
      SwBoundarySlot *slot = &boundary->slots[SW_RECORDER_OPERATIONS];

      if ((boundary->observers & (1u << SW_RECORDER_OPERATIONS)) == 0)
        continue;
      leave (self, slot, sw_boundary_get_enclosing_slot (boundary, SW_RECORDER_OPERATIONS), FALSE);
      boundary->observers &= ~(1u << SW_RECORDER_OPERATIONS);
    }
}

/* A frame's ticks end where they would on the other scale, so that children never outlast parents by rounding. */
static void
convert_times (SwRecording *self,
               SwEventChunk *chunk,
               guint n)
{
  const SwClockAnchor *anchors = (const SwClockAnchor *) (gpointer) self->anchors->data;
  gsize n_anchors = self->anchors->len;

  for (guint i = 0; i < n; i++)
    {
      guint64 ticks = (guint64) chunk->start[i];
      gint64 start = sw_clock_to_ns (anchors, n_anchors, ticks);
      gint64 end = sw_clock_to_ns (anchors, n_anchors, ticks + (guint64) chunk->duration[i]);
      gint64 hidden_end = sw_clock_to_ns (anchors, n_anchors, ticks + (guint64) chunk->self[i]);

      chunk->start[i] = start;
      chunk->duration[i] = end - start;
      chunk->self[i] = hidden_end - start;
    }
}

static inline gint64 *
get_self_time (SwRecording *self,
               guint32 row)
{
  return &get_chunk (self, row)->self[sw_event_chunk_offset (row)];
}

/* Self time is what neither hidden nor recorded immediate children took. */
static void
compute_self_times (SwRecording *self,
                    SwEventChunk *chunk,
                    guint n)
{
  for (guint i = 0; i < n; i++)
    {
      gint64 duration = chunk->duration[i];
      guint32 parent = chunk->parent[i];
      gint64 *parent_self;

      chunk->self[i] = MAX (duration - chunk->self[i], 0);
      if (parent == SW_EVENT_NO_PARENT || (parent & IMMEDIATE) == 0)
        continue;

      chunk->parent[i] = parent & ~IMMEDIATE;
      parent_self = get_self_time (self, parent & ~IMMEDIATE);
      *parent_self = MAX (*parent_self - duration, 0);
    }
}

static guint
get_chunk_length (SwRecording *self,
                  guint index)
{
  SwEventChunk *chunk = g_ptr_array_index (self->chunks, index);

  return chunk == self->last ? self->n_in_last : chunk->capacity;
}

static void
freeze (SwRecording *self)
{
  for (guint i = 0; i < self->chunks->len; i++)
    {
      SwEventChunk *chunk = g_ptr_array_index (self->chunks, i);
      guint n = get_chunk_length (self, i);

      if (sw_clock_source == SW_CLOCK_TSC)
        convert_times (self, chunk, n);
      compute_self_times (self, chunk, n);
    }
}

void
sw_recording_finish (SwRecording *self)
{
  add_anchor (self);
  freeze (self);
  self->thread_name = sw_lane_dup_name (self->lane);
  self->identity.thread_name = self->thread_name;
}

void
sw_recording_stop (SwRecording *self)
{
  close_open_boundaries (self);
  sw_recording_finish (self);
  detach (self);
}

static void
get_block (gconstpointer data,
           gsize index,
           SwEventBlock *block)
{
  SwRecording *self = (SwRecording *) data;
  SwEventChunk *chunk = g_ptr_array_index (self->chunks, index);

  block->first = index == 0 ? 0 : SW_FIRST_CHUNK_SIZE + ((index - 1) << SW_CHUNK_SHIFT);
  block->n = get_chunk_length (self, index);
  block->start_ns = chunk->start;
  block->duration_ns = chunk->duration;
  block->self_ns = chunk->self;
  block->parent = chunk->parent;
  block->site = chunk->site;
  block->shapes = chunk->shapes;
}

void
sw_recording_init_source (SwRecording *self,
                          SwEventSource *source)
{
  source->n_events = self->n_events;
  source->n_dropped = self->n_dropped;
  source->n_clock_faults = self->n_clock_faults;
  source->n_blocks = self->chunks->len;
  source->get_block = get_block;
  source->data = self;
  source->sites = (const SwEventSite *) (gpointer) self->sites.sites->data;
  source->n_sites = self->sites.sites->len;
  source->shapes = (SwInputShapes *const *) self->shapes.by_id->pdata;
  source->n_shapes = self->shapes.by_id->len;
  source->thread_id = self->thread_id;
  source->identity = self->identity;
}

gsize
sw_recording_get_n_events (SwRecording *self)
{
  return self->n_events;
}

guint64
sw_recording_get_thread_id (SwRecording *self)
{
  return self->thread_id;
}

SwLane *
sw_recording_get_lane (SwRecording *self)
{
  return self->lane;
}

const char *
sw_recording_get_thread_name (SwRecording *self)
{
  return self->thread_name;
}
