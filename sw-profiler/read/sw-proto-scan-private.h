/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Reads protobuf's wire format field by field, without knowing of messages. By hand, as a generated parser makes an object of every
 * packet: docs/reference/trace-readers.md says more. */

typedef struct
{
  const guint8 *at; /* NULL after what is no field */
  const guint8 *end;
} SwProtoScan;

typedef struct
{
  guint32 field;
  guint8 wire;         /* 0: varint, 1: 64 bits, 2: bytes, 5: 32 bits */
  guint64 number;      /* of all but bytes */
  const guint8 *bytes;
  gsize length;
} SwProtoField;

static inline SwProtoScan
sw_proto_scan (const guint8 *bytes,
               gsize length)
{
  return (SwProtoScan) { bytes, bytes + length };
}

static inline SwProtoScan
sw_proto_scan_field (const SwProtoField *field)
{
  return sw_proto_scan (field->bytes, field->length);
}

/* NULL: it is cut, or too long. */
static inline const guint8 *
sw_proto_varint (const guint8 *at,
                 const guint8 *end,
                 guint64 *value)
{
  guint64 result = 0;

  if (G_LIKELY (at < end && *at < 0x80))
    {
      *value = *at;
      return at + 1;
    }
  for (guint shift = 0; shift < 70 && at < end; shift += 7)
    {
      result |= shift < 64 ? (guint64) (*at & 0x7f) << shift : 0;
      if (*at++ < 0x80)
        {
          *value = result;
          return at;
        }
    }
  return NULL;
}

static inline gboolean
sw_proto_fail (SwProtoScan *self)
{
  self->at = NULL;
  return FALSE;
}

/* FALSE at the end, and where it goes wrong. */
static inline gboolean
sw_proto_next (SwProtoScan *self,
               SwProtoField *field)
{
  guint64 tag;

  if (self->at == NULL || self->at >= self->end)
    return FALSE;
  self->at = sw_proto_varint (self->at, self->end, &tag);
  if (G_UNLIKELY (self->at == NULL || tag >> 3 == 0 || tag > G_MAXUINT32))
    return sw_proto_fail (self);
  field->field = (guint32) (tag >> 3);
  field->wire = tag & 7;
  if (G_LIKELY (field->wire == 0))
    {
      self->at = sw_proto_varint (self->at, self->end, &field->number);
      return self->at != NULL;
    }
  if (field->wire == 2)
    {
      guint64 length;

      self->at = sw_proto_varint (self->at, self->end, &length);
      if (self->at == NULL || length > (guint64) (self->end - self->at))
        return sw_proto_fail (self);
      field->bytes = self->at;
      field->length = (gsize) length;
      self->at += length;
      return TRUE;
    }
  if (field->wire == 1 || field->wire == 5)
    {
      gsize size = field->wire == 1 ? 8 : 4;

      if ((gsize) (self->end - self->at) < size)
        return sw_proto_fail (self);
      field->number = 0;
      memcpy (&field->number, self->at, size);
      field->number = GUINT64_FROM_LE (field->number);
      self->at += size;
      return TRUE;
    }
  return sw_proto_fail (self);
}

static inline gboolean
sw_proto_is_whole (const SwProtoScan *self)
{
  return self->at != NULL;
}

static inline double
sw_proto_real (const SwProtoField *field)
{
  double value;

  memcpy (&value, &field->number, sizeof value);
  return value;
}

G_END_DECLS
