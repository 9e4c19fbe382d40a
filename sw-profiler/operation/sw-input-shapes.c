/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-input-shapes-private.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-shape.h"

/**
 * SwInputShapes:
 *
 * The shapes of an operation's positional inputs, as they were when it ran.
 *
 * There is one position for each input; the position of an input that is no tensor is empty. The value never changes
 * and may be used from any thread.
 */

#define NONE_TOKEN (-1)

G_DEFINE_BOXED_TYPE (SwInputShapes, sw_input_shapes, sw_input_shapes_ref, sw_input_shapes_unref)

static SwInputShapes *
input_shapes_allocate (guint n_shapes)
{
  SwInputShapes *self = g_malloc0 (sizeof (SwInputShapes) + n_shapes * sizeof (SwShape *));

  self->ref_count = 1;
  self->n_shapes = n_shapes;
  return self;
}

static SwInputShapes *
input_shapes_seal (SwInputShapes *self)
{
  guint hash = self->n_shapes;

  for (guint i = 0; i < self->n_shapes; i++)
    hash = hash * 31 + (self->shapes[i] != NULL ? sw_shape_hash (self->shapes[i]) : G_MAXUINT);
  self->hash = hash;
  return self;
}

/**
 * sw_input_shapes_new:
 * @shapes: (array length=n_shapes) (nullable): the shape of each input; %NULL for an input that is no tensor
 * @n_shapes: how many inputs there are
 *
 * Makes the list of some inputs' shapes.
 *
 * Takes a reference to each shape.
 *
 * Returns: (transfer full): the new list
 */
SwInputShapes *
sw_input_shapes_new (SwShape **shapes,
                     gsize n_shapes)
{
  SwInputShapes *self;

  g_return_val_if_fail (shapes != NULL || n_shapes == 0, NULL);
  g_return_val_if_fail (n_shapes <= G_MAXINT, NULL);

  self = input_shapes_allocate (n_shapes);
  for (gsize i = 0; i < n_shapes; i++)
    {
      if (shapes[i] != NULL)
        self->shapes[i] = sw_shape_ref (shapes[i]);
    }
  return input_shapes_seal (self);
}

/* How many tokens the tree at the start of @tokens has; 0 when it does not end within them. */
static gsize
measure_tree (const gint64 *tokens,
              gsize n_tokens)
{
  gsize n_missing = 1;

  for (gsize i = 0; i < n_tokens; i++)
    {
      n_missing--;
      if (tokens[i] <= -2)
        {
          guint64 n_items = (guint64) (-2 - tokens[i]);

          if (n_items > n_tokens)
            return 0;
          n_missing += n_items;
        }
      if (n_missing == 0)
        return i + 1;
    }
  return 0;
}

/* Reads the shape of one position, which begins at tokens[*at], and moves on behind it. */
static gboolean
read_position (SwInputShapes *self,
               guint position,
               const gint64 *tokens,
               gsize n_tokens,
               gsize *at,
               GError **error)
{
  gsize length;

  if (*at < n_tokens && tokens[*at] == NONE_TOKEN)
    {
      *at += 1;
      return TRUE;
    }
  length = measure_tree (tokens + *at, n_tokens - *at);
  if (length == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "input_shapes[%u]: tokens ends after %" G_GSIZE_FORMAT " values, within this shape",
                   position, n_tokens);
      return FALSE;
    }
  self->shapes[position] = sw_shape_new_from_tokens (tokens + *at, length, error);
  if (self->shapes[position] == NULL)
    {
      g_prefix_error (error, "input_shapes[%u]: ", position);
      return FALSE;
    }
  *at += length;
  return TRUE;
}

static gboolean
check_root (const gint64 *tokens,
            gsize n_tokens,
            GError **error)
{
  if (n_tokens == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "tokens is empty, but must begin with a tuple's token, -2 - n");
      return FALSE;
    }
  if (tokens[0] > -2)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "tokens[0] is %" G_GINT64_FORMAT ", but must be a tuple's token, -2 - n", tokens[0]);
      return FALSE;
    }
  if ((guint64) (-2 - tokens[0]) > n_tokens - 1 || -2 - tokens[0] > G_MAXINT)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "tokens[0] is %" G_GINT64_FORMAT ", a tuple of %" G_GINT64_FORMAT " items, but only %" G_GSIZE_FORMAT " tokens follow",
                   tokens[0], -2 - tokens[0], n_tokens - 1);
      return FALSE;
    }
  return TRUE;
}

/**
 * sw_input_shapes_new_from_tokens:
 * @tokens: (array length=n_tokens) (nullable): the list in preorder
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Makes the list of some inputs' shapes from its flat form.
 *
 * The first token is `-2 - n` for n inputs. For each input follow the tokens of its shape, as in
 * [ctor@Strideweave.Shape.new_from_tokens], or -1 when it is no tensor.
 *
 * Fails with %SW_ERROR_VALUE when the tokens do not describe such a list.
 *
 * Returns: (transfer full): the new list, or %NULL with @error set
 */
SwInputShapes *
sw_input_shapes_new_from_tokens (const gint64 *tokens,
                                 gsize n_tokens,
                                 GError **error)
{
  g_autoptr (SwInputShapes) self = NULL;
  gsize at = 1;

  g_return_val_if_fail (tokens != NULL || n_tokens == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check_root (tokens, n_tokens, error))
    return NULL;
  self = input_shapes_allocate (-2 - tokens[0]);
  for (guint i = 0; i < self->n_shapes; i++)
    {
      if (!read_position (self, i, tokens, n_tokens, &at, error))
        return NULL;
    }
  if (at != n_tokens)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "tokens has %" G_GSIZE_FORMAT " values, but the list ends after %" G_GSIZE_FORMAT, n_tokens, at);
      return NULL;
    }
  return input_shapes_seal (g_steal_pointer (&self));
}

/**
 * sw_input_shapes_ref:
 * @self: the list
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwInputShapes *
sw_input_shapes_ref (SwInputShapes *self)
{
  return sw_input_shapes_ref_many (self, 1);
}

SwInputShapes *
sw_input_shapes_ref_many (SwInputShapes *self,
                          guint n)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: whoever takes a reference already has one. */
  __atomic_fetch_add (&self->ref_count, (int) n, __ATOMIC_RELAXED);
  return self;
}

/**
 * sw_input_shapes_unref:
 * @self: (transfer full): the list
 *
 * Gives a reference back. May be called on any thread; the last one frees the list.
 */
void
sw_input_shapes_unref (SwInputShapes *self)
{
  g_return_if_fail (self != NULL);

  /* Whatever other threads did with their references comes before the list is freed. */
  if (__atomic_sub_fetch (&self->ref_count, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  for (guint i = 0; i < self->n_shapes; i++)
    g_clear_pointer (&self->shapes[i], sw_shape_unref);
  g_free (self);
}

/**
 * sw_input_shapes_get_length:
 * @self: the list
 *
 * Returns how many positional inputs the operation had.
 *
 * Returns: the number of positions
 */
guint
sw_input_shapes_get_length (SwInputShapes *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_shapes;
}

/**
 * sw_input_shapes_get_shape:
 * @self: the list
 * @position: the position of an input
 *
 * Returns the shape of one input.
 *
 * Returns: (transfer none) (nullable): the shape; %NULL when that input was no tensor, or when there is none at @position
 */
SwShape *
sw_input_shapes_get_shape (SwInputShapes *self,
                           guint position)
{
  g_return_val_if_fail (self != NULL, NULL);

  return position < self->n_shapes ? self->shapes[position] : NULL;
}

/**
 * sw_input_shapes_dup_tokens:
 * @self: the list
 * @n_tokens: (out): how many tokens there are
 *
 * Returns the flat form that [ctor@Strideweave.InputShapes.new_from_tokens] takes.
 *
 * Returns: (transfer full) (array length=n_tokens): the tokens
 */
gint64 *
sw_input_shapes_dup_tokens (SwInputShapes *self,
                            gsize *n_tokens)
{
  g_autoptr (GArray) tokens = NULL;
  gint64 token;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (n_tokens != NULL, NULL);

  tokens = g_array_new (FALSE, FALSE, sizeof (gint64));
  token = -2 - (gint64) self->n_shapes;
  g_array_append_val (tokens, token);
  for (guint i = 0; i < self->n_shapes; i++)
    {
      g_autofree gint64 *shape = NULL;
      gsize n = 1;

      token = NONE_TOKEN;
      if (self->shapes[i] != NULL)
        shape = sw_shape_dup_tokens (self->shapes[i], &n);
      g_array_append_vals (tokens, shape != NULL ? shape : &token, n);
    }
  return g_array_steal (tokens, n_tokens);
}

static gboolean
same_shape (SwShape *a,
            SwShape *b)
{
  if (a == b)
    return TRUE;
  return a != NULL && b != NULL && sw_shape_equal (a, b);
}

/**
 * sw_input_shapes_equal:
 * @self: a list
 * @other: another list
 *
 * Compares two lists by value.
 *
 * Returns: whether both have the same shapes at the same positions
 */
gboolean
sw_input_shapes_equal (SwInputShapes *self,
                       SwInputShapes *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  if (self == other)
    return TRUE;
  if (self->hash != other->hash || self->n_shapes != other->n_shapes)
    return FALSE;
  for (guint i = 0; i < self->n_shapes; i++)
    {
      if (!same_shape (self->shapes[i], other->shapes[i]))
        return FALSE;
    }
  return TRUE;
}

/**
 * sw_input_shapes_hash:
 * @self: the list
 *
 * Returns a hash of the value: the same for equal lists.
 *
 * Returns: the hash
 */
guint
sw_input_shapes_hash (SwInputShapes *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->hash;
}

/**
 * sw_input_shapes_to_string:
 * @self: the list
 *
 * Returns the list as nested tuples, such as `((2, (3, 4)), None)`.
 *
 * Returns: (transfer full): the text
 */
char *
sw_input_shapes_to_string (SwInputShapes *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new ("(");
  for (guint i = 0; i < self->n_shapes; i++)
    {
      g_autofree char *shape = self->shapes[i] != NULL ? sw_shape_to_string (self->shapes[i]) : NULL;

      g_string_append (text, i > 0 ? ", " : "");
      g_string_append (text, shape != NULL ? shape : "None");
    }
  g_string_append (text, self->n_shapes == 1 ? ",)" : ")");
  return g_string_free (text, FALSE);
}
