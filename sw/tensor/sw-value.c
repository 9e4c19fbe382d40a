/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-value-private.h"

#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-tensor-private.h"

#include <string.h>

/**
 * SwValue:
 *
 * One immutable value: a number, a tensor, or what else an operation or a carrier may be given.
 *
 * Values are reference counted; any thread may use them.
 */
G_DEFINE_BOXED_TYPE (SwValue, sw_value, sw_value_ref, sw_value_unref)

/* Values without content of their own exist once. Each starts with a reference that nobody gives back. */
static SwValue none_value = { .ref_count = 1, .kind = SW_VALUE_NONE };
static SwValue bool_values[2] = {
  { .ref_count = 1, .kind = SW_VALUE_BOOL, .boolean = FALSE },
  { .ref_count = 1, .kind = SW_VALUE_BOOL, .boolean = TRUE },
};

static SwValue *
new_value (SwValueKind kind)
{
  SwValue *self = g_new0 (SwValue, 1);

  sw_ref_count_init (&self->ref_count);
  self->kind = kind;
  return self;
}

/**
 * sw_value_new_none:
 *
 * Makes the value that stands for no value.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_none (void)
{
  return sw_value_ref (&none_value);
}

/**
 * sw_value_new_bool:
 * @value: true or false
 *
 * Makes a truth value.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_bool (gboolean value)
{
  return sw_value_ref (&bool_values[value ? 1 : 0]);
}

/**
 * sw_value_new_int64:
 * @value: an integer
 *
 * Makes an integer value.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_int64 (gint64 value)
{
  SwValue *self = new_value (SW_VALUE_INT64);

  self->integer = value;
  return self;
}

/**
 * sw_value_new_double:
 * @value: a real number, infinite or NaN included
 *
 * Makes a real value.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_double (double value)
{
  SwValue *self = new_value (SW_VALUE_DOUBLE);

  self->real = value;
  return self;
}

/**
 * sw_value_new_tensor:
 * @tensor: a tensor
 *
 * Makes a value that keeps a reference to a tensor.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_tensor (SwTensor *tensor)
{
  SwValue *self;

  g_return_val_if_fail (tensor != NULL, NULL);

  self = new_value (SW_VALUE_TENSOR);
  self->tensor = sw_tensor_ref (tensor);
  return self;
}

/**
 * sw_value_new_shape:
 * @shape: a shape
 *
 * Makes a value that keeps a reference to a shape.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_shape (SwShape *shape)
{
  SwValue *self;

  g_return_val_if_fail (shape != NULL, NULL);

  self = new_value (SW_VALUE_SHAPE);
  self->shape = sw_shape_ref (shape);
  return self;
}

/**
 * sw_value_new_indices:
 * @indices: (array length=n_indices) (nullable): integers
 * @n_indices: how many
 *
 * Makes a value that holds a list of integers, such as the modes to reduce.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_indices (const gint64 *indices,
                      gsize n_indices)
{
  SwValue *self;

  g_return_val_if_fail (indices != NULL || n_indices == 0, NULL);

  self = new_value (SW_VALUE_INDICES);
  self->indices.values = g_memdup2 (indices, n_indices * sizeof *indices);
  self->indices.n_values = n_indices;
  return self;
}

/**
 * sw_value_new_object:
 * @object: anything that a [struct@GObject.Value] can hold
 *
 * Makes a value of anything that no other kind describes. The content is copied as #GValue copies it.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_object (const GValue *object)
{
  SwValue *self;

  g_return_val_if_fail (G_IS_VALUE (object), NULL);

  self = new_value (SW_VALUE_OBJECT);
  g_value_init (&self->object, G_VALUE_TYPE (object));
  g_value_copy (object, &self->object);
  self->object_type_name = NULL;
  return self;
}

/**
 * sw_value_new_foreign_object:
 * @object: an object of another language, as its binding puts it into a [struct@GObject.Value]
 * @type_name: what that language calls its type
 *
 * Makes a value of an object whose #GType says less than its language does, so that errors name the type that the user
 * knows. The same as [ctor@Strideweave.Value.new_object] otherwise.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_new_foreign_object (const GValue *object,
                             const char *type_name)
{
  SwValue *self;

  g_return_val_if_fail (type_name != NULL, NULL);

  self = sw_value_new_object (object);
  if (self != NULL)
    self->object_type_name = g_strdup (type_name);
  return self;
}

/**
 * sw_value_ref:
 * @self: a value
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
SwValue *
sw_value_ref (SwValue *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

static void
free_value (SwValue *self)
{
  switch (self->kind)
    {
    case SW_VALUE_TENSOR:
      sw_tensor_unref (self->tensor);
      break;
    case SW_VALUE_SHAPE:
      sw_shape_unref (self->shape);
      break;
    case SW_VALUE_INDICES:
      g_free (self->indices.values);
      break;
    case SW_VALUE_OBJECT:
      g_value_unset (&self->object);
      g_free (self->object_type_name);
      break;
    case SW_VALUE_NONE:
    case SW_VALUE_BOOL:
    case SW_VALUE_INT64:
    case SW_VALUE_DOUBLE:
      break;
    default:
      g_assert_not_reached ();
    }

  g_free (self);
}

/**
 * sw_value_unref:
 * @self: (transfer full): a value
 *
 * Gives a reference back.
 */
void
sw_value_unref (SwValue *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    free_value (self);
}

/**
 * sw_value_get_kind:
 * @self: a value
 *
 * Tells what the value holds.
 *
 * Returns: the kind
 */
SwValueKind
sw_value_get_kind (SwValue *self)
{
  g_return_val_if_fail (self != NULL, SW_VALUE_NONE);

  return self->kind;
}

/**
 * sw_value_get_bool:
 * @self: a value
 *
 * Gives the truth value.
 *
 * Returns: the content; %FALSE when the kind is not %SW_VALUE_BOOL
 */
gboolean
sw_value_get_bool (SwValue *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->kind == SW_VALUE_BOOL && self->boolean;
}

/**
 * sw_value_get_int64:
 * @self: a value
 *
 * Gives the integer.
 *
 * Returns: the content; 0 when the kind is not %SW_VALUE_INT64
 */
gint64
sw_value_get_int64 (SwValue *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->kind == SW_VALUE_INT64 ? self->integer : 0;
}

/**
 * sw_value_get_double:
 * @self: a value
 *
 * Gives the number.
 *
 * Returns: the content of the kinds %SW_VALUE_DOUBLE and %SW_VALUE_INT64; 0 for all others
 */
double
sw_value_get_double (SwValue *self)
{
  g_return_val_if_fail (self != NULL, 0);

  if (self->kind == SW_VALUE_INT64)
    return (double) self->integer;
  return self->kind == SW_VALUE_DOUBLE ? self->real : 0;
}

/**
 * sw_value_get_tensor:
 * @self: a value
 *
 * Gives the tensor.
 *
 * Returns: (transfer none) (nullable): the content; %NULL when the kind is not %SW_VALUE_TENSOR
 */
SwTensor *
sw_value_get_tensor (SwValue *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->kind == SW_VALUE_TENSOR ? self->tensor : NULL;
}

/**
 * sw_value_get_shape:
 * @self: a value
 *
 * Gives the shape.
 *
 * Returns: (transfer none) (nullable): the content; %NULL when the kind is not %SW_VALUE_SHAPE
 */
SwShape *
sw_value_get_shape (SwValue *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->kind == SW_VALUE_SHAPE ? self->shape : NULL;
}

/**
 * sw_value_dup_indices:
 * @self: a value
 * @n_indices: (out): how many
 *
 * Copies the list of integers.
 *
 * Returns: (transfer full) (nullable) (array length=n_indices): the content; %NULL when there are none or the kind is
 *   not %SW_VALUE_INDICES
 */
gint64 *
sw_value_dup_indices (SwValue *self,
                      gsize *n_indices)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (n_indices != NULL, NULL);

  *n_indices = 0;
  if (self->kind != SW_VALUE_INDICES)
    return NULL;

  *n_indices = self->indices.n_values;
  return g_memdup2 (self->indices.values, self->indices.n_values * sizeof *self->indices.values);
}

/**
 * sw_value_get_object:
 * @self: a value
 *
 * Gives what no other kind describes.
 *
 * Returns: (transfer none) (nullable): the content; %NULL when the kind is not %SW_VALUE_OBJECT
 */
const GValue *
sw_value_get_object (SwValue *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->kind == SW_VALUE_OBJECT ? &self->object : NULL;
}

static gboolean
equal_objects (const GValue *a,
               const GValue *b)
{
  if (G_VALUE_TYPE (a) != G_VALUE_TYPE (b))
    return FALSE;
  if (G_VALUE_HOLDS_STRING (a))
    return g_strcmp0 (g_value_get_string (a), g_value_get_string (b)) == 0;
  if (g_value_fits_pointer (a))
    return g_value_peek_pointer (a) == g_value_peek_pointer (b);
  return memcmp (&a->data[0], &b->data[0], sizeof a->data[0]) == 0;
}

static gboolean
equal_indices (SwValue *a,
               SwValue *b)
{
  gsize n_values = a->indices.n_values;

  return n_values == b->indices.n_values &&
         (n_values == 0 || memcmp (a->indices.values, b->indices.values, n_values * sizeof (gint64)) == 0);
}

/* NaN is itself here: a value that is not equal to its own copy would be lost in every set. */
static gboolean
equal_reals (double a,
             double b)
{
  return a == b || (a != a && b != b);
}

/**
 * sw_value_equal:
 * @self: a value
 * @other: another value
 *
 * Compares kind and content. Tensors are equal when they are the same tensor; NaN equals NaN; the integer 1 and the
 * real 1.0 differ.
 *
 * Returns: %TRUE when both are equal
 */
gboolean
sw_value_equal (SwValue *self,
                SwValue *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  if (self == other)
    return TRUE;
  if (self->kind != other->kind)
    return FALSE;

  switch (self->kind)
    {
    case SW_VALUE_INT64:
      return self->integer == other->integer;
    case SW_VALUE_DOUBLE:
      return equal_reals (self->real, other->real);
    case SW_VALUE_TENSOR:
      return self->tensor == other->tensor;
    case SW_VALUE_SHAPE:
      return sw_shape_equal (self->shape, other->shape);
    case SW_VALUE_INDICES:
      return equal_indices (self, other);
    case SW_VALUE_OBJECT:
      return equal_objects (&self->object, &other->object);
    case SW_VALUE_NONE:
    case SW_VALUE_BOOL:
    default:
      return self->kind == SW_VALUE_NONE || self->boolean == other->boolean;
    }
}

/* The shortest digits that read back as the same number; ".0" tells a real number from an integer. */
static char *
format_real (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }

  return g_strconcat (text, strspn (text, "-0123456789") == strlen (text) ? ".0" : "", NULL);
}

static char *
format_indices (SwValue *self)
{
  GString *text = g_string_new ("[");

  for (gsize i = 0; i < self->indices.n_values; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", self->indices.values[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static char *
format_object (const GValue *object,
               const char *type_name)
{
  /* GLib knows no more of it than an address. */
  if (type_name != NULL)
    return g_strdup_printf ("<%s>", type_name);
  if (G_VALUE_HOLDS_STRING (object) && g_value_get_string (object) != NULL)
    return g_strdup_printf ("'%s'", g_value_get_string (object));
  return g_strdup_value_contents (object);
}

/**
 * sw_value_to_string:
 * @self: a value
 *
 * Describes the content for people, such as "2", "2.5", "True" or "Tensor(shape=(2, 3), dtype=Float32, carrier=CPU)".
 *
 * Returns: (transfer full): the text
 */
char *
sw_value_to_string (SwValue *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  switch (self->kind)
    {
    case SW_VALUE_BOOL:
      return g_strdup (self->boolean ? "True" : "False");
    case SW_VALUE_INT64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, self->integer);
    case SW_VALUE_DOUBLE:
      return format_real (self->real);
    case SW_VALUE_TENSOR:
      return sw_tensor_describe (self->tensor);
    case SW_VALUE_SHAPE:
      return sw_shape_to_string (self->shape);
    case SW_VALUE_INDICES:
      return format_indices (self);
    case SW_VALUE_OBJECT:
      return format_object (&self->object, self->object_type_name);
    case SW_VALUE_NONE:
    default:
      return g_strdup ("None");
    }
}

static const char *
get_object_type_name (const GValue *object)
{
  if (G_VALUE_HOLDS_STRING (object))
    return "str";
  if (G_VALUE_HOLDS_OBJECT (object) && g_value_get_object (object) != NULL)
    return G_OBJECT_TYPE_NAME (g_value_get_object (object));
  return G_VALUE_TYPE_NAME (object);
}

const char *
sw_value_get_type_name (SwValue *self)
{
  static const char *const names[] = {
    [SW_VALUE_NONE] = "None",
    [SW_VALUE_BOOL] = "bool",
    [SW_VALUE_INT64] = "int64",
    [SW_VALUE_DOUBLE] = "double",
    [SW_VALUE_TENSOR] = "Tensor",
    [SW_VALUE_SHAPE] = "Shape",
    [SW_VALUE_INDICES] = "list of int64",
  };

  if (self->kind != SW_VALUE_OBJECT)
    return names[self->kind];
  return self->object_type_name != NULL ? self->object_type_name : get_object_type_name (&self->object);
}
