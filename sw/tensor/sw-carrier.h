/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>
#include <sw/tensor/sw-dtype.h>

G_BEGIN_DECLS

#define SW_TYPE_CARRIER (sw_carrier_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_DERIVABLE_TYPE (SwCarrier, sw_carrier, SW, CARRIER, GObject)

/**
 * SwCarrierClass:
 * @size: how many values the carrier holds; -1 with an error set
 * @dtype: what each value is; %SW_DTYPE_INVALID with an error set
 * @get_value: one value, by an index that is in range
 * @set_value: writes one value, by an index that is in range, of a mutable carrier
 * @is_mutable: whether values may be written; %FALSE, with or without an error set
 * @new_like: a fresh carrier of the same kind that holds @values; a dtype of %SW_DTYPE_INVALID is the receiver's own
 * @allocate_like: a fresh carrier of the same kind with @size zeros; @empty allows to leave them undefined
 * @scatter: writes each value of @source to `mapping_offset + mapping (coordinate)` of the storage under @onto
 * @dispatch_op: a fresh operation that implements @name for this carrier
 *
 * What a carrier of one's own implements. Each function may fail with an error.
 */
struct _SwCarrierClass
{
  GObjectClass parent_class;

  /*< public >*/
  gint64 (*size) (SwCarrier *self,
                  GError **error);
  SwDType (*dtype) (SwCarrier *self,
                    GError **error);
  SwValue *(*get_value) (SwCarrier *self,
                         gint64 index,
                         GError **error);
  gboolean (*set_value) (SwCarrier *self,
                         gint64 index,
                         SwValue *value,
                         GError **error);
  gboolean (*is_mutable) (SwCarrier *self,
                          GError **error);
  SwCarrier *(*new_like) (SwCarrier *self,
                          SwValueList *values,
                          gboolean is_mutable,
                          SwDType dtype,
                          GError **error);
  SwCarrier *(*allocate_like) (SwCarrier *self,
                               gint64 size,
                               gboolean is_mutable,
                               SwDType dtype,
                               gboolean is_empty,
                               GError **error);
  gboolean (*scatter) (SwCarrier *self,
                       SwTensor *source,
                       SwTensor *onto,
                       SwLayout *mapping,
                       gint64 mapping_offset,
                       GError **error);
  SwOperation *(*dispatch_op) (SwCarrier *self,
                               const char *name,
                               GError **error);

  /*< private >*/
  gconstpointer kernels;
  gpointer builtin;
  gpointer padding[8];
};

SW_AVAILABLE_IN_0_1
gint64 sw_carrier_size (SwCarrier *self,
                        GError **error);
SW_AVAILABLE_IN_0_1
SwDType sw_carrier_dtype (SwCarrier *self,
                          GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_is_mutable (SwCarrier *self,
                                GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_is_owned (SwCarrier *self);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_is_released (SwCarrier *self);
SW_AVAILABLE_IN_0_1
guint64 sw_carrier_get_version (SwCarrier *self);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_supports_storage_dtype (SwCarrier *self,
                                            SwDType dtype);

SW_AVAILABLE_IN_0_1
SwValue *sw_carrier_get_value (SwCarrier *self,
                               gint64 index,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_set_value (SwCarrier *self,
                               gint64 index,
                               SwValue *value,
                               GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_scatter (SwCarrier *self,
                             SwTensor *source,
                             SwTensor *onto,
                             SwLayout *mapping,
                             gint64 mapping_offset,
                             GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_carrier_release (SwCarrier *self,
                             GError **error);

SW_AVAILABLE_IN_0_1
GBytes *sw_carrier_ref_bytes (SwCarrier *self,
                              guint64 *address,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwCarrier *sw_carrier_new_like (SwCarrier *self,
                                SwValueList *values,
                                gboolean is_mutable,
                                SwDType dtype,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_carrier_allocate_like (SwCarrier *self,
                                     gint64 size,
                                     gboolean is_mutable,
                                     SwDType dtype,
                                     gboolean is_empty,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwOperation *sw_carrier_dispatch_op (SwCarrier *self,
                                     const char *name,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
