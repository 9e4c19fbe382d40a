/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-site-name-private.h"

#include <string.h>

#define ANONYMOUS "(anonymous namespace)"
#define OPERATOR "operator"

/* Behind the bracket that closes the one at @at; the end of the text when nothing does. */
static const char *
skip_brackets (const char *at,
               char open,
               char close)
{
  int depth = 0;

  for (; *at != '\0'; at++)
    {
      /* The head of an arrow closes nothing. */
      if (*at == '-' && at[1] == '>')
        at++;
      else if (*at == open)
        depth++;
      else if (*at == close && --depth == 0)
        return at + 1;
    }
  return at;
}

/* An operator's own name may hold any bracket: all up to its parameters. */
static const char *
take_operator (const char *at,
               GString *name)
{
  const char *end = at + strlen (OPERATOR);

  if (g_str_has_prefix (end, "()"))
    end += 2;
  end += strcspn (end, "(");
  g_string_append_len (name, at, end - at);
  return end;
}

static gboolean
is_operator (const char *at,
             const GString *name)
{
  char before = name->len > 0 ? name->str[name->len - 1] : ':';
  char after = g_str_has_prefix (at, OPERATOR) ? at[strlen (OPERATOR)] : '_';

  return before == ':' && after != '_' && !g_ascii_isalnum (after);
}

/* Takes one piece of a signature and returns where the next one is; NULL when the name is complete. */
static const char *
take_piece (const char *at,
            GString *name)
{
  const char *end = at + 1;

  if (is_operator (at, name))
    return take_operator (at, name);
  if (g_str_has_prefix (at, ANONYMOUS))
    end = at + strlen (ANONYMOUS);
  else if (*at == '(')
    {
      end = skip_brackets (at, '(', ')');
      return g_str_has_prefix (end, "::") ? end : NULL;
    }
  else if (*at == '<')
    end = skip_brackets (at, '<', '>');
  else if (*at == ' ')
    {
      /* What came before was a return type, or a word such as "static". */
      g_string_truncate (name, 0);
      return end;
    }
  else if (name->len == 0 && strchr ("*&", *at) != NULL)
    return end;
  g_string_append_len (name, at, end - at);
  return end;
}

char *
sw_site_name_shorten (const char *signature)
{
  GString *name;

  if (strchr (signature, '(') == NULL)
    return g_strdup (signature);

  name = g_string_new (NULL);
  for (const char *at = signature; at != NULL && *at != '\0';)
    at = take_piece (at, name);
  if (name->len == 0)
    g_string_assign (name, signature);
  return g_string_free (name, FALSE);
}
