/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-carrier-private.h"

G_BEGIN_DECLS

/* Bytes for @size items; VALUE error when that is more than any memory, or when @size is negative. */
gboolean sw_storage_get_n_bytes (gint64 size,
                                 SwDType dtype,
                                 gsize *n_bytes,
                                 GError **error);
/* VALUE error: no memory for @size items. */
void sw_storage_set_out_of_memory (gint64 size,
                                   SwDType dtype,
                                   GError **error);

/* Memory of one's own, zeroed, or @is_empty: numbers undefined, values of Any NULL. */
gboolean sw_storage_alloc (SwStorage *storage,
                           gint64 size,
                           SwDType dtype,
                           gboolean is_empty,
                           GError **error);
void sw_storage_clear (SwStorage *storage);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SwStorage, sw_storage_clear)

/* Gives back the values of Any; leaves the memory. */
void sw_storage_clear_values (const SwStorage *storage);

/* Writes a list as long as the storage. @allow_holes: no value stands for zero. Errors name the item as @argument[i]. */
gboolean sw_storage_fill (const SwStorage *storage,
                          SwValueList *values,
                          gboolean allow_holes,
                          const char *argument,
                          GError **error);

/* Copies items between storages of one dtype. */
void sw_storage_copy_item (const SwStorage *to,
                           gint64 to_index,
                           const SwStorage *from,
                           gint64 from_index);

/* The values of @tensor in the order of its ordinals, converted to the dtype of @storage, which is as long. Holds the
 * tensor's carrier meanwhile. */
gboolean sw_storage_gather (const SwStorage *storage,
                            SwTensor *tensor,
                            GError **error);
/* The reverse, without conversion: item i goes to @offset + @mapping (i), which is in range. */
void sw_storage_scatter (const SwStorage *storage,
                         const SwStorage *items,
                         SwLayout *mapping,
                         gint64 offset);

G_END_DECLS
