/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

/* Languages with a binding of their own have their own scopes; these are for C and C++. */
#ifndef __GI_SCANNER__

/* A place in the program, as the macros below make one. Its number is found out when it is first recorded. */
typedef struct
{
  const char *file;
  const char *function;
  const char *name;
  guint line;
  guint id;
} SwZoneSite;

typedef struct _SwOpenZone SwOpenZone;

/* How many profilers are enabled: while it is 0, a zone costs the test of it. */
SW_AVAILABLE_IN_0_1
guint sw_zone_gate;

SW_AVAILABLE_IN_0_1
SwOpenZone *sw_zone_scope_begin_recorded (SwZoneSite *site);
SW_AVAILABLE_IN_0_1
void sw_zone_scope_end_recorded (SwOpenZone *zone);
SW_AVAILABLE_IN_0_1
guint64 sw_zone_scope_begin_recorded_frame (const char *name);
SW_AVAILABLE_IN_0_1
void sw_zone_scope_end_recorded_frame (guint64 frame);

/* Relaxed: a thread sees in program order what it enabled itself, and needs no more. */
#define SW_ZONE_GATE_IS_OPEN() G_UNLIKELY (__atomic_load_n (&sw_zone_gate, __ATOMIC_RELAXED) != 0)

static inline SwOpenZone *
sw_zone_scope_begin (SwZoneSite *site)
{
  return SW_ZONE_GATE_IS_OPEN () ? sw_zone_scope_begin_recorded (site) : NULL;
}

static inline void
sw_zone_scope_end (SwOpenZone **zone)
{
  if (G_UNLIKELY (*zone != NULL))
    sw_zone_scope_end_recorded (*zone);
}

static inline guint64
sw_zone_scope_begin_frame (const char *name)
{
  return SW_ZONE_GATE_IS_OPEN () ? sw_zone_scope_begin_recorded_frame (name) : 0;
}

static inline void
sw_zone_scope_end_frame (guint64 *frame)
{
  if (G_UNLIKELY (*frame != 0))
    sw_zone_scope_end_recorded_frame (*frame);
}

#ifdef __cplusplus
#define SW_PROFILE_SIGNATURE __PRETTY_FUNCTION__
#else
#define SW_PROFILE_SIGNATURE __func__
#endif

#define SW_PROFILE_PASTE_NOW(a, b) a##b
#define SW_PROFILE_PASTE(a, b) SW_PROFILE_PASTE_NOW (a, b)

/**
 * SW_PROFILE_ZONE:
 * @zone_name: a string literal
 *
 * Records the rest of the block as a zone of the thread's current [class@Strideweave.ZoneProfiler].
 *
 * Every way out of the block ends the zone, `return` and `goto` included; `longjmp()` and the thread's end leave it to
 * what encloses it. Without a current profiler, or while it is disabled, it costs a load and a branch; with
 * `SW_DISABLE_PROFILE_ZONES` defined, nothing at all. Works in C++, too.
 *
 * ```c
 * static gboolean
 * simulate (World *world)
 * {
 *   SW_PROFILE_FUNCTION ();
 *
 *   {
 *     SW_PROFILE_ZONE ("collisions");
 *     if (!collide (world))
 *       return FALSE;
 *   }
 *   return integrate (world);
 * }
 * ```
 */
/**
 * SW_PROFILE_FUNCTION:
 *
 * Records the rest of the block as a zone with the name of the function. See SW_PROFILE_ZONE().
 */
/**
 * SW_PROFILE_FRAME:
 * @frame_name: the name of the frame
 *
 * Makes the rest of the block a frame of the thread's current [class@Strideweave.ZoneProfiler]. See SW_PROFILE_ZONE().
 *
 * There is one stream of frames: where another one is active, this makes none, and is counted among the misplaced ends
 * of the profiler's diagnostics.
 */
#ifndef SW_DISABLE_PROFILE_ZONES

#define SW_PROFILE_ZONE_AT(zone_name, number)                                                                             \
  static SwZoneSite SW_PROFILE_PASTE (sw_zone_site_, number) = { __FILE__, SW_PROFILE_SIGNATURE, zone_name, __LINE__, 0 }; \
  __attribute__ ((cleanup (sw_zone_scope_end), unused)) SwOpenZone *SW_PROFILE_PASTE (sw_zone_, number) =                 \
      sw_zone_scope_begin (&SW_PROFILE_PASTE (sw_zone_site_, number))

#define SW_PROFILE_ZONE(zone_name) SW_PROFILE_ZONE_AT ("" zone_name, __COUNTER__)
#define SW_PROFILE_FUNCTION() SW_PROFILE_ZONE_AT (NULL, __COUNTER__)
#define SW_PROFILE_FRAME(frame_name)                                                                       \
  __attribute__ ((cleanup (sw_zone_scope_end_frame), unused)) guint64 SW_PROFILE_PASTE (sw_frame_, __COUNTER__) = \
      sw_zone_scope_begin_frame (frame_name)

#else

#define SW_PROFILE_ZONE(zone_name) G_STMT_START { } G_STMT_END
#define SW_PROFILE_FUNCTION() G_STMT_START { } G_STMT_END
#define SW_PROFILE_FRAME(frame_name) G_STMT_START { } G_STMT_END

#endif

#endif /* __GI_SCANNER__ */

SW_AVAILABLE_IN_0_1
gboolean sw_profile_is_recording (void);
SW_AVAILABLE_IN_0_1
guint sw_profile_site_register (const char *file,
                                guint line,
                                const char *function,
                                const char *name);
SW_AVAILABLE_IN_0_1
guint64 sw_profile_zone_begin (guint site_id);
SW_AVAILABLE_IN_0_1
guint64 sw_profile_zone_begin_with_encoder (guint site_id,
                                            GObject *encoder,
                                            GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profile_zone_end (guint64 token,
                              GError **error);
SW_AVAILABLE_IN_0_1
guint64 sw_profile_frame_begin (const char *name,
                                GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profile_frame_end (guint64 token,
                               GError **error);
SW_AVAILABLE_IN_0_1
void sw_profile_set_thread_name (const char *name);
SW_AVAILABLE_IN_0_1
void sw_profile_tell_thread_name (guint64 os_thread_id,
                                  const char *name);

G_END_DECLS
