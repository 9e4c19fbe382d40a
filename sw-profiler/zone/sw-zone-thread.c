/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-thread-private.h"

#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw/base/sw-site-registry-private.h"

#define LONGEST_LIST 400 /* bytes */

/* Which one was forgotten is not seen in a trace, where it ends like what encloses it. */
static void
tell_of_open_zones (SwZoneProducer *producer)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (producer->open == 0)
    return;
  for (guint64 open = producer->open; open != 0; open &= open - 1)
    {
      const SwSite *site = sw_site_registry_get (producer->zones[__builtin_ctzll (open)].site);

      if (names->len < LONGEST_LIST)
        g_string_append_printf (names, "%s\"%s\" (%s:%u)", names->len > 0 ? ", " : "", site->name, site->file, site->line);
    }
  g_message ("Thread %" G_GUINT64_FORMAT " ends with zones open, which end with it: %s",
             sw_lane_get_thread_id (producer->lane), names->str);
}

static void
thread_leave (gpointer data)
{
  SwZoneThread *self = data;
  SwZoneProducer *next;

  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = next)
    {
      SwZoneCore *core = producer->core;

      next = producer->next_of_thread;
      tell_of_open_zones (producer);
      sw_zone_core_count_mishap (&core->mishaps.forced_ends, sw_zone_producer_end_all (producer));
      producer->owner = 0;
      sw_zone_core_give_up_producer (core, producer);
    }
  for (guint i = 0; i < self->entered->len; i++)
    {
      const SwZoneEntered *entered = &g_array_index (self->entered, SwZoneEntered, i);

      sw_zone_core_unref (entered->core);
      g_object_unref (entered->profiler);
    }
  g_array_unref (self->entered);
  g_clear_pointer (&self->default_core, sw_zone_core_unref);
  g_free (self);
}

SwZoneThread *
sw_zone_thread_get (void)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  if (self != NULL)
    return self;
  self = g_new0 (SwZoneThread, 1);
  self->entered = g_array_new (FALSE, FALSE, sizeof (SwZoneEntered));
  sw_thread_watch_exit (SW_RECORDER_ZONES, thread_leave);
  sw_thread.recorders[SW_RECORDER_ZONES] = self;
  return self;
}

static SwZoneProducer *
get_producer (SwZoneThread *self,
              SwZoneCore *core)
{
  SwZoneProducer *producer = self->producers;

  while (producer != NULL && producer->core != core)
    producer = producer->next_of_thread;
  if (producer != NULL)
    return producer;

  producer = sw_zone_producer_new (core, sw_lane_get ());
  if (producer == NULL)
    return NULL;
  producer->next_of_thread = self->producers;
  self->producers = producer;
  sw_zone_core_add_producer (core, producer);
  return producer;
}

/* Those whose zones are still open stay until these end. */
static void
collect (SwZoneThread *self)
{
  for (SwZoneProducer **link = &self->producers; *link != NULL;)
    {
      SwZoneProducer *producer = *link;

      if (sw_zone_core_is_closed (producer->core) && producer->open == 0)
        {
          *link = producer->next_of_thread;
          if (self->current == producer)
            self->current = NULL;
          sw_zone_core_give_up_producer (producer->core, producer);
        }
      else
        link = &producer->next_of_thread;
    }
}

static SwZoneCore *
get_current_core (SwZoneThread *self)
{
  if (self->entered->len > 0)
    return g_array_index (self->entered, SwZoneEntered, self->entered->len - 1).core;
  return self->default_core != NULL ? self->default_core : sw_zone_fallback_get ();
}

static guint
count_open (const SwZoneProducer *producer)
{
  return (guint) (producer->begun - producer->head);
}

/* What is around a producer's own zones: spans of traces, and zones of other profilers. Returns how many zones are open. */
static guint
set_outer (SwZoneThread *self)
{
  guint n = 0;

  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_thread)
    n += count_open (producer);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_thread)
    producer->n_outer = (guint8) MIN (self->n_spans + n - count_open (producer), G_MAXUINT8);
  return n;
}

SwZoneProducer *
sw_zone_thread_refresh (void)
{
  SwZoneThread *self = sw_zone_thread_peek ();
  SwZoneCore *core;

  if (self == NULL)
    return NULL;
  if (self->default_core != NULL && sw_zone_core_is_closed (self->default_core))
    g_clear_pointer (&self->default_core, sw_zone_core_unref);
  collect (self);
  core = get_current_core (self);
  self->current = core != NULL ? get_producer (self, core) : NULL;
  self->is_inherited = FALSE;
  set_outer (self);
  return self->current;
}

gboolean
sw_zone_thread_enter (SwZoneCore *core,
                      GObject *profiler)
{
  SwZoneThread *self = sw_zone_thread_get ();
  SwZoneEntered entered = { profiler, core };

  collect (self);
  if (get_producer (self, core) == NULL)
    return FALSE;
  g_object_ref (profiler);
  sw_zone_core_ref (core);
  g_array_append_val (self->entered, entered);
  sw_zone_thread_refresh ();
  return TRUE;
}

static GObject *
leave_at (SwZoneThread *self,
          guint place)
{
  SwZoneEntered entered = g_array_index (self->entered, SwZoneEntered, place);

  g_array_remove_index (self->entered, place);
  sw_zone_core_unref (entered.core);
  sw_zone_thread_refresh ();
  return entered.profiler;
}

GObject *
sw_zone_thread_leave (SwZoneCore *core)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  if (self == NULL || self->entered->len == 0 ||
      g_array_index (self->entered, SwZoneEntered, self->entered->len - 1).core != core)
    return NULL;
  return leave_at (self, self->entered->len - 1);
}

GObject *
sw_zone_thread_withdraw (SwZoneCore *core)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  for (guint i = self != NULL ? self->entered->len : 0; i > 0; i--)
    if (g_array_index (self->entered, SwZoneEntered, i - 1).core == core)
      return leave_at (self, i - 1);
  return NULL;
}

void
sw_zone_thread_offer_default (SwZoneCore *core)
{
  SwZoneThread *self = sw_zone_thread_get ();

  sw_zone_thread_refresh ();
  if (self->default_core != NULL)
    return;
  self->default_core = sw_zone_core_ref (core);
  sw_zone_thread_refresh ();
}

void
sw_zone_thread_forget (void)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  if (self == NULL)
    return;
  self->producers = NULL;
  self->current = NULL;
  self->n_spans = 0;
  self->is_inherited = TRUE;
}

guint
sw_zone_thread_exchange_depth (guint n_spans)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  if (self == NULL)
    return 0;
  self->n_spans = n_spans;
  return set_outer (self);
}

SwZoneProducer *
sw_zone_thread_find_producer (guint64 id)
{
  SwZoneThread *self = sw_zone_thread_peek ();
  SwZoneProducer *producer = self != NULL ? self->producers : NULL;

  while (producer != NULL && producer->id != id)
    producer = producer->next_of_thread;
  return producer;
}
