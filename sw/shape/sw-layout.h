/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_LAYOUT (sw_layout_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_layout_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_new (SwShape *shape,
                         SwStride *stride,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_new_compact (SwShape *shape) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_new_row_major (SwShape *shape) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_ref (SwLayout *self);
SW_AVAILABLE_IN_0_1
void sw_layout_unref (SwLayout *self);

SW_AVAILABLE_IN_0_1
SwShape *sw_layout_get_shape (SwLayout *self);
SW_AVAILABLE_IN_0_1
SwStride *sw_layout_get_stride (SwLayout *self);
SW_AVAILABLE_IN_0_1
gint64 sw_layout_get_size (SwLayout *self);
SW_AVAILABLE_IN_0_1
gint64 sw_layout_get_cosize (SwLayout *self);
SW_AVAILABLE_IN_0_1
gboolean sw_layout_is_injective (SwLayout *self);
SW_AVAILABLE_IN_0_1
gboolean sw_layout_is_compact (SwLayout *self);

SW_AVAILABLE_IN_0_1
gint64 sw_layout_get_index (SwLayout *self,
                            const gint64 *tokens,
                            gsize n_tokens,
                            GError **error);
SW_AVAILABLE_IN_0_1
gint64 sw_layout_get_index_at (SwLayout *self,
                               gint64 ordinal,
                               GError **error);

SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_dup_mode (SwLayout *self,
                              guint mode,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_broadcast_to (SwLayout *self,
                                  SwShape *target,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_permute (SwLayout *self,
                             const gint64 *order,
                             gsize n_order,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_concat (SwLayout *self,
                            SwLayout *other,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_append (SwLayout *self,
                            SwLayout *other,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_compose (SwLayout *self,
                             SwLayout *inner,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwLayout *sw_layout_reshape (SwLayout *self,
                             SwShape *shape,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gboolean sw_layout_equal (SwLayout *self,
                          SwLayout *other);
SW_AVAILABLE_IN_0_1
guint sw_layout_hash (SwLayout *self);
SW_AVAILABLE_IN_0_1
char *sw_layout_to_string (SwLayout *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwLayout, sw_layout_unref)

G_END_DECLS
