/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-tensor.h>

G_BEGIN_DECLS

/**
 * SwMoveFunc:
 * @source: the tensor to move
 * @destination: where its values go
 * @error: return location for an error
 * @user_data: what was given to [func@Strideweave.register_move]
 *
 * Moves a tensor between two exact carrier types.
 *
 * Returns: (transfer full): a tensor on @destination, or %NULL with @error set
 */
typedef SwTensor *(*SwMoveFunc) (SwTensor *source,
                                 SwCarrier *destination,
                                 GError **error,
                                 gpointer user_data);

SW_AVAILABLE_IN_0_1
SwTensor *sw_move (SwTensor *tensor,
                   SwCarrier *destination,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_register_move (GType source_type,
                           GType destination_type,
                           SwMoveFunc func,
                           gpointer user_data,
                           GDestroyNotify destroy,
                           GError **error);

G_END_DECLS
