/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-carrier.h>

G_BEGIN_DECLS

#define SW_TYPE_FILE_BACKED (sw_file_backed_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwFileBacked, sw_file_backed, SW, FILE_BACKED, SwCarrier)

SW_AVAILABLE_IN_0_1
SwCarrier *sw_file_backed_new (const char *filename,
                               gboolean is_mutable,
                               SwDType dtype,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
const char *sw_file_backed_get_path (SwFileBacked *self);

G_END_DECLS
