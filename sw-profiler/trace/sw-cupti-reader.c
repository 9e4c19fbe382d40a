/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-reader-private.h"

#include "sw-profiler/trace/sw-cupti-buffers-private.h"
#include "sw-profiler/trace/sw-cupti-demangle-private.h"
#include "sw-profiler/trace/sw-cupti-live-private.h"
#include "sw-profiler/trace/sw-cupti-work-private.h"

/* Of as many calls of CUDA's, it is known which span made them. CUPTI counts them up. */
#define N_LINKS (1u << 16)
/* More than that is not held back. */
#define MAX_WORKS (1u << 17)
/* Programs that compile as they go have ever more kernels. */
#define MAX_NAMES 16384

typedef struct _SwCuptiLink
{
  guint32 correlation; /* 0: none */
  guint64 link;
} Link;

void
sw_cupti_reader_init (SwCuptiReader *self)
{
  *self = (SwCuptiReader){ 0 };
  sw_zone_time_init (&self->time);
  sw_cupti_queues_init (&self->queues);
  self->links = g_new0 (Link, N_LINKS);
  self->works = g_array_new (FALSE, FALSE, sizeof (SwCuptiWork));
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ref_string_release);
  self->items = g_byte_array_new ();
}

static void
clear_work (SwCuptiWork *work)
{
  if (work->name != NULL)
    g_ref_string_release ((char *) work->name);
}

void
sw_cupti_reader_clear (SwCuptiReader *self)
{
  for (guint i = 0; i < self->works->len; i++)
    clear_work (&g_array_index (self->works, SwCuptiWork, i));
  g_array_unref (self->works);
  g_hash_table_unref (self->names);
  g_byte_array_unref (self->items);
  g_free (self->links);
  sw_cupti_queues_clear (&self->queues);
  sw_zone_time_clear (&self->time);
}

static void
count (guint64 *counter,
       guint64 n)
{
  /* Relaxed: one writer at a time, and only the number counts. */
  __atomic_store_n (counter, *counter + n, __ATOMIC_RELAXED);
}

static void
remember_link (SwCuptiReader *self,
               const SwCuptiExternalCorrelation *record)
{
  if (record->external_kind == SW_CUPTI_EXTERNAL_CUSTOM0 && sw_cupti_live_is_link (record->external_id))
    self->links[record->correlation % N_LINKS] = (Link){ record->correlation, record->external_id };
}

/* 0: none. Never one that would have to lead back in time, which viewers refuse. */
static guint64
find_link (SwCuptiReader *self,
           const SwCuptiWork *work)
{
  const Link *link = &self->links[work->correlation % N_LINKS];
  guint64 ticks;

  if (work->correlation == 0 || link->correlation != work->correlation)
    return 0;
  if (sw_cupti_live_get_start (link->link, &ticks) && (gint64) sw_zone_time_to_ns (&self->time, ticks) > work->start_ns)
    return 0;
  return link->link;
}

static const char *
find_name (SwCuptiReader *self,
           const char *given)
{
  char *name;

  if (given == NULL || *given == '\0')
    given = "(kernel)";
  name = g_hash_table_lookup (self->names, given);
  if (name == NULL)
    {
      if (g_hash_table_size (self->names) == MAX_NAMES)
        g_hash_table_remove_all (self->names);
      name = sw_cupti_demangle (given);
      g_hash_table_insert (self->names, g_strdup (given), name);
    }
  return g_ref_string_acquire (name);
}

static gboolean
set_times (SwCuptiReader *self,
           const SwCuptiRecord *record,
           SwCuptiWork *work)
{
  guint64 start;
  guint64 end;

  sw_cupti_work_get_times (record, &start, &end);
  return start != 0 && start <= end && sw_cupti_clock_to_ns (&self->clock, start, &work->start_ns) &&
         sw_cupti_clock_to_ns (&self->clock, end, &work->end_ns) && work->start_ns <= work->end_ns;
}

static void
read_work (SwCuptiReader *self,
           const SwCuptiRecord *record)
{
  const SwCuptiMemcpy *copy = (const SwCuptiMemcpy *) record;
  const SwCuptiKernel *kernel = (const SwCuptiKernel *) record;
  gboolean is_kernel = record->kind == SW_CUPTI_KIND_KERNEL || record->kind == SW_CUPTI_KIND_CONCURRENT_KERNEL;
  SwCuptiWork work;

  if (!sw_cupti_work_init (&work, record))
    {
      count (&self->counts.n_unknown, 1);
      return;
    }
  if (!set_times (self, record, &work))
    {
      count (&self->counts.n_untimed, 1);
      return;
    }
  if (is_kernel)
    {
      work.lane = sw_cupti_queues_get (&self->queues, kernel->device, kernel->context, kernel->stream);
      work.name = find_name (self, kernel->name);
    }
  else if (record->kind != SW_CUPTI_KIND_OVERHEAD)
    work.lane = sw_cupti_queues_get (&self->queues, copy->device, copy->context, copy->stream);
  work.generation = self->generation;
  work.link = find_link (self, &work);
  g_array_append_val (self->works, work);
}

static void
read_buffer (SwCuptiReader *self,
             const SwCuptiLibrary *library,
             guint8 *buffer,
             gsize valid_size)
{
  const SwCuptiRecord *record = NULL;
  gboolean is_intact = TRUE;

  while ((record = sw_cupti_record_next (library, buffer, valid_size, record, &is_intact)) != NULL)
    {
      if (record->kind == SW_CUPTI_KIND_EXTERNAL_CORRELATION)
        remember_link (self, (const SwCuptiExternalCorrelation *) record);
      else
        read_work (self, record);
    }
  if (!is_intact)
    count (&self->counts.n_malformed, 1);
}

/* Of one lane, those that begin first come first, and around those that they are around. */
static int
compare_works (gconstpointer a,
               gconstpointer b)
{
  const SwCuptiWork *x = a;
  const SwCuptiWork *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static void
emit (SwCuptiReader *self,
      SwCuptiWork *work,
      SwCuptiPassOn pass_on,
      gpointer data)
{
  SwTraceRecord record;

  if (work->link == 0)
    work->link = find_link (self, work);
  sw_cupti_work_to_record (work, self->items, &record);
  count (&self->counts.n_events, 1);
  count (&self->counts.n_unlinked, work->link == 0 && work->kind != SW_CUPTI_KIND_OVERHEAD);
  pass_on (data, &record);
}

/* Those that were read in this pass wait for the next one, but for all. */
static void
emit_works (SwCuptiReader *self,
            gboolean all,
            SwCuptiPassOn pass_on,
            gpointer data)
{
  guint n_left = 0;

  g_array_sort (self->works, compare_works);
  for (guint i = 0; i < self->works->len; i++)
    {
      SwCuptiWork *work = &g_array_index (self->works, SwCuptiWork, i);

      if (!all && work->generation == self->generation)
        {
          g_array_index (self->works, SwCuptiWork, n_left++) = *work;
          continue;
        }
      emit (self, work, pass_on, data);
      clear_work (work);
    }
  g_array_set_size (self->works, n_left);
}

static guint64
get_lost (const SwCuptiReader *self)
{
  return self->counts.n_dropped + self->counts.n_malformed + self->counts.n_untimed;
}

guint64
sw_cupti_reader_pass (SwCuptiReader *self,
                      const SwCuptiLibrary *library,
                      SwCuptiPass pass,
                      SwCuptiPassOn pass_on,
                      gpointer data)
{
  guint64 n_lost = get_lost (self);
  gsize n_dropped = 0;
  gsize valid_size;
  guint8 *buffer;

  sw_zone_time_adjust (&self->time, sw_clock_anchor ());
  while ((buffer = sw_cupti_buffers_take (&valid_size)) != NULL)
    {
      read_buffer (self, library, buffer, valid_size);
      sw_cupti_buffers_give_back (buffer);
      if (self->works->len >= MAX_WORKS)
        emit_works (self, TRUE, pass_on, data);
    }
  /* Since the last time. A failure says nothing of how many those are. */
  if (library->call.get_dropped (NULL, 0, &n_dropped) == SW_CUPTI_SUCCESS)
    count (&self->counts.n_dropped, n_dropped);
  if (pass != SW_CUPTI_PASS_READ)
    {
      emit_works (self, pass == SW_CUPTI_PASS_ALL, pass_on, data);
      self->generation++;
    }
  return get_lost (self) - n_lost;
}
