/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Scans JSON in a window that may end anywhere: a NUL stands behind it, and some more after that one. It makes nothing of
 * what it finds but ranges of bytes, and takes what other producers get wrong: commas too many or too few, bytes that are no
 * UTF-8, control characters in strings, NaN and infinities. */

typedef enum {
  SW_JSON_STRING,
  SW_JSON_NUMBER,
  SW_JSON_NOT_FINITE, /* NaN, Infinity, -Infinity, as no standard allows */
  SW_JSON_TRUE,
  SW_JSON_FALSE,
  SW_JSON_NULL,
  SW_JSON_OBJECT,
  SW_JSON_ARRAY,
} SwJsonKind;

typedef struct
{
  const char *start; /* of a string: what is between the quotes */
  const char *end;
  SwJsonKind kind;
  gboolean is_escaped;
  gboolean may_be_other; /* than ASCII */
} SwJsonText;

typedef struct
{
  const char *end;     /* of the window */
  const char *trouble; /* where it went wrong, after NULL was returned */
  gboolean is_cut;     /* it did as the window ended */
} SwJsonScan;

static inline gsize
sw_json_length (const SwJsonText *text)
{
  return (gsize) (text->end - text->start);
}

/* Makes @plain the string without escapes, in the @size bytes at @room. FALSE: it is longer. */
gboolean sw_json_plain (const SwJsonText *text,
                        char *room,
                        gsize size,
                        SwJsonText *plain);
/* Of a string with escapes. */
gboolean sw_json_is_escaped (const SwJsonText *text,
                             const char *other);

static inline gboolean
sw_json_is (const SwJsonText *text,
            const char *other)
{
  gsize length = strlen (other);

  if (G_UNLIKELY (text->is_escaped))
    return sw_json_is_escaped (text, other);
  return sw_json_length (text) == length && memcmp (text->start, other, length) == 0;
}

static inline const char *
sw_json_fail (SwJsonScan *scan,
              const char *at)
{
  scan->trouble = at;
  scan->is_cut = at >= scan->end;
  return NULL;
}

static inline gboolean
sw_json_is_space (char c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *
sw_json_skip_space (const char *at)
{
  while (sw_json_is_space (*at))
    at++;
  return at;
}

static inline const char *
sw_json_skip_separators (const char *at)
{
  while (sw_json_is_space (*at) || *at == ',')
    at++;
  return at;
}

#define SW_JSON_EACH_BYTE(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))

/* Of eight bytes, the high bits of those that are a control character, a quote or a backslash. The lowest bit is exact; a
 * borrow sets only higher ones. */
static inline guint64
sw_json_special (guint64 bytes)
{
  guint64 quote = bytes ^ SW_JSON_EACH_BYTE ('"');
  guint64 backslash = bytes ^ SW_JSON_EACH_BYTE ('\\');

  return (((bytes - SW_JSON_EACH_BYTE (0x20)) & ~bytes) | ((quote - SW_JSON_EACH_BYTE (1)) & ~quote) |
          ((backslash - SW_JSON_EACH_BYTE (1)) & ~backslash)) &
         SW_JSON_EACH_BYTE (0x80);
}

/* @at: after the opening quote. Returns what is after the closing one. */
static inline const char *
sw_json_string (SwJsonScan *scan,
                const char *at,
                SwJsonText *text)
{
  guint64 all = 0;

  text->kind = SW_JSON_STRING;
  text->start = at;
  text->is_escaped = FALSE;
  for (;;)
    {
      guint64 bytes;
      guint64 special;

      memcpy (&bytes, at, sizeof bytes);
      bytes = GUINT64_FROM_LE (bytes);
      all |= bytes;
      special = sw_json_special (bytes);
      if (special == 0)
        {
          at += 8;
          continue;
        }
      at += __builtin_ctzll (special) / 8;
      if (*at == '"')
        break;
      if (at >= scan->end)
        return sw_json_fail (scan, at);
      if (*at == '\\')
        {
          text->is_escaped = TRUE;
          if (at + 1 >= scan->end)
            return sw_json_fail (scan, at + 1);
          at++;
        }
      at++;
    }
  text->may_be_other = (all & SW_JSON_EACH_BYTE (0x80)) != 0;
  text->end = at;
  return at + 1;
}

/* Of any value, whose first character is at @at, which is no space. An object or array is only skipped: its inside need not be
 * right. */
const char *sw_json_value (SwJsonScan *scan,
                           const char *at,
                           SwJsonText *text);
/* The next key of an object, and where its value is. @at: after the brace or the value before. At the end of the object
 * @key->start is NULL, and what is returned is after the brace. */
const char *sw_json_member (SwJsonScan *scan,
                            const char *at,
                            SwJsonText *key);
/* The same of an array; NULL in @value->start at its end. */
const char *sw_json_element (SwJsonScan *scan,
                             const char *at,
                             SwJsonText *value);

/* Puts the characters of a string to @to, which has room for as many bytes as it had; their number. */
gsize sw_json_unescape (const SwJsonText *text,
                        char *to);
/* Appends a value as strict JSON, without spaces; FALSE where it is none, or nested too deep. */
gboolean sw_json_normalise (const SwJsonText *value,
                            GString *to);

/* The number of a text like 12, 12.345 or 1.2e3, or a string of one, times 10^@exponent, rounded to the nearest integer;
 * FALSE where it is none or does not fit. No digit goes through a double. */
gboolean sw_json_scaled_int64 (const SwJsonText *text,
                               int exponent,
                               gint64 *value);
/* Of a text without point and exponent, or a string of it. */
gboolean sw_json_int64 (const SwJsonText *text,
                        gint64 *value);
gboolean sw_json_uint64 (const SwJsonText *text,
                         guint64 *value);
/* The nearest double; FALSE for what is no number. Infinite, if it is too large. */
gboolean sw_json_double (const SwJsonText *text,
                         double *value);
/* Whether it is a number by the grammar of JSON. */
gboolean sw_json_is_number (const SwJsonText *text);

/* Skips a value of any size that comes in pieces. */
typedef struct
{
  guint64 depth;
  gboolean has_begun;
  gboolean is_string;
  gboolean is_escaped;
} SwJsonSkip;

/* Goes on from @at up to @end; returns where the value ends, or NULL for: not in this piece. */
const char *sw_json_skip (SwJsonSkip *self,
                          const char *at,
                          const char *end);

G_END_DECLS
