/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-duration-statistics.h"

G_BEGIN_DECLS

static inline double
sw_ns_to_ms (guint64 ns)
{
  return (double) ns / 1e6;
}

/* "12.345", or what is given when there is nothing to show. For people: three decimals, the same in every locale. */
void sw_text_append_ms (GString *text,
                        double ms);

G_END_DECLS
