/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-items-private.h"

#include "sw/base/sw-error.h"

/* What a script gives as arguments, which arrives as a variant. */

/* Shapes are tuples of integers and tuples. FALSE: there is something else in it. */
static gboolean
put_mode (GString *text,
          GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    {
      g_string_append_printf (text, "%" G_GINT64_FORMAT, g_variant_get_int64 (value));
      return TRUE;
    }
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE))
    return FALSE;
  g_string_append_c (text, '(');
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);

      if (!put_mode (text, child))
        return FALSE;
      g_string_append_c (text, ',');
    }
  g_string_append_c (text, ')');
  return TRUE;
}

static gboolean
init_shape (SwTraceArgument *self,
            GVariant *value,
            GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!put_mode (text, value))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "argument '%s' is a tuple of type %s; a shape is made of int64 and tuples",
                   self->key, g_variant_get_type_string (value));
      return FALSE;
    }
  self->type = SW_TRACE_ARGUMENT_SHAPE;
  self->value.v_shape = sw_shape_new_from_string (text->str, error);
  if (self->value.v_shape != NULL)
    return TRUE;
  g_prefix_error (error, "argument '%s': ", self->key);
  return FALSE;
}

static gint64
get_signed (GVariant *value,
            GVariantClass class)
{
  if (class == G_VARIANT_CLASS_INT16)
    return g_variant_get_int16 (value);
  if (class == G_VARIANT_CLASS_INT32)
    return g_variant_get_int32 (value);
  return g_variant_get_int64 (value);
}

static guint64
get_unsigned (GVariant *value,
              GVariantClass class)
{
  if (class == G_VARIANT_CLASS_BYTE)
    return g_variant_get_byte (value);
  if (class == G_VARIANT_CLASS_UINT16)
    return g_variant_get_uint16 (value);
  if (class == G_VARIANT_CLASS_UINT32)
    return g_variant_get_uint32 (value);
  return g_variant_get_uint64 (value);
}

gboolean
sw_trace_argument_init_from_variant (SwTraceArgument *self,
                                     const char *key,
                                     GVariant *value,
                                     GError **error)
{
  GVariantClass class = g_variant_classify (value);

  self->key = key;
  switch (class)
    {
    case G_VARIANT_CLASS_STRING:
      *self = SW_TRACE_STRING (key, g_variant_get_string (value, NULL));
      return TRUE;
    case G_VARIANT_CLASS_BOOLEAN:
      *self = SW_TRACE_BOOLEAN (key, g_variant_get_boolean (value));
      return TRUE;
    case G_VARIANT_CLASS_DOUBLE:
      *self = SW_TRACE_DOUBLE (key, g_variant_get_double (value));
      return TRUE;
    case G_VARIANT_CLASS_INT16:
    case G_VARIANT_CLASS_INT32:
    case G_VARIANT_CLASS_INT64:
      *self = SW_TRACE_INT64 (key, get_signed (value, class));
      return TRUE;
    case G_VARIANT_CLASS_BYTE:
    case G_VARIANT_CLASS_UINT16:
    case G_VARIANT_CLASS_UINT32:
    case G_VARIANT_CLASS_UINT64:
      *self = SW_TRACE_UINT64 (key, get_unsigned (value, class));
      return TRUE;
    case G_VARIANT_CLASS_TUPLE:
      return init_shape (self, value, error);
    default:
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE,
                   "argument '%s' is of type %s, which is no string, number, boolean or shape", key,
                   g_variant_get_type_string (value));
      return FALSE;
    }
}

void
sw_trace_argument_clear_variant (SwTraceArgument *self)
{
  if (self->type == SW_TRACE_ARGUMENT_SHAPE)
    sw_shape_unref (self->value.v_shape);
}

gboolean
sw_trace_argument_list_init (SwTraceArgumentList *self,
                             GVariant *variant,
                             GError **error)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  *self = (SwTraceArgumentList){ NULL, 0 };
  if (variant == NULL)
    return TRUE;
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "arguments is of type %s, and should be a{sv}",
                   g_variant_get_type_string (variant));
      return FALSE;
    }
  self->arguments = g_new (SwTraceArgument, g_variant_n_children (variant));
  g_variant_iter_init (&iter, variant);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      gboolean is_valid = sw_trace_argument_init_from_variant (&self->arguments[self->n], key, value, error);

      /* The dictionary keeps what is borrowed. */
      g_variant_unref (value);
      if (!is_valid)
        {
          sw_trace_argument_list_clear (self);
          return FALSE;
        }
      self->n++;
    }
  return TRUE;
}

void
sw_trace_argument_list_clear (SwTraceArgumentList *self)
{
  for (gsize i = 0; i < self->n; i++)
    sw_trace_argument_clear_variant (&self->arguments[i]);
  g_clear_pointer (&self->arguments, g_free);
  self->n = 0;
}
