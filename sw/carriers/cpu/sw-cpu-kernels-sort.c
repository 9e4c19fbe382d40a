/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-cache-private.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

#include "sw/carriers/cpu/sw-cpu-sort-private.h"

/* Every dtype is sorted by unsigned keys of the same size that have its order: quicksort in vectors where there are some, else radix
 * sort, digit by digit, and insertion where there are few. Of reals, a negative zero comes before the other one, and what is not a
 * number after all numbers. */

#define FEW 48
/* Neighbouring lines that are brought in order together: as many values as a cache line has. */
#define MAX_WIDTH 16
/* And no longer lines: the memory for them is small beside the tensor's. */
#define MAX_LENGTH ((gint64) 1 << 16)
#define DIGIT_BITS_32 11
#define DIGIT_BITS_64 8
#define N_DIGITS(bits) (1 << DIGIT_BITS_##bits)
#define N_PASSES(bits) (((bits) + DIGIT_BITS_##bits - 1) / DIGIT_BITS_##bits)

#define DEFINE_SORT(bits)                                                                                          \
  static void                                                                                                      \
      sort_few_##bits (guint##bits *keys, gint64 n)                                                                \
  {                                                                                                                \
    for (gint64 i = 1; i < n; i++)                                                                                 \
      {                                                                                                            \
        guint##bits key = keys[i];                                                                                 \
        gint64 k = i;                                                                                              \
                                                                                                                   \
        for (; k > 0 && keys[k - 1] > key; k--)                                                                    \
          keys[k] = keys[k - 1];                                                                                   \
        keys[k] = key;                                                                                             \
      }                                                                                                            \
  }                                                                                                                \
                                                                                                                   \
  static gboolean                                                                                                  \
      sort_by_digit_##bits (const guint##bits *from, guint##bits *to, gint64 n, guint shift, const gint64 *counts) \
  {                                                                                                                \
    gint64 places[N_DIGITS (bits)], place = 0;                                                                     \
                                                                                                                   \
    for (guint d = 0; d < N_DIGITS (bits); d++)                                                                    \
      {                                                                                                            \
        if (counts[d] == n)                                                                                        \
          return FALSE;                                                                                            \
        places[d] = place;                                                                                         \
        place += counts[d];                                                                                        \
      }                                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                                 \
      to[places[(from[i] >> shift) & (N_DIGITS (bits) - 1)]++] = from[i];                                          \
    return TRUE;                                                                                                   \
  }                                                                                                                \
                                                                                                                   \
  guint##bits *                                                                                                    \
      sw_cpu_radix_sort_##bits (guint##bits *keys, guint##bits *other, gint64 n)                                   \
  {                                                                                                                \
    gint64 counts[N_PASSES (bits)][N_DIGITS (bits)] = { 0 };                                                       \
                                                                                                                   \
    if (n <= FEW)                                                                                                  \
      {                                                                                                            \
        sort_few_##bits (keys, n);                                                                                 \
        return keys;                                                                                               \
      }                                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                                 \
      {                                                                                                            \
        for (guint d = 0; d < N_PASSES (bits); d++)                                                                \
          counts[d][(keys[i] >> (d * DIGIT_BITS_##bits)) & (N_DIGITS (bits) - 1)]++;                               \
      }                                                                                                            \
    for (guint d = 0; d < N_PASSES (bits); d++)                                                                    \
      {                                                                                                            \
        guint##bits *swapped = other;                                                                              \
                                                                                                                   \
        if (!sort_by_digit_##bits (keys, other, n, d * DIGIT_BITS_##bits, counts[d]))                              \
          continue;                                                                                                \
        other = keys;                                                                                              \
        keys = swapped;                                                                                            \
      }                                                                                                            \
    return keys;                                                                                                   \
  }

DEFINE_SORT (32)
DEFINE_SORT (64)

#define SIGN_32 ((guint32) 1 << 31)
#define SIGN_64 ((guint64) 1 << 63)

/* Negative reals are larger the smaller their bits are; the greatest key is that of what is not a number. */
#define DEFINE_REAL_KEYS(type, bits, INFINITY_BITS, NAN_BITS)                            \
  SW_CPU_INLINE void                                                                     \
      to_keys_##type##_at_level (guint##bits *keys, gint64 n)                            \
  {                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                       \
      {                                                                                  \
        guint##bits b = keys[i];                                                         \
        guint##bits key = b & SIGN_##bits ? ~b : b | SIGN_##bits;                        \
                                                                                         \
        keys[i] = (b & ~SIGN_##bits) > INFINITY_BITS ? ~(guint##bits) 0 : key;           \
      }                                                                                  \
  }                                                                                      \
                                                                                         \
  SW_CPU_INLINE void                                                                     \
      from_keys_##type##_at_level (guint##bits *keys, gint64 n)                          \
  {                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                       \
      {                                                                                  \
        guint##bits key = keys[i];                                                       \
        guint##bits b = key & SIGN_##bits ? key & ~SIGN_##bits : ~key;                   \
                                                                                         \
        keys[i] = key == ~(guint##bits) 0 ? NAN_BITS : b;                                \
      }                                                                                  \
  }                                                                                      \
                                                                                         \
  SW_CPU_DEFINE_LEVELS (void, to_keys_##type, (guint##bits * keys, gint64 n), (keys, n)) \
  SW_CPU_DEFINE_LEVELS (void, from_keys_##type, (guint##bits * keys, gint64 n), (keys, n))

#define DEFINE_INTEGER_KEYS(bits)                                \
  SW_CPU_INLINE void                                             \
      flip_signs_##bits##_at_level (guint##bits *keys, gint64 n) \
  {                                                              \
    for (gint64 i = 0; i < n; i++)                               \
      keys[i] ^= SIGN_##bits;                                    \
  }                                                              \
                                                                 \
  SW_CPU_DEFINE_LEVELS (void, flip_signs_##bits, (guint##bits * keys, gint64 n), (keys, n))

DEFINE_REAL_KEYS (float32, 32, 0x7f800000, 0x7fc00000)
DEFINE_REAL_KEYS (float64, 64, G_GUINT64_CONSTANT (0x7ff0000000000000), G_GUINT64_CONSTANT (0x7ff8000000000000))
DEFINE_INTEGER_KEYS (32)
DEFINE_INTEGER_KEYS (64)

static gboolean
has_quicksort (SwDType dtype)
{
#ifdef SW_CPU_HAVE_LEVELS
  return sw_cpu_level == SW_CPU_LEVEL_AVX512 && sw_dtype_get_item_size (dtype) == sizeof (guint32);
#else
  return FALSE;
#endif
}

static guint32 *
sort_32 (guint32 *keys,
         guint32 *other,
         gint64 n)
{
#ifdef SW_CPU_HAVE_LEVELS
  if (sw_cpu_level == SW_CPU_LEVEL_AVX512)
    {
      /* Twice as deep as with the best pivots. */
      sw_cpu_quicksort_avx512 (keys, other, n, 2 * g_bit_storage ((gulong) n));
      return other;
    }
#endif
  return sw_cpu_radix_sort_32 (keys, other, n);
}

/* Sorts a line in memory of its own; returns where it is then. */
static gpointer
sort_line (SwDType dtype,
           gpointer values,
           gpointer other,
           gint64 n)
{
  gpointer sorted;

  switch (dtype)
    {
    case SW_DTYPE_FLOAT32:
      to_keys_float32 (values, n);
      sorted = sort_32 (values, other, n);
      from_keys_float32 (sorted, n);
      return sorted;
    case SW_DTYPE_FLOAT64:
      to_keys_float64 (values, n);
      sorted = sw_cpu_radix_sort_64 (values, other, n);
      from_keys_float64 (sorted, n);
      return sorted;
    case SW_DTYPE_INT32:
      flip_signs_32 (values, n);
      sorted = sort_32 (values, other, n);
      flip_signs_32 (sorted, n);
      return sorted;
    default:
      flip_signs_64 (values, n);
      sorted = sw_cpu_radix_sort_64 (values, other, n);
      flip_signs_64 (sorted, n);
      return sorted;
    }
}

/* Copies @n values between a line of a view, whose nest is at its beginning, and memory; from its end backwards where
 * @is_reversed, beginning with what is @first-th from there. */
static void
read_line (const SwView *view,
           SwCpuNest *line,
           gint64 start,
           char *to)
{
  gsize size = sw_dtype_get_item_size (view->dtype);

  do
    {
      const char *from = (const char *) view->data + (start + line->at[0]) * (gssize) size;
      gint64 n = sw_cpu_nest_get_length (line), step = sw_cpu_nest_get_step (line, 0);

      if (step == 1)
        memcpy (to, from, n * size);
      else if (size == 4)
        for (gint64 k = 0; k < n; k++)
          memcpy (to + k * 4, from + k * step * 4, 4);
      else
        for (gint64 k = 0; k < n; k++)
          memcpy (to + k * 8, from + k * step * 8, 8);
      to += n * size;
    }
  while (sw_cpu_nest_next (line));
}

static void
write_line (const SwView *view,
            SwCpuNest *line,
            gint64 start,
            const char *from,
            gint64 from_step)
{
  gsize size = sw_dtype_get_item_size (view->dtype);

  do
    {
      char *to = (char *) view->data + (start + line->at[0]) * (gssize) size;
      gint64 n = sw_cpu_nest_get_length (line), step = sw_cpu_nest_get_step (line, 0);

      if (step == 1 && from_step == 1)
        memcpy (to, from, n * size);
      else if (size == 4)
        for (gint64 k = 0; k < n; k++)
          memcpy (to + k * step * 4, from + k * from_step * 4, 4);
      else
        for (gint64 k = 0; k < n; k++)
          memcpy (to + k * step * 8, from + k * from_step * 8, 8);
      from += n * from_step * (gssize) size;
    }
  while (sw_cpu_nest_next (line));
}

static void
tell (SwKernelChoice *choice,
      SwDType dtype,
      gint64 n)
{
  const char *radix = n <= FEW ? "insertion sort" : "radix sort";

  if (has_quicksort (dtype))
    sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, dtype, "quicksort");
  else if (sw_dtype_get_item_size (dtype) == sizeof (guint32))
    sw_cpu_choice_set_without (choice, SW_CPU_LEVEL_AVX512, radix);
  else
    sw_cpu_choice_set_code (choice, SW_CPU_CODE_SCALAR, dtype, radix);
  if (!has_quicksort (dtype) && n <= FEW)
    sw_kernel_choice_reject (choice, "radix sort", "values of a line:", n);
  sw_kernel_choice_reject (choice, "threads", "sorting runs on one", -1);
}

/* One value after the other, in both, and as many. */
static gboolean
is_contiguous (const SwCpuNest *from,
               const SwCpuNest *to)
{
  return from->n_loops == 1 && to->n_loops == 1 && sw_cpu_nest_get_length (from) == sw_cpu_nest_get_length (to) &&
         sw_cpu_nest_get_step (from, 0) == 1 && sw_cpu_nest_get_step (to, 0) == 1;
}

enum
{
  RESULT,
  INPUT,
  N_VIEWS
};

typedef struct
{
  const SwLines *lines;
  SwCpuNest kept; /* where lines begin */
  SwCpuNest from;
  SwCpuNest to;
  gboolean is_descending;
  gint64 width;    /* how many neighbouring lines are brought in order together */
  gint64 distance; /* of theirs in memory: no power of two, which would put them into the same cache sets */
  char *memory;    /* for these lines, then for one more */
} Sort;

static void
sort_line_by_line (Sort *self,
                   gint64 first,
                   gint64 n_lines)
{
  const SwLines *lines = self->lines;
  gsize size = sw_dtype_get_item_size (lines->input.dtype);
  gint64 n = lines->input_line.size;
  /* Then the result is itself the memory beside. */
  gboolean is_direct = !self->is_descending && is_contiguous (&self->from, &self->to);

  for (gint64 line = first; line < first + n_lines; line++)
    {
      gint64 start = self->kept.at[RESULT] + line * sw_cpu_nest_get_step (&self->kept, RESULT);
      gpointer result = (char *) lines->result.data + (start + self->to.at[0]) * (gssize) size;
      const char *sorted;

      read_line (&lines->input, &self->from, self->kept.at[INPUT] + line * sw_cpu_nest_get_step (&self->kept, INPUT), self->memory);
      sorted = sort_line (lines->input.dtype, self->memory, is_direct ? result : self->memory + self->distance * size, n);
      if (sorted != result)
        write_line (&lines->result, &self->to, start, self->is_descending ? sorted + (n - 1) * size : sorted,
                    self->is_descending ? -1 : 1);
    }
}

/* The values of one place of all lines, one after the other. */
#define DEFINE_TRANSFER(bits)                                                                                              \
  static void                                                                                                              \
      read_lines_##bits (gint64 n, gint64 width, const guint##bits *view, gint64 along, gint64 across, guint##bits *lines, \
                         gint64 distance)                                                                                  \
  {                                                                                                                        \
    for (gint64 k = 0; k < n; k++)                                                                                         \
      {                                                                                                                    \
        for (gint64 j = 0; j < width; j++)                                                                                 \
          lines[j * distance + k] = view[k * along + j * across];                                                          \
      }                                                                                                                    \
  }                                                                                                                        \
                                                                                                                           \
  static void                                                                                                              \
      write_lines_##bits (gint64 n, gint64 width, guint##bits *view, gint64 along, gint64 across,                          \
                          const guint##bits *const *sorted, gboolean is_descending)                                        \
  {                                                                                                                        \
    gint64 size = is_descending ? -1 : 1;                                                                                  \
                                                                                                                           \
    for (gint64 k = 0; k < n; k++)                                                                                         \
      {                                                                                                                    \
        for (gint64 j = 0; j < width; j++)                                                                                 \
          view[k * along + j * across] = sorted[j][k * size];                                                              \
      }                                                                                                                    \
  }

DEFINE_TRANSFER (32)
DEFINE_TRANSFER (64)

static gpointer
get_value (const SwView *view,
           gint64 index)
{
  return (char *) view->data + index * (gssize) sw_dtype_get_item_size (view->dtype);
}

/* Lines that lie across the way of memory: whole cache lines are read and written at once. */
static void
sort_side_by_side (Sort *self,
                   gint64 first,
                   gint64 width)
{
  const SwLines *lines = self->lines;
  gsize size = sw_dtype_get_item_size (lines->input.dtype);
  gint64 n = lines->input_line.size, n_sorted = sw_cpu_nest_get_length (&self->to);
  gint64 input_step = sw_cpu_nest_get_step (&self->kept, INPUT), result_step = sw_cpu_nest_get_step (&self->kept, RESULT);
  gint64 along = sw_cpu_nest_get_step (&self->from, 0), along_result = sw_cpu_nest_get_step (&self->to, 0);
  gconstpointer from = get_value (&lines->input, self->kept.at[INPUT] + self->from.at[0] + first * input_step);
  gpointer to = get_value (&lines->result, self->kept.at[RESULT] + self->to.at[0] + first * result_step);
  char *other = self->memory + width * self->distance * size;
  gconstpointer sorted[MAX_WIDTH];

  if (size == 4)
    read_lines_32 (n, width, from, along, input_step, (gpointer) self->memory, self->distance);
  else
    read_lines_64 (n, width, from, along, input_step, (gpointer) self->memory, self->distance);
  for (gint64 j = 0; j < width; j++)
    {
      char *line = self->memory + j * self->distance * size, *begin = sort_line (lines->input.dtype, line, other, n);

      /* The other memory becomes that of the lines to come. */
      if (begin == other)
        other = line;
      sorted[j] = self->is_descending ? begin + (n - 1) * size : begin;
    }
  if (size == 4)
    write_lines_32 (n_sorted, width, to, along_result, result_step, (const guint32 *const *) sorted, self->is_descending);
  else
    write_lines_64 (n_sorted, width, to, along_result, result_step, (const guint64 *const *) sorted, self->is_descending);
}

static void
sort_lines (Sort *self)
{
  gint64 n_lines = sw_cpu_nest_get_length (&self->kept);

  do
    {
      for (gint64 first = 0; self->width > 1 && first < n_lines; first += self->width)
        sort_side_by_side (self, first, MIN (self->width, n_lines - first));
      if (self->width == 1)
        sort_line_by_line (self, 0, n_lines);
    }
  while (sw_cpu_nest_next (&self->kept));
}

static void
sort_init (Sort *self,
           const SwLines *lines,
           gboolean is_descending)
{
  gint64 n = lines->input_line.size;

  self->lines = lines;
  self->is_descending = is_descending;
  sw_cpu_nest_init (&self->kept, (const SwAxis *[]){ &lines->result.axis, &lines->input.axis },
                    (gint64[]){ lines->result.offset, lines->input.offset }, N_VIEWS, SW_CPU_NEST_SORTED);
  sw_cpu_nest_init (&self->from, (const SwAxis *[]){ &lines->input_line }, (gint64[]){ 0 }, 1, SW_CPU_NEST_IN_ORDER);
  sw_cpu_nest_init (&self->to, (const SwAxis *[]){ &lines->result_line }, (gint64[]){ 0 }, 1, SW_CPU_NEST_IN_ORDER);
  self->width = 1;
  self->distance = n;
  if (self->from.n_loops == 1 && self->to.n_loops == 1 && !is_contiguous (&self->from, &self->to) && n <= MAX_LENGTH &&
      sw_cpu_nest_get_step (&self->kept, INPUT) < sw_cpu_nest_get_step (&self->from, 0))
    {
      self->width = MIN (MAX_WIDTH, sw_cpu_nest_get_length (&self->kept));
      self->distance = (n + 15) / 16 * 16 + 16;
    }
}

static void
sort_clear (Sort *self)
{
  sw_cpu_nest_clear (&self->to);
  sw_cpu_nest_clear (&self->from);
  sw_cpu_nest_clear (&self->kept);
}

static gboolean
run_sort (const SwSortKernel *self,
          const SwLines *lines,
          gboolean is_descending,
          GError **error)
{
  SwDType dtype = lines->input.dtype;
  gint64 n = lines->input_line.size;
  SwKernelChoice *choice = sw_kernel_choice_get ();
  gsize n_bytes = 0;
  Sort sort;

  sort_init (&sort, lines, is_descending);
  sort.memory = NULL;
  if (g_size_checked_mul (&n_bytes, sort.distance, (sort.width + 1) * sw_dtype_get_item_size (dtype)))
    sort.memory = sw_cpu_cache_take (n_bytes);
  if (sort.memory != NULL)
    {
      if (G_UNLIKELY (choice != NULL))
        tell (choice, dtype, n);
      sort_lines (&sort);
      sw_cpu_cache_put (sort.memory, n_bytes);
    }
  else
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory to sort %" G_GINT64_FORMAT " values", lines->name, n);
    }

  sort_clear (&sort);
  return sort.memory != NULL;
}

const SwSortKernel sw_cpu_sort_kernel = { run_sort };
const SwSortKernel sw_cpu_topk_kernel = { run_sort };
