/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/tensor/sw-value-private.h"

/* Patterns such as "a (b c) -> (c a) b": the left side gives names to parts of the shape, the right side says where each of
 * them goes, and which of them are nested in one mode. Layouts nest, so this is always a view. */

#define MAX_NAMES 64

/* A part of the shape that the left side names. */
typedef struct
{
  const char *name;
  gsize length;
  guint token; /* where it begins in the shape */
  guint leaf;
  gboolean is_used;
} Part;

typedef struct
{
  const char *pattern;
  const char *at;
  SwLayout *layout;
  Part parts[MAX_NAMES];
  guint n_parts;
  GArray *extents;
  GArray *steps;
} Parser;

static gboolean
fail (const Parser *self,
      GError **error,
      const char *format,
      ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (const Parser *self,
      GError **error,
      const char *format,
      ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "pattern is '%s': %s", self->pattern, text);
  return FALSE;
}

static void
skip_spaces (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
accept (Parser *self,
        const char *text)
{
  skip_spaces (self);
  if (!g_str_has_prefix (self->at, text))
    return FALSE;
  self->at += strlen (text);
  return TRUE;
}

static gboolean
read_name (Parser *self,
           const char **name,
           gsize *length,
           GError **error)
{
  skip_spaces (self);
  *name = self->at;
  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;
  *length = self->at - *name;
  if (*length == 0)
    return fail (self, error, "there must be a name at '%s'", self->at);
  return TRUE;
}

static Part *
find_part (Parser *self,
           const char *name,
           gsize length)
{
  for (guint i = 0; i < self->n_parts; i++)
    {
      if (self->parts[i].length == length && memcmp (self->parts[i].name, name, length) == 0)
        return &self->parts[i];
    }
  return NULL;
}

static guint
count_leaves (const gint64 *tokens,
              guint start,
              guint end)
{
  guint n_leaves = 0;

  for (guint i = start; i < end; i++)
    n_leaves += tokens[i] >= 0;
  return n_leaves;
}

static gboolean
add_part (Parser *self,
          guint *token,
          guint *leaf,
          GError **error)
{
  const gint64 *tokens = self->layout->shape->tree.tokens;
  guint end = sw_tree_skip (tokens, *token);
  Part *part = &self->parts[self->n_parts];

  if (self->n_parts == MAX_NAMES)
    return fail (self, error, "there are more than %d names", MAX_NAMES);
  *part = (Part){ .token = *token, .leaf = *leaf };
  if (!read_name (self, &part->name, &part->length, error))
    return FALSE;
  if (find_part (self, part->name, part->length) != NULL)
    return fail (self, error, "the left side names '%.*s' twice", (int) part->length, part->name);

  self->n_parts++;
  *leaf += count_leaves (tokens, *token, end);
  *token = end;
  return TRUE;
}

/* The items of one tuple of the shape, to its end. */
static gboolean
read_left (Parser *self,
           guint n_items,
           guint *token,
           guint *leaf,
           const char *end,
           GError **error)
{
  guint i = 0;

  for (; !accept (self, end); i++)
    {
      if (*self->at == '\0')
        return fail (self, error, "'%s' is missing", end);
      if (i == n_items)
        return fail (self, error, "there are more names than the %u modes at '%s'", n_items, self->at);
      if (accept (self, "("))
        {
          gint64 nested = self->layout->shape->tree.tokens[*token];

          if (nested >= 0)
            return fail (self, error, "what has the extent %" G_GINT64_FORMAT " is not nested", nested);
          ++*token;
          if (!read_left (self, SW_TREE_N_ITEMS (nested), token, leaf, ")", error))
            return FALSE;
        }
      else if (!add_part (self, token, leaf, error))
        return FALSE;
    }

  if (i != n_items)
    return fail (self, error, "there are %u names for %u modes", i, n_items);
  return TRUE;
}

static gboolean
append_part (Parser *self,
             GError **error)
{
  const gint64 *tokens = self->layout->shape->tree.tokens;
  const char *name;
  gsize length;
  Part *part;
  guint leaf;

  if (!read_name (self, &name, &length, error))
    return FALSE;
  part = find_part (self, name, length);
  if (part == NULL)
    return fail (self, error, "the left side does not name '%.*s'", (int) length, name);
  if (part->is_used)
    return fail (self, error, "the right side names '%.*s' twice", (int) length, name);

  part->is_used = TRUE;
  leaf = part->leaf;
  for (guint i = part->token; i < sw_tree_skip (tokens, part->token); i++)
    {
      gint64 step = tokens[i] < 0 ? tokens[i] : self->layout->leaves[leaf++].step;

      g_array_append_val (self->extents, tokens[i]);
      g_array_append_val (self->steps, step);
    }
  return TRUE;
}

static gboolean
read_right (Parser *self,
            const char *end, /* NULL: the pattern's end */
            guint depth,
            GError **error)
{
  guint root = self->extents->len;
  gint64 token = 0;

  if (depth == SW_TREE_MAX_DEPTH)
    return fail (self, error, "the right side nests deeper than %d levels", SW_TREE_MAX_DEPTH);
  g_array_append_val (self->extents, token);
  g_array_append_val (self->steps, token);

  for (guint n_items = 0;; n_items++)
    {
      skip_spaces (self);
      if (end != NULL ? accept (self, end) : *self->at == '\0')
        {
          token = SW_TREE_TUPLE (n_items);
          break;
        }
      if (*self->at == '\0')
        return fail (self, error, "'%s' is missing", end);
      if (accept (self, "(") ? !read_right (self, ")", depth + 1, error) : !append_part (self, error))
        return FALSE;
    }

  g_array_index (self->extents, gint64, root) = g_array_index (self->steps, gint64, root) = token;
  return TRUE;
}

static SwLayout *
parse (Parser *self,
       GError **error)
{
  guint token = 1, leaf = 0;

  if (!read_left (self, self->layout->shape->tree.n_items, &token, &leaf, "->", error) ||
      !read_right (self, NULL, 0, error))
    return NULL;
  for (guint i = 0; i < self->n_parts; i++)
    {
      if (self->parts[i].is_used)
        continue;
      fail (self, error, "the right side leaves '%.*s' out", (int) self->parts[i].length, self->parts[i].name);
      return NULL;
    }
  return sw_layout_new_from_tokens ((const gint64 *) self->extents->data, (const gint64 *) self->steps->data, self->extents->len,
                                    error);
}

SwLayout *
sw_view_rearrange (const SwCall *call,
                   SwLayout *layout,
                   gboolean *needs_copy,
                   GError **error)
{
  const SwOperand *operand = &call->operands[1];
  Parser parser = { .layout = layout };
  SwLayout *result;

  if (operand->kind != SW_VALUE_OBJECT || !G_VALUE_HOLDS_STRING (&operand->object->object) ||
      g_value_get_string (&operand->object->object) == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "pattern must be a string, not %s", sw_operand_get_type_name (operand));
      return NULL;
    }

  parser.pattern = parser.at = g_value_get_string (&operand->object->object);
  parser.extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  parser.steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  result = parse (&parser, error);
  g_array_unref (parser.steps);
  g_array_unref (parser.extents);
  return result;
}
