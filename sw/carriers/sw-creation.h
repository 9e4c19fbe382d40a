/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-tensor.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_zeros (SwShape *shape,
                    SwDType dtype,
                    SwCarrier *like,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_ones (SwShape *shape,
                   SwDType dtype,
                   SwCarrier *like,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_full (SwShape *shape,
                   SwValue *value,
                   SwDType dtype,
                   SwCarrier *like,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_arange (gint64 start,
                     gint64 stop,
                     gint64 step,
                     SwDType dtype,
                     SwCarrier *like,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_arange_doubles (double start,
                             double stop,
                             double step,
                             SwDType dtype,
                             SwCarrier *like,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_from_values (SwValueList *values,
                          SwShape *shape,
                          SwDType dtype,
                          SwCarrier *like,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTensor *sw_from_bytes (GBytes *bytes,
                         SwShape *shape,
                         SwDType dtype,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
