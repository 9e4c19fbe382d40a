/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/sw-move.h"

G_BEGIN_DECLS

gboolean sw_move_is_registered (GType source_type,
                                GType destination_type);
/* Both classes are the library's own: a move neither calls foreign code nor cares for who owns the carriers. */
gboolean sw_move_is_builtin (GType source_type,
                             GType destination_type);
gboolean sw_move_can_grow (SwCarrier *destination);

/* NOT_IMPLEMENTED error when one of the two directions is not registered. */
gboolean sw_move_check_both_ways (SwCarrier *one,
                                  SwCarrier *other,
                                  GError **error);

/* Copies the first @n_values of the carrier of @tensor to @destination and returns the tensor there; a foreign function
 * copies all there are. Checks dtypes and sizes; ownership, mutability and the release of the source are up to the
 * caller. Where that fails, the source keeps its values, and the destination its own unless @is_fresh says that nobody
 * will miss them. */
SwTensor *sw_move_copy (SwTensor *tensor,
                        gint64 n_values,
                        SwCarrier *destination,
                        gboolean is_fresh,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
