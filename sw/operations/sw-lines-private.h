/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Allocates the result, of the shape of @tensor, and runs the call's kernel along the modes whose flag is set. @lines has
 * everything but the axes and the result. */
SwTensor *
sw_lines_run (const SwCall *call,
              SwLines *lines,
              SwTensor *tensor,
              const gboolean *is_along,
              SwDType dtype,
              GError **error);

G_END_DECLS
