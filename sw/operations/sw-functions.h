/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_call_operation (const char *name,
                             SwValueList *inputs,
                             SwExecutionOptions *options,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char **sw_list_operations (void) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_add (SwTensor *lhs,
                  SwTensor *rhs,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_add_scalar (SwTensor *lhs,
                         double rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_sub (SwTensor *lhs,
                  SwTensor *rhs,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_sub_scalar (SwTensor *lhs,
                         double rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_mul (SwTensor *lhs,
                  SwTensor *rhs,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_mul_scalar (SwTensor *lhs,
                         double rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_elementwise_mul (SwTensor *lhs,
                              SwTensor *rhs,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_div (SwTensor *lhs,
                  SwTensor *rhs,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_div_scalar (SwTensor *lhs,
                         double rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_neg (SwTensor *input,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_exp (SwTensor *input,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_relu (SwTensor *input,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_maximum (SwTensor *lhs,
                      SwTensor *rhs,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_maximum_scalar (SwTensor *lhs,
                             double rhs,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_matmul (SwTensor *lhs,
                     SwTensor *rhs,
                     SwExecutionOptions *options,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_sum (SwTensor *input,
                         SwExecutionOptions *options,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_sum_modes (SwTensor *input,
                               const gint64 *modes,
                               gsize n_modes,
                               SwExecutionOptions *options,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_max (SwTensor *input,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_max_modes (SwTensor *input,
                               const gint64 *modes,
                               gsize n_modes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmax (SwTensor *input,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmax_mode (SwTensor *input,
                          gint64 mode,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_broadcast_to (SwTensor *input,
                           SwShape *shape,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_permute (SwTensor *input,
                      const gint64 *order,
                      gsize n_order,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reshape (SwTensor *input,
                      SwShape *shape,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
