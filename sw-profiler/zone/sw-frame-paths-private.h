/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SW_FRAME_ROOT 0u

/* One path of sites: that of its parent, and one site more. */
typedef struct
{
  guint32 parent;  /* SW_FRAME_ROOT: the path has one site */
  guint32 site_id; /* 0: the place is free */
} SwFramePath;

/* What only the accumulator needs of a path. */
typedef struct
{
  guint32 n_users;    /* frames that it ran in */
  guint32 n_children; /* paths that go on from it */
  guint32 record;     /* its record in the frame that is numbered so */
  guint64 frame;
} SwFramePathUse;

/* All paths that the frames of a window have, by a number that is used again once no frame has the path. */
typedef struct
{
  guint32 n_paths;  /* places, the root and the free ones among them */
  guint32 capacity;
  guint32 n_unused; /* paths of no frame */
  SwFramePath *paths;
  SwFramePathUse *uses;
  guint32 *slots; /* open addressing; 0 is free */
  guint32 n_slots; /* a power of two */
  GArray *free_paths; /* of guint32 */
} SwFramePaths;

void sw_frame_paths_init (SwFramePaths *self);
void sw_frame_paths_clear (SwFramePaths *self);
gsize sw_frame_paths_memory_bytes (const SwFramePaths *self);

guint32 sw_frame_paths_intern (SwFramePaths *self,
                               guint32 parent,
                               guint32 site_id);
void sw_frame_paths_use (SwFramePaths *self,
                         guint32 path);
void sw_frame_paths_unuse (SwFramePaths *self,
                           guint32 path);
/* Frees paths of no frame once they are more than the others. */
void sw_frame_paths_collect (SwFramePaths *self);

G_END_DECLS
