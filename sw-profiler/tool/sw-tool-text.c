/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-text-private.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-error.h"

static int
find_width (void)
{
  struct winsize size;

  if (!isatty (STDOUT_FILENO))
    return 0;
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

gboolean
sw_tool_style_init (SwToolStyle *self,
                    const char *when,
                    GError **error)
{
  const char *no_color = g_getenv ("NO_COLOR");

  self->width = find_width ();
  if (when == NULL || g_str_equal (when, "auto"))
    self->has_colors = self->width > 0 && (no_color == NULL || *no_color == '\0') && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
  else if (g_str_equal (when, "always") || g_str_equal (when, "never"))
    self->has_colors = g_str_equal (when, "always");
  else
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--color is %s, which is none of auto, always, never", when);
      return FALSE;
    }
  return TRUE;
}

void
sw_tool_print_heading (const SwToolStyle *style,
                       const char *format,
                       ...)
{
  va_list arguments;

  fputs (style->has_colors ? "\033[1m" : "", stdout);
  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
  puts (style->has_colors ? "\033[0m" : "");
}

char *
sw_tool_format_double (double value,
                       guint n_decimals)
{
  char format[8], text[512];

  g_snprintf (format, sizeof format, "%%.%uf", MIN (n_decimals, 9));
  return g_strdup (g_ascii_formatd (text, sizeof text, format, value));
}

char *
sw_tool_format_ns (double ns)
{
  static const char *const units[] = { "ns", "µs", "ms", "s" };
  guint unit = 0, n_decimals;
  g_autofree char *number = NULL;

  while (unit + 1 < G_N_ELEMENTS (units) && fabs (ns) >= 999.95)
    {
      ns /= 1000;
      unit++;
    }
  n_decimals = fabs (ns) < 9.9995 ? 3 : fabs (ns) < 99.995 ? 2
                                    : fabs (ns) < 999.95   ? 1
                                                           : 0;
  /* There is nothing below a nanosecond but the parts of percentiles. */
  number = sw_tool_format_double (ns, unit == 0 ? (ns == floor (ns) ? 0 : 1) : n_decimals);
  return g_strdup_printf ("%s %s", number, units[unit]);
}

char *
sw_tool_format_count (guint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  gsize length = strlen (digits);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append_c (text, ',');
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

char *
sw_tool_format_percent (double part,
                        double whole)
{
  g_autofree char *number = sw_tool_format_double (whole > 0 ? 100 * part / whole : 0, 1);

  return g_strdup_printf ("%s %%", number);
}

static int
character_width (gunichar c)
{
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2
                                                              : 1;
}

int
sw_tool_text_width (const char *text)
{
  int width = 0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    width += character_width (g_utf8_get_char (text));
  return width;
}

/* As much of the end as has @width columns. */
static const char *
find_end (const char *text,
          int width)
{
  const char *at = text + strlen (text);

  while (at > text)
    {
      const char *before = g_utf8_prev_char (at);

      width -= character_width (g_utf8_get_char (before));
      if (width < 0)
        break;
      at = before;
    }
  return at;
}

/* What is left out is in the middle, as names differ at their ends. */
char *
sw_tool_text_display (const char *text,
                      int max)
{
  GString *shown = g_string_new (NULL);
  const char *at, *end;
  int left;

  sw_text_append_display (shown, text);
  if (max <= 1 || sw_tool_text_width (shown->str) <= max)
    return g_string_free (shown, FALSE);
  end = find_end (shown->str, max / 2);
  left = max - 1 - sw_tool_text_width (end);
  for (at = shown->str; left >= character_width (g_utf8_get_char (at)); at = g_utf8_next_char (at))
    left -= character_width (g_utf8_get_char (at));
  g_string_insert (shown, end - shown->str, "…");
  g_string_erase (shown, at - shown->str, end - at);
  return g_string_free (shown, FALSE);
}

/* As sw_text_append_display () has it, but that what was made so already stays. */
char *
sw_tool_text_harmless (const char *text)
{
  GString *shown = g_string_new (NULL);

  while (*text != '\0')
    {
      gunichar c = g_utf8_get_char_validated (text, -1);
      gsize n = c == (gunichar) -1 || c == (gunichar) -2 ? 1 : (gsize) (g_utf8_next_char (text) - text);
      g_autofree char *character = g_strndup (text, n);

      if (*text == '\\')
        g_string_append_c (shown, '\\');
      else
        sw_text_append_display (shown, character);
      text += n;
    }
  return g_string_free (shown, FALSE);
}

static const struct
{
  const char *name;
  gint64 ns;
} time_units[] = {
  { "ns", 1 },
  { "us", 1000 },
  { "µs", 1000 },
  { "μs", 1000 },
  { "ms", 1000000 },
  { "s", 1000000000 },
  { "min", G_GINT64_CONSTANT (60000000000) },
  { "h", G_GINT64_CONSTANT (3600000000000) },
};

static gint64
find_unit (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (time_units); i++)
    if (g_str_equal (text, time_units[i].name))
      return time_units[i].ns;
  return 0;
}

/* Exact: no double is as fine as a clock. */
gboolean
sw_tool_parse_time (const char *option,
                    const char *text,
                    gint64 *ns,
                    gboolean *is_absolute,
                    GError **error)
{
  const char *at = text;
  gint64 whole = 0, part = 0, scale = 1, unit;
  gboolean fits = TRUE, has_digits = FALSE;

  *is_absolute = *at == '@';
  at += *is_absolute;
  for (; g_ascii_isdigit (*at); at++, has_digits = TRUE)
    fits &= !__builtin_mul_overflow (whole, 10, &whole) && !__builtin_add_overflow (whole, *at - '0', &whole);
  if (*at == '.')
    for (at++; g_ascii_isdigit (*at); at++, has_digits = TRUE)
      if (scale < G_GINT64_CONSTANT (1000000000000))
        {
          part = part * 10 + (*at - '0');
          scale *= 10;
        }
  while (*at == ' ')
    at++;
  unit = find_unit (at);
  if (*at == '\0' && whole == 0 && part == 0)
    unit = 1;
  if (!has_digits || unit == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is no time: a number with ns, us, ms, s, min or h", option, text);
      return FALSE;
    }
  fits = fits && !__builtin_mul_overflow (whole, unit, &whole);
  /* At most 3.6e12 * 1e12: as doubles both are near enough, as what is below a nanosecond goes. */
  fits = fits && !__builtin_add_overflow (whole, (gint64) ((long double) part * (long double) unit / (long double) scale), &whole);
  if (!fits)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is too long", option, text);
      return FALSE;
    }
  *ns = whole;
  return TRUE;
}
