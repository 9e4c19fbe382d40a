/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdlib.h>

#include "sw-profiler/read/sw-trace-reading-private.h"
#include "sw/base/sw-hash-private.h"

/* How many events wait, and how many of them with arguments or flows. */
#define MOST_WAITING (128 * 1024)
#define MOST_EXTRA (64 * 1024)

/* How far down a stack is looked for what ends, so that no file makes that slow. */
#define MOST_SEARCHED 512

static guint
hash_key (gconstpointer data)
{
  return (guint) sw_hash_bytes (data, 3 * sizeof (guint64));
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  return memcmp (a, b, 3 * sizeof (guint64)) == 0;
}

void
sw_trace_pairs_init (SwTracePairs *self)
{
  self->waiting = g_array_new (FALSE, FALSE, sizeof (SwTraceWaiting));
  self->asyncs = g_hash_table_new (hash_key, equal_keys);
  self->is_unordered = FALSE;
  self->n_extra = 0;
  self->n_asyncs = 0;
}

static void
free_flows (GArray *waiting)
{
  for (guint i = 0; i < waiting->len; i++)
    sw_trace_extra_free (g_array_index (waiting, SwTraceWaiting, i).extra);
  g_array_set_size (waiting, 0);
}

void
sw_trace_pairs_clear (SwTracePairs *self)
{
  GHashTableIter iter;
  gpointer stack;

  free_flows (self->waiting);
  g_array_unref (self->waiting);
  g_hash_table_iter_init (&iter, self->asyncs);
  while (g_hash_table_iter_next (&iter, NULL, &stack))
    sw_trace_stack_free (stack);
  g_hash_table_unref (self->asyncs);
}

SwTraceStack *
sw_trace_stack_new (guint32 track)
{
  SwTraceStack *self = g_new0 (SwTraceStack, 1);

  self->track = track;
  self->last_ns = G_MININT64;
  self->open = g_array_new (FALSE, FALSE, sizeof (SwTraceOpen));
  return self;
}

void
sw_trace_stack_free (SwTraceStack *self)
{
  for (guint i = 0; i < self->open->len; i++)
    sw_trace_extra_free (g_array_index (self->open, SwTraceOpen, i).extra);
  g_array_unref (self->open);
  if (self->next != NULL)
    {
      free_flows (self->next);
      g_array_unref (self->next);
    }
  g_free (self);
}

SwTraceStack *
sw_trace_pairs_async (SwTraceReader *reader,
                      const guint64 key[3],
                      guint32 track)
{
  SwTraceStack *stack = g_hash_table_lookup (reader->pairs.asyncs, key);

  if (stack != NULL)
    return stack;
  stack = sw_trace_stack_new (track);
  stack->is_async = TRUE;
  stack->number = reader->pairs.n_asyncs++;
  memcpy (stack->key, key, sizeof stack->key);
  g_hash_table_insert (reader->pairs.asyncs, stack->key, stack);
  return stack;
}

/* Ids of asynchronous slices do not come again, as a rule. */
static void
drop_if_done (SwTraceReader *reader,
              SwTraceStack *stack)
{
  if (!stack->is_async || stack->n_waiting > 0 || stack->open->len > 0)
    return;
  g_hash_table_remove (reader->pairs.asyncs, stack->key);
  sw_trace_stack_free (stack);
}

static inline SwTraceOpen *
get_open (SwTraceStack *stack,
          guint i)
{
  return &g_array_index (stack->open, SwTraceOpen, i);
}

/* Takes the open slice off the stack, and hands it on. */
static void
close_open (SwTraceReader *reader,
            SwTraceStack *stack,
            guint i,
            gint64 end_ns,
            guint flags)
{
  SwTraceOpen open = *get_open (stack, i);
  SwTraceReadSlice slice = { .flags = flags, .order = i };

  slice.slice.track = open.track;
  slice.slice.name = open.name;
  slice.slice.category = open.category;
  slice.slice.depth = SW_TRACE_DEPTH_UNKNOWN;
  slice.slice.start_ns = open.start_ns;
  if (end_ns > open.start_ns && __builtin_sub_overflow (end_ns, open.start_ns, &slice.slice.duration_ns))
    slice.slice.duration_ns = G_MAXINT64;
  open.extra = sw_trace_extra_flatten (open.extra);
  sw_trace_extra_put (open.extra, &slice.slice);
  g_array_remove_index (stack->open, i);
  sw_trace_reading_slice (reader, &slice);
  sw_trace_extra_free (open.extra);
}

static inline guint
lowest_searched (const SwTraceStack *stack)
{
  return stack->open->len > MOST_SEARCHED ? stack->open->len - MOST_SEARCHED : 0;
}

/* Slices whose end was known from the start, and is before @time_ns; NULL: all of them. */
static void
close_ended (SwTraceReader *reader,
             SwTraceStack *stack,
             const gint64 *time_ns,
             guint lowest)
{
  for (guint i = stack->open->len; stack->n_known > 0 && i-- > lowest;)
    if (get_open (stack, i)->has_end && (time_ns == NULL || get_open (stack, i)->end_ns < *time_ns))
      {
        stack->n_known--;
        close_open (reader, stack, i, get_open (stack, i)->end_ns, 0);
      }
}

static void
take_begin (SwTraceReader *reader,
            const SwTraceWaiting *item)
{
  SwTraceStack *stack = item->stack;
  SwTraceOpen open = { item->time_ns, 0, item->extra, item->track, item->name, item->category, FALSE };

  if (open.track == 0)
    open.track = stack->track;

  if (item->kind == SW_TRACE_WAITING_SLICE)
    {
      open.end_ns = item->time_ns + item->duration_ns;
      open.has_end = TRUE;
    }
  stack->n_known += open.has_end;
  for (guint i = 0; stack->next != NULL && i < stack->next->len; i++)
    open.extra = sw_trace_extra_join (open.extra, g_array_index (stack->next, SwTraceWaiting, i).extra);
  if (stack->next != NULL)
    g_array_set_size (stack->next, 0);
  g_array_append_val (stack->open, open);
}

/* The innermost that is open, or the innermost of that name; -1: none. */
static int
find_open (SwTraceStack *stack,
           const SwTraceWaiting *end)
{
  guint lowest = lowest_searched (stack);

  for (guint i = stack->open->len; i-- > lowest;)
    if (!get_open (stack, i)->has_end && (!end->has_name || get_open (stack, i)->name == end->name))
      return (int) i;
  return -1;
}

/* When flows come to a slice that has begun before. */
static void
set_flow_times (SwTraceExtra *extra,
                gint64 start_ns,
                gint64 time_ns)
{
  for (guint i = 0; extra != NULL && i < extra->n_flows && time_ns > start_ns; i++)
    if (extra->flows[i].time_ns == 0)
      extra->flows[i].time_ns = time_ns;
}

static void
take_end (SwTraceReader *reader,
          const SwTraceWaiting *item)
{
  SwTraceStack *stack = item->stack;
  int found = find_open (stack, item);
  SwTraceWaiting any = { .has_name = FALSE };
  int innermost = find_open (stack, &any);

  if (innermost >= 0 && found != innermost)
    reader->report.n_misnamed_ends++;
  if (found < 0)
    {
      reader->report.n_orphan_ends++;
      sw_trace_extra_free (item->extra);
      return;
    }
  /* What is asynchronous overlaps as it likes. On a thread, what is inside cannot outlive what it is in. */
  for (guint i = stack->open->len; !stack->is_async && i-- > (guint) found + 1;)
    if (!get_open (stack, i)->has_end)
      close_open (reader, stack, i, item->time_ns, SW_TRACE_READ_UNFINISHED);
  set_flow_times (item->extra, get_open (stack, (guint) found)->start_ns, item->time_ns);
  get_open (stack, (guint) found)->extra = sw_trace_extra_join (get_open (stack, (guint) found)->extra, item->extra);
  close_open (reader, stack, (guint) found, item->time_ns, 0);
}

/* A flow without a slice is shown nevertheless. */
static void
put_alone (SwTraceReader *reader,
           const SwTraceWaiting *flow)
{
  SwTraceSlice instant = {
    .track = flow->stack->track,
    .name = flow->name,
    .category = flow->category,
    .depth = SW_TRACE_DEPTH_UNKNOWN,
    .start_ns = flow->time_ns,
  };

  sw_trace_extra_put (flow->extra, &instant);
  sw_trace_reading_instant (reader, &instant);
  sw_trace_extra_free (flow->extra);
}

static void
take_flow (SwTraceReader *reader,
           const SwTraceWaiting *item)
{
  SwTraceStack *stack = item->stack;
  SwTraceOpen *innermost = stack->open->len > 0 ? get_open (stack, stack->open->len - 1) : NULL;

  if (innermost != NULL && (!item->binds_next || innermost->start_ns == item->time_ns))
    {
      set_flow_times (item->extra, innermost->start_ns, item->time_ns);
      innermost->extra = sw_trace_extra_join (innermost->extra, item->extra);
    }
  else if (item->binds_next)
    {
      if (stack->next == NULL)
        stack->next = g_array_new (FALSE, FALSE, sizeof (SwTraceWaiting));
      g_array_append_vals (stack->next, item, 1);
    }
  else
    {
      put_alone (reader, item);
    }
}

static void
take (SwTraceReader *reader,
      const SwTraceWaiting *item)
{
  SwTraceStack *stack = item->stack;

  stack->n_waiting--;
  close_ended (reader, stack, &item->time_ns, lowest_searched (stack));
  if (item->kind == SW_TRACE_WAITING_END)
    take_end (reader, item);
  else if (item->kind == SW_TRACE_WAITING_FLOW)
    take_flow (reader, item);
  else
    take_begin (reader, item);
  drop_if_done (reader, stack);
}

static int
compare_waiting (gconstpointer a,
                 gconstpointer b,
                 gpointer data)
{
  const SwTraceWaiting *items = data;
  const SwTraceWaiting *first = &items[*(const guint32 *) a];
  const SwTraceWaiting *second = &items[*(const guint32 *) b];

  if (first->time_ns != second->time_ns)
    return first->time_ns < second->time_ns ? -1 : 1;
  /* A flow is inside of what begins at its time. */
  if ((first->kind == SW_TRACE_WAITING_FLOW) != (second->kind == SW_TRACE_WAITING_FLOW))
    return first->kind == SW_TRACE_WAITING_FLOW ? 1 : -1;
  return *(const guint32 *) a < *(const guint32 *) b ? -1 : 1;
}

static void
put_in_order (SwTracePairs *self)
{
  guint n = self->waiting->len;
  g_autofree guint32 *order = g_new (guint32, n);
  SwTraceWaiting *items = (SwTraceWaiting *) (gpointer) self->waiting->data;
  GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (SwTraceWaiting), n);

  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, compare_waiting, items);
  for (guint i = 0; i < n; i++)
    g_array_append_vals (sorted, &items[order[i]], 1);
  g_array_unref (self->waiting);
  self->waiting = sorted;
  self->is_unordered = FALSE;
}

static void
take_first (SwTraceReader *reader,
            guint n)
{
  SwTracePairs *self = &reader->pairs;

  if (self->is_unordered)
    put_in_order (self);
  for (guint i = 0; i < n; i++)
    {
      const SwTraceWaiting *item = &g_array_index (self->waiting, SwTraceWaiting, i);

      self->n_extra -= item->extra != NULL;
      take (reader, item);
    }
  if (n > 0)
    g_array_remove_range (self->waiting, 0, n);
}

void
sw_trace_pairs_add (SwTraceReader *reader,
                    const SwTraceWaiting *item)
{
  SwTracePairs *self = &reader->pairs;

  if (item->time_ns < item->stack->last_ns || item->kind == SW_TRACE_WAITING_FLOW)
    self->is_unordered = TRUE;
  item->stack->last_ns = item->time_ns;
  item->stack->n_waiting++;
  self->n_extra += item->extra != NULL;
  g_array_append_vals (self->waiting, item, 1);
  if (G_UNLIKELY (self->waiting->len >= MOST_WAITING || self->n_extra >= MOST_EXTRA))
    take_first (reader, self->waiting->len / 2);
}

void
sw_trace_pairs_settle (SwTraceReader *reader)
{
  take_first (reader, reader->pairs.waiting->len);
}

/* First what is known, as that may be the last event of a process. */
static void
close_known (SwTraceReader *reader,
             SwTraceStack *stack)
{
  close_ended (reader, stack, NULL, 0);
  for (guint i = 0; stack->next != NULL && i < stack->next->len; i++)
    put_alone (reader, &g_array_index (stack->next, SwTraceWaiting, i));
  if (stack->next != NULL)
    g_array_set_size (stack->next, 0);
}

static void
close_unfinished (SwTraceReader *reader,
                  SwTraceStack *stack)
{
  guint32 process = sw_trace_reading_track (reader, stack->track)->info.process;
  gint64 last_ns = sw_trace_reading_track (reader, process)->last_ns;

  for (guint i = stack->open->len; i-- > 0;)
    close_open (reader, stack, i, last_ns, SW_TRACE_READ_UNFINISHED);
}

/* A beginning is an event as well. */
static void
note_beginnings (SwTraceReader *reader,
                 SwTraceStack *stack)
{
  for (guint i = 0; i < stack->open->len; i++)
    sw_trace_reading_note (reader, get_open (stack, i)->track, get_open (stack, i)->start_ns);
}

static int
compare_stacks (gconstpointer a,
                gconstpointer b)
{
  guint64 first = (*(SwTraceStack *const *) a)->number;
  guint64 second = (*(SwTraceStack *const *) b)->number;

  return first < second ? -1 : first > second;
}

/* Those of the session, in an order that comes of the file: that of a table does not. */
static GPtrArray *
list_stacks (SwTraceReader *reader)
{
  GPtrArray *stacks = g_ptr_array_new ();
  guint n_of_tracks;
  GHashTableIter iter;
  gpointer stack;

  for (guint i = reader->first_track; i < reader->tracks->len; i++)
    if (g_array_index (reader->tracks, SwTraceReadTrack, i).stack != NULL)
      g_ptr_array_add (stacks, g_array_index (reader->tracks, SwTraceReadTrack, i).stack);
  n_of_tracks = stacks->len;
  g_hash_table_iter_init (&iter, reader->pairs.asyncs);
  while (g_hash_table_iter_next (&iter, NULL, &stack))
    g_ptr_array_add (stacks, stack);
  if (stacks->len > n_of_tracks)
    qsort (stacks->pdata + n_of_tracks, stacks->len - n_of_tracks, sizeof (gpointer), compare_stacks);
  return stacks;
}

void
sw_trace_pairs_finish (SwTraceReader *reader)
{
  static void (*const steps[]) (SwTraceReader * reader, SwTraceStack * stack) = { close_known, note_beginnings, close_unfinished };
  g_autoptr (GPtrArray) stacks = NULL;

  sw_trace_pairs_settle (reader);
  stacks = list_stacks (reader);
  for (gsize step = 0; step < G_N_ELEMENTS (steps); step++)
    for (guint i = 0; i < stacks->len; i++)
      steps[step](reader, g_ptr_array_index (stacks, i));
  g_hash_table_remove_all (reader->pairs.asyncs);
  for (guint i = 0; i < stacks->len; i++)
    if (((SwTraceStack *) g_ptr_array_index (stacks, i))->is_async)
      sw_trace_stack_free (g_ptr_array_index (stacks, i));
}
