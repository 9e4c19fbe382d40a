/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_VALUE (sw_value_get_type ())

/**
 * SwValueKind:
 * @SW_VALUE_NONE: no value
 * @SW_VALUE_BOOL: true or false
 * @SW_VALUE_INT64: an integer
 * @SW_VALUE_DOUBLE: a real number
 * @SW_VALUE_TENSOR: a [struct@Strideweave.Tensor]
 * @SW_VALUE_SHAPE: a [struct@Strideweave.Shape]
 * @SW_VALUE_INDICES: a list of integers, such as the modes to reduce
 * @SW_VALUE_OBJECT: anything else, as a [struct@GObject.Value]
 *
 * What a [struct@Strideweave.Value] holds.
 */
typedef enum {
  SW_VALUE_NONE,
  SW_VALUE_BOOL,
  SW_VALUE_INT64,
  SW_VALUE_DOUBLE,
  SW_VALUE_TENSOR,
  SW_VALUE_SHAPE,
  SW_VALUE_INDICES,
  SW_VALUE_OBJECT,
} SwValueKind;

SW_AVAILABLE_IN_0_1
GType sw_value_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_none (void) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_bool (gboolean value) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_int64 (gint64 value) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_double (double value) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_tensor (SwTensor *tensor) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_shape (SwShape *shape) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_indices (const gint64 *indices,
                               gsize n_indices) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_object (const GValue *object) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_new_foreign_object (const GValue *object,
                                      const char *type_name) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValue *sw_value_ref (SwValue *self);
SW_AVAILABLE_IN_0_1
void sw_value_unref (SwValue *self);

SW_AVAILABLE_IN_0_1
SwValueKind sw_value_get_kind (SwValue *self);
SW_AVAILABLE_IN_0_1
gboolean sw_value_get_bool (SwValue *self);
SW_AVAILABLE_IN_0_1
gint64 sw_value_get_int64 (SwValue *self);
SW_AVAILABLE_IN_0_1
double sw_value_get_double (SwValue *self);
SW_AVAILABLE_IN_0_1
SwTensor *sw_value_get_tensor (SwValue *self);
SW_AVAILABLE_IN_0_1
SwShape *sw_value_get_shape (SwValue *self);
SW_AVAILABLE_IN_0_1
gint64 *sw_value_dup_indices (SwValue *self,
                              gsize *n_indices) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
const GValue *sw_value_get_object (SwValue *self);

SW_AVAILABLE_IN_0_1
gboolean sw_value_equal (SwValue *self,
                         SwValue *other);
SW_AVAILABLE_IN_0_1
char *sw_value_to_string (SwValue *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwValue, sw_value_unref)

G_END_DECLS
