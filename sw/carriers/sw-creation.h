/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-tensor.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
SwTensor *sw_from_bytes (GBytes *bytes,
                         SwShape *shape,
                         SwDType dtype,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
