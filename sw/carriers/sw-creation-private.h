/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-storage-private.h"

G_BEGIN_DECLS

/* Writes all items of @storage, of which those of Any are NULL before. */
typedef gboolean (*SwCreationWrite) (const SwStorage *storage,
                                     gconstpointer data,
                                     GError **error);

/* A tensor on a new mutable carrier of @like's kind, or a CPU where that is NULL, with the values that @write writes in
 * row-major order. Without a @dtype it is that of @like, which there is then. */
SwTensor *sw_creation_new (SwShape *shape,
                           SwDType dtype,
                           SwCarrier *like,
                           SwCreationWrite write,
                           gconstpointer data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The dtype that a new tensor is to have, where the caller may leave it open: that of @like, or @own without one.
 * SW_DTYPE_INVALID with an error. */
SwDType sw_creation_resolve_dtype (SwDType dtype,
                                   SwCarrier *like,
                                   SwDType own,
                                   GError **error);

G_END_DECLS
