/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-choice-private.h"
#include "sw/operations/sw-kernel-private.h"
#include "sw/tensor/sw-tensor-private.h"

G_BEGIN_DECLS

/* TYPE error when the call has fewer than @min or more than @max inputs. */
gboolean
sw_inputs_check_count (const SwCall *call,
                       guint min,
                       guint max,
                       GError **error);

/* Whether the implementation that is called is that of the carrier's class. */
gboolean
sw_inputs_is_implemented_by (const SwCall *call,
                             SwCarrier *carrier);

/* The tensor of one input, borrowed. TYPE error when it is something else, UNSUPPORTED error when it lies on a carrier
 * that the call's implementation is not for. */
SwTensor *
sw_inputs_get_tensor (const SwCall *call,
                      guint index,
                      const char *argument,
                      GError **error);

/* Holds the tensor's storage in place until sw_view_drop (). STATE error when it is released. */
gboolean
sw_view_hold (SwView *self,
              SwTensor *tensor,
              const char *argument,
              GError **error);

static inline void
sw_view_drop (SwTensor *tensor)
{
  sw_carrier_drop (tensor->carrier);
}

/* A fresh tensor on the same kind of carrier as @like, and a view of it. Takes @layout, which must be compact. */
SwTensor *
sw_view_allocate (SwView *self,
                  SwTensor *like,
                  SwLayout *layout,
                  SwDType dtype,
                  GError **error);

/* Brings a held view to another dtype, in fresh storage of which the temporary tensor is the owner. Where the view has
 * that dtype already, nothing happens and *@temporary is NULL. */
gboolean
sw_view_convert (SwView *self,
                 SwTensor *tensor,
                 SwDType dtype,
                 SwTensor **temporary,
                 GError **error);

/* Whether a result has no values. Nothing is run to make it then: kernels need not think of empty modes. */
static inline gboolean
sw_view_is_empty (const SwView *result)
{
  SwKernelChoice *choice;

  if (G_LIKELY (result->axis.size > 0))
    return FALSE;

  choice = sw_kernel_choice_get ();
  if (choice != NULL)
    sw_kernel_choice_set (choice, NULL, "no values");
  return TRUE;
}

/* Writes one number to all values of a result on @carrier: what an operation makes of no values at all. */
gboolean
sw_view_fill (const SwView *result,
              SwCarrier *carrier,
              gint64 number,
              GError **error);

/* VALUE error naming both shapes where they differ. */
gboolean
sw_inputs_check_same_shape (SwTensor *tensor,
                            const char *argument,
                            SwTensor *other,
                            const char *other_argument,
                            GError **error);

G_END_DECLS
