/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-tensor.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_tensor_slice (SwTensor *self,
                           const gint64 *starts,
                           gsize n_starts,
                           const gint64 *stops,
                           gsize n_stops,
                           const gint64 *steps,
                           gsize n_steps,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_tensor_dup_row_major_bytes (SwTensor *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
