/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-windows-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* Values of a row of positions that lie evenly, or are all padding. */
typedef struct
{
  gint64 to;   /* from the first of the row of a place */
  gint64 from; /* from the first of the channel */
  gint64 n;
  gboolean is_padding;
} Segment;

#define MAX_SEGMENTS 64

/* What all channels have in common for one place in the windows. */
typedef struct
{
  const SwView *input;
  gint64 start; /* of the first channel */
  gint64 channel_step;
  gint64 n_channels;
  gint64 step;    /* from one value of a segment to the next */
  gint64 to_step; /* from one channel to the next */
  guint n_segments;
  Segment segments[MAX_SEGMENTS];
} Copies;

/* Most rows are so short that a call takes as long as the copy: chunks, of which the last lies across the one before. */
SW_CPU_INLINE void
copy_bytes (char *to,
            const char *from,
            gint64 n)
{
  if (n >= 64)
    {
      for (gint64 i = 0; i < n - 64; i += 64)
        memcpy (to + i, from + i, 64);
      memcpy (to + n - 64, from + n - 64, 64);
    }
  else if (n >= 32)
    {
      memcpy (to, from, 32);
      memcpy (to + n - 32, from + n - 32, 32);
    }
  else if (n >= 16)
    {
      memcpy (to, from, 16);
      memcpy (to + n - 16, from + n - 16, 16);
    }
  else if (n >= 8)
    {
      memcpy (to, from, 8);
      memcpy (to + n - 8, from + n - 8, 8);
    }
  else if (n > 0)
    memcpy (to, from, 4);
}

/* With the number of values and the kind by value, which the compiler would read again and again otherwise. */
#define DEFINE_COPY(Type, name)                                                                                      \
  SW_CPU_INLINE void                                                                                                 \
      copy_segment_##name (Type *restrict to, const Type *restrict from, gint64 step, gint64 n, gboolean is_padding) \
  {                                                                                                                  \
    if (is_padding)                                                                                                  \
      for (gint64 i = 0; i < n; i++)                                                                                 \
        to[i] = 0;                                                                                                   \
    else if (step == 1)                                                                                              \
      copy_bytes ((char *) to, (const char *) from, n *(gint64) sizeof *to);                                         \
    else if (step == 2)                                                                                              \
      for (gint64 i = 0; i < n; i++)                                                                                 \
        to[i] = from[i * 2];                                                                                         \
    else                                                                                                             \
      for (gint64 i = 0; i < n; i++)                                                                                 \
        to[i] = from[i * step];                                                                                      \
  }                                                                                                                  \
                                                                                                                     \
  SW_CPU_INLINE void                                                                                                 \
      copy_all_##name##_at_level (const Copies *copies, Type *to)                                                    \
  {                                                                                                                  \
    const Type *from = (const Type *) copies->input->data + copies->start;                                           \
    gint64 step = copies->step, to_step = copies->to_step, from_step = copies->channel_step;                         \
                                                                                                                     \
    for (gint64 channel = copies->n_channels; channel > 0; channel--, from += from_step, to += to_step)              \
      {                                                                                                              \
        for (guint i = 0; i < copies->n_segments; i++)                                                               \
          {                                                                                                          \
            Segment at = copies->segments[i];                                                                        \
                                                                                                                     \
            copy_segment_##name (to + at.to, from + at.from, step, at.n, at.is_padding);                             \
          }                                                                                                          \
      }                                                                                                              \
  }                                                                                                                  \
                                                                                                                     \
  SW_CPU_DEFINE_LEVELS (void, copy_all_##name, (const Copies *copies, Type *to), (copies, to))

DEFINE_COPY (guint32, 32)
DEFINE_COPY (guint64, 64)

static void
flush (Copies *self,
       gsize size,
       char *to)
{
  if (size == 4)
    copy_all_32 (self, (gpointer) to);
  else
    copy_all_64 (self, (gpointer) to);
  self->n_segments = 0;
}

static void
add_segment (Copies *self,
             gint64 to,
             gint64 from,
             gint64 n,
             gboolean is_padding)
{
  if (n > 0)
    self->segments[self->n_segments++] = (Segment){ to, from, n, is_padding };
}

void
sw_cpu_term_init (SwCpuTerm *self,
                  const SwWindows *windows,
                  gint64 row,
                  gint64 k)
{
  guint last = windows->n_modes - 1;
  for (guint m = windows->n_modes; m > 0; m--)
    {
      guint i = m - 1;

      self->shifts[i] = k % windows->extents[i] * windows->dilations[i] - windows->paddings[i];
      k /= windows->extents[i];
      if (i == last)
        continue;
      self->row[i] = row % windows->counts[i];
      row /= windows->counts[i];
    }

  self->first = self->shifts[last] < 0 ? (-self->shifts[last] + windows->strides[last] - 1) / windows->strides[last] : 0;
  self->end = 0;
  if (self->shifts[last] < windows->input_extents[last])
    self->end = MIN (windows->counts[last],
                     (windows->input_extents[last] - 1 - self->shifts[last]) / windows->strides[last] + 1);
  self->end = MAX (self->end, self->first);
}

gboolean
sw_cpu_term_locate (const SwCpuTerm *self,
                    const SwWindows *windows,
                    gint64 *index)
{
  guint last = windows->n_modes - 1;

  *index = self->shifts[last] * windows->input_steps[last];
  for (guint m = 0; m < last; m++)
    {
      gint64 at = self->row[m] * windows->strides[m] + self->shifts[m];

      if (at < 0 || at >= windows->input_extents[m])
        return FALSE;
      *index += at * windows->input_steps[m];
    }
  return TRUE;
}

void
sw_cpu_term_next (SwCpuTerm *self,
                  const SwWindows *windows)
{
  for (guint m = windows->n_modes - 1; m > 0; m--)
    {
      if (++self->row[m - 1] < windows->counts[m - 1])
        return;
      self->row[m - 1] = 0;
    }
}

/* The rows of one place: what is where is found out once for all channels. */
static void
fill_place (const SwWindows *windows,
            Copies *copies,
            gint64 k,
            gint64 first,
            gint64 n,
            gsize size,
            char *to)
{
  gint64 length = windows->counts[windows->n_modes - 1], x = first % length;
  SwCpuTerm term;

  sw_cpu_term_init (&term, windows, first / length, k);
  for (gint64 at = 0; at < n; sw_cpu_term_next (&term, windows))
    {
      gint64 count = MIN (length - x, n - at), index;
      gboolean has_values = sw_cpu_term_locate (&term, windows, &index);
      gint64 start = has_values ? CLAMP (term.first - x, 0, count) : count;
      gint64 end = has_values ? CLAMP (term.end - x, start, count) : count;

      if (copies->n_segments + 3 > MAX_SEGMENTS)
        flush (copies, size, to);
      add_segment (copies, at, 0, start, TRUE);
      add_segment (copies, at + start, has_values ? index + (x + start) * copies->step : 0, end - start, FALSE);
      add_segment (copies, at + end, 0, count - end, TRUE);
      at += count;
      x = 0;
    }
  flush (copies, size, to);
}

void
sw_cpu_windows_fill (const SwWindows *windows,
                     const SwView *input,
                     gint64 start,
                     gint64 channel_step,
                     gint64 n_channels,
                     gint64 first,
                     gint64 n,
                     gpointer to)
{
  gsize size = sw_dtype_get_item_size (input->dtype);
  Copies copies = { input, start, channel_step, n_channels };

  copies.step = windows->strides[windows->n_modes - 1] * windows->input_steps[windows->n_modes - 1];
  copies.to_step = windows->size * n;
  for (gint64 k = 0; k < windows->size; k++)
    fill_place (windows, &copies, k, first, n, size, (char *) to + k * n * (gint64) size);
}
