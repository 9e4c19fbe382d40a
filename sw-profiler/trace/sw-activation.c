/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sw-profiler/operation/sw-group-session-private.h"
#include "sw-profiler/trace/sw-activation-private.h"
#include "sw-profiler/trace/sw-trace-context-private.h"
#include "sw-profiler/trace/sw-trace-registry-private.h"
#include "sw-profiler/zone/sw-zone-registry-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw/base/sw-turn-private.h"

guint32 sw_activation_is_pending = 0;

static SwTraceRequest trace_request;
static SwProfileRequest profile_request;
/* Whoever begins or completes has it. */
static SwTurn turn;
static gboolean is_loaded;   /* something is asked for */
static gboolean is_child;    /* of the process that loaded the library */
static gboolean is_complete; /* with the turn */

static gboolean
is_asked_for (void)
{
  return profile_request.is_set || (trace_request.path != NULL && trace_request.verbosity > SW_TRACE_VERBOSITY_NONE);
}

static void
set_pending (guint32 pending)
{
  /* Relaxed: see sw_activation_check (). */
  __atomic_store_n (&sw_activation_is_pending, pending, __ATOMIC_RELAXED);
}

static gboolean
traces_zones (void)
{
  return trace_request.path != NULL && trace_request.verbosity >= SW_TRACE_VERBOSITY_OPERATIONS;
}

/* From now on, whoever emits or executes something comes by sw_activation_begin () first. */
static void
arm (void)
{
  if (!is_asked_for ())
    return;
  set_pending (1);
  if (trace_request.path != NULL)
    sw_trace_context_arm_default (trace_request.verbosity);
  if (profile_request.is_set)
    sw_group_session_wait_for_process (sw_activation_begin);
  if (profile_request.is_set || traces_zones ())
    sw_zone_fallback_wait (sw_activation_begin);
}

static void
begin_zones (void)
{
  SwTraceFeed *feed = sw_activation_begin_zones (traces_zones (), &profile_request);

  if (trace_request.path != NULL)
    sw_activation_begin_trace (&trace_request, feed);
  /* Not before: other threads' first zones would be older than the trace. */
  sw_zone_fallback_stop_waiting ();
}

void
sw_activation_begin (void)
{
  /* What is made here may emit itself, and comes by again. */
  if (!sw_turn_enter (&turn))
    return;
  if (sw_activation_is_pending != 0)
    {
      sw_activation_note ("began", "%s", program_invocation_short_name);
      begin_zones ();
      if (profile_request.is_set)
        {
          sw_activation_begin_profile (&profile_request);
          sw_group_session_stop_waiting ();
        }
      sw_activation_watch_signals ();
      set_pending (0);
    }
  sw_turn_leave (&turn);
}

/* Nothing was ever recorded. */
static void
disarm (void)
{
  set_pending (0);
  if (trace_request.path != NULL)
    sw_trace_context_arm_default (SW_TRACE_VERBOSITY_NONE);
  if (profile_request.is_set)
    sw_group_session_stop_waiting ();
  sw_zone_fallback_stop_waiting ();
  if (!is_child && !sw_activation_has_notes ())
    g_message ("Nothing was recorded: the program executed no operation and emitted no event");
}

static void
complete (void)
{
  guint64 n_zones_lost;

  if (sw_activation_is_pending != 0)
    {
      disarm ();
      return;
    }
  sw_activation_detach_trace ();
  n_zones_lost = sw_activation_end_zones ();
  sw_activation_complete_trace (n_zones_lost);
  if (profile_request.is_set)
    sw_activation_complete_profile (&profile_request, n_zones_lost);
  sw_activation_note ("complete", "1");
}

void
sw_activation_complete (void)
{
  if (!is_loaded || !sw_turn_enter (&turn))
    return;
  sw_activation_hold_signals (TRUE);
  if (!is_complete)
    complete ();
  is_complete = TRUE;
  sw_activation_hold_signals (FALSE);
  sw_turn_leave (&turn);
}

/**
 * sw_activation_finish:
 *
 * Completes what the environment variables `STRIDEWEAVE_TRACE` and `STRIDEWEAVE_PROFILE` asked for: closes the trace,
 * writes the profile. What follows is not recorded for them any more.
 *
 * This happens by itself when the process ends by `exit()`, by returning from `main()`, or by a signal that it does not
 * handle and that asks it to end. It is for processes that end by `_exit()`, or that replace themselves by another program.
 *
 * Without those variables it does nothing. May be called on any thread, and more than once.
 */
void
sw_activation_finish (void)
{
  sw_activation_complete ();
}

static void
finish_at_exit (void)
{
  sw_activation_complete ();
  /* Another thread is just about to end the process as the signal would have. */
  while (sw_activation_is_ending ())
    pause ();
}

static void
start_child (void)
{
  sw_turn_init (&turn);
  is_child = TRUE;
  is_complete = FALSE;
  sw_activation_leave_trace_behind ();
  sw_activation_leave_profile_behind ();
  sw_activation_leave_zones_behind ();
  sw_activation_forget_signals ();
  if (is_loaded && is_asked_for ())
    arm ();
}

void
sw_activation_forget (void)
{
  if (!is_loaded)
    return;
  /* It says nothing of having recorded nothing. */
  is_child = TRUE;
  disarm ();
  is_loaded = FALSE;
}

static void
warn_of_value (const char *name,
               const char *value,
               const GError *error)
{
  g_autofree char *shown = g_utf8_make_valid (value, -1);

  g_warning ("%s is \"%s\", which records nothing: %s", name, shown, error->message);
}

/* NULL where nothing is asked for, and in a process that has more rights than its user. */
static const char *
get_variable (const char *name)
{
  const char *value = secure_getenv (name);

  return value != NULL && *value != '\0' ? value : NULL;
}

static void
read_variables (const char *trace,
                const char *profile)
{
  g_autoptr (GError) trace_error = NULL;
  g_autoptr (GError) profile_error = NULL;

  if (trace != NULL && !sw_trace_request_parse (&trace_request, trace, &trace_error))
    warn_of_value ("STRIDEWEAVE_TRACE", trace, trace_error);
  if (profile != NULL && !sw_profile_request_parse (&profile_request, profile, &profile_error))
    warn_of_value ("STRIDEWEAVE_PROFILE", profile, profile_error);
}

/* When the library is loaded: what runs at exit is registered now, and so runs after what the program registers. */
static __attribute__ ((constructor)) void
load (void)
{
  const char *trace = get_variable ("STRIDEWEAVE_TRACE");
  const char *profile = get_variable ("STRIDEWEAVE_PROFILE");

  if (G_LIKELY (trace == NULL && profile == NULL))
    return;
  sw_activation_set_notes_folder (get_variable ("STRIDEWEAVE_RUN_NOTES"));
  read_variables (trace, profile);
  if (!is_asked_for ())
    return;
  is_loaded = TRUE;
  sw_turn_init (&turn);
  sw_trace_registry_watch_process ();
  sw_group_session_watch_fork ();
  sw_zone_registry_watch_process ();
  pthread_atfork (NULL, NULL, start_child);
  atexit (finish_at_exit);
  arm ();
}
