/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* The leaves of a layout in two parts: those of the modes that stay, and those of the modes that an operation runs along. */
typedef struct
{
  SwLayoutLeaf *leaves;
  SwAxis kept;
  SwAxis along;
} SwSplit;

void
sw_split_init (SwSplit *self,
               SwLayout *layout,
               const gboolean *is_along);
void
sw_split_clear (SwSplit *self);

/* One flag for each mode of the first operand: whether the operand at @index names it; all of them where there is no such
 * operand, or None. NULL with an error when it names what it cannot. */
gboolean *
sw_split_mark_modes (const SwCall *call,
                     guint index,
                     const char *argument,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The compact layout of the modes of @layout whose flag is @flag. */
SwLayout *
sw_split_build_layout (SwLayout *layout,
                       const gboolean *flags,
                       gboolean flag,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* VALUE error when the operand at @index is a list, but not of one mode: an order within several modes would mean
 * nothing. */
gboolean
sw_split_check_one_mode (const SwCall *call,
                         guint index,
                         GError **error);

/* Reduces the first operand over the modes that the second one names, over all of them without a second operand.
 * @input is the first operand, held; @dtype is the result's. */
SwTensor *
sw_reduction_compute (const SwCall *call,
                      const SwView *input,
                      const char *modes_argument,
                      SwDType dtype,
                      SwDType accumulator,
                      GError **error);

G_END_DECLS
