/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_INPUT_SHAPES (sw_input_shapes_get_type ())

typedef struct _SwInputShapes SwInputShapes;

SW_AVAILABLE_IN_0_1
GType sw_input_shapes_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwInputShapes *sw_input_shapes_new (SwShape **shapes,
                                    gsize n_shapes) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwInputShapes *sw_input_shapes_new_from_tokens (const gint64 *tokens,
                                                gsize n_tokens,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwInputShapes *sw_input_shapes_ref (SwInputShapes *self);
SW_AVAILABLE_IN_0_1
void sw_input_shapes_unref (SwInputShapes *self);

SW_AVAILABLE_IN_0_1
guint sw_input_shapes_get_length (SwInputShapes *self);
SW_AVAILABLE_IN_0_1
SwShape *sw_input_shapes_get_shape (SwInputShapes *self,
                                    guint position);
SW_AVAILABLE_IN_0_1
gint64 *sw_input_shapes_dup_tokens (SwInputShapes *self,
                                    gsize *n_tokens) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_input_shapes_equal (SwInputShapes *self,
                                SwInputShapes *other);
SW_AVAILABLE_IN_0_1
guint sw_input_shapes_hash (SwInputShapes *self);
SW_AVAILABLE_IN_0_1
char *sw_input_shapes_to_string (SwInputShapes *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwInputShapes, sw_input_shapes_unref)

G_END_DECLS
