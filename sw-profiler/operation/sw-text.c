/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-text-private.h"

#include <math.h>
#include <string.h>

/* Reads the character at *@at and moves on; FALSE when there is no character, but a stray byte, which is in @c. */
static gboolean
next_character (const char **at,
                gunichar *c)
{
  *c = g_utf8_get_char_validated (*at, -1);
  if (*c != (gunichar) -1 && *c != (gunichar) -2)
    {
      *at = g_utf8_next_char (*at);
      return TRUE;
    }
  *c = (guchar) * *at;
  *at += 1;
  return FALSE;
}

/* Characters that break a line, or change how the text around them is shown. */
static gboolean
is_unsafe (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return TRUE;
    case G_UNICODE_FORMAT:
      /* Joiners and non-joiners are part of the spelling of some scripts. */
      return c != 0x200c && c != 0x200d;
    default:
      return FALSE;
    }
}

static void
append_escape (GString *string,
               gunichar c)
{
  switch (c)
    {
    case '\n':
      g_string_append (string, "\\n");
      break;
    case '\r':
      g_string_append (string, "\\r");
      break;
    case '\t':
      g_string_append (string, "\\t");
      break;
    default:
      if (c > 0xffff)
        g_string_append_printf (string, "\\U%08x", c);
      else
        g_string_append_printf (string, "\\u%04x", c);
    }
}

static void
append_printable (GString *string,
                  const char *text,
                  char quote)
{
  while (*text != '\0')
    {
      gunichar c;

      if (!next_character (&text, &c))
        g_string_append_printf (string, "\\x%02x", c);
      else if (c == '\\' || (quote != '\0' && c == (gunichar) quote))
        g_string_append_printf (string, "\\%c", (char) c);
      else if (is_unsafe (c))
        append_escape (string, c);
      else
        g_string_append_unichar (string, c);
    }
}

void
sw_text_append_display (GString *string,
                        const char *text)
{
  append_printable (string, text, '\0');
}

void
sw_text_append_quoted (GString *string,
                       const char *text)
{
  g_string_append_c (string, '\'');
  append_printable (string, text, '\'');
  g_string_append_c (string, '\'');
}

void
sw_text_append_json (GString *string,
                     const char *text)
{
  g_string_append_c (string, '"');
  while (*text != '\0')
    {
      gunichar c;

      if (!next_character (&text, &c))
        c = 0xfffd;
      if (c == '"' || c == '\\')
        g_string_append_printf (string, "\\%c", (char) c);
      else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
        g_string_append_printf (string, "\\u%04x", c);
      else
        g_string_append_unichar (string, c);
    }
  g_string_append_c (string, '"');
}

void
sw_text_append_double (GString *string,
                       double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof (format), "%%.%dg", digits);
      g_ascii_formatd (text, sizeof (text), format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (string, text);
  if (isfinite (value) && strpbrk (text, ".e") == NULL)
    g_string_append (string, ".0");
}
