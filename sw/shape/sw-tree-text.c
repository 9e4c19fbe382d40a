/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-tree-private.h"

#include <errno.h>
#include <string.h>

/* Longer trees are cut in messages. */
#define DESCRIPTION_LENGTH 200

typedef struct
{
  const SwTreeKind *kind;
  const char *text;
  const char *at;
  GArray *tokens;
  guint level;
  struct
  {
    guint position; /* of the tuple's token */
    guint count;
    gboolean comma;
  } open[SW_TREE_MAX_DEPTH + 1];
} Parser;

static gboolean
parser_fail (Parser *parser,
             const char *expected,
             GError **error)
{
  g_autofree char *found = NULL;

  if (*parser->at == '\0')
    found = g_strdup ("ends");
  else if (g_ascii_isprint (*parser->at))
    found = g_strdup_printf ("has '%c'", *parser->at);
  else
    found = g_strdup_printf ("has the byte 0x%02x", (guint) (guchar) *parser->at);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the text of the %s %s at byte %" G_GSIZE_FORMAT ", where %s is expected",
               parser->kind->name, found, (gsize) (parser->at - parser->text), expected);
  return FALSE;
}

static void
parser_add (Parser *parser,
            gint64 token)
{
  if (parser->level > 0)
    parser->open[parser->level - 1].count++;
  g_array_append_val (parser->tokens, token);
}

static gboolean
parser_open (Parser *parser,
             GError **error)
{
  /* One more than a tree may have: an empty tuple may stand in the deepest one. */
  if (parser->level > SW_TREE_MAX_DEPTH)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is nested more than %d levels deep",
                   parser->kind->name, SW_TREE_MAX_DEPTH);
      return FALSE;
    }

  parser_add (parser, SW_TREE_TUPLE (0));
  parser->open[parser->level].position = parser->tokens->len - 1;
  parser->open[parser->level].count = 0;
  parser->open[parser->level].comma = FALSE;
  parser->level++;
  parser->at++;
  return TRUE;
}

static gboolean
parser_close (Parser *parser,
              GError **error)
{
  guint count = parser->open[parser->level - 1].count;

  if (count == 1 && !parser->open[parser->level - 1].comma)
    return parser_fail (parser, "a comma, as in (5,),", error);

  parser->level--;
  g_array_index (parser->tokens, gint64, parser->open[parser->level].position) = SW_TREE_TUPLE (count);
  parser->at++;
  return TRUE;
}

static gboolean
parser_read_number (Parser *parser,
                    GError **error)
{
  char *end;
  gint64 value;

  if (!g_ascii_isdigit (parser->at[*parser->at == '-' ? 1 : 0]))
    return parser_fail (parser, "a number or a tuple", error);

  errno = 0;
  value = g_ascii_strtoll (parser->at, &end, 10);
  if (errno == ERANGE || value < 0)
    {
      /* A negative value would read as a tuple. */
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "%s has %.*s at byte %" G_GSIZE_FORMAT ", but %s is %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                   parser->kind->name, (int) MIN (end - parser->at, 24), parser->at,
                   (gsize) (parser->at - parser->text),
                   parser->kind->leaf_name, parser->kind->minimum, G_MAXINT64);
      return FALSE;
    }

  parser_add (parser, value);
  parser->at = end;
  return TRUE;
}

static void
parser_skip_space (Parser *parser)
{
  while (g_ascii_isspace (*parser->at))
    parser->at++;
}

/* Reads what may follow '(' or ',': an item, or the end of the tuple. Sets whether an item is complete. */
static gboolean
parser_read_item (Parser *parser,
                  gboolean *complete,
                  GError **error)
{
  *complete = *parser->at != '(';
  if (*parser->at == '(')
    return parser_open (parser, error);
  if (*parser->at == ')' && parser->level > 0)
    return parser_close (parser, error);
  return parser_read_number (parser, error);
}

/* Reads what may follow an item of a tuple. */
static gboolean
parser_read_after_item (Parser *parser,
                        gboolean *complete,
                        GError **error)
{
  *complete = *parser->at == ')';
  if (*parser->at == ')')
    return parser_close (parser, error);
  if (*parser->at != ',')
    return parser_fail (parser, "a comma or ')'", error);

  parser->open[parser->level - 1].comma = TRUE;
  parser->at++;
  return TRUE;
}

GArray *
sw_tree_parse (const SwTreeKind *kind,
               const char *text,
               GError **error)
{
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (gint64));
  Parser parser = { .kind = kind, .text = text, .at = text, .tokens = tokens };
  gboolean complete = FALSE;

  for (parser_skip_space (&parser); !complete || parser.level > 0; parser_skip_space (&parser))
    {
      gboolean fine;

      if (complete)
        fine = parser_read_after_item (&parser, &complete, error);
      else
        fine = parser_read_item (&parser, &complete, error);
      if (!fine)
        return NULL;
      if (tokens->len > SW_TREE_MAX_TOKENS)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has more than %d tokens", kind->name, SW_TREE_MAX_TOKENS);
          return NULL;
        }
    }

  if (*parser.at != '\0')
    {
      parser_fail (&parser, "its end", error);
      return NULL;
    }
  return g_steal_pointer (&tokens);
}

static void
append_number (GString *string,
               gint64 value)
{
  char digits[24];

  g_snprintf (digits, sizeof digits, "%" G_GINT64_FORMAT, value);
  g_string_append (string, digits);
}

static void
append_subtree (GString *string,
                const gint64 *tokens,
                gsize max_length)
{
  gint64 count[SW_TREE_MAX_DEPTH];
  gint64 left[SW_TREE_MAX_DEPTH];
  guint level = 0;

  do
    {
      gint64 token = *tokens++;

      if (level > 0 && left[level - 1]-- < count[level - 1])
        g_string_append (string, ", ");
      if (token >= 0)
        append_number (string, token);
      else if (SW_TREE_N_ITEMS (token) == 0)
        g_string_append (string, "()");
      else
        {
          g_string_append_c (string, '(');
          count[level] = left[level] = SW_TREE_N_ITEMS (token);
          level++;
        }
      for (; level > 0 && left[level - 1] == 0; level--)
        g_string_append (string, count[level - 1] == 1 ? ",)" : ")");
    }
  while (level > 0 && string->len < max_length);

  if (level > 0)
    g_string_append (string, "...");
}

char *
sw_tree_to_string (const SwTree *tree)
{
  GString *string = g_string_new (NULL);

  append_subtree (string, tree->tokens, G_MAXSIZE);
  return g_string_free (string, FALSE);
}

char *
sw_tree_describe (const gint64 *tokens)
{
  GString *string = g_string_new (NULL);

  append_subtree (string, tokens, DESCRIPTION_LENGTH);
  return g_string_free (string, FALSE);
}

char *
sw_tree_path_to_string (const char *name,
                        const SwTreePath *path)
{
  GString *string = g_string_new (name);

  for (guint i = 0; i < path->level; i++)
    {
      g_string_append_c (string, '[');
      append_number (string, path->index[i]);
      g_string_append_c (string, ']');
    }
  return g_string_free (string, FALSE);
}
