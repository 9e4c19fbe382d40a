/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-text-private.h"

#include <math.h>
#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

const char sw_trace_digit_pairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                       "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                       "8081828384858687888990919293949596979899";

/* Most doubles that people count are whole, or have a few decimals: exact where the quotient gives the value back. */
static char *
put_short_decimal (char *at,
                   double value)
{
  static const double scales[] = { 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      double scaled = value * scales[i];
      guint64 digits = (guint64) scaled;
      char *point;

      if (scaled >= 9e15)
        return NULL;
      digits += scaled - (double) digits >= 0.5;
      if ((double) digits / scales[i] != value)
        continue;

      point = sw_trace_put_uint64 (at, digits / (guint64) scales[i]);
      /* A leading one, where the point will be, keeps the zeros after it. */
      sw_trace_put_uint64 (point, digits % (guint64) scales[i] + (guint64) scales[i]);
      *point = '.';
      return point + 2 + i;
    }
  return NULL;
}

static char *
put_any_double (char *at,
                double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gsize length;

  for (int digits = 15; digits <= 17; digits++)
    {
      char format[] = "%.15g";

      format[3] = (char) ('0' + digits % 10);
      g_ascii_formatd (text, sizeof (text), format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  length = strlen (text);
  memcpy (at, text, length);
  at += length;
  return strpbrk (text, ".e") != NULL ? at : sw_trace_put_literal (at, ".0");
}

char *
sw_trace_put_double (char *at,
                     double value)
{
  char *end;

  if (isnan (value))
    return sw_trace_put_literal (at, "NaN");
  if (signbit (value))
    {
      *at++ = '-';
      value = -value;
    }
  if (isinf (value))
    return sw_trace_put_literal (at, "Infinity");
  end = value == 0 || (value >= 1e-3 && value < 9e14) ? put_short_decimal (at, value) : NULL;
  return end != NULL ? end : put_any_double (at, value);
}

#define EACH_BYTE(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))

/* Whether one of eight bytes is a control character, DEL, a quote, a backslash, or not ASCII. */
static inline gboolean
needs_care (guint64 bytes)
{
  guint64 high = EACH_BYTE (0x80);
  guint64 quote = bytes ^ EACH_BYTE ('"');
  guint64 backslash = bytes ^ EACH_BYTE ('\\');
  guint64 del = bytes ^ EACH_BYTE (0x7f);
  /* Where a byte is smaller than n, its subtraction borrows; a borrow from a neighbour only ever adds care. */
  guint64 found = (bytes - EACH_BYTE (0x20)) | (quote - EACH_BYTE (1)) | (backslash - EACH_BYTE (1)) | (del - EACH_BYTE (1)) |
                  bytes;

  return (found & high) != 0;
}

/* Copies what needs no care; its length. */
static inline gsize
copy_plain (char *at,
            const char *text,
            gsize length)
{
  gsize i = 0;

  for (; i + 8 <= length; i += 8)
    {
      guint64 bytes;

      memcpy (&bytes, text + i, 8);
      if (needs_care (bytes))
        break;
      memcpy (at + i, &bytes, 8);
    }
  for (; i < length; i++)
    {
      guchar c = (guchar) text[i];

      if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
        break;
      at[i] = (char) c;
    }
  return i;
}

/* The length of the valid character at @text, or 0. */
static gsize
character_length (const char *text,
                  gsize length)
{
  gunichar c = g_utf8_get_char_validated (text, (gssize) MIN (length, 6));

  return (gint32) c < 0 ? 0 : (gsize) g_unichar_to_utf8 (c, NULL);
}

static char *
put_escape (char *at,
            guchar c)
{
  static const char hex[] = "0123456789abcdef";
  static const char named[] = "btn\0fr"; /* from 0x08 on */

  *at++ = '\\';
  if (c == '"' || c == '\\')
    *at++ = (char) c;
  else if (c >= 0x08 && c <= 0x0d && c != 0x0b)
    *at++ = named[c - 0x08];
  else
    {
      at = sw_trace_put_literal (at, "u00");
      *at++ = hex[c >> 4];
      *at++ = hex[c & 15];
    }
  return at;
}

char *
sw_trace_put_json_string (char *at,
                          const char *text,
                          gsize length)
{
  *at++ = '"';
  for (;;)
    {
      gsize n = copy_plain (at, text, length);
      guchar c;

      at += n;
      text += n;
      length -= n;
      if (length == 0)
        break;
      c = (guchar) *text;
      n = 1;
      if (c < 0x80)
        at = put_escape (at, c);
      else if ((n = character_length (text, length)) > 0)
        at = sw_trace_put_bytes (at, text, n);
      else
        at = sw_trace_put_literal (at, REPLACEMENT);
      n = MAX (n, 1);
      text += n;
      length -= n;
    }
  *at++ = '"';
  return at;
}

char *
sw_trace_put_utf8 (char *at,
                   const char *text,
                   gsize length)
{
  while (length > 0)
    {
      gsize n = (guchar) *text < 0x80 ? 1 : character_length (text, length);

      if (n > 0)
        at = sw_trace_put_bytes (at, text, n);
      else
        at = sw_trace_put_literal (at, REPLACEMENT);
      n = MAX (n, 1);
      text += n;
      length -= n;
    }
  return at;
}
