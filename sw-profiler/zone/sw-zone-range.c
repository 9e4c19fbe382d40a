/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-range-private.h"

#include "sw/base/sw-error.h"

static gboolean
check_bound (const char *name,
             gint64 bound,
             GError **error)
{
  if (bound >= -1)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %" G_GINT64_FORMAT ", which is neither a bound nor -1 for none", name,
               bound);
  return FALSE;
}

gboolean
sw_zone_range_init (SwZoneRange *self,
                    const char *first_name,
                    gint64 first,
                    const char *end_name,
                    gint64 end,
                    GError **error)
{
  if (!check_bound (first_name, first, error) || !check_bound (end_name, end, error))
    return FALSE;
  self->first = first == -1 ? 0 : (guint64) first;
  self->is_bounded = first != -1 || end != -1;
  self->end = end == -1 ? G_MAXUINT64 : (guint64) end;
  return TRUE;
}
