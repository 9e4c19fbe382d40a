/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* One top-level mode of a layout: its part of the shape's tokens, and its leaves. */
typedef struct
{
  const gint64 *tokens;
  guint n_tokens;
  guint first_leaf;
  guint n_leaves;
  gint64 size;
} SwMode;

/* All top-level modes, for which there is room. */
void
sw_modes_init (SwMode *modes,
               SwLayout *layout);
/* The same; free with g_free(). */
SwMode *
sw_modes_new (SwLayout *layout) G_GNUC_WARN_UNUSED_RESULT;
gboolean
sw_mode_same_shape (const SwMode *a,
                    const SwMode *b);
SwAxis
sw_mode_get_axis (const SwMode *self,
                  SwLayout *layout);
/* "(3, 4)", or "5" */
char *
sw_mode_to_string (const SwMode *self) G_GNUC_WARN_UNUSED_RESULT;

/* The compact layout whose modes have the shapes of @modes, first mode fastest. */
SwLayout *
sw_modes_build_layout (const SwMode *const *modes,
                       guint n_modes,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Marks the modes that an operand names, as a list or as one integer, in an array of one flag for each of the @rank
 * modes. Fails with TYPE for another operand, with VALUE for a mode out of range or named twice. */
gboolean
sw_modes_mark (const SwOperand *operand,
               const char *argument,
               guint rank,
               gboolean *marks,
               GError **error);

G_END_DECLS
