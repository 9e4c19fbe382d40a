/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-scalar-private.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-value-private.h"

static gboolean
load_any (SwScalar *self,
          SwValue *value,
          const SwView *view,
          gint64 index,
          GError **error)
{
  if (value != NULL && value->kind == SW_VALUE_INT64)
    *self = sw_scalar_integer (value->integer);
  else if (value != NULL && value->kind == SW_VALUE_DOUBLE)
    *self = sw_scalar_real (value->real);
  else
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must hold numbers, but value %" G_GINT64_FORMAT " of its carrier is a %s",
                   view->argument, index, value != NULL ? sw_value_get_type_name (value) : "None");
      return FALSE;
    }

  return TRUE;
}

gboolean
sw_scalar_load (SwScalar *self,
                const SwView *view,
                gint64 index,
                GError **error)
{
  switch (view->dtype)
    {
    case SW_DTYPE_FLOAT32:
      *self = sw_scalar_real (((const float *) view->data)[index]);
      return TRUE;
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      *self = sw_scalar_real (((const double *) view->data)[index]);
      return TRUE;
    case SW_DTYPE_INT32:
      *self = sw_scalar_integer (((const gint32 *) view->data)[index]);
      return TRUE;
    case SW_DTYPE_INT64:
      *self = sw_scalar_integer (((const gint64 *) view->data)[index]);
      return TRUE;
    case SW_DTYPE_BOOL:
      *self = sw_scalar_integer (((const guint8 *) view->data)[index] != 0);
      return TRUE;
    case SW_DTYPE_ANY:
      return load_any (self, ((SwValue **) view->data)[index], view, index, error);
    case SW_DTYPE_INVALID:
      break;
    }

  g_return_val_if_reached (FALSE);
}

void
sw_scalar_set_overflow (const char *name,
                        SwDType dtype,
                        gint64 ordinal,
                        GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s overflows %s at index %" G_GINT64_FORMAT,
               name, sw_dtype_to_string (dtype == SW_DTYPE_ANY ? SW_DTYPE_INT64 : dtype), ordinal);
}

gboolean
sw_scalar_store (SwScalar self,
                 const SwView *view,
                 gint64 ordinal,
                 const char *name,
                 GError **error)
{
  gint64 index = sw_view_get_index (view, ordinal);

  switch (view->dtype)
    {
    case SW_DTYPE_FLOAT32:
      ((float *) view->data)[index] = sw_scalar_to_real (self);
      return TRUE;
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      ((double *) view->data)[index] = sw_scalar_to_real (self);
      return TRUE;
    case SW_DTYPE_INT32:
      if (self.integer != (gint32) self.integer)
        {
          sw_scalar_set_overflow (name, view->dtype, ordinal, error);
          return FALSE;
        }
      ((gint32 *) view->data)[index] = self.integer;
      return TRUE;
    case SW_DTYPE_INT64:
      ((gint64 *) view->data)[index] = self.integer;
      return TRUE;
    case SW_DTYPE_ANY:
      ((SwValue **) view->data)[index] = self.is_integer ? sw_value_new_int64 (self.integer) : sw_value_new_double (self.real);
      return TRUE;
    case SW_DTYPE_BOOL:
      ((guint8 *) view->data)[index] = self.is_integer ? self.integer != 0 : self.real != 0;
      return TRUE;
    case SW_DTYPE_INVALID:
      break;
    }

  g_return_val_if_reached (FALSE);
}

gboolean
sw_scalar_store_converted (SwScalar self,
                           const SwView *view,
                           gint64 ordinal,
                           const char *name,
                           GError **error)
{
  if ((view->dtype == SW_DTYPE_INT32 || view->dtype == SW_DTYPE_INT64) && !self.is_integer)
    {
      /* Both bounds are exact; what is not a number is within none. */
      if (!(self.real >= -0x1p63 && self.real < 0x1p63))
        {
          sw_scalar_set_overflow (name, view->dtype, ordinal, error);
          return FALSE;
        }
      self = sw_scalar_integer ((gint64) self.real);
    }

  return sw_scalar_store (self, view, ordinal, name, error);
}

int
sw_scalar_compare (SwScalar a,
                   SwScalar b)
{
  if (a.is_integer && b.is_integer)
    return (a.integer > b.integer) - (a.integer < b.integer);
  /* Between an integer and a real the double of the integer decides, unless it is rounded to the very real. */
  if (a.is_integer != b.is_integer && sw_scalar_to_real (a) == sw_scalar_to_real (b))
    {
      gint64 integer = a.is_integer ? a.integer : b.integer;
      double real = a.is_integer ? b.real : a.real;
      int order = real >= 0x1p63 ? -1 : (integer > (gint64) real) - (integer < (gint64) real);

      return a.is_integer ? order : -order;
    }
  return (sw_scalar_to_real (a) > sw_scalar_to_real (b)) - (sw_scalar_to_real (a) < sw_scalar_to_real (b));
}

gboolean
sw_scalar_add (SwScalar a,
               SwScalar b,
               SwScalar *result)
{
  *result = a;
  if (a.is_integer && b.is_integer)
    return !__builtin_add_overflow (a.integer, b.integer, &result->integer);

  *result = sw_scalar_real (sw_scalar_to_real (a) + sw_scalar_to_real (b));
  return TRUE;
}

gboolean
sw_scalar_multiply (SwScalar a,
                    SwScalar b,
                    SwScalar *result)
{
  *result = a;
  if (a.is_integer && b.is_integer)
    return !__builtin_mul_overflow (a.integer, b.integer, &result->integer);

  *result = sw_scalar_real (sw_scalar_to_real (a) * sw_scalar_to_real (b));
  return TRUE;
}

gboolean
sw_scalar_is_larger (SwScalar a,
                     SwScalar b)
{
  if (a.is_integer && b.is_integer)
    return a.integer > b.integer;
  if (isnan (sw_scalar_to_real (b)))
    return FALSE;
  return isnan (sw_scalar_to_real (a)) || sw_scalar_to_real (a) > sw_scalar_to_real (b);
}
