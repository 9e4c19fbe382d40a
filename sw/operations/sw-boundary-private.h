/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-thread-private.h"
#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

/* The profiled computation boundary: entered after options and structural preflight, left after the result is known
 * to be a tensor. Its frame lives on the C stack of the function that executes the operation, so a failure has
 * nothing to unwind, and it holds no reference to anything.
 *
 *   if (!sw_gate_is_open ())
 *     return compute (...);
 *   info = ...;
 *   observed = sw_boundary_enter (&boundary, &info);
 *   result = compute (...);
 *   if (observed)
 *     sw_boundary_leave (&boundary, result != NULL);
 */

/* What recorders may want to know of an execution; borrowed, and built behind the gate only. */
typedef struct
{
  const char *name; /* interned */
  GType carrier_type;
  GType implementation_type;
  const SwOperand *operands;
  guint n_operands;
} SwBoundaryInfo;

#define SW_BOUNDARY_NO_ROW G_MAXUINT32

/* One recorder's part of a frame. */
typedef struct
{
  guint64 session; /* which recording the rest belongs to */
  guint64 start_ticks;
  guint64 hidden_ticks; /* time of immediate children that have no row */
  guint32 row;          /* the frame's own row, or SW_BOUNDARY_NO_ROW */
  guint32 ancestor;     /* the nearest enclosing frame's row, or SW_BOUNDARY_NO_ROW */
} SwBoundarySlot;

typedef struct _SwBoundary SwBoundary;

struct _SwBoundary
{
  SwBoundary *enclosing;
  SwThread *thread;
  guint observers;                      /* one bit for each kind that saw the boundary begin */
  SwBoundarySlot slots[SW_N_RECORDERS]; /* only those of the observers are set */
};

/* How a kind of recorder follows boundaries. @enclosing is NULL in a frame that is outermost for this kind. */
typedef struct
{
  /* NULL, or what makes a recorder for a thread that has none and comes to a boundary while a recorder of this kind is
   * active; may return NULL. */
  gpointer (*join) (void);
  /* FALSE: the recorder does not follow this frame. */
  gboolean (*enter) (gpointer recorder,
                     SwBoundarySlot *slot,
                     const SwBoundarySlot *enclosing,
                     const SwBoundaryInfo *info);
  void (*leave) (gpointer recorder,
                 SwBoundarySlot *slot,
                 SwBoundarySlot *enclosing,
                 gboolean succeeded);
} SwBoundaryObserver;

/* The part of the enclosing frame that a kind has in it. */
static inline SwBoundarySlot *
sw_boundary_get_enclosing_slot (SwBoundary *self,
                                guint kind)
{
  SwBoundary *enclosing = self->enclosing;

  return enclosing != NULL && (enclosing->observers & (1u << kind)) != 0 ? &enclosing->slots[kind] : NULL;
}

/* To be called before the first recorder of @kind opens the gate; always with the same @observer. */
void
sw_boundary_set_observer (SwRecorderKind kind,
                          const SwBoundaryObserver *observer);

/* TRUE: sw_boundary_leave () must follow, on the same thread. */
gboolean
sw_boundary_enter (SwBoundary *self,
                   const SwBoundaryInfo *info);
void
sw_boundary_leave (SwBoundary *self,
                   gboolean succeeded);

G_END_DECLS
