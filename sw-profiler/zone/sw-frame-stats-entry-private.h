/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-frame-stats-entry.h"
#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

struct _SwFrameStatsEntry
{
  SwRefCount ref_count;
  gint32 parent_index;
  guint32 depth;
  guint32 site_id;
  const char *name; /* the site's */
  SwDurationStatistics *cpu_time_per_frame;
  SwDurationStatistics *gpu_time_per_frame;
  SwCallStatistics *cpu_time_per_call;
  SwCallStatistics *gpu_time_per_call;
};

G_END_DECLS
