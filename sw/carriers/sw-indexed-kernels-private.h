/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* What gather, scatter and scatter_add do is to look up places, which no carrier does better than another. */
gboolean
sw_indexed_gather (const SwIndexedKernel *self,
                   const SwIndexed *indexed,
                   GError **error);
gboolean
sw_indexed_scatter (const SwIndexedKernel *self,
                    const SwIndexed *indexed,
                    GError **error);
gboolean
sw_indexed_scatter_add (const SwIndexedKernel *self,
                        const SwIndexed *indexed,
                        GError **error);

G_END_DECLS
