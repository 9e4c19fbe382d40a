/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>

#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw-profiler/read/sw-json-scan-private.h"

/* Nothing that people look at is nested this deep. */
#define MAX_DEPTH 256

static gboolean
normalise (SwJsonScan *scan,
           const SwJsonText *value,
           guint depth,
           GString *to);

static void
append_string (const SwJsonText *text,
               GString *to)
{
  gsize length = sw_json_length (text);
  g_autofree char *plain = NULL;
  const char *bytes = text->start;
  gsize before = to->len;
  char *end;

  if (text->is_escaped)
    {
      plain = g_malloc (length + 1);
      length = sw_json_unescape (text, plain);
      bytes = plain;
    }
  g_string_set_size (to, before + sw_trace_json_string_size (length));
  end = sw_trace_put_json_string (to->str + before, bytes, length);
  g_string_truncate (to, (gsize) (end - to->str));
}

static gboolean
normalise_members (SwJsonScan *scan,
                   const SwJsonText *value,
                   guint depth,
                   GString *to)
{
  const char *at = value->start + 1;
  const char *separator = "{";

  for (;;)
    {
      SwJsonText key;
      SwJsonText member;

      at = sw_json_member (scan, at, &key);
      if (at == NULL || key.start == NULL)
        break;
      at = sw_json_value (scan, at, &member);
      if (at == NULL)
        return FALSE;
      g_string_append (to, separator);
      append_string (&key, to);
      g_string_append_c (to, ':');
      if (!normalise (scan, &member, depth + 1, to))
        return FALSE;
      separator = ",";
    }
  g_string_append (to, *separator == '{' ? "{}" : "}");
  return at == value->end;
}

static gboolean
normalise_elements (SwJsonScan *scan,
                    const SwJsonText *value,
                    guint depth,
                    GString *to)
{
  const char *at = value->start + 1;
  const char *separator = "[";

  for (;;)
    {
      SwJsonText element;

      at = sw_json_element (scan, at, &element);
      if (at == NULL || element.start == NULL)
        break;
      g_string_append (to, separator);
      if (!normalise (scan, &element, depth + 1, to))
        return FALSE;
      separator = ",";
    }
  g_string_append (to, *separator == '[' ? "[]" : "]");
  return at == value->end;
}

/* What is no number is a string, as in what the library writes. */
static void
append_not_finite (const SwJsonText *value,
                   GString *to)
{
  double real;

  sw_json_double (value, &real);
  g_string_append (to, isnan (real) ? "\"NaN\"" : real > 0 ? "\"Infinity\""
                                                           : "\"-Infinity\"");
}

static gboolean
normalise (SwJsonScan *scan,
           const SwJsonText *value,
           guint depth,
           GString *to)
{
  if (depth > MAX_DEPTH)
    return FALSE;
  switch (value->kind)
    {
    case SW_JSON_OBJECT:
      return normalise_members (scan, value, depth, to);
    case SW_JSON_ARRAY:
      return normalise_elements (scan, value, depth, to);
    case SW_JSON_STRING:
      append_string (value, to);
      return TRUE;
    case SW_JSON_NOT_FINITE:
      append_not_finite (value, to);
      return TRUE;
    case SW_JSON_NUMBER:
      if (!sw_json_is_number (value))
        return FALSE;
      break;
    default:
      break;
    }
  g_string_append_len (to, value->start, (gssize) sw_json_length (value));
  return TRUE;
}

gboolean
sw_json_normalise (const SwJsonText *value,
                   GString *to)
{
  SwJsonScan scan = { .end = value->end };

  return normalise (&scan, value, 0, to);
}

/* A decimal: mantissa * 10^exponent. Of more than 19 digits, those that no 64 bits hold are cut. */
typedef struct
{
  guint64 mantissa;
  int exponent;
  gboolean is_negative;
  gboolean is_exact;
  gboolean is_integer; /* neither point nor exponent */
} Decimal;

static const char *
read_exponent (const char *at,
               const char *end,
               Decimal *decimal)
{
  gboolean is_negative = FALSE;
  int value = 0;
  const char *start;

  if (at < end && (*at == '-' || *at == '+'))
    is_negative = *at++ == '-';
  for (start = at; at < end && g_ascii_isdigit (*at); at++)
    value = MIN (10 * value + (*at - '0'), 100000);
  if (at == start)
    return NULL;
  decimal->exponent += is_negative ? -value : value;
  return at;
}

static inline void
add_digit (Decimal *decimal,
           guint digit,
           gboolean is_fraction)
{
  if (G_LIKELY (decimal->mantissa <= (G_MAXUINT64 - 9) / 10))
    {
      decimal->mantissa = 10 * decimal->mantissa + digit;
      decimal->exponent -= is_fraction;
      return;
    }
  decimal->is_exact = decimal->is_exact && digit == 0;
  decimal->exponent += !is_fraction;
}

static gboolean
read_decimal (const SwJsonText *text,
              Decimal *decimal)
{
  const char *at = text->start;
  const char *start;

  *decimal = (Decimal){ .is_exact = TRUE, .is_integer = TRUE };
  if (at < text->end && *at == '-')
    {
      decimal->is_negative = TRUE;
      at++;
    }
  for (start = at; at < text->end && g_ascii_isdigit (*at); at++)
    add_digit (decimal, (guint) (*at - '0'), FALSE);
  if (at == start)
    return FALSE;
  if (at < text->end && *at == '.')
    {
      decimal->is_integer = FALSE;
      for (start = ++at; at < text->end && g_ascii_isdigit (*at); at++)
        add_digit (decimal, (guint) (*at - '0'), TRUE);
      if (at == start)
        return FALSE;
    }
  if (at < text->end && (*at == 'e' || *at == 'E'))
    {
      decimal->is_integer = FALSE;
      at = read_exponent (at + 1, text->end, decimal);
    }
  return at == text->end;
}

static gboolean
is_numeric (const SwJsonText *text)
{
  return text->kind == SW_JSON_NUMBER || (text->kind == SW_JSON_STRING && !text->is_escaped);
}

gboolean
sw_json_is_number (const SwJsonText *text)
{
  const char *digits = text->start + (text->start < text->end && *text->start == '-');
  Decimal decimal;

  if (text->end - digits > 1 && digits[0] == '0' && g_ascii_isdigit (digits[1]))
    return FALSE;
  return read_decimal (text, &decimal);
}

static gboolean
scale (Decimal *decimal)
{
  guint64 rest = 0;
  guint64 power = 1;

  if (decimal->mantissa == 0)
    return TRUE;
  for (; decimal->exponent > 0; decimal->exponent--)
    if (__builtin_mul_overflow (decimal->mantissa, 10, &decimal->mantissa))
      return FALSE;
  if (decimal->exponent < -19)
    {
      decimal->mantissa = 0;
      return TRUE;
    }
  for (; decimal->exponent < 0; decimal->exponent++)
    power *= 10;
  rest = decimal->mantissa % power;
  decimal->mantissa = decimal->mantissa / power + (rest >= power - rest && rest > 0);
  return TRUE;
}

static gboolean
to_int64 (const Decimal *decimal,
          gint64 *value)
{
  if (decimal->mantissa > (guint64) G_MAXINT64 + decimal->is_negative)
    return FALSE;
  *value = (gint64) (decimal->is_negative ? -decimal->mantissa : decimal->mantissa);
  return TRUE;
}

gboolean
sw_json_scaled_int64 (const SwJsonText *text,
                      int exponent,
                      gint64 *value)
{
  Decimal decimal;

  if (!is_numeric (text) || !read_decimal (text, &decimal))
    return FALSE;
  decimal.exponent += exponent;
  return scale (&decimal) && to_int64 (&decimal, value);
}

gboolean
sw_json_int64 (const SwJsonText *text,
               gint64 *value)
{
  Decimal decimal;

  return is_numeric (text) && read_decimal (text, &decimal) && decimal.is_integer && decimal.exponent == 0 && decimal.is_exact &&
         !(decimal.is_negative && decimal.mantissa == 0) && to_int64 (&decimal, value);
}

gboolean
sw_json_uint64 (const SwJsonText *text,
                guint64 *value)
{
  Decimal decimal;

  if (!is_numeric (text) || !read_decimal (text, &decimal) || !decimal.is_integer || decimal.exponent != 0 || !decimal.is_exact ||
      decimal.is_negative)
    return FALSE;
  *value = decimal.mantissa;
  return TRUE;
}

static double
parse_double (const SwJsonText *text)
{
  char buffer[64];
  gsize length = sw_json_length (text);
  g_autofree char *copy = length < sizeof buffer ? NULL : g_strndup (text->start, length);

  if (copy == NULL)
    {
      memcpy (buffer, text->start, length);
      buffer[length] = '\0';
    }
  return g_ascii_strtod (copy != NULL ? copy : buffer, NULL);
}

static gboolean
read_not_finite (const SwJsonText *text,
                 double *value)
{
  gboolean is_negative = text->start < text->end && *text->start == '-';
  SwJsonText word = *text;

  word.start += is_negative;
  if (sw_json_is (&word, "NaN") || sw_json_is (&word, "nan"))
    *value = NAN;
  else if (sw_json_is (&word, "Infinity") || sw_json_is (&word, "inf"))
    *value = is_negative ? -INFINITY : INFINITY;
  else
    return FALSE;
  return TRUE;
}

gboolean
sw_json_double (const SwJsonText *text,
                double *value)
{
  static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
                                   1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  Decimal decimal;

  if (text->kind == SW_JSON_NOT_FINITE || (text->kind == SW_JSON_STRING && read_not_finite (text, value)))
    return text->kind == SW_JSON_STRING || read_not_finite (text, value);
  if (!is_numeric (text) || !read_decimal (text, &decimal))
    return FALSE;
  /* Both are exact as doubles, so that one rounding is the right one. */
  if (decimal.is_exact && decimal.mantissa < G_GUINT64_CONSTANT (1) << 53 && ABS (decimal.exponent) <= 22)
    {
      double magnitude = decimal.exponent < 0 ? (double) decimal.mantissa / powers[-decimal.exponent]
                                              : (double) decimal.mantissa * powers[decimal.exponent];

      *value = decimal.is_negative ? -magnitude : magnitude;
      return TRUE;
    }
  *value = parse_double (text);
  return TRUE;
}
