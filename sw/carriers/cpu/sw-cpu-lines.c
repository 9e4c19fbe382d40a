/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-lines-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

/* Neighbouring lines that are brought in order together: as many values as a cache line has, at least. */
#define MAX_WIDTH 16

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
  gsize size;     /* of a value, which the result has, too */
  SwCpuNest kept; /* where lines begin */
  SwCpuNest line;
  gboolean is_contiguous;
  char *buffer; /* for MAX_WIDTH lines of the input, then as many of the result; NULL where they are contiguous */
  char *weight; /* nullable */
  char *bias;   /* nullable */
} Run;

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
  if (!self->is_contiguous)
    {
      self->buffer = g_try_malloc_n (n, 2 * MAX_WIDTH * self->size);
      if (self->buffer == NULL)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory to bring lines of %" G_GINT64_FORMAT " values in order",
                       lines->name, n);
          return FALSE;
        }
    }

  return pack (&lines->weight, n, &self->weight, error) && pack (&lines->bias, n, &self->bias, error);
}

static void
run_clear (Run *self)
{
  sw_cpu_nest_clear (&self->kept);
  sw_cpu_nest_clear (&self->line);
  g_free (self->buffer);
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
transfer (Run *self,
          guint view,
          gint64 first,
          gint64 width,
          char *buffer)
{
  const SwView *of = view == INPUT ? &self->lines->input : &self->lines->result;
  gint64 step = sw_cpu_nest_get_step (&self->kept, view), along = sw_cpu_nest_get_step (&self->line, view);
  gint64 n = self->lines->input_line.size, place = 0;
  char *start = (char *) of->data + (self->kept.at[view] + first * step) * (gssize) self->size;

  do
    {
      for (gint64 k = 0; k < sw_cpu_nest_get_length (&self->line); k++, place++)
        {
          char *at = start + (self->line.at[view] + k * along) * (gssize) self->size;
          char *in_buffer = buffer + place * (gssize) self->size;

          if (self->size == 4 && view == INPUT)
            gather_32 ((gconstpointer) at, step, (gpointer) in_buffer, n, width);
          else if (self->size == 4)
            scatter_32 ((gpointer) at, step, (gconstpointer) in_buffer, n, width);
          else if (view == INPUT)
            gather_64 ((gconstpointer) at, step, (gpointer) in_buffer, n, width);
          else
            scatter_64 ((gpointer) at, step, (gconstpointer) in_buffer, n, width);
        }
    }
  while (sw_cpu_nest_next (&self->line));
}

static gboolean
compute_in_place (Run *self,
                  gint64 line)
{
  gint64 from = self->kept.at[INPUT] + line * sw_cpu_nest_get_step (&self->kept, INPUT);
  gint64 to = self->kept.at[RESULT] + line * sw_cpu_nest_get_step (&self->kept, RESULT);

  return self->compute (self->lines->input_line.size, (char *) self->lines->input.data + from * (gssize) self->size,
                        (char *) self->lines->result.data + to * (gssize) self->size, self->weight, self->bias,
                        self->lines->epsilon);
}

static gboolean
compute_in_buffer (Run *self,
                   gint64 first,
                   gint64 width)
{
  gint64 n = self->lines->input_line.size;
  gsize line_size = n * self->size;
  char *results = self->buffer + MAX_WIDTH * line_size;
  gboolean overflows = FALSE;

  transfer (self, INPUT, first, width, self->buffer);
  for (gint64 j = 0; j < width; j++)
    overflows |= self->compute (n, self->buffer + j * line_size, results + j * line_size, self->weight, self->bias,
                                self->lines->epsilon);
  transfer (self, RESULT, first, width, results);
  return overflows;
}

static gboolean
compute_all (Run *self)
{
  gint64 n_lines = sw_cpu_nest_get_length (&self->kept);
  gboolean overflows = FALSE;

  do
    {
      gint64 step = self->is_contiguous ? 1 : MAX_WIDTH;

      for (gint64 i = 0; i < n_lines; i += step)
        overflows |= self->is_contiguous ? compute_in_place (self, i) : compute_in_buffer (self, i, MIN (step, n_lines - i));
    }
  while (sw_cpu_nest_next (&self->kept));

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

gboolean
sw_cpu_run_lines (const SwLinesKernel *kernel,
                  const SwLines *lines,
                  GError **error)
{
  SwDType dtype = lines->input.dtype;
  Run run = { lines, ((const SwCpuLinesKernel *) kernel)->lines[dtype], sw_dtype_get_item_size (dtype) };
  gboolean is_ready = run_init (&run, error);
  gboolean overflows = is_ready && compute_all (&run);

  run_clear (&run);
  if (G_UNLIKELY (overflows))
    set_overflow (lines, run.compute, error);
  return is_ready && !overflows;
}
