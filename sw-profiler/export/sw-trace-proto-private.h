/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Protobuf's wire format, as far as traces need it. Each function writes at @at and returns the end. Field numbers are
 * constants, so that a compiler makes one store of most of this. */

static inline guint8 *
sw_proto_put_varint (guint8 *at,
                     guint64 value)
{
  while (value >= 0x80)
    {
      *at++ = (guint8) (value | 0x80);
      value >>= 7;
    }
  *at++ = (guint8) value;
  return at;
}

static inline guint8 *
sw_proto_put_number (guint8 *at,
                     guint32 field,
                     guint64 value)
{
  return sw_proto_put_varint (sw_proto_put_varint (at, field << 3), value);
}

static inline guint8 *
sw_proto_put_fixed64 (guint8 *at,
                      guint32 field,
                      gconstpointer value)
{
  guint64 bits;

  memcpy (&bits, value, sizeof bits);
  bits = GUINT64_TO_LE (bits);
  at = sw_proto_put_varint (at, field << 3 | 1);
  memcpy (at, &bits, sizeof bits);
  return at + sizeof bits;
}

static inline guint8 *
sw_proto_put_bytes (guint8 *at,
                    guint32 field,
                    const char *bytes,
                    gsize n_bytes)
{
  at = sw_proto_put_varint (sw_proto_put_varint (at, field << 3 | 2), n_bytes);
  memcpy (at, bytes, n_bytes);
  return at + n_bytes;
}

/* A message, or a string of unknown length: what is written after open () is its content, until close (). One byte is
 * left for the length; a longer content is moved, by at most nine. */
static inline guint8 *
sw_proto_open (guint8 *at,
               guint32 field)
{
  return sw_proto_put_varint (at, field << 3 | 2) + 1;
}

guint8 *sw_proto_close_long (guint8 *content,
                             guint8 *end);

static inline guint8 *
sw_proto_close (guint8 *content,
                guint8 *end)
{
  gsize length = (gsize) (end - content);

  if (G_UNLIKELY (length >= 0x80))
    return sw_proto_close_long (content, end);
  content[-1] = (guint8) length;
  return end;
}

G_END_DECLS
