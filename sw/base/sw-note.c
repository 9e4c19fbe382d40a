/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-note-private.h"

#include "sw/base/sw-error.h"

static const SwNoteObserver *observer;

void
sw_note_observe (const SwNoteObserver *new_observer,
                 guint level)
{
  /* Release: before the gate opens, and always the same constant. */
  __atomic_store_n (&observer, new_observer, __ATOMIC_RELEASE);
  sw_gate_set_notes (level);
}

static const SwNoteObserver *
get_observer (void)
{
  /* Acquire: see sw_note_observe (). The gate is no order: who was just let through it may find none yet. */
  return __atomic_load_n (&observer, __ATOMIC_ACQUIRE);
}

void
sw_note_say (SwNote *note,
             const SwNoteArgument *arguments,
             gsize n_arguments)
{
  const SwNoteObserver *listener = get_observer ();

  if (listener != NULL)
    listener->say (note, arguments, n_arguments);
}

void
sw_note_count (SwNote *note,
               gint64 value)
{
  const SwNoteObserver *listener = get_observer ();

  if (listener != NULL)
    listener->count (note, value);
}

guint64
sw_note_begin (SwNote *note,
               const SwNoteArgument *arguments,
               gsize n_arguments)
{
  const SwNoteObserver *listener = get_observer ();

  return listener != NULL ? listener->begin (note, arguments, n_arguments) : 0;
}

static const char *
get_code_name (const GError *error)
{
  static const char *const names[] = {
    [SW_ERROR_FAILED] = "failed",
    [SW_ERROR_TYPE] = "type",
    [SW_ERROR_VALUE] = "value",
    [SW_ERROR_STATE] = "state",
    [SW_ERROR_INDEX] = "index",
    [SW_ERROR_NOT_IMPLEMENTED] = "not-implemented",
    [SW_ERROR_UNSUPPORTED] = "unsupported",
    [SW_ERROR_IO] = "io",
    [SW_ERROR_FOREIGN] = "foreign",
  };

  if (error->domain == SW_ERROR && error->code >= 0 && (gsize) error->code < G_N_ELEMENTS (names))
    return names[error->code];
  return g_quark_to_string (error->domain);
}

/* Messages about values may name one, and what others write may hold anything. */
static const char *
get_message (const GError *error)
{
  if (error->domain != SW_ERROR)
    return NULL;
  switch (error->code)
    {
    case SW_ERROR_STATE:
    case SW_ERROR_NOT_IMPLEMENTED:
    case SW_ERROR_UNSUPPORTED:
    case SW_ERROR_IO:
      return error->message;
    default:
      return NULL;
    }
}

gsize
sw_note_describe_error (const GError *error,
                        SwNoteArgument *arguments)
{
  if (error == NULL)
    return 0;
  arguments[0] = SW_NOTE_BOOLEAN ("failed", TRUE);
  arguments[1] = SW_NOTE_TEXT ("error", get_code_name (error));
  arguments[2] = SW_NOTE_TEXT ("reason", get_message (error));
  return SW_NOTE_N_ERROR_ARGUMENTS;
}

void
sw_note_end (guint64 token,
             const GError *error)
{
  SwNoteArgument failed[SW_NOTE_N_ERROR_ARGUMENTS];
  gsize n = sw_note_describe_error (error, failed);

  /* Whoever got a token got it from the observer. */
  get_observer ()->end (token, failed, n);
}
