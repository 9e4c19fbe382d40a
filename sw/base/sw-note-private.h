/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

#include "sw/base/sw-thread-private.h"

G_BEGIN_DECLS

/* What the library says about what it does, beside the boundary of operations: which kernel it chose, what it moved,
 * allocated or read. Whoever listens gets names, types, sizes and reasons; never values.
 *
 * While nobody listens, a note costs a load and a branch, and its arguments are not evaluated:
 *
 *   SW_NOTE (SW_NOTE_DECISIONS, "kernel", "kernel.selected", SW_NOTE_TYPE ("carrier", type),
 *            SW_NOTE_TEXT ("kernel", kernel->name), SW_NOTE_BYTES (n_bytes));
 *
 *   if (sw_note_is_wanted (SW_NOTE_DECISIONS))
 *     {
 *       g_autofree char *reason = explain (...);
 *
 *       SW_NOTE (SW_NOTE_DECISIONS, "kernel", "kernel.rejected", SW_NOTE_TEXT ("reason", reason));
 *     }
 *
 * and what takes time:
 *
 *   SW_NOTE_BEGIN (span, SW_NOTE_OPERATIONS, "memory", "evict", SW_NOTE_BYTES (n_bytes));
 *   done = evict (...);
 *   SW_NOTE_END (span, error);
 */

/* How much somebody must want to know to be told. */
typedef enum {
  SW_NOTE_DECISIONS = 1,
  SW_NOTE_OPERATIONS,
  SW_NOTE_FULL,
} SwNoteLevel;

typedef enum {
  SW_NOTE_ARGUMENT_TEXT,
  SW_NOTE_ARGUMENT_INT64,
  SW_NOTE_ARGUMENT_UINT64,
  SW_NOTE_ARGUMENT_BOOLEAN,
  SW_NOTE_ARGUMENT_TYPE,
} SwNoteArgumentType;

/* Borrowed for as long as the note takes. An argument without a value, a NULL text or no type, is left out. */
typedef struct
{
  const char *key;
  SwNoteArgumentType type;
  union
  {
    const char *v_text;
    gint64 v_int64;
    guint64 v_uint64;
    gboolean v_boolean;
    GType v_type;
  } value;
} SwNoteArgument;

#define SW_NOTE_TEXT(key, v) ((SwNoteArgument){ (key), SW_NOTE_ARGUMENT_TEXT, { .v_text = (v) } })
#define SW_NOTE_INT64(key, v) ((SwNoteArgument){ (key), SW_NOTE_ARGUMENT_INT64, { .v_int64 = (v) } })
#define SW_NOTE_UINT64(key, v) ((SwNoteArgument){ (key), SW_NOTE_ARGUMENT_UINT64, { .v_uint64 = (v) } })
#define SW_NOTE_BOOLEAN(key, v) ((SwNoteArgument){ (key), SW_NOTE_ARGUMENT_BOOLEAN, { .v_boolean = (v) } })
#define SW_NOTE_TYPE(key, v) ((SwNoteArgument){ (key), SW_NOTE_ARGUMENT_TYPE, { .v_type = (v) } })
#define SW_NOTE_BYTES(v) SW_NOTE_UINT64 ("bytes", v)

/* A place that says something; literals. */
typedef struct
{
  const char *category;
  const char *name;
  SwNoteLevel level;
  guint site; /* atomic: what the listener calls the place, 0 before it knows */
} SwNote;

/* A begun note, on the C stack; it is ended on the same thread, inner ones first. */
typedef struct
{
  guint64 token; /* 0: nobody is told */
} SwNoteSpan;

/* Called on the thread that says it; may not look at tensors, nor run operations. */
typedef struct
{
  void (*say) (SwNote *note,
               const SwNoteArgument *arguments,
               gsize n_arguments);
  /* @value: what is the case from now on. */
  void (*count) (SwNote *note,
                 gint64 value);
  /* A token; 0: not followed. */
  guint64 (*begin) (SwNote *note,
                    const SwNoteArgument *arguments,
                    gsize n_arguments);
  void (*end) (guint64 token,
               const SwNoteArgument *arguments,
               gsize n_arguments);
} SwNoteObserver;

/* From now on @observer, always the same one, is told what is at most at @level; 0 for nothing. What was begun is ended
 * all the same. */
void sw_note_observe (const SwNoteObserver *observer,
                      guint level);

/* Relaxed: as sw_gate_is_open (). */
static inline gboolean
sw_note_is_wanted (SwNoteLevel level)
{
  return G_UNLIKELY ((__atomic_load_n (&sw_gate, __ATOMIC_RELAXED) & SW_GATE_NOTES (level)) != 0);
}

/* Behind the gate; the macros call these. */
void sw_note_say (SwNote *note,
                  const SwNoteArgument *arguments,
                  gsize n_arguments);
void sw_note_count (SwNote *note,
                    gint64 value);
guint64 sw_note_begin (SwNote *note,
                       const SwNoteArgument *arguments,
                       gsize n_arguments);
/* @error: NULL, or why what was begun failed, which is then described in arguments. */
void sw_note_end (guint64 token,
                  const GError *error);

/* "failed", the kind of "error", and as "reason" its message where that cannot name a value. Returns how many @arguments
 * there are. */
#define SW_NOTE_N_ERROR_ARGUMENTS 3
gsize sw_note_describe_error (const GError *error,
                              SwNoteArgument *arguments);

#define SW_NOTE_ARGUMENTS(...)                         \
  ((const SwNoteArgument[]){ { NULL }, ##__VA_ARGS__ } + 1), \
      (sizeof ((const SwNoteArgument[]){ { NULL }, ##__VA_ARGS__ }) / sizeof (SwNoteArgument) - 1)

/* Says that something is the case, or happened, now. */
#define SW_NOTE(level, category, name, ...)                              \
  G_STMT_START                                                           \
  {                                                                      \
    static SwNote sw_note_here = { "" category, "" name, level, 0 };     \
    if (sw_note_is_wanted (level))                                       \
      sw_note_say (&sw_note_here, SW_NOTE_ARGUMENTS (__VA_ARGS__));      \
  }                                                                      \
  G_STMT_END

/* Says what a counter counts from now on. */
#define SW_NOTE_COUNT(level, name, value)                                \
  G_STMT_START                                                           \
  {                                                                      \
    static SwNote sw_note_here = { "", "" name, level, 0 };              \
    if (sw_note_is_wanted (level))                                       \
      sw_note_count (&sw_note_here, (value));                            \
  }                                                                      \
  G_STMT_END

/* Declares a span and begins it; SW_NOTE_END () must follow on every way out. */
#define SW_NOTE_BEGIN(span, level, category, name, ...)                                   \
  static SwNote span##_note = { "" category, "" name, level, 0 };                         \
  SwNoteSpan span = { 0 };                                                                \
  if (sw_note_is_wanted (level))                                                          \
    span.token = sw_note_begin (&span##_note, SW_NOTE_ARGUMENTS (__VA_ARGS__))

#define SW_NOTE_END(span, error)              \
  G_STMT_START                                \
  {                                           \
    if (G_UNLIKELY ((span).token != 0))       \
      sw_note_end ((span).token, (error));    \
  }                                           \
  G_STMT_END

G_END_DECLS
