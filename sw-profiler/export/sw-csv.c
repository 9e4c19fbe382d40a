/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-csv-private.h"

#include <string.h>

static gboolean
needs_quotes (const char *text)
{
  if (*text == '\0' || *text == ' ' || text[strlen (text) - 1] == ' ')
    return TRUE;
  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == ',' || *at == '"' || g_ascii_iscntrl (*at))
        return TRUE;
    }
  return FALSE;
}

void
sw_csv_append_text (GString *csv,
                    const char *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  if (valid == NULL)
    return;
  if (!needs_quotes (valid))
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
