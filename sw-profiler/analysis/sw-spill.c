/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-spill-private.h"

#include <errno.h>
#include <unistd.h>

#include "sw-profiler/analysis/sw-spill-file-private.h"
#include "sw/base/sw-error.h"

#define FIRST_ROOM 16

typedef struct
{
  guint64 offset;
  gsize n;
} Extent;

typedef struct
{
  guint8 *records; /* in memory */
  gsize n;
  gsize room;
  guint64 n_total;
  GArray *extents; /* of Extent, in the file; NULL: none */
} List;

struct _SwSpill
{
  gsize record_size;
  gsize budget;
  gsize used; /* memory of the lists */
  SwSpillPrepare prepare;
  GArray *lists; /* of List */
  int fd;        /* -1: none yet */
  guint64 end;   /* of the file */
  GError *error; /* the first one; what comes later is left out, as there is no place for it */
};

SwSpill *
sw_spill_new (gsize record_size,
              gsize budget,
              SwSpillPrepare prepare)
{
  SwSpill *self = g_new0 (SwSpill, 1);

  self->record_size = record_size;
  self->budget = budget;
  self->prepare = prepare;
  self->lists = g_array_new (FALSE, TRUE, sizeof (List));
  self->fd = -1;
  return self;
}

static inline List *
get_list (const SwSpill *self,
          guint32 list)
{
  return &g_array_index (self->lists, List, list);
}

void
sw_spill_free (SwSpill *self)
{
  for (guint i = 0; i < self->lists->len; i++)
    {
      g_free (get_list (self, i)->records);
      g_clear_pointer (&get_list (self, i)->extents, g_array_unref);
    }
  g_array_unref (self->lists);
  if (self->fd >= 0)
    close (self->fd);
  g_clear_error (&self->error);
  g_free (self);
}

static void
set_failed (SwSpill *self,
            int saved_errno)
{
  if (self->error == NULL)
    g_set_error (&self->error, SW_ERROR, SW_ERROR_IO, "the temporary file for what has no room in memory: %s",
                 g_strerror (saved_errno));
}

static void
spill_list (SwSpill *self,
            List *list)
{
  Extent extent = { self->end, list->n };

  if (list->n > 0 && self->prepare != NULL)
    self->prepare (list->records, list->n);
  if (list->n > 0 && self->error == NULL && !sw_spill_file_write (self->fd, &self->end, list->records, list->n * self->record_size))
    set_failed (self, errno);
  if (list->n > 0 && self->error == NULL)
    {
      if (list->extents == NULL)
        list->extents = g_array_new (FALSE, FALSE, sizeof (Extent));
      g_array_append_val (list->extents, extent);
    }
  g_clear_pointer (&list->records, g_free);
  list->n = 0;
  list->room = 0;
}

static void
spill_all (SwSpill *self)
{
  if (self->fd < 0 && self->error == NULL)
    {
      self->fd = sw_spill_file_open ();
      if (self->fd < 0)
        set_failed (self, errno);
    }
  for (guint i = 0; i < self->lists->len; i++)
    spill_list (self, get_list (self, i));
  self->used = 0;
}

static void
grow (SwSpill *self,
      List *list)
{
  gsize room = list->room == 0 ? FIRST_ROOM : list->room + list->room / 2;
  gsize n_more = (room - list->room) * self->record_size;

  if (self->used + n_more > self->budget && self->used > 0)
    {
      spill_all (self);
      room = FIRST_ROOM;
      n_more = room * self->record_size;
    }
  list->records = g_realloc_n (list->records, room, self->record_size);
  list->room = room;
  self->used += n_more;
}

gpointer
sw_spill_add (SwSpill *self,
              guint32 number)
{
  List *list;

  if (number >= self->lists->len)
    g_array_set_size (self->lists, number + 1);
  list = get_list (self, number);
  if (list->n == list->room)
    grow (self, list);
  list->n_total++;
  return list->records + list->n++ * self->record_size;
}

guint32
sw_spill_get_n_lists (const SwSpill *self)
{
  return self->lists->len;
}

guint64
sw_spill_get_n_records (const SwSpill *self,
                        guint32 list)
{
  return list < self->lists->len ? get_list (self, list)->n_total : 0;
}

static gsize
count_extents (const List *list)
{
  return list->extents != NULL ? list->extents->len : 0;
}

gsize
sw_spill_get_n_parts (const SwSpill *self,
                      guint32 list)
{
  if (list >= self->lists->len)
    return 0;
  return count_extents (get_list (self, list)) + (get_list (self, list)->n > 0);
}

gboolean
sw_spill_finish (SwSpill *self,
                 GError **error)
{
  if (self->error != NULL)
    {
      g_propagate_error (error, g_error_copy (self->error));
      return FALSE;
    }
  for (guint i = 0; i < self->lists->len; i++)
    if (get_list (self, i)->n > 0 && self->prepare != NULL)
      self->prepare (get_list (self, i)->records, get_list (self, i)->n);
  return TRUE;
}

void
sw_spill_open_part (SwSpill *self,
                    guint32 number,
                    gsize i,
                    SwSpillPart *part)
{
  List *list = get_list (self, number);

  *part = (SwSpillPart){ .spill = self };
  if (i < count_extents (list))
    {
      part->offset = g_array_index (list->extents, Extent, i).offset;
      part->n_left = g_array_index (list->extents, Extent, i).n;
      return;
    }
  part->memory = list->records;
  part->n_left = list->n;
}

gssize
sw_spill_read (SwSpillPart *part,
               gpointer buffer,
               gsize n,
               const void **records,
               GError **error)
{
  gsize n_bytes;

  n = MIN (n, part->n_left);
  n_bytes = n * part->spill->record_size;
  part->n_left -= n;
  *records = buffer;
  if (part->memory != NULL)
    {
      *records = part->memory;
      part->memory += n_bytes;
      return (gssize) n;
    }
  if (!sw_spill_file_read (part->spill->fd, part->offset, buffer, n_bytes, error))
    return -1;
  part->offset += n_bytes;
  return (gssize) n;
}

guint64
sw_spill_get_n_spilled (const SwSpill *self)
{
  return self->end;
}
