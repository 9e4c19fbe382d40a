/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>
#include <sw/tensor/sw-dtype.h>

G_BEGIN_DECLS

#define SW_TYPE_TENSOR (sw_tensor_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_tensor_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwTensor *sw_tensor_new (SwCarrier *carrier,
                         gint64 offset,
                         SwLayout *layout,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_tensor_ref (SwTensor *self);
SW_AVAILABLE_IN_0_1
void sw_tensor_unref (SwTensor *self);

SW_AVAILABLE_IN_0_1
SwCarrier *sw_tensor_get_carrier (SwTensor *self);
SW_AVAILABLE_IN_0_1
GType sw_tensor_get_carrier_type (SwTensor *self);
SW_AVAILABLE_IN_0_1
gint64 sw_tensor_get_offset (SwTensor *self);
SW_AVAILABLE_IN_0_1
SwLayout *sw_tensor_get_layout (SwTensor *self);
SW_AVAILABLE_IN_0_1
SwShape *sw_tensor_get_shape (SwTensor *self);
SW_AVAILABLE_IN_0_1
gint64 sw_tensor_get_size (SwTensor *self);
SW_AVAILABLE_IN_0_1
SwDType sw_tensor_get_dtype (SwTensor *self);

SW_AVAILABLE_IN_0_1
SwValue *sw_tensor_get_value (SwTensor *self,
                              const gint64 *tokens,
                              gsize n_tokens,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_tensor_set_value (SwTensor *self,
                              const gint64 *tokens,
                              gsize n_tokens,
                              SwValue *value,
                              GError **error);
SW_AVAILABLE_IN_0_1
GBytes *sw_tensor_dup_bytes (SwTensor *self,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_tensor_dup_values_text (SwTensor *self,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_tensor_to_string (SwTensor *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTensor, sw_tensor_unref)

G_END_DECLS
