/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_sum (SwTensor *input,
                         SwExecutionOptions *options,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_sum_modes (SwTensor *input,
                               const gint64 *modes,
                               gsize n_modes,
                               gboolean keep_modes,
                               SwExecutionOptions *options,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_max (SwTensor *input,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_max_modes (SwTensor *input,
                               const gint64 *modes,
                               gsize n_modes,
                               gboolean keep_modes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_min (SwTensor *input,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_min_modes (SwTensor *input,
                               const gint64 *modes,
                               gsize n_modes,
                               gboolean keep_modes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_prod (SwTensor *input,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_reduce_prod_modes (SwTensor *input,
                                const gint64 *modes,
                                gsize n_modes,
                                gboolean keep_modes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmax (SwTensor *input,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmax_mode (SwTensor *input,
                          gint64 mode,
                          gboolean keep_mode,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmin (SwTensor *input,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_argmin_mode (SwTensor *input,
                          gint64 mode,
                          gboolean keep_mode,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwTensor *sw_cumsum (SwTensor *input,
                     gint64 mode,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_softmax (SwTensor *input,
                      const gint64 *modes,
                      gsize n_modes,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_layer_norm (SwTensor *input,
                         const gint64 *modes,
                         gsize n_modes,
                         SwTensor *weight,
                         SwTensor *bias,
                         double epsilon,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
