/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Numbers and strings as the writers put them, the same in every locale. The number functions write at most this much,
 * and return the end. */
#define SW_TRACE_NUMBER_SIZE 40

/* "00" to "99", one after the other. */
extern const char sw_trace_digit_pairs[201];

static inline guint
sw_trace_count_digits (guint64 value)
{
  static const guint64 powers[20] = {
    G_GUINT64_CONSTANT (0),
    G_GUINT64_CONSTANT (10),
    G_GUINT64_CONSTANT (100),
    G_GUINT64_CONSTANT (1000),
    G_GUINT64_CONSTANT (10000),
    G_GUINT64_CONSTANT (100000),
    G_GUINT64_CONSTANT (1000000),
    G_GUINT64_CONSTANT (10000000),
    G_GUINT64_CONSTANT (100000000),
    G_GUINT64_CONSTANT (1000000000),
    G_GUINT64_CONSTANT (10000000000),
    G_GUINT64_CONSTANT (100000000000),
    G_GUINT64_CONSTANT (1000000000000),
    G_GUINT64_CONSTANT (10000000000000),
    G_GUINT64_CONSTANT (100000000000000),
    G_GUINT64_CONSTANT (1000000000000000),
    G_GUINT64_CONSTANT (10000000000000000),
    G_GUINT64_CONSTANT (100000000000000000),
    G_GUINT64_CONSTANT (1000000000000000000),
    G_GUINT64_CONSTANT (10000000000000000000),
  };
  /* 1233 / 4096 is a little more than log10 (2). */
  guint guess = (64u - (guint) __builtin_clzll (value | 1)) * 1233 >> 12;

  return guess + (value >= powers[guess]);
}

static inline char *
sw_trace_put_uint64 (char *at,
                     guint64 value)
{
  char *end = at + MAX (sw_trace_count_digits (value), 1);
  char *digit = end;

  while (value >= 100)
    {
      digit -= 2;
      memcpy (digit, sw_trace_digit_pairs + 2 * (value % 100), 2);
      value /= 100;
    }
  if (value >= 10)
    memcpy (digit - 2, sw_trace_digit_pairs + 2 * value, 2);
  else
    digit[-1] = (char) ('0' + value);
  return end;
}

static inline char *
sw_trace_put_int64 (char *at,
                    gint64 value)
{
  if (value >= 0)
    return sw_trace_put_uint64 (at, (guint64) value);
  *at = '-';
  return sw_trace_put_uint64 (at + 1, -(guint64) value);
}

/* Microseconds with three decimals. */
static inline char *
sw_trace_put_microseconds (char *at,
                           guint64 ns)
{
  guint rest = (guint) (ns % 1000);

  at = sw_trace_put_uint64 (at, ns / 1000);
  at[0] = '.';
  at[1] = (char) ('0' + rest / 100);
  memcpy (at + 2, sw_trace_digit_pairs + 2 * (rest % 100), 2);
  return at + 4;
}

/* The shortest decimal that reads back as the same double, with a point or an exponent; NaN, Infinity, -Infinity. */
char *sw_trace_put_double (char *at,
                           double value);

static inline char *
sw_trace_put_bytes (char *at,
                    const char *bytes,
                    gsize n_bytes)
{
  memcpy (at, bytes, n_bytes);
  return at + n_bytes;
}

#define sw_trace_put_literal(at, text) sw_trace_put_bytes (at, text, sizeof (text) - 1)

/* How much sw_trace_put_json_string () may write. */
static inline gsize
sw_trace_json_string_size (gsize length)
{
  return 6 * length + 2;
}

/* Between quotes, valid UTF-8 whatever the bytes are: U+FFFD for each one that is not. */
char *sw_trace_put_json_string (char *at,
                                const char *text,
                                gsize length);
/* The same characters, bare; at most 3 * @length bytes. */
char *sw_trace_put_utf8 (char *at,
                         const char *text,
                         gsize length);

G_END_DECLS
