/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-producer-private.h"

#include <string.h>

#include "sw-profiler/trace/sw-trace-section-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"

#define RING_BYTES SW_TRACE_RING_BYTES
#define MAX_DEPTH (1u << 16)

static G_GNUC_NO_INLINE gboolean
find_room (SwTraceProducer *self,
           guint64 head,
           guint64 size)
{
  /* Acquire: the reader is done with what is before the tail. */
  self->limit = __atomic_load_n (&self->tail, __ATOMIC_ACQUIRE) + RING_BYTES;
  if (head + size <= self->limit)
    return TRUE;
  sw_trace_section_count (&self->n_dropped);
  sw_trace_core_wake (self->core);
  return FALSE;
}

static G_GNUC_NO_INLINE void
pad (SwTraceProducer *self,
     guint64 offset,
     guint64 size)
{
  SwTraceRing *padding = (SwTraceRing *) (void *) (self->ring + offset);

  padding->size = (guint32) size;
  padding->kind = SW_TRACE_PADDING;
}

/* Room for a record in one piece; NULL, and the drop is counted, where there is none. */
static inline SwTraceRing *
reserve (SwTraceProducer *self,
         guint64 size)
{
  guint64 head = self->head;
  guint64 to_end = RING_BYTES - (head & self->mask);
  guint64 skipped = size > to_end ? to_end : 0;
  SwTraceRing *record;

  sw_trace_section_count (&self->n_emitted);
  if (G_UNLIKELY (size > SW_TRACE_LARGEST_RECORD))
    {
      sw_trace_section_count (&self->n_too_large);
      return NULL;
    }
  if (G_UNLIKELY (head + skipped + size > self->limit) && !find_room (self, head, skipped + size))
    return NULL;
  if (G_UNLIKELY (skipped != 0))
    pad (self, head & self->mask, skipped);
  self->reserved = head + skipped + size;
  record = (SwTraceRing *) (void *) (self->ring + ((head + skipped) & self->mask));
  record->size = (guint32) size;
  return record;
}

static G_GNUC_NO_INLINE void
reach_mark (SwTraceProducer *self)
{
  /* Acquire: as in find_room (). */
  guint64 tail = __atomic_load_n (&self->tail, __ATOMIC_ACQUIRE);

  self->limit = tail + RING_BYTES;
  self->wake_at = MAX (tail + RING_BYTES / 2, self->reserved + RING_BYTES / 16);
  if (self->reserved - tail >= RING_BYTES / 2)
    sw_trace_core_wake (self->core);
}

static inline void
publish (SwTraceProducer *self)
{
  /* Release: whoever sees the new head sees the record. */
  __atomic_store_n (&self->head, self->reserved, __ATOMIC_RELEASE);
  if (G_UNLIKELY (self->reserved >= self->wake_at))
    reach_mark (self);
}

static gsize
round_up (gsize size)
{
  return (size + 7) & ~(gsize) 7;
}

static gsize
texts_size (const SwTraceSpec *spec)
{
  return spec->site != 0 ? 0 : round_up (strlen (spec->name) + strlen (spec->category) + 2);
}

static void
put_texts (const SwTraceSpec *spec,
           guint8 *at,
           guint32 *name_length)
{
  gsize length;

  if (spec->site != 0)
    return;
  length = strlen (spec->name);
  *name_length = (guint32) length;
  memcpy (at, spec->name, length + 1);
  strcpy ((char *) at + length + 1, spec->category);
}

static gsize
items_size (const SwTraceSpec *spec)
{
  return sw_trace_arguments_size (spec->arguments, spec->n_arguments);
}

static void
put_items (const SwTraceSpec *spec,
           guint8 *at)
{
  sw_trace_arguments_put (spec->arguments, spec->n_arguments, at);
}

static G_GNUC_NO_INLINE void
grow_open (SwTraceProducer *self)
{
  self->n_allocated = MAX (16, 2 * self->n_allocated);
  self->open = g_renew (SwTraceOpen, self->open, self->n_allocated);
}

static void
begin_extra (SwTraceOpen *open,
             const SwTraceSpec *spec)
{
  gsize text_size = texts_size (spec);
  gsize size = items_size (spec);

  if (text_size + size == 0)
    return;
  open->extra = g_malloc (text_size + size);
  open->extra_allocated = (guint32) (text_size + size);
  open->text_size = (guint32) text_size;
  open->items_size = (guint32) size;
  put_texts (spec, open->extra, &open->name_length);
  put_items (spec, open->extra + text_size);
}

static guint64
make_token (const SwTraceProducer *self,
            guint32 serial,
            guint index)
{
  guint64 number = self->number & ((1u << SW_TRACE_NUMBER_BITS) - 1);

  return number << (SW_TRACE_INDEX_BITS + SW_TRACE_SERIAL_BITS) | (guint64) serial << SW_TRACE_INDEX_BITS | index;
}

/* How many spans what happens now is inside of. */
static inline guint
get_depth (const SwTraceProducer *self)
{
  return self->n_open - self->n_ended - self->n_left;
}

/* Of the thread; its zones know likewise how many spans are around them. */
static inline guint8
count_zones (SwTraceProducer *self,
             guint n_spans)
{
  /* Relaxed: only who records zones needs to know. */
  if (G_LIKELY (__atomic_load_n (&sw_zone_gate, __ATOMIC_RELAXED) == 0) || !self->core->is_default)
    return 0;
  return (guint8) MIN (sw_zone_thread_exchange_depth (n_spans), G_MAXUINT8);
}

static inline guint64
begin_in_section (SwTraceProducer *self,
                  const SwTraceSpec *spec,
                  guint *live,
                  guint64 *link)
{
  guint index = self->n_open;
  SwTraceOpen *open;

  if (G_UNLIKELY (index == MAX_DEPTH))
    {
      sw_trace_section_count (&self->n_emitted);
      sw_trace_section_count (&self->n_dropped);
      return 0;
    }
  if (G_UNLIKELY (index == self->n_allocated))
    grow_open (self);
  open = &self->open[index];
  *open = (SwTraceOpen){ .serial = self->next_serial, .site = spec->site, .level = (guint8) spec->level };
  open->depth = (gint32) get_depth (self);
  open->n_zones = count_zones (self, (guint) open->depth + 1);
  if (G_UNLIKELY (spec->site == 0 || spec->n_arguments > 0))
    begin_extra (open, spec);
  self->next_serial = self->next_serial % ((1u << SW_TRACE_SERIAL_BITS) - 1) + 1; /* never 0 */
  self->n_open++;
  *live = sw_trace_section_get_live (self, spec->level);
  open->live = (guint8) *live;
  open->start = sw_clock_ticks ();
  if (G_UNLIKELY (*live != 0))
    *link = sw_trace_open_make_link (open);
  return make_token (self, (guint32) open->serial, index);
}

guint64
sw_trace_producer_begin (SwTraceProducer *self,
                         const SwTraceSpec *spec)
{
  guint live = 0;
  guint64 link = 0;
  guint64 token = 0;

  sw_trace_section_enter (self);
  if (G_LIKELY (sw_trace_core_get_level (self->core) >= spec->level))
    token = begin_in_section (self, spec, &live, &link);
  sw_trace_section_leave_settled (self);
  if (G_UNLIKELY (live != 0))
    sw_trace_section_begin_live (self, spec, token, live, link);
  return token;
}

static inline void
write_span (SwTraceProducer *self,
            SwTraceOpen *open,
            guint64 end)
{
  gsize extra = open->text_size + open->items_size;
  SwTraceRing *record = reserve (self, sizeof (SwTraceRing) + extra);

  if (G_UNLIKELY (record == NULL))
    {
      sw_trace_open_clear (open);
      return;
    }
  record->kind = SW_TRACE_EVENT_KIND_SPAN;
  record->level = open->level;
  record->flags = open->flags;
  record->site = open->site;
  record->depth = open->depth;
  record->n_zones = open->n_zones;
  record->time = open->start;
  record->end = end;
  record->text_size = open->text_size;
  record->name_length = open->name_length;
  if (G_UNLIKELY (open->extra != NULL))
    {
      /* The references move along. */
      memcpy (record + 1, open->extra, extra);
      g_clear_pointer (&open->extra, g_free);
    }
  publish (self);
}

/* Spans that began inside of one that ends before them do not nest: they are left behind, and what begins from now on is not
 * inside of them. */
static void
misplace (SwTraceProducer *self,
          guint index,
          guint64 end)
{
  guint n_before = self->n_left;

  for (guint i = index + 1; i < self->n_open; i++)
    {
      SwTraceOpen *open = &self->open[i];

      if (open->serial == 0 || open->left_at != 0)
        continue;
      open->flags |= SW_TRACE_RECORD_MISPLACED;
      open->left_at = end;
      self->n_left++;
    }
  /* Where all inside of it were left behind before, it nests among the rest. */
  if (self->n_left != n_before)
    self->open[index].flags |= SW_TRACE_RECORD_MISPLACED;
  sw_trace_section_count (&self->n_misplaced);
}

/* Live collectors know spans by their order alone: one that does not nest ends there with the ones that began inside of it. */
static inline SwTraceOpen *
remove_open (SwTraceProducer *self)
{
  SwTraceOpen *open = &self->open[--self->n_open];

  if (G_UNLIKELY (open->live != 0))
    sw_trace_section_owe (self, open->live);
  return open;
}

static inline gboolean
end_in_section (SwTraceProducer *self,
                guint64 token,
                guint64 end)
{
  guint index = sw_trace_token_get_index (token);
  SwTraceOpen *open = sw_trace_producer_find_open (self, token);

  if (G_UNLIKELY (open == NULL))
    /* Perhaps ended when recording stopped. */
    return sw_trace_producer_owns (self, token) && sw_trace_token_get_serial (token) < self->first_valid_serial;
  if (G_UNLIKELY (open->left_at != 0))
    /* What began since then is not inside of it. */
    self->n_left--;
  else if (G_UNLIKELY (index + 1 != self->n_open))
    misplace (self, index, end);
  write_span (self, open, end);
  open->serial = 0;
  if (G_UNLIKELY (index + 1 != self->n_open))
    self->n_ended++;
  else
    remove_open (self);
  while (G_UNLIKELY (self->n_ended > 0 && self->open[self->n_open - 1].serial == 0))
    {
      remove_open (self);
      self->n_ended--;
    }
  count_zones (self, get_depth (self));
  return TRUE;
}

gboolean
sw_trace_producer_end (SwTraceProducer *self,
                       guint64 token)
{
  guint64 end = sw_clock_ticks ();
  gboolean is_known;

  sw_trace_section_enter (self);
  is_known = end_in_section (self, token, end);
  sw_trace_section_leave_settled (self);
  return is_known;
}

void
sw_trace_producer_interrupt (SwTraceProducer *self,
                             guint64 end)
{
  while (self->n_open > 0)
    {
      SwTraceOpen *open = remove_open (self);

      if (open->serial == 0)
        continue;
      open->flags |= SW_TRACE_RECORD_INTERRUPTED;
      write_span (self, open, MAX (open->left_at != 0 ? open->left_at : end, open->start));
    }
  self->n_ended = 0;
  self->n_left = 0;
  self->first_valid_serial = self->next_serial;
}

static void
fill (SwTraceProducer *self,
      SwTraceRing *record,
      const SwTraceSpec *spec,
      SwTraceEventKind kind,
      guint flags)
{
  record->kind = (guint8) kind;
  record->level = (guint8) spec->level;
  record->flags = (guint8) flags;
  record->site = spec->site;
  record->depth = (gint32) get_depth (self);
  record->n_zones = kind != SW_TRACE_EVENT_KIND_ASYNC_SPAN ? count_zones (self, (guint) record->depth) : 0;
  record->text_size = (guint32) texts_size (spec);
  record->name_length = 0;
  put_texts (spec, (guint8 *) (record + 1), &record->name_length);
}

static void
write_event (SwTraceProducer *self,
             const SwTraceSpec *spec,
             SwTraceEventKind kind,
             guint flags,
             guint64 time,
             guint64 value)
{
  gsize text_size = texts_size (spec);
  SwTraceRing *record = reserve (self, sizeof (SwTraceRing) + text_size + items_size (spec));

  if (record == NULL)
    return;
  fill (self, record, spec, kind, flags);
  record->time = time;
  record->end = value;
  put_items (spec, (guint8 *) (record + 1) + text_size);
  publish (self);
}

void
sw_trace_producer_instant (SwTraceProducer *self,
                           const SwTraceSpec *spec)
{
  guint64 now = sw_clock_ticks ();
  guint live = 0;

  sw_trace_section_enter (self);
  if (sw_trace_core_get_level (self->core) >= spec->level)
    {
      write_event (self, spec, SW_TRACE_EVENT_KIND_INSTANT, 0, now, now);
      live = sw_trace_section_get_live (self, spec->level);
    }
  sw_trace_section_leave_settled (self);
  if (G_UNLIKELY (live != 0))
    sw_trace_section_pass_instant (spec, live);
}

void
sw_trace_producer_counter (SwTraceProducer *self,
                           const SwTraceSpec *spec,
                           guint64 value,
                           gboolean is_integer)
{
  guint64 now = sw_clock_ticks ();
  guint live = 0;

  sw_trace_section_enter (self);
  if (sw_trace_core_get_level (self->core) >= spec->level)
    {
      write_event (self, spec, SW_TRACE_EVENT_KIND_COUNTER, is_integer ? SW_TRACE_RECORD_INTEGER : 0, now, value);
      live = sw_trace_section_get_live (self, spec->level);
    }
  sw_trace_section_leave_settled (self);
  if (G_UNLIKELY (live != 0))
    sw_trace_section_pass_counter (spec, live, value, is_integer);
}

static void
write_async (SwTraceProducer *self,
             const SwTraceSpec *spec,
             GByteArray *items,
             guint64 start,
             guint64 end,
             guint flags)
{
  gsize text_size = texts_size (spec);
  SwTraceRing *record = reserve (self, sizeof (SwTraceRing) + text_size + items->len);

  if (record == NULL)
    return;
  fill (self, record, spec, SW_TRACE_EVENT_KIND_ASYNC_SPAN, flags);
  record->time = start;
  record->end = end;
  if (items->len > 0)
    memcpy ((guint8 *) (record + 1) + text_size, items->data, items->len);
  /* The references went along. */
  g_byte_array_set_size (items, 0);
  publish (self);
}

void
sw_trace_producer_async_span (SwTraceProducer *self,
                              const SwTraceSpec *spec,
                              GByteArray *items,
                              guint64 start,
                              guint64 end)
{
  sw_trace_section_enter (self);
  write_async (self, spec, items, start, end, 0);
  sw_trace_section_leave_settled (self);
}

void
sw_trace_producer_interrupt_async (SwTraceProducer *self,
                                   const SwTraceSpec *spec,
                                   GByteArray *items,
                                   guint64 start,
                                   guint64 end)
{
  write_async (self, spec, items, start, end, SW_TRACE_RECORD_INTERRUPTED);
}
