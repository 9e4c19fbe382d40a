/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-delivery-private.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "sw-profiler/trace/sw-collector-state-private.h"
#include "sw-profiler/trace/sw-trace-event-private.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/base/sw-thread-private.h"

/* What waits takes at most so much memory, which is more than a hundred thousand spans. */
#define MAX_BYTES (32 << 20)
/* Of an event, beside its texts and arguments. */
#define EVENT_BYTES 192
/* What a main loop is kept from its other work for. */
#define MAX_EVENTS_PER_DISPATCH 256
/* Until a thread that the events are not for looks again whether theirs runs the main context by then. */
#define RETRY_MICROSECONDS G_USEC_PER_SEC

typedef struct
{
  GSource source;
  SwDelivery *delivery;
} DeliverySource;

struct _SwDelivery
{
  SwRefCount refs;        /* the collector's, and the source's */
  SwCollector *collector; /* not kept, but by what is to be done */
  guint64 thread;
  pid_t pid;
  GWeakRef life;
  gboolean has_life;
  GSource *source;
  GMainContext *context; /* of the source, which does not keep it */
  gboolean is_running;   /* of the thread */
  gboolean has_warned;   /* of whoever dispatches */

  pthread_mutex_t lock; /* of what follows */
  GPtrArray *events;
  gsize n_bytes;
  guint64 n_put;       /* of the events ever */
  guint64 n_taken;     /* of those */
  guint wants;         /* SwDeliveryWants */
  guint64 first_flush; /* where one is wanted: how many events were put there before the first that was asked for, */
  guint64 last_flush;  /* and before the last */
  gboolean is_closed;
  gboolean keeps; /* a reference to the collector */

  SwDelivery *next; /* of all; guarded by all_lock */
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static SwDelivery *all;
static guint n_all; /* atomic */

static void
sw_delivery_unref (SwDelivery *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  g_ptr_array_unref (self->events);
  g_weak_ref_clear (&self->life);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* The child of a fork has another process's events, and perhaps a lock that nobody gives back. */
static gboolean
is_in_child (const SwDelivery *self)
{
  return self->pid != getpid ();
}

/* Whether nobody can call the thread any more, which is the calling one. */
static gboolean
is_over (SwDelivery *self)
{
  g_autoptr (GObject) life = NULL;

  if (!self->has_life)
    return FALSE;
  life = g_weak_ref_get (&self->life);
  return life == NULL;
}

static gboolean
is_on_thread (const SwDelivery *self)
{
  return self->thread == sw_thread_get_number () && !is_in_child (self);
}

static gsize
get_size (SwTraceEvent *event)
{
  const SwTraceRecord *record = sw_trace_event_peek_record (event);

  return EVENT_BYTES + strlen (record->name) + strlen (record->category) + record->items_size;
}

static GPtrArray *
new_events (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sw_trace_event_unref);
}

/* With the lock. */
static gboolean
has_work (const SwDelivery *self)
{
  return self->events->len > 0 || self->wants != 0;
}

/* After something was added. Takes the reference. */
static void
settle (SwDelivery *self,
        SwCollector *reference)
{
  gboolean keeps;

  pthread_mutex_lock (&self->lock);
  keeps = has_work (self) && !self->keeps;
  if (keeps)
    self->keeps = TRUE;
  if (has_work (self))
    g_source_set_ready_time (self->source, 0);
  pthread_mutex_unlock (&self->lock);
  if (!keeps)
    g_object_unref (reference);
}

/* FALSE: there is no room. */
static gboolean
add_event (SwDelivery *self,
           const SwTraceRecord *record)
{
  gboolean has_room;

  pthread_mutex_lock (&self->lock);
  has_room = !self->is_closed && self->n_bytes < MAX_BYTES;
  if (has_room)
    {
      SwTraceEvent *event = sw_trace_event_new (record);

      g_ptr_array_add (self->events, event);
      self->n_put++;
      self->n_bytes += get_size (event);
    }
  pthread_mutex_unlock (&self->lock);
  return has_room;
}

gsize
sw_delivery_push (SwDelivery *self,
                  const SwTraceRecord *records,
                  gsize n_records,
                  gboolean *is_taken)
{
  SwCollector *reference;
  gsize n_taken = 0;

  memset (is_taken, 0, n_records * sizeof *is_taken);
  if (is_in_child (self))
    return 0;
  reference = g_object_ref (self->collector);
  for (gsize i = 0; i < n_records; i++)
    {
      is_taken[i] = add_event (self, &records[i]);
      n_taken += is_taken[i];
    }
  settle (self, reference);
  return n_taken;
}

/* With the lock. */
static void
want_flush (SwDelivery *self)
{
  /* To close it does all that. */
  if (self->is_closed)
    return;
  if ((self->wants & SW_DELIVERY_FLUSH) == 0)
    self->first_flush = self->n_put;
  self->last_flush = self->n_put;
  self->wants |= SW_DELIVERY_FLUSH;
}

void
sw_delivery_ask (SwDelivery *self,
                 SwDeliveryWants wants)
{
  SwCollector *reference;

  if (is_in_child (self))
    return;
  reference = g_object_ref (self->collector);
  pthread_mutex_lock (&self->lock);
  if ((wants & SW_DELIVERY_FLUSH) != 0)
    want_flush (self);
  if ((wants & SW_DELIVERY_CLOSE) != 0)
    {
      self->is_closed = TRUE;
      self->wants |= SW_DELIVERY_CLOSE;
    }
  pthread_mutex_unlock (&self->lock);
  settle (self, reference);
}

/* At most @max of the events, the oldest first. With the lock. */
static GPtrArray *
take_events_locked (SwDelivery *self,
                    guint max)
{
  GPtrArray *events;

  if (self->events->len <= max)
    {
      events = self->events;
      self->events = new_events ();
      self->n_bytes = 0;
    }
  else
    {
      events = new_events ();
      for (guint i = 0; i < max; i++)
        {
          SwTraceEvent *event = g_ptr_array_index (self->events, i);

          g_ptr_array_add (events, sw_trace_event_ref (event));
          self->n_bytes -= get_size (event);
        }
      g_ptr_array_remove_range (self->events, 0, max);
    }
  self->n_taken += events->len;
  return events;
}

static GPtrArray *
take_events (SwDelivery *self,
             guint max)
{
  GPtrArray *events;

  pthread_mutex_lock (&self->lock);
  events = take_events_locked (self, max);
  pthread_mutex_unlock (&self->lock);
  return events;
}

/* What is due now that all events that were taken have arrived: a flush once those did that were there when it was asked
 * for, so that others that keep coming do not put it off; to close once all did. */
static guint
take_wants (SwDelivery *self)
{
  guint wants = 0;

  pthread_mutex_lock (&self->lock);
  if ((self->wants & SW_DELIVERY_FLUSH) != 0 && self->first_flush <= self->n_taken)
    {
      wants |= SW_DELIVERY_FLUSH;
      if (self->last_flush <= self->n_taken)
        self->wants &= ~SW_DELIVERY_FLUSH;
      else
        self->first_flush = self->last_flush;
    }
  if (self->events->len == 0)
    {
      wants |= self->wants & SW_DELIVERY_CLOSE;
      self->wants &= ~SW_DELIVERY_CLOSE;
    }
  pthread_mutex_unlock (&self->lock);
  return wants;
}

static gboolean
wants_close (SwDelivery *self)
{
  gboolean result;

  pthread_mutex_lock (&self->lock);
  result = (self->wants & SW_DELIVERY_CLOSE) != 0;
  pthread_mutex_unlock (&self->lock);
  return result;
}

/* The collector may go by this. */
static void
stop_running (SwDelivery *self)
{
  gboolean keeps;

  self->is_running = FALSE;
  pthread_mutex_lock (&self->lock);
  keeps = self->keeps && !has_work (self);
  if (keeps)
    self->keeps = FALSE;
  g_source_set_ready_time (self->source, has_work (self) ? 0 : -1);
  pthread_mutex_unlock (&self->lock);
  if (keeps)
    g_object_unref (self->collector);
}

/* What is there is lost, and told: also that a close is, which may be what completes a file. */
static void
give_up (SwDelivery *self)
{
  g_autoptr (GPtrArray) events = NULL;
  guint wants;

  pthread_mutex_lock (&self->lock);
  events = take_events_locked (self, G_MAXUINT);
  wants = self->wants;
  self->wants = 0;
  pthread_mutex_unlock (&self->lock);
  if (events->len > 0)
    {
      sw_collector_count_lost (self->collector, events->len);
      g_warning ("%u events did not reach the collector %s, which was not closed while its thread could still be called",
                 events->len, G_OBJECT_TYPE_NAME (self->collector));
    }
  else if ((wants & SW_DELIVERY_CLOSE) != 0 && SW_COLLECTOR_GET_CLASS (self->collector)->close != NULL)
    g_warning ("To close the collector %s did not reach its thread while that could still be called",
               G_OBJECT_TYPE_NAME (self->collector));
}

/* On the thread, whose life is over while the process goes on. */
static void
discard (SwDelivery *self)
{
  self->is_running = TRUE;
  give_up (self);
  stop_running (self);
}

static void
step (SwDelivery *self,
      guint max)
{
  g_autoptr (GPtrArray) events = take_events (self, max);
  guint wants;

  if (events->len > 0)
    sw_collector_deliver (self->collector, events);
  wants = take_wants (self);
  if ((wants & SW_DELIVERY_FLUSH) != 0)
    sw_collector_call_flush (self->collector);
  if ((wants & SW_DELIVERY_CLOSE) != 0)
    sw_collector_call_close (self->collector);
}

/* @max: of the events; 0: those that are there now, and all for one that closes. */
static void
run (SwDelivery *self,
     guint max)
{
  if (!is_on_thread (self) || self->is_running)
    return;
  if (is_over (self))
    {
      discard (self);
      return;
    }
  self->is_running = TRUE;
  /* One that closes gets no more events than are there. */
  do
    step (self, max > 0 ? max : G_MAXUINT);
  while (max == 0 && wants_close (self));
  stop_running (self);
}

void
sw_delivery_run (SwDelivery *self)
{
  run (self, 0);
}

static GPtrArray *
dup_all (void)
{
  GPtrArray *deliveries = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_delivery_unref);

  pthread_mutex_lock (&all_lock);
  for (SwDelivery *delivery = all; delivery != NULL; delivery = delivery->next)
    {
      sw_ref_count_inc (&delivery->refs);
      g_ptr_array_add (deliveries, delivery);
    }
  pthread_mutex_unlock (&all_lock);
  return deliveries;
}

/* The collector, where something is to be done. */
static SwCollector *
dup_collector_with_work (SwDelivery *self)
{
  SwCollector *collector = NULL;

  pthread_mutex_lock (&self->lock);
  if (self->keeps)
    collector = g_object_ref (self->collector);
  pthread_mutex_unlock (&self->lock);
  return collector;
}

void
sw_delivery_run_here (void)
{
  g_autoptr (GPtrArray) deliveries = NULL;

  /* Relaxed: what this thread made, it sees. */
  if (__atomic_load_n (&n_all, __ATOMIC_RELAXED) == 0 || sw_collector_is_inside ())
    return;
  deliveries = dup_all ();
  for (guint i = 0; i < deliveries->len; i++)
    {
      SwDelivery *delivery = g_ptr_array_index (deliveries, i);
      g_autoptr (SwCollector) collector = NULL;

      if (!is_on_thread (delivery))
        continue;
      collector = dup_collector_with_work (delivery);
      if (collector != NULL)
        sw_delivery_run (delivery);
    }
}

void
sw_delivery_give_up_all (void)
{
  g_autoptr (GPtrArray) deliveries = dup_all ();

  for (guint i = 0; i < deliveries->len; i++)
    {
      SwDelivery *delivery = g_ptr_array_index (deliveries, i);
      g_autoptr (SwCollector) collector = is_in_child (delivery) ? NULL : dup_collector_with_work (delivery);

      if (collector != NULL)
        give_up (delivery);
    }
}

/* The one thread may run the context another time; that the events wait for it is to be seen. */
static void
leave_to_thread (SwDelivery *self,
                 SwCollector *collector)
{
  g_source_set_ready_time (self->source, g_get_monotonic_time () + RETRY_MICROSECONDS);
  if (self->has_warned)
    return;
  self->has_warned = TRUE;
  g_warning ("Events wait for the thread that the collector %s is bound to, whose main context another thread runs",
             G_OBJECT_TYPE_NAME (collector));
}

/* On whichever thread runs the main context. */
static gboolean
dispatch (GSource *source,
          GSourceFunc callback,
          gpointer data)
{
  SwDelivery *self = ((DeliverySource *) source)->delivery;
  g_autoptr (SwCollector) collector = NULL;

  if (is_in_child (self))
    return G_SOURCE_REMOVE;
  /* Whatever comes from here on sets it again, as does the end of a run. */
  g_source_set_ready_time (source, -1);
  collector = dup_collector_with_work (self);
  if (collector == NULL)
    return G_SOURCE_CONTINUE;
  if (is_on_thread (self))
    run (self, MAX_EVENTS_PER_DISPATCH);
  else
    leave_to_thread (self, collector);
  return G_SOURCE_CONTINUE;
}

static void
finalize_source (GSource *source)
{
  g_clear_pointer (&((DeliverySource *) source)->delivery, sw_delivery_unref);
}

static GSourceFuncs source_functions = { .dispatch = dispatch, .finalize = finalize_source };

static GSource *
new_source (SwDelivery *self)
{
  GSource *source = g_source_new (&source_functions, sizeof (DeliverySource));

  sw_ref_count_inc (&self->refs);
  ((DeliverySource *) source)->delivery = self;
  g_source_set_static_name (source, "[strideweave] collector");
  /* After what the program has to do by then. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT_IDLE);
  g_source_attach (source, self->context);
  return source;
}

SwDelivery *
sw_delivery_new (SwCollector *collector,
                 GObject *life)
{
  SwDelivery *self = g_new0 (SwDelivery, 1);

  sw_ref_count_init (&self->refs);
  self->collector = collector;
  self->thread = sw_thread_get_number ();
  self->pid = getpid ();
  self->has_life = life != NULL;
  g_weak_ref_init (&self->life, life);
  pthread_mutex_init (&self->lock, NULL);
  self->events = new_events ();
  self->context = g_main_context_ref_thread_default ();
  self->source = new_source (self);
  pthread_mutex_lock (&all_lock);
  self->next = all;
  all = self;
  pthread_mutex_unlock (&all_lock);
  /* Relaxed: see sw_delivery_run_here (). */
  __atomic_fetch_add (&n_all, 1, __ATOMIC_RELAXED);
  return self;
}

void
sw_delivery_free (SwDelivery *self)
{
  GSource *source = self->source;
  GMainContext *context = self->context;

  /* Locks may be as no thread leaves them any more. */
  if (is_in_child (self))
    return;
  pthread_mutex_lock (&all_lock);
  for (SwDelivery **link = &all; *link != NULL; link = &(*link)->next)
    if (*link == self)
      {
        *link = self->next;
        break;
      }
  pthread_mutex_unlock (&all_lock);
  /* Relaxed: see sw_delivery_run_here (). */
  __atomic_fetch_sub (&n_all, 1, __ATOMIC_RELAXED);
  g_source_destroy (source);
  g_source_unref (source);
  sw_delivery_unref (self);
  /* To let go of a source still locks its context. */
  g_main_context_unref (context);
}

void
sw_delivery_forget_in_child (void)
{
  pthread_mutex_init (&all_lock, NULL);
  all = NULL;
  /* Relaxed: there is one thread. */
  __atomic_store_n (&n_all, 0, __ATOMIC_RELAXED);
}
