/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-duration-statistics.h"

G_BEGIN_DECLS

static inline double
sw_ns_to_ms (guint64 ns)
{
  return (double) ns / 1e6;
}

G_END_DECLS
