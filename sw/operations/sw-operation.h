/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

#define SW_TYPE_OPERATION (sw_operation_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_DERIVABLE_TYPE (SwOperation, sw_operation, SW, OPERATION, GObject)

/**
 * SwOperationClass:
 * @compute: computes a fresh tensor from @inputs; runs inside the profiled boundary
 *
 * What an operation of one's own implements.
 */
struct _SwOperationClass
{
  GObjectClass parent_class;

  /*< public >*/
  SwTensor *(*compute) (SwOperation *self,
                        SwValueList *inputs,
                        SwExecutionOptions *options,
                        GError **error);

  /*< private >*/
  gconstpointer implementation;
  gpointer padding[8];
};

SW_AVAILABLE_IN_0_1
SwTensor *sw_operation_forward (SwOperation *self,
                                SwValueList *inputs,
                                SwExecutionOptions *options,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_operation_lower (SwOperation *self,
                              SwValueList *inputs,
                              SwExecutionOptions *options,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
const char *sw_operation_get_dispatch_name (SwOperation *self);
SW_AVAILABLE_IN_0_1
GType sw_operation_get_carrier_type (SwOperation *self);
SW_AVAILABLE_IN_0_1
char *sw_operation_dup_kernel (SwOperation *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char **sw_operation_dup_kernel_rejections (SwOperation *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
