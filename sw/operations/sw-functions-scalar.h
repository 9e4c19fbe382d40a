/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_sub (double lhs,
                         SwTensor *rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_div (double lhs,
                         SwTensor *rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_pow (double lhs,
                         SwTensor *rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_rem (double lhs,
                         SwTensor *rhs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_lt (double lhs,
                        SwTensor *rhs,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_le (double lhs,
                        SwTensor *rhs,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scalar_binary (const char *name,
                            SwValue *lhs,
                            SwTensor *rhs,
                            SwExecutionOptions *options,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_scalar_binary_into (SwTensor *out,
                                const char *name,
                                double lhs,
                                SwTensor *rhs,
                                GError **error);

G_END_DECLS
