/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-tensor.h>

G_BEGIN_DECLS

/**
 * SwMoveFunc:
 * @source: the tensor to move
 * @destination: where its values go
 * @user_data: what was given to [func@Strideweave.register_move]
 * @error: return location for an error
 *
 * Copies all values of the carrier of @source to the beginning of @destination, which has room for them or, as
 * [class@Strideweave.FileBacked], makes room when something is moved to it.
 *
 * Must leave the carrier of @source as it is: [func@Strideweave.move] releases it when all went well.
 *
 * Returns: (transfer full): a tensor on @destination, with the offset and the layout of @source; or %NULL with @error
 *   set
 */
typedef SwTensor *(*SwMoveFunc) (SwTensor *source,
                                 SwCarrier *destination,
                                 gpointer user_data,
                                 GError **error);

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
