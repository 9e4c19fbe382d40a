/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_SHAPE (sw_shape_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_shape_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwShape *sw_shape_new (const gint64 *extents,
                       gsize n_extents,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwShape *sw_shape_new_from_tokens (const gint64 *tokens,
                                   gsize n_tokens,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwShape *sw_shape_new_from_string (const char *text,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwShape *sw_shape_ref (SwShape *self);
SW_AVAILABLE_IN_0_1
void sw_shape_unref (SwShape *self);

SW_AVAILABLE_IN_0_1
gint64 sw_shape_get_size (SwShape *self);
SW_AVAILABLE_IN_0_1
guint sw_shape_get_rank (SwShape *self);
SW_AVAILABLE_IN_0_1
guint sw_shape_get_depth (SwShape *self);
SW_AVAILABLE_IN_0_1
guint sw_shape_get_n_leaves (SwShape *self);
SW_AVAILABLE_IN_0_1
gboolean sw_shape_is_leaf (SwShape *self,
                           guint mode);
SW_AVAILABLE_IN_0_1
gint64 sw_shape_get_extent (SwShape *self,
                            guint mode);
SW_AVAILABLE_IN_0_1
SwShape *sw_shape_dup_mode (SwShape *self,
                            guint mode,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 *sw_shape_dup_tokens (SwShape *self,
                             gsize *n_tokens) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 *sw_shape_dup_leaves (SwShape *self,
                             gsize *n_leaves) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gint64 *sw_shape_decode (SwShape *self,
                         gint64 ordinal,
                         gsize *n_tokens,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 sw_shape_encode (SwShape *self,
                        const gint64 *tokens,
                        gsize n_tokens,
                        GError **error);

SW_AVAILABLE_IN_0_1
gboolean sw_shape_equal (SwShape *self,
                         SwShape *other);
SW_AVAILABLE_IN_0_1
guint sw_shape_hash (SwShape *self);
SW_AVAILABLE_IN_0_1
int sw_shape_compare (SwShape *self,
                      SwShape *other);
SW_AVAILABLE_IN_0_1
char *sw_shape_to_string (SwShape *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwShape, sw_shape_unref)

G_END_DECLS
