/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-paths-private.h"

#include <string.h>

#define FIRST_CAPACITY 64
/* So few unused paths are not worth a look. */
#define N_TOLERATED 256

void
sw_frame_paths_init (SwFramePaths *self)
{
  *self = (SwFramePaths){ .n_paths = 1, .capacity = FIRST_CAPACITY, .n_slots = 2 * FIRST_CAPACITY };
  self->paths = g_new0 (SwFramePath, self->capacity);
  self->uses = g_new0 (SwFramePathUse, self->capacity);
  self->slots = g_new0 (guint32, self->n_slots);
  self->free_paths = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
sw_frame_paths_clear (SwFramePaths *self)
{
  g_free (self->paths);
  g_free (self->uses);
  g_free (self->slots);
  g_array_unref (self->free_paths);
}

gsize
sw_frame_paths_memory_bytes (const SwFramePaths *self)
{
  return self->capacity * (sizeof (SwFramePath) + sizeof (SwFramePathUse)) + self->n_slots * sizeof (guint32) +
         self->free_paths->len * sizeof (guint32);
}

static inline guint32
hash_path (const SwFramePaths *self,
           guint32 parent,
           guint32 site_id)
{
  guint64 key = (guint64) parent << 32 | site_id;

  return (guint32) ((key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) & (self->n_slots - 1);
}

static void
put_slot (SwFramePaths *self,
          guint32 path)
{
  guint32 i = hash_path (self, self->paths[path].parent, self->paths[path].site_id);

  while (self->slots[i] != 0)
    i = (i + 1) & (self->n_slots - 1);
  self->slots[i] = path;
}

static void
fill_slots (SwFramePaths *self)
{
  memset (self->slots, 0, self->n_slots * sizeof (guint32));
  for (guint32 path = 1; path < self->n_paths; path++)
    if (self->paths[path].site_id != 0)
      put_slot (self, path);
}

/* The slots are twice as many as the places, so that they are never more than half full. */
static void
grow (SwFramePaths *self)
{
  guint32 old = self->capacity;

  self->capacity *= 2;
  self->paths = g_renew (SwFramePath, self->paths, self->capacity);
  self->uses = g_renew (SwFramePathUse, self->uses, self->capacity);
  memset (self->paths + old, 0, old * sizeof (SwFramePath));
  memset (self->uses + old, 0, old * sizeof (SwFramePathUse));
  self->n_slots = 2 * self->capacity;
  self->slots = g_renew (guint32, self->slots, self->n_slots);
  fill_slots (self);
}

static guint32
take_place (SwFramePaths *self)
{
  guint32 place;

  if (self->free_paths->len == 0)
    {
      if (self->n_paths == self->capacity)
        grow (self);
      return self->n_paths++;
    }
  place = g_array_index (self->free_paths, guint32, self->free_paths->len - 1);
  g_array_set_size (self->free_paths, self->free_paths->len - 1);
  return place;
}

static guint32
add (SwFramePaths *self,
     guint32 parent,
     guint32 site_id)
{
  guint32 path = take_place (self);

  self->paths[path] = (SwFramePath){ parent, site_id };
  self->uses[path] = (SwFramePathUse){ .n_users = 0 };
  self->uses[parent].n_children++;
  self->n_unused++;
  put_slot (self, path);
  return path;
}

guint32
sw_frame_paths_intern (SwFramePaths *self,
                       guint32 parent,
                       guint32 site_id)
{
  for (guint32 i = hash_path (self, parent, site_id);; i = (i + 1) & (self->n_slots - 1))
    {
      guint32 path = self->slots[i];

      if (path == 0)
        return add (self, parent, site_id);
      if (self->paths[path].parent == parent && self->paths[path].site_id == site_id)
        return path;
    }
}

void
sw_frame_paths_use (SwFramePaths *self,
                    guint32 path)
{
  if (self->uses[path].n_users++ == 0)
    self->n_unused--;
}

void
sw_frame_paths_unuse (SwFramePaths *self,
                      guint32 path)
{
  if (--self->uses[path].n_users == 0)
    self->n_unused++;
}

/* And the paths that it leaves without a reason to be. */
static void
free_path (SwFramePaths *self,
           guint32 path)
{
  while (path != SW_FRAME_ROOT && self->paths[path].site_id != 0 && self->uses[path].n_users == 0 &&
         self->uses[path].n_children == 0)
    {
      guint32 parent = self->paths[path].parent;

      self->paths[path].site_id = 0;
      self->n_unused--;
      self->uses[parent].n_children--;
      g_array_append_val (self->free_paths, path);
      path = parent;
    }
}

void
sw_frame_paths_collect (SwFramePaths *self)
{
  guint32 n_used = self->n_paths - 1 - self->free_paths->len - self->n_unused;

  if (self->n_unused <= MAX (n_used, N_TOLERATED))
    return;
  for (guint32 path = 1; path < self->n_paths; path++)
    free_path (self, path);
  fill_slots (self);
}
