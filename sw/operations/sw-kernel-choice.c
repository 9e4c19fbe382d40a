/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-kernel-choice-private.h"

#include <string.h>

static SwKernelObserver observer; /* atomic */

gpointer
sw_kernel_choice_begin (SwKernelChoice *self)
{
  gpointer before = sw_thread.kernel_choice;

  self->variant = NULL;
  self->n_rejections = 0;
  sw_thread.kernel_choice = self;
  return before;
}

void
sw_kernel_choice_end (gpointer before)
{
  sw_thread.kernel_choice = before;
}

void
sw_kernel_choice_set (SwKernelChoice *self,
                      const char *prefix,
                      const char *variant)
{
  self->variant = variant;
  self->prefix = prefix;
  self->detail = NULL;
  self->n_pieces = 1;
  self->n_threads = 1;
  self->n_rejections = 0;
}

void
sw_kernel_choice_reject (SwKernelChoice *self,
                         const char *candidate,
                         const char *reason,
                         gint64 number)
{
  guint i = 0;

  while (i < self->n_rejections && strcmp (self->rejections[i].candidate, candidate) != 0)
    i++;
  if (i == SW_KERNEL_MAX_REJECTIONS)
    return;
  self->rejections[i] = (SwKernelRejection){ candidate, reason, number };
  self->n_rejections = MAX (self->n_rejections, i + 1);
}

gboolean
sw_kernel_choice_has_rejected (const SwKernelChoice *self,
                               const char *candidate)
{
  for (guint i = 0; i < self->n_rejections; i++)
    {
      if (strcmp (self->rejections[i].candidate, candidate) == 0)
        return TRUE;
    }
  return FALSE;
}

static char *
dup_variant (const SwKernelChoice *self)
{
  return g_strconcat (self->prefix != NULL ? self->prefix : "", self->prefix != NULL ? " " : "", self->variant,
                      self->detail != NULL ? ", " : "", self->detail, NULL);
}

char *
sw_kernel_choice_dup_text (const SwKernelChoice *self)
{
  g_autofree char *variant = NULL;

  if (self->variant == NULL)
    return NULL;
  variant = dup_variant (self);
  if (self->n_pieces > 1)
    return g_strdup_printf ("%s, %" G_GINT64_FORMAT " pieces, %u thread%s", variant, self->n_pieces, self->n_threads,
                            self->n_threads == 1 ? "" : "s");
  if (self->n_threads > 1)
    return g_strdup_printf ("%s, %u threads", variant, self->n_threads);
  return g_steal_pointer (&variant);
}

static char *
dup_reason (const SwKernelRejection *rejection)
{
  if (rejection->number < 0)
    return g_strdup (rejection->reason);
  return g_strdup_printf ("%s %" G_GINT64_FORMAT, rejection->reason, rejection->number);
}

char **
sw_kernel_choice_dup_rejections (const SwKernelChoice *self)
{
  char **rejections;

  if (self->variant == NULL)
    return NULL;
  rejections = g_new0 (char *, self->n_rejections + 1);
  for (guint i = 0; i < self->n_rejections; i++)
    {
      g_autofree char *reason = dup_reason (&self->rejections[i]);

      rejections[i] = g_strconcat (self->rejections[i].candidate, ": ", reason, NULL);
    }
  return rejections;
}

static void
say_note (const SwKernelChoice *self,
          const char *operation,
          GType carrier)
{
  static SwNote note = { "kernel", "kernel.selected", SW_NOTE_DECISIONS, 0 };
  static const char *const candidate_keys[] = { "rejected_0", "rejected_1", "rejected_2", "rejected_3", "rejected_4" };
  static const char *const reason_keys[] = { "reason_0", "reason_1", "reason_2", "reason_3", "reason_4" };
  SwNoteArgument arguments[5 + 2 * SW_KERNEL_MAX_REJECTIONS];
  char *reasons[SW_KERNEL_MAX_REJECTIONS];
  g_autofree char *variant = NULL;
  gsize n = 0;

  G_STATIC_ASSERT (G_N_ELEMENTS (candidate_keys) == SW_KERNEL_MAX_REJECTIONS);
  G_STATIC_ASSERT (G_N_ELEMENTS (reason_keys) == SW_KERNEL_MAX_REJECTIONS);

  variant = dup_variant (self);
  arguments[n++] = SW_NOTE_TEXT ("operation", operation);
  arguments[n++] = SW_NOTE_TYPE ("carrier", carrier);
  arguments[n++] = SW_NOTE_TEXT ("variant", variant);
  arguments[n++] = SW_NOTE_INT64 ("pieces", self->n_pieces);
  arguments[n++] = SW_NOTE_INT64 ("threads", self->n_threads);
  for (guint i = 0; i < self->n_rejections; i++)
    {
      reasons[i] = dup_reason (&self->rejections[i]);
      arguments[n++] = SW_NOTE_TEXT (candidate_keys[i], self->rejections[i].candidate);
      arguments[n++] = SW_NOTE_TEXT (reason_keys[i], reasons[i]);
    }
  sw_note_say (&note, arguments, n);
  for (guint i = 0; i < self->n_rejections; i++)
    g_free (reasons[i]);
}

void
sw_kernel_choice_observe (SwKernelObserver new_observer)
{
  /* Release: what it works with is there before. */
  __atomic_store_n (&observer, new_observer, __ATOMIC_RELEASE);
  sw_gate_set_kernels (new_observer != NULL);
}

void
sw_kernel_choice_say (const SwKernelChoice *self,
                      const char *operation,
                      GType carrier)
{
  /* Acquire: see sw_kernel_choice_observe (). */
  SwKernelObserver told = __atomic_load_n (&observer, __ATOMIC_ACQUIRE);

  if (self->variant == NULL)
    return;
  if (told != NULL)
    told (self, operation, carrier);
  if (sw_note_is_wanted (SW_NOTE_DECISIONS))
    say_note (self, operation, carrier);
}
