/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-csv-private.h"

#include <string.h>

void
sw_csv_append_text (GString *csv,
                    const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  if (strpbrk (valid, ",\"\r\n") == NULL)
    {
      g_string_append (csv, valid);
      return;
    }
  g_string_append_c (csv, '"');
  for (const char *at = valid; *at != '\0'; at++)
    {
      if (*at == '"')
        g_string_append_c (csv, '"');
      g_string_append_c (csv, *at);
    }
  g_string_append_c (csv, '"');
}
