/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_STRIDE (sw_stride_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_stride_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwStride *sw_stride_new (const gint64 *strides,
                         gsize n_strides,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwStride *sw_stride_new_from_tokens (const gint64 *tokens,
                                     gsize n_tokens,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwStride *sw_stride_new_from_string (const char *text,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwStride *sw_stride_ref (SwStride *self);
SW_AVAILABLE_IN_0_1
void sw_stride_unref (SwStride *self);

SW_AVAILABLE_IN_0_1
guint sw_stride_get_rank (SwStride *self);
SW_AVAILABLE_IN_0_1
guint sw_stride_get_depth (SwStride *self);
SW_AVAILABLE_IN_0_1
guint sw_stride_get_n_leaves (SwStride *self);
SW_AVAILABLE_IN_0_1
gboolean sw_stride_is_leaf (SwStride *self,
                            guint mode);
SW_AVAILABLE_IN_0_1
gint64 sw_stride_get_step (SwStride *self,
                           guint mode);
SW_AVAILABLE_IN_0_1
SwStride *sw_stride_dup_mode (SwStride *self,
                              guint mode,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 *sw_stride_dup_tokens (SwStride *self,
                              gsize *n_tokens) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 *sw_stride_dup_leaves (SwStride *self,
                              gsize *n_leaves) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gboolean sw_stride_equal (SwStride *self,
                          SwStride *other);
SW_AVAILABLE_IN_0_1
guint sw_stride_hash (SwStride *self);
SW_AVAILABLE_IN_0_1
char *sw_stride_to_string (SwStride *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwStride, sw_stride_unref)

G_END_DECLS
