/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-inputs-private.h"

G_BEGIN_DECLS

/* A tensor among the inputs of a call, whose storage is held, and which may be brought to another dtype. All zero: there is
 * none. */
typedef struct
{
  SwTensor *tensor; /* borrowed; NULL where there is none */
  SwTensor *converted;
  SwView view;
} SwHeld;

gboolean
sw_held_init (SwHeld *self,
              const SwCall *call,
              guint index,
              const char *argument,
              GError **error);
void
sw_held_clear (SwHeld *self);

/* Does nothing where there is no tensor, or it has that dtype already. */
gboolean
sw_held_convert (SwHeld *self,
                 SwDType dtype,
                 GError **error);

/* What the view is of. */
static inline SwTensor *
sw_held_get_tensor (const SwHeld *self)
{
  return self->converted != NULL ? self->converted : self->tensor;
}

G_END_DECLS
