/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tensors for tests of the operations: made from plain numbers, and read back as plain numbers. */

#include "strideweave.h"

#include <math.h>

#include "sw/operations/sw-kernel-private.h"
#include "sw/tensor/sw-tensor-private.h"

typedef enum
{
  ON_GENERIC,
  ON_CPU,
} Place;

#define PLACE(data) ((Place) GPOINTER_TO_INT (data))

static inline SwCarrier *
make_carrier (Place place,
              SwDType dtype,
              gint64 size)
{
  GError *error = NULL;
  SwCarrier *like, *carrier;

  like = place == ON_CPU ? sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT64, FALSE, &error)
                         : sw_generic_new_doubles ((double[]){ 0 }, 1, SW_DTYPE_FLOAT64, &error);
  g_assert_no_error (error);
  carrier = sw_carrier_allocate_like (like, size, TRUE, dtype, FALSE, &error);
  g_assert_no_error (error);
  g_object_unref (like);
  return carrier;
}

static inline void
put_number (SwCarrier *carrier,
            gint64 index,
            double value)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (carrier);

  switch (priv->dtype)
    {
    case SW_DTYPE_FLOAT32:
      ((float *) priv->data)[index] = (float) value;
      break;
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      ((double *) priv->data)[index] = value;
      break;
    case SW_DTYPE_INT32:
      ((gint32 *) priv->data)[index] = (gint32) value;
      break;
    case SW_DTYPE_INT64:
      ((gint64 *) priv->data)[index] = (gint64) value;
      break;
    case SW_DTYPE_BOOL:
      ((guint8 *) priv->data)[index] = value != 0;
      break;
    default:
      g_assert_not_reached ();
    }
}

static inline double
get_number (SwTensor *tensor,
            gint64 ordinal)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);
  GError *error = NULL;
  gint64 index = tensor->offset + sw_layout_get_index_at (tensor->layout, ordinal, &error);

  g_assert_no_error (error);
  switch (priv->dtype)
    {
    case SW_DTYPE_FLOAT32:
      return ((float *) priv->data)[index];
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      return ((double *) priv->data)[index];
    case SW_DTYPE_INT32:
      return ((gint32 *) priv->data)[index];
    case SW_DTYPE_INT64:
      return (double) ((gint64 *) priv->data)[index];
    case SW_DTYPE_BOOL:
      return ((guint8 *) priv->data)[index];
    default:
      g_assert_not_reached ();
    }
}

static inline SwShape *
make_shape (const char *text)
{
  GError *error = NULL;
  SwShape *shape = sw_shape_new_from_string (text, &error);

  g_assert_no_error (error);
  return shape;
}

/* A compact tensor; values in the order of the ordinals. */
static inline SwTensor *
make_tensor (Place place,
             SwDType dtype,
             const char *shape_text,
             const double *values)
{
  g_autoptr (SwShape) shape = make_shape (shape_text);
  SwCarrier *carrier = make_carrier (place, dtype, sw_shape_get_size (shape));

  for (gint64 i = 0; i < sw_shape_get_size (shape); i++)
    put_number (carrier, i, values[i]);
  return sw_tensor_new_take (carrier, 0, sw_layout_new_compact (shape));
}

#define make_tensor_of(place, dtype, shape_text, ...) make_tensor (place, dtype, shape_text, (const double[]){ __VA_ARGS__ })

/* A view of storage that holds 0, 1, 2, ... */
static inline SwTensor *
make_view (Place place,
           SwDType dtype,
           const char *shape_text,
           const char *stride_text,
           gint64 offset)
{
  GError *error = NULL;
  g_autoptr (SwShape) shape = make_shape (shape_text);
  g_autoptr (SwStride) stride = sw_stride_new_from_string (stride_text, &error);
  g_autoptr (SwLayout) layout = NULL;
  g_autoptr (SwCarrier) carrier = NULL;
  SwTensor *tensor;

  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  carrier = make_carrier (place, dtype, offset + sw_layout_get_cosize (layout));
  for (gint64 i = 0; i < offset + sw_layout_get_cosize (layout); i++)
    put_number (carrier, i, i);
  tensor = sw_tensor_new (carrier, offset, layout, &error);
  g_assert_no_error (error);
  return tensor;
}

static inline gboolean
is_close (double a,
          double b,
          double tolerance)
{
  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b);
  return a == b || fabs (a - b) <= tolerance * MAX (fabs (a), fabs (b));
}

static inline void
assert_tensor (SwTensor *tensor,
               GError *error,
               SwDType dtype,
               const char *shape_text,
               double tolerance,
               const double *expected)
{
  g_autofree char *shape = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (tensor);
  shape = sw_shape_to_string (sw_tensor_get_shape (tensor));
  g_assert_cmpstr (shape, ==, shape_text);
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, dtype);
  for (gint64 i = 0; i < sw_tensor_get_size (tensor); i++)
    {
      if (!is_close (get_number (tensor, i), expected[i], tolerance))
        g_error ("value %d is %.17g, not %.17g", (int) i, get_number (tensor, i), expected[i]);
    }
}

/* Checks the result of an operation, and drops it. */
static inline void
assert_result (SwTensor *tensor,
               GError *error,
               SwDType dtype,
               const char *shape_text,
               double tolerance,
               const double *expected)
{
  assert_tensor (tensor, error, dtype, shape_text, tolerance, expected);
  sw_tensor_unref (tensor);
}

#define assert_result_is(tensor, error, dtype, shape_text, ...) \
  assert_result (tensor, error, dtype, shape_text, 0, (const double[]){ __VA_ARGS__ })

/* Checks how an operation failed, and clears the error. */
static inline void
assert_failure (SwTensor *tensor,
                GError **error,
                SwError code,
                const char *message)
{
  g_assert_null (tensor);
  g_assert_error (*error, SW_ERROR, (int) code);
  if (strstr ((*error)->message, message) == NULL)
    g_error ("message is '%s', without '%s'", (*error)->message, message);
  g_clear_error (error);
}

/* Calls an operation with inputs of any kind; takes the values. */
static inline SwTensor *
call_with_values (const char *name,
                  SwValue **values,
                  gsize n_values,
                  GError **error)
{
  g_autoptr (SwValueList) inputs = sw_value_list_new (values, n_values);

  for (gsize i = 0; i < n_values; i++)
    sw_value_unref (values[i]);
  return sw_call_operation (name, inputs, NULL, error);
}

#define call_with(name, error, ...) \
  call_with_values (name, (SwValue *[]){ __VA_ARGS__ }, G_N_ELEMENTS (((SwValue *[]){ __VA_ARGS__ })), error)

/* Two programs of the same tests, one for each carrier. */
static inline void
add_test (const char *name,
          void (*test) (gconstpointer data))
{
  g_autofree char *on_generic = g_strconcat ("/generic/", name, NULL);
  g_autofree char *on_cpu = g_strconcat ("/cpu/", name, NULL);

  g_test_add_data_func (on_generic, GINT_TO_POINTER (ON_GENERIC), test);
  g_test_add_data_func (on_cpu, GINT_TO_POINTER (ON_CPU), test);
}
