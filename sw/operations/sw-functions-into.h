/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
gboolean sw_compute_into (SwTensor *out,
                          const char *name,
                          SwValueList *inputs,
                          GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_unary_into (SwTensor *out,
                        const char *name,
                        SwTensor *input,
                        GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_binary_into (SwTensor *out,
                         const char *name,
                         SwTensor *lhs,
                         SwTensor *rhs,
                         GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_binary_scalar_into (SwTensor *out,
                                const char *name,
                                SwTensor *lhs,
                                double rhs,
                                GError **error);

G_END_DECLS
