/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"

G_DEFINE_QUARK (sw - error - quark, sw_error)
