/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-carrier.h>

G_BEGIN_DECLS

#define SW_TYPE_GENERIC (sw_generic_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwGeneric, sw_generic, SW, GENERIC, SwCarrier)

SW_AVAILABLE_IN_0_1
SwCarrier *sw_generic_new (SwValueList *values,
                           gboolean is_mutable,
                           SwDType dtype,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_generic_new_doubles (const double *values,
                                   gsize n_values,
                                   SwDType dtype,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
