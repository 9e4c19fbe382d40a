/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers and strings as traces have them, beside what the C library makes of the same. */
#include "config.h"

#include <glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "sw-profiler/export/sw-trace-text-private.h"

static void
assert_uint64 (guint64 value)
{
  char text[SW_TRACE_NUMBER_SIZE + 1];
  g_autofree char *expected = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  *sw_trace_put_uint64 (text, value) = '\0';
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_int64 (gint64 value)
{
  char text[SW_TRACE_NUMBER_SIZE + 1];
  g_autofree char *expected = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  *sw_trace_put_int64 (text, value) = '\0';
  g_assert_cmpstr (text, ==, expected);
}

static void
test_integers (void)
{
  guint64 power = 1;

  assert_uint64 (0);
  assert_uint64 (G_MAXUINT64);
  for (int i = 0; i < 20; i++, power *= 10)
    {
      assert_uint64 (power - 1);
      assert_uint64 (power);
      assert_uint64 (power + 1);
    }
  for (int bit = 0; bit < 64; bit++)
    {
      guint64 value = G_GUINT64_CONSTANT (1) << bit;

      assert_uint64 (value);
      assert_uint64 (value - 1);
      assert_int64 ((gint64) value);
      assert_int64 (-(gint64) (value - 1));
    }
  assert_int64 (G_MININT64);
  assert_int64 (G_MAXINT64);
}

static void
test_random_integers (void)
{
  for (int i = 0; i < 20000; i++)
    {
      guint64 value = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

      assert_uint64 (value >> (i % 64));
      assert_int64 ((gint64) value >> (i % 64));
    }
}

static void
assert_microseconds (guint64 ns,
                     const char *expected)
{
  char text[SW_TRACE_NUMBER_SIZE + 1];

  *sw_trace_put_microseconds (text, ns) = '\0';
  g_assert_cmpstr (text, ==, expected);
}

static void
test_microseconds (void)
{
  assert_microseconds (0, "0.000");
  assert_microseconds (1, "0.001");
  assert_microseconds (10, "0.010");
  assert_microseconds (999, "0.999");
  assert_microseconds (1000, "1.000");
  assert_microseconds (123456789, "123456.789");
  assert_microseconds (G_MAXUINT64, "18446744073709551.615");
}

static void
assert_double (double value,
               const char *expected)
{
  char text[SW_TRACE_NUMBER_SIZE + 1];

  *sw_trace_put_double (text, value) = '\0';
  if (expected != NULL)
    g_assert_cmpstr (text, ==, expected);
  else
    g_assert_cmpfloat (g_ascii_strtod (text, NULL), ==, value);
  g_assert_nonnull (strpbrk (text, ".eNI"));
  g_assert_null (strchr (text, ','));
}

static void
test_doubles (void)
{
  assert_double (0, "0.0");
  assert_double (-0.0, "-0.0");
  assert_double (1, "1.0");
  assert_double (-2.5, "-2.5");
  assert_double (0.1, "0.1");
  assert_double (0.125, "0.125");
  assert_double (3.14159, "3.14159");
  assert_double (100.001, "100.001");
  assert_double (1e15, "1e+15");
  assert_double (1e-7, "1e-07");
  assert_double (1.0 / 3, "0.3333333333333333");
  assert_double (NAN, "NaN");
  assert_double (INFINITY, "Infinity");
  assert_double (-INFINITY, "-Infinity");
  assert_double (G_MAXDOUBLE, "1.7976931348623157e+308");
  assert_double (5e-324, NULL);
}

static void
test_random_doubles (void)
{
  for (int i = 0; i < 20000; i++)
    {
      guint64 bits = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
      double value;

      memcpy (&value, &bits, sizeof value);
      if (isfinite (value))
        assert_double (value, NULL);
      assert_double (g_test_rand_int_range (-1000000, 1000000) / 1000.0, NULL);
      assert_double (g_test_rand_double () * 1e12, NULL);
    }
}

/* The decimal point of the locale must not matter. */
static void
test_locale (void)
{
  g_autofree char *old = g_strdup (setlocale (LC_ALL, NULL));

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL && setlocale (LC_ALL, "fr_FR.UTF-8") == NULL)
    {
      g_test_skip ("no locale with a comma is installed");
      return;
    }
  assert_double (0.5, "0.5");
  assert_double (1.0 / 3, "0.3333333333333333");
  assert_double (1e300, "1e+300");
  setlocale (LC_ALL, old);
}

static void
assert_json (const char *text,
             gssize length,
             const char *expected)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  g_autofree char *json = g_malloc (sw_trace_json_string_size (n) + 1);
  char *end = sw_trace_put_json_string (json, text, n);

  g_assert_cmpuint (end - json, <=, sw_trace_json_string_size (n));
  *end = '\0';
  g_assert_cmpstr (json, ==, expected);
}

static void
test_json_strings (void)
{
  assert_json ("", -1, "\"\"");
  assert_json ("plain", -1, "\"plain\"");
  assert_json ("a \"b\" \\c", -1, "\"a \\\"b\\\" \\\\c\"");
  assert_json ("\b\t\n\f\r\v\x1f\x7f", -1, "\"\\b\\t\\n\\f\\r\\u000b\\u001f\\u007f\"");
  assert_json ("a\0b", 3, "\"a\\u0000b\"");
  assert_json ("Grüße 🦊", -1, "\"Grüße 🦊\"");
  assert_json ("\xff", -1, "\"\xef\xbf\xbd\"");
  assert_json ("\xf0\x9f\xa6", -1, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  assert_json ("\xc3", 1, "\"\xef\xbf\xbd\"");
}

/* Eight bytes are looked at at a time: each byte, at each place, must be seen. */
static void
test_every_byte_at_every_place (void)
{
  for (int c = 0; c < 256; c++)
    for (gsize place = 0; place < 17; place++)
      {
        char text[17];
        char json[128];
        char expected[32];
        gsize length;

        memset (text, 'x', sizeof text);
        text[place] = (char) c;
        *sw_trace_put_json_string (json, text, sizeof text) = '\0';
        if (c < 0x20 || c == 0x7f)
          length = strchr ("\b\t\n\f\r", c) != NULL && c != 0 ? 2 : 6;
        else
          length = c == '"' || c == '\\' ? 2 : c >= 0x80 ? 3
                                                         : 1;
        g_assert_cmpuint (strlen (json), ==, 2 + 16 + length);
        g_assert_true (g_utf8_validate (json, -1, NULL));
        g_snprintf (expected, sizeof expected, "\"%.*s", (int) place, "xxxxxxxxxxxxxxxxx");
        g_assert_true (g_str_has_prefix (json, expected));
      }
}

static void
test_utf8 (void)
{
  char text[64];

  *sw_trace_put_utf8 (text, "a\xff\xc3\xa9\"\n\xed\xa0\x80", 9) = '\0';
  g_assert_cmpstr (text, ==, "a\xef\xbf\xbd\xc3\xa9\"\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-text/integers", test_integers);
  g_test_add_func ("/trace-text/random-integers", test_random_integers);
  g_test_add_func ("/trace-text/microseconds", test_microseconds);
  g_test_add_func ("/trace-text/doubles", test_doubles);
  g_test_add_func ("/trace-text/random-doubles", test_random_doubles);
  g_test_add_func ("/trace-text/locale", test_locale);
  g_test_add_func ("/trace-text/json-strings", test_json_strings);
  g_test_add_func ("/trace-text/every-byte-at-every-place", test_every_byte_at_every_place);
  g_test_add_func ("/trace-text/utf8", test_utf8);
  return g_test_run ();
}
