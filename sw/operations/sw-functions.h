/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>
#include <sw/operations/sw-functions-elementwise.h>
#include <sw/operations/sw-functions-into.h>
#include <sw/operations/sw-functions-reduce.h>
#include <sw/operations/sw-functions-scalar.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_call_operation (const char *name,
                             SwValueList *inputs,
                             SwExecutionOptions *options,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char **sw_list_operations (void) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_matmul (SwTensor *lhs,
                     SwTensor *rhs,
                     SwExecutionOptions *options,
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
SW_AVAILABLE_IN_0_1
SwTensor *sw_view (SwTensor *input,
                   SwShape *shape,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_rearrange (SwTensor *input,
                        const char *pattern,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_squeeze (SwTensor *input,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_squeeze_modes (SwTensor *input,
                            const gint64 *modes,
                            gsize n_modes,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_unsqueeze (SwTensor *input,
                        gint64 mode,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_as_strided (SwTensor *input,
                         SwLayout *layout,
                         gint64 offset,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_gather (SwTensor *input,
                     gint64 mode,
                     SwTensor *index,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scatter (SwTensor *input,
                      gint64 mode,
                      SwTensor *index,
                      SwTensor *source,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_scatter_add (SwTensor *input,
                          gint64 mode,
                          SwTensor *index,
                          SwTensor *source,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_sort (SwTensor *input,
                   gint64 mode,
                   gboolean descending,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_topk (SwTensor *input,
                   gint64 k,
                   gint64 mode,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_conv_general (SwTensor *input,
                           SwTensor *weight,
                           const gint64 *strides,
                           gsize n_strides,
                           const gint64 *padding,
                           gsize n_padding,
                           const gint64 *dilation,
                           gsize n_dilation,
                           gint64 groups,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_max_pool (SwTensor *input,
                       const gint64 *window,
                       gsize n_window,
                       const gint64 *strides,
                       gsize n_strides,
                       const gint64 *padding,
                       gsize n_padding,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_avg_pool (SwTensor *input,
                       const gint64 *window,
                       gsize n_window,
                       const gint64 *strides,
                       gsize n_strides,
                       const gint64 *padding,
                       gsize n_padding,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
