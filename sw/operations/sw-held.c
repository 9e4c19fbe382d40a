/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-held-private.h"

gboolean
sw_held_init (SwHeld *self,
              const SwCall *call,
              guint index,
              const char *argument,
              GError **error)
{
  SwTensor *tensor = sw_inputs_get_tensor (call, index, argument, error);

  if (tensor == NULL || !sw_view_hold (&self->view, tensor, argument, error))
    return FALSE;
  self->tensor = tensor;
  return TRUE;
}

void
sw_held_clear (SwHeld *self)
{
  g_clear_pointer (&self->converted, sw_tensor_unref);
  if (self->tensor != NULL)
    sw_view_drop (self->tensor);
  self->tensor = NULL;
}

gboolean
sw_held_convert (SwHeld *self,
                 SwDType dtype,
                 GError **error)
{
  return self->tensor == NULL || sw_view_convert (&self->view, self->tensor, dtype, &self->converted, error);
}
