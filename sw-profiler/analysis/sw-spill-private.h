/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Records of one fixed size, in a list for each of some small numbers. They stay in memory up to a budget; what is more goes to
 * a file without a name, in parts: a part is all that a list had gathered since the part before. */
typedef struct _SwSpill SwSpill;

/* Called on the records of a list before they become a part, whether it is written or stays in memory. */
typedef void (*SwSpillPrepare) (gpointer records,
                                gsize n);

/* The part of a list that is read; the buffer is the caller's. */
typedef struct
{
  SwSpill *spill;
  const guint8 *memory; /* the part, if it is in memory */
  guint64 offset;       /* in the file, of what is read next */
  gsize n_left;         /* records that are not read yet */
} SwSpillPart;

/* @prepare may be NULL. @budget: of memory, in bytes. */
SwSpill *sw_spill_new (gsize record_size,
                       gsize budget,
                       SwSpillPrepare prepare) G_GNUC_WARN_UNUSED_RESULT;
void sw_spill_free (SwSpill *self);

/* Room for one more record of the list, to be filled before the next call. */
gpointer sw_spill_add (SwSpill *self,
                       guint32 list);
/* Lists are numbered below it. */
guint32 sw_spill_get_n_lists (const SwSpill *self);
guint64 sw_spill_get_n_records (const SwSpill *self,
                                guint32 list);
gsize sw_spill_get_n_parts (const SwSpill *self,
                            guint32 list);
/* No more records: prepares what is in memory. FALSE, with IO, where a file could not be written since the beginning. */
gboolean sw_spill_finish (SwSpill *self,
                          GError **error);
/* After that: part @i, in the order in which they were gathered. */
void sw_spill_open_part (SwSpill *self,
                         guint32 list,
                         gsize i,
                         SwSpillPart *part);
/* Up to @n of the next records of a part; how many, and 0 at the end. Of a part in memory, *@records points into that, else to @buffer,
 * which has room for @n. -1 with IO. */
gssize sw_spill_read (SwSpillPart *part,
                      gpointer buffer,
                      gsize n,
                      const void **records,
                      GError **error);
/* The bytes that it ever wrote to the file. */
guint64 sw_spill_get_n_spilled (const SwSpill *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwSpill, sw_spill_free)

G_END_DECLS
