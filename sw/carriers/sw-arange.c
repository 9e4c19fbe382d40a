/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-creation-private.h"
#include "sw/carriers/sw-creation.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-shape.h"

#include <math.h>

/* Numbers in equal steps. */

typedef struct
{
  gint64 start;
  gint64 step;
} Integers;

typedef struct
{
  double start;
  double step;
} Reals;

static gboolean
write_integers (const SwStorage *storage,
                gconstpointer data,
                GError **error)
{
  const Integers *numbers = data;

  for (gint64 i = 0; i < storage->size; i++)
    {
      /* Modulo 2⁶⁴: each number fits, but what is added to the first one need not. */
      gint64 number = (gint64) ((guint64) numbers->start + (guint64) i * (guint64) numbers->step);

      if (storage->dtype == SW_DTYPE_INT64)
        {
          ((gint64 *) storage->data)[i] = number;
        }
      else if (storage->dtype == SW_DTYPE_FLOAT32)
        {
          ((float *) storage->data)[i] = (float) (double) number;
        }
      else
        {
          g_autoptr (SwValue) value = sw_value_new_int64 (number);

          if (!sw_storage_set_value (storage, i, value, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
write_reals (const SwStorage *storage,
             gconstpointer data,
             GError **error)
{
  const Reals *numbers = data;

  for (gint64 i = 0; i < storage->size; i++)
    {
      double number = numbers->start + (double) i * numbers->step;

      if (storage->dtype == SW_DTYPE_FLOAT32)
        {
          ((float *) storage->data)[i] = (float) number;
        }
      else if (storage->dtype == SW_DTYPE_FLOAT64 || storage->dtype == SW_DTYPE_FLOATING)
        {
          ((double *) storage->data)[i] = number;
        }
      else
        {
          g_autoptr (SwValue) value = sw_value_new_double (number);

          if (!sw_storage_set_value (storage, i, value, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_dtype (SwDType dtype,
             gboolean is_real,
             GError **error)
{
  gboolean is_integer = dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;

  if (dtype == SW_DTYPE_INVALID)
    return FALSE;
  if (dtype != SW_DTYPE_BOOL && !(is_real && is_integer))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "dtype is %s, which does not hold %s", sw_dtype_to_string (dtype),
               is_real ? "real numbers" : "numbers");
  return FALSE;
}

/* A shape of one mode. */
static SwShape *
new_shape (gint64 count,
           GError **error)
{
  return sw_shape_new (&count, 1, error);
}

static void
fail_too_many (const char *start,
               const char *stop,
               const char *step,
               GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "from start %s to stop %s by step %s there are more values than fit into memory",
               start, stop, step);
}

/* Exact: the distance of two integers does not fit into one. */
static SwShape *
count_integers (gint64 start,
                gint64 stop,
                gint64 step,
                GError **error)
{
  __int128 distance = (__int128) stop - start;
  __int128 count = distance / step + (distance % step != 0 ? 1 : 0);
  g_autofree char *start_text = g_strdup_printf ("%" G_GINT64_FORMAT, start);
  g_autofree char *stop_text = g_strdup_printf ("%" G_GINT64_FORMAT, stop);
  g_autofree char *step_text = g_strdup_printf ("%" G_GINT64_FORMAT, step);

  if ((distance > 0) != (step > 0))
    count = 0;
  if (count <= G_MAXINT64)
    return new_shape ((gint64) count, error);
  fail_too_many (start_text, stop_text, step_text, error);
  return NULL;
}

/**
 * sw_arange:
 * @start: the first number
 * @stop: where to end, without it
 * @step: how far it is from each number to the next; not 0
 * @dtype: what the values are, but not Bool; %SW_DTYPE_INVALID for that of @like, or Int64 without one
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor with one mode of the integers from @start on, on a new mutable carrier; an empty one where there are none
 * up to @stop.
 *
 * Fails with %SW_ERROR_VALUE when @step is 0, when there are more than there is memory for, when one is
 * outside the range of @dtype, or when the kind of carrier does not hold @dtype, with %SW_ERROR_TYPE for Bool, and with
 * %SW_ERROR_NOT_IMPLEMENTED when @like cannot make carriers of its kind.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_arange (gint64 start,
           gint64 stop,
           gint64 step,
           SwDType dtype,
           SwCarrier *like,
           GError **error)
{
  Integers numbers = { start, step };
  g_autoptr (SwShape) shape = NULL;

  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  dtype = sw_creation_resolve_dtype (dtype, like, SW_DTYPE_INT64, error);
  if (!check_dtype (dtype, FALSE, error))
    return NULL;
  if (step == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "step is 0, which leads nowhere");
      return NULL;
    }
  shape = count_integers (start, stop, step, error);
  return shape != NULL ? sw_creation_new (shape, dtype, like, write_integers, &numbers, error) : NULL;
}

static gboolean
check_finite (double number,
              const char *argument,
              GError **error)
{
  if (isfinite (number))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %f, but must be a finite number", argument, number);
  return FALSE;
}

static SwShape *
count_reals (double start,
             double stop,
             double step,
             GError **error)
{
  double count = ceil ((stop - start) / step);
  char start_text[G_ASCII_DTOSTR_BUF_SIZE], stop_text[G_ASCII_DTOSTR_BUF_SIZE], step_text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (start_text, sizeof start_text, "%.15g", start);
  g_ascii_formatd (stop_text, sizeof stop_text, "%.15g", stop);
  g_ascii_formatd (step_text, sizeof step_text, "%.15g", step);
  if (!(count >= 1))
    return new_shape (0, error);
  if (count < 0x1p63)
    return new_shape ((gint64) count, error);
  fail_too_many (start_text, stop_text, step_text, error);
  return NULL;
}

/**
 * sw_arange_doubles:
 * @start: the first number
 * @stop: where to end, without it
 * @step: how far it is from each number to the next; not 0
 * @dtype: what the values are, a dtype of real numbers; %SW_DTYPE_INVALID for that of @like, or Float64 without one
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor with one mode of real numbers in equal steps, on a new mutable carrier.
 *
 * There are `ceil ((stop - start) / step)` of them, or none, as in NumPy, so that rounding may add a last one near @stop. Number `i` is
 * `start + i * step` in binary64, rounded to @dtype; nothing adds up.
 *
 * Fails with %SW_ERROR_VALUE when one of the three is not finite, @step is 0, when there are more than
 * there is memory for, or when the kind of carrier does not hold @dtype, with %SW_ERROR_TYPE for dtypes of integers and Bool, and
 * with %SW_ERROR_NOT_IMPLEMENTED when @like cannot make carriers of its kind.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_arange_doubles (double start,
                   double stop,
                   double step,
                   SwDType dtype,
                   SwCarrier *like,
                   GError **error)
{
  Reals numbers = { start, step };
  g_autoptr (SwShape) shape = NULL;

  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  dtype = sw_creation_resolve_dtype (dtype, like, SW_DTYPE_FLOAT64, error);
  if (!check_dtype (dtype, TRUE, error) || !check_finite (start, "start", error) ||
      !check_finite (stop, "stop", error) || !check_finite (step, "step", error))
    return NULL;
  if (step == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "step is 0, which leads nowhere");
      return NULL;
    }
  shape = count_reals (start, stop, step, error);
  return shape != NULL ? sw_creation_new (shape, dtype, like, write_reals, &numbers, error) : NULL;
}
