/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* One function for each family: checks the operands, resolves the result's dtype, allocates, and runs the carrier's
 * kernel. What it returns is whole, or NULL with an error. */
SwTensor *
sw_unary_compute (const SwCall *call,
                  GError **error);
SwTensor *
sw_parametric_compute (const SwCall *call,
                       GError **error);
SwTensor *
sw_cast_compute (const SwCall *call,
                 GError **error);
SwTensor *
sw_binary_compute (const SwCall *call,
                   GError **error);
SwTensor *
sw_select_compute (const SwCall *call,
                   GError **error);
SwTensor *
sw_reduce_compute (const SwCall *call,
                   GError **error);
SwTensor *
sw_arg_reduce_compute (const SwCall *call,
                       GError **error);
SwTensor *
sw_lines_compute (const SwCall *call,
                  GError **error);
SwTensor *
sw_layer_norm_compute (const SwCall *call,
                       GError **error);
SwTensor *
sw_matmul_compute (const SwCall *call,
                   GError **error);
SwTensor *
sw_convolution_compute (const SwCall *call,
                        GError **error);
SwTensor *
sw_pooling_compute (const SwCall *call,
                    GError **error);
SwTensor *
sw_indexed_compute (const SwCall *call,
                    GError **error);
SwTensor *
sw_sort_compute (const SwCall *call,
                 GError **error);
SwTensor *
sw_view_compute (const SwCall *call,
                 GError **error);

/* The same by the names of the table's FAMILY column. */
#define SW_COMPUTE_UNARY sw_unary_compute
#define SW_COMPUTE_PARAMETRIC sw_parametric_compute
#define SW_COMPUTE_CAST sw_cast_compute
#define SW_COMPUTE_BINARY sw_binary_compute
#define SW_COMPUTE_SELECT sw_select_compute
#define SW_COMPUTE_REDUCE sw_reduce_compute
#define SW_COMPUTE_ARG_REDUCE sw_arg_reduce_compute
#define SW_COMPUTE_LINES sw_lines_compute
#define SW_COMPUTE_LAYER_NORM sw_layer_norm_compute
#define SW_COMPUTE_MATMUL sw_matmul_compute
#define SW_COMPUTE_CONVOLUTION sw_convolution_compute
#define SW_COMPUTE_POOLING sw_pooling_compute
#define SW_COMPUTE_INDEXED sw_indexed_compute
#define SW_COMPUTE_SORT sw_sort_compute
#define SW_COMPUTE_VIEW sw_view_compute

/* How the layouts of the view operations come about, for the carriers' kernels. */
SwLayout *
sw_view_broadcast_to (const SwCall *call,
                      SwLayout *layout,
                      gboolean *needs_copy,
                      GError **error);
SwLayout *
sw_view_permute (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error);
SwLayout *
sw_view_reshape (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error);

SwLayout *
sw_view_view (const SwCall *call,
              SwLayout *layout,
              gboolean *needs_copy,
              GError **error);
SwLayout *
sw_view_rearrange (const SwCall *call,
                   SwLayout *layout,
                   gboolean *needs_copy,
                   GError **error);
SwLayout *
sw_view_squeeze (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error);
SwLayout *
sw_view_unsqueeze (const SwCall *call,
                   SwLayout *layout,
                   gboolean *needs_copy,
                   GError **error);
SwLayout *
sw_view_as_strided (const SwCall *call,
                    SwLayout *layout,
                    gboolean *needs_copy,
                    GError **error);

G_END_DECLS
