/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-event-source-private.h"

G_BEGIN_DECLS

/* Events in a file.
 *
 * The file begins with SW_SAVED_MAGIC and the version, an integer of 32 bits. What follows are unsigned integers of
 * variable length: 7 bits in each byte, the lowest first, the top bit set in all but the last. Where one may be
 * negative, 0, -1, 1, -2 ... are written as 0, 1, 2, 3 ... A text is its length in bytes, and the bytes.
 *
 *   SwSavedFlags
 *   the thread, the number of dropped events, the number of clock faults
 *   the system's numbers of the process and the thread and what leads from the monotonic clock to the wall's, any of
 *   which may be negative; the two halves of the session's identifier; the thread's name
 *   how many sites, how many shapes, how many events there are
 *   for each site: its name; what results call the carrier's type; that type's name in the type system; the same two
 *   of the implementation's type
 *   for each of the shapes: how many tokens it has, and the tokens, which may be negative
 *   for each event: its start less that of the event before it, which may be negative; the duration; the duration less
 *   the self time; its number less its parent's, 0 without a parent; twice the site, and 1 more when it failed; and
 *   with SW_SAVED_SHAPES which of the shapes it has, from 1, or 0
 *
 * Last comes the CRC-32 of all bytes before, as zip and PNG have it, in 32 bits. Those, as the version, are
 * little-endian. */
#define SW_SAVED_MAGIC "\x89SWP\r\n\x1a\n"
#define SW_SAVED_MAGIC_SIZE 8
#define SW_SAVED_VERSION 1
#define SW_SAVED_HEADER_SIZE (SW_SAVED_MAGIC_SIZE + 4)
#define SW_SAVED_CHECKSUM_SIZE 4

typedef enum
{
  SW_SAVED_SHAPES = 1 << 0, /* the events have shapes */
} SwSavedFlags;

/* The CRC-32 of bytes behind others that have @crc, at first 0. */
guint32 sw_saved_checksum (guint32 crc,
                           const guint8 *bytes,
                           gsize n_bytes);

/* Writes @path as a whole, or leaves it as it was and fails with IO. */
gboolean sw_event_source_save (const SwEventSource *self,
                               gboolean record_shapes,
                               const char *path,
                               GError **error);

/* What was read of such a file. */
typedef struct _SwSavedEvents SwSavedEvents;

/* Fails with IO when the file cannot be read, and with VALUE when it holds something else. */
SwSavedEvents *sw_saved_events_load (const char *path,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_saved_events_free (SwSavedEvents *self);
/* Valid as long as @self. */
void sw_saved_events_init_source (SwSavedEvents *self,
                                  SwEventSource *source);
gboolean sw_saved_events_get_record_shapes (SwSavedEvents *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwSavedEvents, sw_saved_events_free)

G_END_DECLS
