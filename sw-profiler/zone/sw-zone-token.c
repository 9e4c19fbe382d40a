/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-producer-inline-private.h"
#include "sw-profiler/zone/sw-zone-scope-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-site-registry-private.h"

/* Zones and frames by number, for languages that cannot be trusted with a pointer. A token says which producer, which of
 * its zones since it exists, and which slot. A wrong one names nothing, or a zone of another thread. */
#define SLOT_BITS 6
#define SERIAL_BITS 26
#define SERIAL_MASK (((guint64) 1 << SERIAL_BITS) - 1)

/* Some languages have no integers but those that a double holds exactly. */
G_STATIC_ASSERT (SW_ZONE_PRODUCER_ID_BITS + SERIAL_BITS + SLOT_BITS <= 53);

static inline guint64
make_token (const SwZoneProducer *producer,
            const SwOpenZone *zone)
{
  return (producer->id << SERIAL_BITS | zone->serial) << SLOT_BITS | zone->slot;
}

static inline SwOpenZone *
find_zone (SwZoneProducer *producer,
           guint64 token)
{
  SwOpenZone *zone = &producer->zones[token & (SW_ZONE_MAX_DEPTH - 1)];

  return zone->serial != 0 && make_token (producer, zone) == token ? zone : NULL;
}

/**
 * sw_profile_site_register:
 * @file: (nullable): the file that the place is in, or %NULL
 * @line: its line, from 1; 0 when not known
 * @function: (nullable): the function, qualified, or %NULL
 * @name: what zones of this place are called
 *
 * Returns the number of a place in a program. The same four always have the same number, for as long as the process
 * lives; all texts are copied when they are new.
 *
 * For bindings, which do well to keep the numbers that they got. May be called from any thread.
 *
 * Returns: the site's id, for [func@Strideweave.profile_zone_begin]
 */
guint
sw_profile_site_register (const char *file,
                          guint line,
                          const char *function,
                          const char *name)
{
  g_return_val_if_fail (name != NULL, 0);

  return sw_site_registry_intern (file, line, function, name);
}

/**
 * sw_profile_is_recording:
 *
 * Tells whether a zone that is begun now would be recorded: whether this thread has a current
 * [class@Strideweave.ZoneProfiler], and it is enabled.
 *
 * For bindings, which need not find out where a zone is otherwise.
 *
 * Returns: whether zones of this thread are recorded
 */
gboolean
sw_profile_is_recording (void)
{
  /* Relaxed: see SW_ZONE_GATE_IS_OPEN (). */
  return __atomic_load_n (&sw_zone_gate, __ATOMIC_RELAXED) != 0 && sw_zone_find_recording () != NULL;
}

/**
 * sw_profile_zone_begin:
 * @site_id: the id of a site, see [func@Strideweave.profile_site_register]
 *
 * Begins a zone of this thread's current [class@Strideweave.ZoneProfiler], which stays the zone's own whatever becomes
 * current before it ends.
 *
 * Without one, while it is disabled, or when the zone has to be dropped (which is counted) the token is 0. An id that is
 * of no site makes no zone either.
 *
 * Returns: the token for [func@Strideweave.profile_zone_end], or 0
 */
guint64
sw_profile_zone_begin (guint site_id)
{
  SwZoneProducer *producer;
  SwOpenZone *zone;

  /* Relaxed: see SW_ZONE_GATE_IS_OPEN (). */
  if (__atomic_load_n (&sw_zone_gate, __ATOMIC_RELAXED) == 0)
    return 0;
  producer = sw_zone_find_recording ();
  if (producer == NULL || sw_site_registry_get (site_id) == NULL)
    return 0;
  zone = sw_zone_producer_begin_inline (producer, site_id, 0);
  if (zone == NULL)
    return 0;
  zone->serial = producer->last_serial = (producer->last_serial & SERIAL_MASK) % SERIAL_MASK + 1;
  return make_token (producer, zone);
}

/**
 * sw_profile_zone_begin_with_encoder:
 * @site_id: the id of a site
 * @encoder: (nullable): a [iface@Strideweave.ProfilerEncoder]; %NULL for a zone without GPU times
 * @error: return location for an error
 *
 * Begins a zone as [func@Strideweave.profile_zone_begin] does, which has GPU times, too: from here to its end in the
 * commands that @encoder encodes. It keeps a reference to @encoder until it ends.
 *
 * Where the device has no queries left the zone has CPU times only, and that is counted. Results are read by
 * [method@Strideweave.ZoneProfiler.tick].
 *
 * Fails with %SW_ERROR_TYPE when @encoder is something else.
 *
 * Returns: the token for [func@Strideweave.profile_zone_end]; 0 when no zone is recorded, with @error set if it failed
 */
guint64
sw_profile_zone_begin_with_encoder (guint site_id,
                                    GObject *encoder,
                                    GError **error)
{
  guint64 token;
  SwZoneProducer *producer;

  if (encoder != NULL && !SW_IS_PROFILER_ENCODER (encoder))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "encoder must be a ProfilerEncoder, and is a %s", G_OBJECT_TYPE_NAME (encoder));
      return 0;
    }
  token = sw_profile_zone_begin (site_id);
  if (token == 0 || encoder == NULL)
    return token;
  producer = sw_zone_thread_get_current ();
  if (producer->core == sw_zone_fallback_get ())
    return token;
  sw_zone_gpu_begin (producer, find_zone (producer, token), SW_PROFILER_ENCODER (encoder));
  return token;
}

typedef struct
{
  guint64 id;
  char *message;
} Search;

static void
search_core (SwZoneCore *core,
             gpointer data)
{
  Search *search = data;
  SwZoneProducer *producer;

  if (search->message != NULL)
    return;
  pthread_mutex_lock (&core->lock);
  producer = sw_zone_core_find_producer (core, search->id);
  if (producer != NULL)
    {
      search->message = g_strdup_printf ("of thread %" G_GUINT64_FORMAT, sw_lane_get_thread_id (producer->lane));
      sw_zone_core_count_mishap (&core->mishaps.misplaced_ends, 1);
    }
  pthread_mutex_unlock (&core->lock);
}

/* The token is of another thread, or of nothing that is open. */
static void
refuse_token (guint64 token,
              SwZoneProducer *own,
              GError **error)
{
  Search search = { token >> (SERIAL_BITS + SLOT_BITS), NULL };
  g_autofree char *message = NULL;

  if (own != NULL)
    sw_zone_core_count_mishap (&own->core->mishaps.misplaced_ends, 1);
  else
    sw_zone_core_foreach (search_core, &search);
  message = search.message;
  if (message != NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_STATE,
                 "token %" G_GUINT64_FORMAT " is %s, and a zone ends on the thread that began it, which is not this one",
                 token, message);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_STATE,
                 "token %" G_GUINT64_FORMAT " is of no zone that is open: it has ended, or its thread or profiler has", token);
}

/**
 * sw_profile_zone_end:
 * @token: what [func@Strideweave.profile_zone_begin] returned
 * @error: return location for an error
 *
 * Ends a zone.
 *
 * Zones may end in any order. One that encloses others and ends first leaves them behind: they end when they do, and
 * their parent is what enclosed it. That is counted among the misplaced ends of the profiler's diagnostics, as is each
 * failure. A token of 0 ends nothing, successfully.
 *
 * Fails with %SW_ERROR_STATE when the zone was begun on another thread, where it stays open, and when it is not open.
 *
 * Returns: whether there was nothing to complain of
 */
gboolean
sw_profile_zone_end (guint64 token,
                     GError **error)
{
  guint64 end = sw_clock_ticks ();
  SwZoneProducer *producer = sw_zone_thread_get_current ();
  SwOpenZone *zone;

  if (token == 0)
    return TRUE;
  if (G_UNLIKELY (producer == NULL || producer->id != token >> (SERIAL_BITS + SLOT_BITS)))
    producer = sw_zone_thread_find_producer (token >> (SERIAL_BITS + SLOT_BITS));
  zone = producer != NULL ? find_zone (producer, token) : NULL;
  if (G_UNLIKELY (zone == NULL))
    {
      refuse_token (token, producer, error);
      return FALSE;
    }
  sw_zone_end_open (producer, zone, end);
  return TRUE;
}

/**
 * sw_profile_frame_begin:
 * @name: the frame's name; it is copied
 * @error: return location for an error
 *
 * Begins a frame of this thread's current [class@Strideweave.ZoneProfiler]. Zones of any thread that begin before it ends
 * belong to it.
 *
 * Without a profiler, or while it is disabled, the token is 0, and that is no failure.
 *
 * Fails with %SW_ERROR_STATE while another frame is active: not ended, or ended with zones in it that have not.
 *
 * Returns: the token for [func@Strideweave.profile_frame_end]; 0 when there is no frame, with @error set if it failed
 */
guint64
sw_profile_frame_begin (const char *name,
                        GError **error)
{
  SwZoneProducer *producer;

  g_return_val_if_fail (name != NULL, 0);

  /* Relaxed: see SW_ZONE_GATE_IS_OPEN (). */
  if (__atomic_load_n (&sw_zone_gate, __ATOMIC_RELAXED) == 0)
    return 0;
  producer = sw_zone_find_recording_frames ();
  return producer != NULL ? sw_zone_core_begin_frame (producer->core, name, error) : 0;
}

/**
 * sw_profile_frame_end:
 * @token: what [func@Strideweave.profile_frame_begin] returned
 * @error: return location for an error
 *
 * Ends a frame, on any thread. It is complete once all zones that began in it have ended.
 *
 * A token of 0 ends nothing, successfully. Fails with %SW_ERROR_STATE when the frame is not open, as after a fork.
 *
 * Returns: whether there was nothing to complain of
 */
gboolean
sw_profile_frame_end (guint64 token,
                      GError **error)
{
  SwZoneCore *core;
  gboolean ended;

  if (token == 0)
    return TRUE;
  core = sw_zone_core_find (token >> 32);
  ended = core != NULL && sw_zone_core_end_frame (core, token);
  g_clear_pointer (&core, sw_zone_core_unref);
  if (!ended)
    g_set_error (error, SW_ERROR, SW_ERROR_STATE,
                 "token %" G_GUINT64_FORMAT " is of no frame that is open: it has ended, or its profiler has", token);
  return ended;
}

/**
 * sw_profile_set_thread_name:
 * @name: (nullable): the name, which is copied; %NULL for the name that the system knows
 *
 * Names the calling thread in everything that is recorded, without telling the system: for names longer than that allows.
 */
void
sw_profile_set_thread_name (const char *name)
{
  sw_lane_set_name (name);
}

/**
 * sw_profile_tell_thread_name:
 * @os_thread_id: what the system calls the thread, as gettid () gives it; 0 for the calling thread
 * @name: (nullable): the name, which is copied; %NULL: the language has none for it
 *
 * Says what a language calls one of its threads, and keeps to itself.
 *
 * For bindings. The name counts in everything that is recorded, before that which the system knows, and after one that
 * the program gave the thread with [func@Strideweave.profile_set_thread_name]. Another thread than the calling one is
 * named only if it has recorded something, or been named, before. May be called from any thread.
 */
void
sw_profile_tell_thread_name (guint64 os_thread_id,
                             const char *name)
{
  sw_lane_set_language_name (os_thread_id, name);
}
