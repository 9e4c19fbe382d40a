/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

#include "sw/base/sw-note-private.h"
#include "sw/base/sw-thread-private.h"

G_BEGIN_DECLS

/* Which of several ways to compute an operation was taken, and why better ones were not. Kernels say so only where somebody
 * wants to know, which a pointer of the thread tells; what they say are literals and numbers, of which text is made when
 * it is asked for. */

#define SW_KERNEL_MAX_REJECTIONS 5

typedef struct
{
  const char *candidate;
  const char *reason;
  gint64 number; /* which ends the reason; negative: none */
} SwKernelRejection;

typedef struct
{
  const char *variant; /* NULL: nothing was said */
  const char *prefix;  /* nullable: instructions or library */
  const char *detail;  /* nullable */
  gint64 n_pieces;
  guint n_threads; /* at most */
  guint n_rejections;
  SwKernelRejection rejections[SW_KERNEL_MAX_REJECTIONS];
} SwKernelChoice;

/* Where the kernel that runs on this thread may say what was chosen; NULL: nobody wants to know. */
static inline SwKernelChoice *
sw_kernel_choice_get (void)
{
  return sw_thread.kernel_choice;
}

/* From now on kernels of this thread tell @self; returns whom they told before, for sw_kernel_choice_end (). */
gpointer sw_kernel_choice_begin (SwKernelChoice *self);
void sw_kernel_choice_end (gpointer before);

/* For kernels. What was said before counts no more: the last kernel of an operation is its own. */
void sw_kernel_choice_set (SwKernelChoice *self,
                           const char *prefix,
                           const char *variant);
/* A reason for the same candidate replaces the one before. */
void sw_kernel_choice_reject (SwKernelChoice *self,
                              const char *candidate,
                              const char *reason,
                              gint64 number);
gboolean sw_kernel_choice_has_rejected (const SwKernelChoice *self,
                                        const char *candidate);

/* NULL where nothing was said. */
char *sw_kernel_choice_dup_text (const SwKernelChoice *self) G_GNUC_WARN_UNUSED_RESULT;
char **sw_kernel_choice_dup_rejections (const SwKernelChoice *self) G_GNUC_WARN_UNUSED_RESULT;

/* Whether anybody but the operation itself wants to know. Relaxed: as sw_gate_is_open (). */
static inline gboolean
sw_kernel_choice_is_wanted (void)
{
  return G_UNLIKELY ((__atomic_load_n (&sw_gate, __ATOMIC_RELAXED) & (SW_GATE_KERNELS | SW_GATE_NOTES (SW_NOTE_DECISIONS))) != 0);
}

/* Told of each choice, on the thread and in the operation that made it, as it is: making text of it costs more than many
 * operations do. May not run operations. NULL: nobody from now on, but who is just being told. */
typedef void (*SwKernelObserver) (const SwKernelChoice *choice,
                                  const char *operation,
                                  GType carrier);
void sw_kernel_choice_observe (SwKernelObserver observer);

/* Tells the observer, and says the note "kernel.selected" to whoever listens, where something was said. @operation lives
 * as long as the process. @carrier: may be invalid. */
void sw_kernel_choice_say (const SwKernelChoice *self,
                           const char *operation,
                           GType carrier);

G_END_DECLS
