/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"

/* clang-format off: it would put spaces into the name */
G_DEFINE_QUARK (sw - error - quark, sw_error)
/* clang-format on */
