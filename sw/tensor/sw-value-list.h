/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_VALUE_LIST (sw_value_list_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_value_list_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwValueList *sw_value_list_new (SwValue **values,
                                gsize n_values) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValueList *sw_value_list_new_doubles (const double *values,
                                        gsize n_values) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValueList *sw_value_list_new_int64s (const gint64 *values,
                                       gsize n_values) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValueList *sw_value_list_new_tensors (SwTensor **tensors,
                                        gsize n_tensors) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwValueList *sw_value_list_ref (SwValueList *self);
SW_AVAILABLE_IN_0_1
void sw_value_list_unref (SwValueList *self);

SW_AVAILABLE_IN_0_1
gsize sw_value_list_get_length (SwValueList *self);
SW_AVAILABLE_IN_0_1
SwValue *sw_value_list_dup_value (SwValueList *self,
                                  gsize index,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_value_list_dup_tensor (SwValueList *self,
                                    gsize index,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwValueList, sw_value_list_unref)

G_END_DECLS
