/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Half-open: from first up to, not including, end. */
typedef struct
{
  guint64 first;
  guint64 end;
  gboolean is_bounded; /* a bound was given, if only one that everything meets */
} SwZoneRange;

/* -1 is no bound. FALSE, with VALUE, for other negative ones. */
gboolean sw_zone_range_init (SwZoneRange *self,
                             const char *first_name,
                             gint64 first,
                             const char *end_name,
                             gint64 end,
                             GError **error);

static inline gboolean
sw_zone_range_has (const SwZoneRange *self,
                   guint64 value)
{
  return value >= self->first && value < self->end;
}

G_END_DECLS
