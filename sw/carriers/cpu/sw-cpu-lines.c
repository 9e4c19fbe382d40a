/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-lines-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

/* Neighbouring lines that are brought in order together, at most: as many values as a cache line has. */
#define MAX_WIDTH 16
/* So many lines side by side are computed in step. */
#define MIN_COLUMNS 16
/* What they and their results take, where lines are not longer than that. */
#define BUFFER_SIZE (1 << 18)

enum
{
  RESULT,
  INPUT,
  N_VIEWS
};

typedef struct
{
  const SwLines *lines;
  SwCpuLine compute;
  SwCpuLineColumns compute_columns; /* NULL where lines do not lie side by side */
  gsize size;                       /* of a value, which the result has, too */
  SwCpuNest kept;                   /* where lines begin */
  SwCpuNest line;
  gboolean is_contiguous;
  gint64 width;              /* lines in the buffer */
  gint64 distance;           /* of lines in the buffer: no power of two, which would put them into the same cache sets */
  guint32 is_without_memory; /* atomic */
  char *weight;              /* nullable */
  char *bias;                /* nullable */
} Run;

/* Some of the lines. */
typedef struct
{
  Run *run;
  SwCpuNest *kept;
  SwCpuNest line;
  char *buffer; /* for lines of the input, then as many of the result; NULL where they are contiguous */
} Piece;

/* The values of a view, side by side; NULL without an error where there are none. */
static gboolean
pack (const SwView *view,
      gint64 n,
      char **packed,
      GError **error)
{
  SwLayoutLeaf leaf = { n, 1 };
  g_autofree SwLayoutLeaf *leaves = NULL;
  SwView to = *view;
  gint64 step = 1;

  *packed = NULL;
  if (view->data == NULL)
    return TRUE;
  *packed = g_try_malloc_n (n, sw_dtype_get_item_size (view->dtype));
  if (*packed == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "no memory to copy the %" G_GINT64_FORMAT " values of %s", n, view->argument);
      return FALSE;
    }

  leaves = g_new (SwLayoutLeaf, view->axis.n_leaves + 1);
  leaves[0] = leaf;
  for (guint i = 0; i < view->axis.n_leaves; i++)
    {
      leaves[i] = (SwLayoutLeaf){ view->axis.leaves[i].extent, step };
      step *= leaves[i].extent;
    }
  to.data = *packed;
  to.offset = 0;
  to.axis.leaves = leaves;
  sw_cpu_copy (view, &to);
  return TRUE;
}

static gboolean
lie_side_by_side (const Run *self)
{
  return self->line.n_loops == 1 && sw_cpu_nest_get_length (&self->kept) >= MIN_COLUMNS &&
         sw_cpu_nest_get_step (&self->kept, INPUT) == 1 && sw_cpu_nest_get_step (&self->kept, RESULT) == 1;
}

static gboolean
run_init (Run *self,
          GError **error)
{
  const SwLines *lines = self->lines;
  gint64 n = lines->input_line.size;

  sw_cpu_nest_init (&self->kept, (const SwAxis *[]){ &lines->result.axis, &lines->input.axis },
                    (gint64[]){ lines->result.offset, lines->input.offset }, N_VIEWS, SW_CPU_NEST_SORTED);
  sw_cpu_nest_init (&self->line, (const SwAxis *[]){ &lines->result_line, &lines->input_line }, (gint64[]){ 0, 0 }, N_VIEWS,
                    SW_CPU_NEST_IN_ORDER);
  self->is_contiguous = self->line.n_loops == 1 && (n == 1 || (sw_cpu_nest_get_step (&self->line, INPUT) == 1 &&
                                                               sw_cpu_nest_get_step (&self->line, RESULT) == 1));
  if (!lie_side_by_side (self))
    self->compute_columns = NULL;
  self->width = CLAMP (BUFFER_SIZE / 2 / (gint64) self->size / n, 1, MAX_WIDTH);
  self->distance = (n + 15) / 16 * 16 + 16;

  return pack (&lines->weight, n, &self->weight, error) && pack (&lines->bias, n, &self->bias, error);
}

static void
run_clear (Run *self)
{
  sw_cpu_nest_clear (&self->kept);
  sw_cpu_nest_clear (&self->line);
  g_free (self->weight);
  g_free (self->bias);
}

/* One value of each of @width lines, which lie @step apart in the view and @n apart in the buffer. */
#define DEFINE_TRANSFER(bits)                                                                            \
  static void                                                                                            \
      gather_##bits (const guint##bits *view, gint64 step, guint##bits *buffer, gint64 n, gint64 width)  \
  {                                                                                                      \
    for (gint64 j = 0; j < width; j++)                                                                   \
      buffer[j * n] = view[j * step];                                                                    \
  }                                                                                                      \
                                                                                                         \
  static void                                                                                            \
      scatter_##bits (guint##bits *view, gint64 step, const guint##bits *buffer, gint64 n, gint64 width) \
  {                                                                                                      \
    for (gint64 j = 0; j < width; j++)                                                                   \
      view[j * step] = buffer[j * n];                                                                    \
  }

DEFINE_TRANSFER (32)
DEFINE_TRANSFER (64)

/* Between @width lines, the first of which is @first-th in the row of lines, and the buffer. */
static void
transfer (Piece *self,
          guint view,
          gint64 first,
          gint64 width,
          char *buffer)
{
  const Run *run = self->run;
  const SwView *of = view == INPUT ? &run->lines->input : &run->lines->result;
  gint64 step = sw_cpu_nest_get_step (self->kept, view), along = sw_cpu_nest_get_step (&self->line, view);
  gint64 place = 0;
  char *start = (char *) of->data + (self->kept->at[view] + first * step) * (gssize) run->size;

  do
    {
      for (gint64 k = 0; k < sw_cpu_nest_get_length (&self->line); k++, place++)
        {
          char *at = start + (self->line.at[view] + k * along) * (gssize) run->size;
          char *in_buffer = buffer + place * (gssize) run->size;

          if (run->size == 4 && view == INPUT)
            gather_32 ((gconstpointer) at, step, (gpointer) in_buffer, run->distance, width);
          else if (run->size == 4)
            scatter_32 ((gpointer) at, step, (gconstpointer) in_buffer, run->distance, width);
          else if (view == INPUT)
            gather_64 ((gconstpointer) at, step, (gpointer) in_buffer, run->distance, width);
          else
            scatter_64 ((gpointer) at, step, (gconstpointer) in_buffer, run->distance, width);
        }
    }
  while (sw_cpu_nest_next (&self->line));
}

static gpointer
get_line (const Piece *self,
          guint view,
          gint64 line)
{
  const SwView *of = view == INPUT ? &self->run->lines->input : &self->run->lines->result;
  gint64 index = self->kept->at[view] + line * sw_cpu_nest_get_step (self->kept, view);

  return (char *) of->data + index * (gssize) self->run->size;
}

static gboolean
compute_in_place (Piece *self,
                  gint64 n_lines)
{
  const Run *run = self->run;
  gboolean overflows = FALSE;

  for (gint64 i = 0; i < n_lines; i++)
    overflows |= run->compute (run->lines->input_line.size, get_line (self, INPUT, i), get_line (self, RESULT, i), run->weight,
                               run->bias, run->lines->epsilon);
  return overflows;
}

static void
compute_in_columns (Piece *self,
                    gint64 n_lines)
{
  const Run *run = self->run;

  for (gint64 i = 0; i < n_lines; i += SW_CPU_MAX_COLUMNS)
    run->compute_columns (run->lines->input_line.size, MIN (n_lines - i, SW_CPU_MAX_COLUMNS), get_line (self, INPUT, i),
                          sw_cpu_nest_get_step (&self->line, INPUT), get_line (self, RESULT, i),
                          sw_cpu_nest_get_step (&self->line, RESULT), run->weight, run->bias, run->lines->epsilon);
}

static gboolean
compute_in_buffer (Piece *self,
                   gint64 n_lines)
{
  const Run *run = self->run;
  gsize line_size = run->distance * run->size;
  char *results = self->buffer + run->width * line_size;
  gboolean overflows = FALSE;

  for (gint64 first = 0; first < n_lines; first += run->width)
    {
      gint64 width = MIN (run->width, n_lines - first);

      transfer (self, INPUT, first, width, self->buffer);
      for (gint64 j = 0; j < width; j++)
        overflows |= run->compute (run->lines->input_line.size, self->buffer + j * line_size, results + j * line_size, run->weight,
                                   run->bias, run->lines->epsilon);
      transfer (self, RESULT, first, width, results);
    }
  return overflows;
}

static gboolean
compute_lines (Piece *self)
{
  gint64 n_lines = sw_cpu_nest_get_length (self->kept);
  gboolean overflows = FALSE;

  do
    {
      if (self->run->is_contiguous)
        overflows |= compute_in_place (self, n_lines);
      else if (self->run->compute_columns != NULL)
        compute_in_columns (self, n_lines);
      else
        overflows |= compute_in_buffer (self, n_lines);
    }
  while (sw_cpu_nest_next (self->kept));

  return overflows;
}

static gboolean
run_piece (gpointer data,
           SwCpuNest *kept)
{
  Run *run = data;
  gboolean needs_buffer = !run->is_contiguous && run->compute_columns == NULL;
  Piece piece = { run, kept };
  gboolean overflows = FALSE;

  if (needs_buffer)
    piece.buffer = g_try_malloc_n (run->distance, 2 * run->width * run->size);
  if (needs_buffer && piece.buffer == NULL)
    {
      /* Relaxed: read when all pieces have ended. */
      __atomic_store_n (&run->is_without_memory, TRUE, __ATOMIC_RELAXED);
      return FALSE;
    }

  sw_cpu_nest_init_part (&piece.line, &run->line, 0, 0, sw_cpu_nest_get_length (&run->line));
  overflows = compute_lines (&piece);
  sw_cpu_nest_clear (&piece.line);
  g_free (piece.buffer);
  return overflows;
}

/* Only after an overflow does it matter where: once more, line by line, each as far as it goes without. */
static void
set_overflow (const SwLines *lines,
              SwCpuLine compute,
              GError **error)
{
  gsize size = sw_dtype_get_item_size (lines->input.dtype);
  gint64 n = lines->input_line.size;
  g_autofree char *values = g_malloc_n (n, size);
  g_autofree char *results = g_malloc_n (n, size);
  gint64 line = 0, place = 0;

  for (; line < lines->input.axis.size; line++)
    {
      for (place = 0; place < n; place++)
        {
          gint64 index = sw_view_get_index (&lines->input, line) + sw_axis_get_index (&lines->input_line, place);

          memcpy (values + place * size, sw_cpu_view_at (&lines->input, index), size);
        }
      if (compute (n, values, results, NULL, NULL, 0))
        break;
    }
  for (place = 0; place < n - 1 && !compute (place + 1, values, results, NULL, NULL, 0);)
    place++;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s overflows %s at place %" G_GINT64_FORMAT " of line %" G_GINT64_FORMAT,
               lines->name, sw_dtype_to_string (lines->result.dtype), place, line);
}

static void
tell (SwKernelChoice *choice,
      const SwCpuLinesKernel *self,
      const Run *run)
{
  SwDType dtype = run->lines->input.dtype;
  gboolean is_by_columns = !run->is_contiguous && run->compute_columns != NULL;
  const char *variant = run->is_contiguous ? "contiguous lines" : is_by_columns ? "columns"
                                                                                : "copied lines";

  if (self->is_serial && !is_by_columns)
    {
      sw_kernel_choice_set (choice, "scalar", variant);
      sw_kernel_choice_reject (choice, "vector", "each value needs the one before it", -1);
    }
  else
    {
      sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, dtype, variant);
    }
  if (!run->is_contiguous)
    sw_kernel_choice_reject (choice, "contiguous lines", "non-unit stride along the lines", -1);
  if (!run->is_contiguous && !is_by_columns)
    sw_kernel_choice_reject (choice, "columns", self->columns[dtype] == NULL ? "the dtype has no kernel for columns" : "lines do not lie side by side, or are few", -1);
}

static gboolean
run_in_pieces (Run *self)
{
  gint64 grain = SW_CPU_GRAIN / 4 / self->lines->input_line.size;

  if (self->compute_columns != NULL && !self->is_contiguous)
    return sw_cpu_nest_run_columns (&self->kept, grain, run_piece, self);
  return sw_cpu_nest_run (&self->kept, MAX (self->is_contiguous ? 1 : MAX_WIDTH, grain), run_piece, self);
}

gboolean
sw_cpu_run_lines (const SwLinesKernel *kernel,
                  const SwLines *lines,
                  GError **error)
{
  const SwCpuLinesKernel *self = (const SwCpuLinesKernel *) kernel;
  SwDType dtype = lines->input.dtype;
  Run run = { lines, self->lines[dtype], self->columns[dtype], sw_dtype_get_item_size (dtype) };
  gboolean is_ready = run_init (&run, error), overflows = FALSE;
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_UNLIKELY (choice != NULL && is_ready))
    tell (choice, self, &run);
  if (is_ready)
    overflows = run_in_pieces (&run);
  if (G_UNLIKELY (choice != NULL && is_ready))
    sw_cpu_choice_end (choice);
  /* Relaxed: all pieces have ended. */
  if (__atomic_load_n (&run.is_without_memory, __ATOMIC_RELAXED))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory to bring lines of %" G_GINT64_FORMAT " values in order",
                   lines->name, lines->input_line.size);
      is_ready = FALSE;
    }

  run_clear (&run);
  if (G_UNLIKELY (is_ready && overflows))
    set_overflow (lines, run.compute, error);
  return is_ready && !overflows;
}
