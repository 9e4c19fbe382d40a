/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-carrier-private.h"

G_BEGIN_DECLS

/* What carriers that keep their values in memory have in common. */

/* Fills in all functions of the class but new_like, allocate_like and dispatch_op. */
void sw_memory_carrier_class_init (SwCarrierClass *klass,
                                   const SwBuiltinCarrier *builtin);

/* Gives a carrier that nobody else has seen its storage. */
void sw_memory_carrier_set_storage (SwCarrier *self,
                                    gpointer data,
                                    gint64 size,
                                    SwDType dtype);
/* Says so of a carrier that nobody else has seen. */
void sw_memory_carrier_set_mutable (SwCarrier *self,
                                    gboolean is_mutable);

/* The storage of a carrier that nobody else has seen. */
SwStorage sw_memory_carrier_peek_storage (SwCarrier *self);

/* VALUE error naming the dtype when the built-in carrier does not hold it. */
gboolean sw_memory_carrier_check_dtype (const SwBuiltinCarrier *builtin,
                                        SwDType dtype,
                                        GError **error);

/* For SwBuiltinCarrier. */
gboolean sw_memory_carrier_read_all (SwCarrier *self,
                                     gpointer items,
                                     gint64 n_items,
                                     GError **error);
gboolean sw_memory_carrier_write_all (SwCarrier *self,
                                      gconstpointer items,
                                      gint64 n_items,
                                      GError **error);

/* For SwCarrierClass: both make what builtin->allocate makes. */
SwCarrier *sw_memory_carrier_new_like (SwCarrier *self,
                                       SwValueList *values,
                                       gboolean is_mutable,
                                       SwDType dtype,
                                       GError **error);
SwCarrier *sw_memory_carrier_allocate_like (SwCarrier *self,
                                            gint64 size,
                                            gboolean is_mutable,
                                            SwDType dtype,
                                            gboolean is_empty,
                                            GError **error);

G_END_DECLS
