/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-tensor-private.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-number-text-private.h"

#include <string.h>

/* How tensors are shown, by the rules of NumPy: brackets for each leaf of the shape, columns as wide as their values, and of
 * many values the first and last ones of each mode. */

#define MAX_SHOWN 1000
#define N_EDGE 3
#define LINE_WIDTH 75
/* Of modes that are short and many, even the edges can be more than anybody wants to have. */
#define MAX_ITEMS (G_GINT64_CONSTANT (1) << 18)

typedef struct
{
  guint n_axes;
  const SwLayoutLeaf *leaves;
  gboolean is_summary;
  gboolean is_empty; /* then brackets alone, whatever the shape */
  SwStorage items;   /* those that are shown, the last axis fastest */
  gint64 n_written;
  SwNumberFormat format;
  const char *separator;
  GString *text;
} Picture;

static gboolean
is_cut (const Picture *self,
        guint axis)
{
  return self->is_summary && self->leaves[axis].extent > 2 * N_EDGE;
}

static gint64
count_shown (const Picture *self,
             guint axis)
{
  return is_cut (self, axis) ? 2 * N_EDGE : self->leaves[axis].extent;
}

static gint64
get_place (const Picture *self,
           guint axis,
           gint64 shown)
{
  return is_cut (self, axis) && shown >= N_EDGE ? self->leaves[axis].extent - (2 * N_EDGE - shown) : shown;
}

static gboolean
read_item (Picture *self,
           SwTensor *tensor,
           const SwStorage *from,
           gint64 item,
           gint64 index,
           GError **error)
{
  g_autoptr (SwValue) value = NULL;

  if (from != NULL)
    {
      sw_storage_copy_item (&self->items, item, from, index);
      return TRUE;
    }
  value = sw_carrier_get_value (tensor->carrier, index, error);
  return value != NULL && sw_storage_set_value (&self->items, item, value, error);
}

/* Reads what is shown, and nothing else. @from: the storage, where it lies in memory. */
static gboolean
read_items (Picture *self,
            SwTensor *tensor,
            const SwStorage *from,
            GError **error)
{
  g_autofree gint64 *position = g_new0 (gint64, self->n_axes + 1);

  for (gint64 item = 0; item < self->items.size; item++)
    {
      gint64 index = tensor->offset;

      for (guint axis = 0; axis < self->n_axes; axis++)
        index += get_place (self, axis, position[axis]) * self->leaves[axis].step;
      if (!read_item (self, tensor, from, item, index, error))
        return FALSE;
      for (guint axis = self->n_axes; axis-- > 0;)
        {
          if (++position[axis] < count_shown (self, axis))
            break;
          position[axis] = 0;
        }
    }
  return TRUE;
}

/* What reading a value would find out. */
static gboolean
check_readable (SwCarrier *carrier,
                GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;
  gboolean done;

  if (!sw_carrier_enter (carrier, "carrier", error))
    return FALSE;
  done = builtin == NULL || builtin->check_access == NULL || builtin->check_access (carrier, error);
  sw_carrier_drop (carrier);
  return done;
}

static gboolean
read_held (Picture *self,
           SwTensor *tensor,
           GError **error)
{
  SwStorage from;
  gboolean done;

  if (!sw_carrier_is_in_memory (tensor->carrier))
    return (!self->is_empty || check_readable (tensor->carrier, error)) && read_items (self, tensor, NULL, error);
  if (!sw_carrier_hold (tensor->carrier, &from, error))
    return FALSE;
  done = read_items (self, tensor, &from, error);
  sw_carrier_drop (tensor->carrier);
  return done;
}

static gboolean
picture_init (Picture *self,
              SwTensor *tensor,
              GError **error)
{
  SwDType dtype = sw_carrier_call_dtype (tensor->carrier, error);
  gint64 n_items = 1;

  *self = (Picture){ .n_axes = tensor->layout->n_leaves, .leaves = tensor->layout->leaves };
  self->is_summary = tensor->layout->size > MAX_SHOWN;
  self->is_empty = tensor->layout->size == 0;
  if (self->is_empty)
    n_items = 0;
  for (guint axis = 0; axis < self->n_axes && n_items <= MAX_ITEMS && !self->is_empty; axis++)
    n_items *= count_shown (self, axis);
  if (n_items > MAX_ITEMS)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the first and last values along %u extents are too many to show", self->n_axes);
      return FALSE;
    }
  if (dtype == SW_DTYPE_INVALID || !sw_storage_alloc (&self->items, n_items, dtype, TRUE, error))
    return FALSE;
  if (!read_held (self, tensor, error))
    {
      sw_storage_clear (&self->items);
      return FALSE;
    }
  if (!self->is_empty)
    sw_number_format_init (&self->format, &self->items);
  if (self->n_axes == 0 && dtype == SW_DTYPE_BOOL)
    self->format.before_point = 0; /* no column */
  self->text = g_string_new (NULL);
  return TRUE;
}

static char *
picture_finish (Picture *self)
{
  sw_storage_clear (&self->items);
  return g_string_free (self->text, FALSE);
}

static void
append_spaces (GString *text,
               guint count)
{
  for (guint i = 0; i < count; i++)
    g_string_append_c (text, ' ');
}

static void
trim_spaces (GString *text)
{
  gsize length = text->len;

  while (length > 0 && text->str[length - 1] == ' ')
    length--;
  g_string_truncate (text, length);
}

/* The next item of a line, or an ellipsis, on a line of its own where it would be too long. */
static void
append_word (Picture *self,
             gboolean is_ellipsis,
             guint indent,
             guint width,
             gsize *length)
{
  gsize begin = self->text->len;
  gsize word_length;

  if (is_ellipsis)
    g_string_append (self->text, "...");
  else
    sw_number_format_append (&self->format, &self->items, self->n_written++, self->text);
  word_length = self->text->len - begin;
  if (*length > indent && *length + word_length > width)
    {
      g_autofree char *word = g_strdup (self->text->str + begin);

      g_string_truncate (self->text, begin);
      trim_spaces (self->text);
      g_string_append_c (self->text, '\n');
      append_spaces (self->text, indent);
      g_string_append (self->text, word);
      *length = indent;
    }
  *length += word_length;
}

static void
append_row (Picture *self,
            guint axis,
            guint indent,
            guint width)
{
  gint64 n_shown = count_shown (self, axis);
  gsize length = indent;

  for (gint64 i = 0; i < n_shown; i++)
    {
      if (i == N_EDGE && is_cut (self, axis))
        {
          append_word (self, TRUE, indent, width, &length);
          g_string_append (self->text, self->separator);
          length += strlen (self->separator);
        }
      append_word (self, FALSE, indent, width, &length);
      if (i < n_shown - 1)
        {
          g_string_append (self->text, self->separator);
          length += strlen (self->separator);
        }
    }
}

/* What stands between the parts of a mode that is not the last one: an empty line for each further level. */
static void
append_break (Picture *self,
              guint axis,
              guint indent)
{
  if (self->separator[0] != ' ')
    g_string_append_c (self->text, self->separator[0]);
  for (guint level = axis + 1; level < self->n_axes; level++)
    g_string_append_c (self->text, '\n');
  append_spaces (self->text, indent);
}

static void
append_axis (Picture *self,
             guint axis,
             guint indent,
             guint width)
{
  gint64 n_shown;

  if (axis == self->n_axes)
    {
      sw_number_format_append (&self->format, &self->items, self->n_written++, self->text);
      return;
    }

  g_string_append_c (self->text, '[');
  if (axis == self->n_axes - 1)
    {
      append_row (self, axis, indent, width - 1);
      g_string_append_c (self->text, ']');
      return;
    }
  n_shown = count_shown (self, axis);
  for (gint64 i = 0; i < n_shown; i++)
    {
      if (i > 0)
        append_break (self, axis, indent);
      if (i == N_EDGE && is_cut (self, axis))
        {
          g_string_append (self->text, "...");
          append_break (self, axis, indent);
        }
      append_axis (self, axis + 1, indent + 1, width - 1);
    }
  g_string_append_c (self->text, ']');
}

static void
append_all (Picture *self,
            guint indent,
            guint width)
{
  if (self->is_empty)
    g_string_append (self->text, "[]");
  else
    append_axis (self, 0, indent, width);
}

/**
 * sw_tensor_dup_values_text:
 * @self: a tensor
 * @error: return location for an error
 *
 * Writes the values as NumPy prints an array of them: in nested brackets, one level for each leaf of the shape, in columns,
 * real numbers with the fewest digits that tell them from others and at most eight after the point, or with exponents where
 * they differ by more than a factor of 1000. Of more than 1000 values, those at the edges are read and shown, three on each side of
 * each mode. A tensor of rank 0 is a number alone, with all its digits; one without values is `[]`, whatever its shape.
 *
 * Fails with %SW_ERROR_STATE when the carrier is released or evicted, and with whatever a carrier of one's own reports.
 *
 * Returns: (transfer full): the text
 */
char *
sw_tensor_dup_values_text (SwTensor *self,
                           GError **error)
{
  Picture picture;

  g_return_val_if_fail (self != NULL, NULL);

  if (!picture_init (&picture, self, error))
    return NULL;
  picture.separator = " ";
  if (picture.n_axes == 0)
    sw_number_append_alone (&picture.items, 0, picture.text);
  else
    append_all (&picture, 1, LINE_WIDTH);
  return picture_finish (&picture);
}

char *
sw_tensor_describe (SwTensor *self)
{
  g_autofree char *shape = sw_shape_to_string (self->layout->shape);

  return g_strdup_printf ("Tensor(shape=%s, dtype=%s, carrier=%s)", shape,
                          sw_dtype_to_string (sw_tensor_get_dtype (self)),
                          sw_carrier_get_class_name (self->carrier));
}

/**
 * sw_tensor_to_string:
 * @self: a tensor
 *
 * Shows the tensor to people: its values, as [method@Strideweave.Tensor.dup_values_text] has them but with commas, and then its
 * shape, dtype and carrier, such as "Tensor([[1., 2.], [3., 4.]], shape=(2, 2), dtype=Float32, carrier=CPU)" with a line for each
 * row. Where values cannot be read, as after a release, it says why instead.
 *
 * Returns: (transfer full): the text
 */
char *
sw_tensor_to_string (SwTensor *self)
{
  static const char begin[] = "Tensor(";
  g_autofree char *description = NULL, *values = NULL;
  g_autoptr (GError) failure = NULL;
  const char *facts, *last_line;
  gboolean fits;
  Picture picture;

  g_return_val_if_fail (self != NULL, NULL);

  description = sw_tensor_describe (self);
  facts = description + strlen (begin);
  if (!picture_init (&picture, self, &failure))
    return g_strdup_printf ("%.*s; no values: %s)", (int) strlen (description) - 1, description, failure->message);

  picture.separator = ", ";
  append_all (&picture, 1 + strlen (begin), LINE_WIDTH - 1);
  values = picture_finish (&picture);
  last_line = strrchr (values, '\n');
  fits = last_line != NULL ? strlen (last_line) + strlen (facts) < LINE_WIDTH
                           : strlen (begin) + strlen (values) + strlen (facts) + 1 < LINE_WIDTH;
  return g_strdup_printf ("%s%s,%s%s", begin, values, fits ? " " : "\n       ", facts);
}
