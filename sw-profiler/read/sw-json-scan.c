/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-json-scan-private.h"

/* By hand, as no library of Debian 12 does it: docs/reference/trace-readers.md has the measurements. */

static const char *
skip_nested (SwJsonScan *scan,
             const char *at)
{
  guint64 depth = 0;

  for (;;)
    {
      char c = *at;
      SwJsonText string;

      if (c == '"')
        {
          at = sw_json_string (scan, at + 1, &string);
          if (at == NULL)
            return NULL;
          continue;
        }
      if (c == '{' || c == '[')
        depth++;
      else if (c == '}' || c == ']')
        {
          if (--depth == 0)
            return at + 1;
        }
      else if (c == '\0' && at >= scan->end)
        return sw_json_fail (scan, at);
      at++;
    }
}

static const char *
scan_word (SwJsonScan *scan,
           const char *at,
           SwJsonText *text)
{
  static const struct
  {
    const char *word;
    SwJsonKind kind;
  } words[] = {
    { "true", SW_JSON_TRUE },
    { "false", SW_JSON_FALSE },
    { "null", SW_JSON_NULL },
    { "NaN", SW_JSON_NOT_FINITE },
    { "nan", SW_JSON_NOT_FINITE },
    { "-nan", SW_JSON_NOT_FINITE },
    { "Infinity", SW_JSON_NOT_FINITE },
    { "-Infinity", SW_JSON_NOT_FINITE },
    { "inf", SW_JSON_NOT_FINITE },
    { "-inf", SW_JSON_NOT_FINITE },
  };

  text->start = at;
  while (g_ascii_isalpha (*at) || *at == '-')
    at++;
  text->end = at;
  if (at >= scan->end)
    return sw_json_fail (scan, at);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (sw_json_is (text, words[i].word))
      {
        text->kind = words[i].kind;
        return at;
      }
  return sw_json_fail (scan, text->start);
}

static inline gboolean
is_of_number (char c)
{
  return g_ascii_isdigit (c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

const char *
sw_json_value (SwJsonScan *scan,
               const char *at,
               SwJsonText *text)
{
  text->is_escaped = FALSE;
  text->may_be_other = FALSE;
  if (*at == '"')
    return sw_json_string (scan, at + 1, text);
  text->start = at;
  if (*at == '{' || *at == '[')
    {
      text->kind = *at == '{' ? SW_JSON_OBJECT : SW_JSON_ARRAY;
      at = skip_nested (scan, at);
      text->end = at;
      return at;
    }
  if (!g_ascii_isdigit (*at) && !(*at == '-' && !g_ascii_isalpha (at[1])))
    return scan_word (scan, at, text);
  text->kind = SW_JSON_NUMBER;
  while (is_of_number (*at))
    at++;
  text->end = at;
  return at >= scan->end ? sw_json_fail (scan, at) : at;
}

const char *
sw_json_member (SwJsonScan *scan,
                const char *at,
                SwJsonText *key)
{
  at = sw_json_skip_separators (at);
  if (*at == '}')
    {
      key->start = NULL;
      return at + 1;
    }
  if (*at != '"')
    return sw_json_fail (scan, at);
  at = sw_json_string (scan, at + 1, key);
  if (at == NULL)
    return NULL;
  if (*at != ':')
    {
      at = sw_json_skip_space (at);
      if (*at != ':')
        return sw_json_fail (scan, at);
    }
  return sw_json_skip_space (at + 1);
}

const char *
sw_json_element (SwJsonScan *scan,
                 const char *at,
                 SwJsonText *value)
{
  at = sw_json_skip_separators (at);
  if (*at == ']')
    {
      value->start = NULL;
      return at + 1;
    }
  return sw_json_value (scan, at, value);
}

static int
hex_value (const char *at)
{
  int value = 0;

  for (int i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (at[i]);

      if (digit < 0)
        return -1;
      value = value << 4 | digit;
    }
  return value;
}

/* The character of \uXXXX, or of two that are a pair; @at is moved behind. Half a pair is U+FFFD. */
static gunichar
unescape_unicode (const char **at,
                  const char *end)
{
  int first = end - *at >= 4 ? hex_value (*at) : -1;
  int second;

  if (first < 0)
    return 0xfffd;
  *at += 4;
  if (first < 0xd800 || first > 0xdfff)
    return (gunichar) first;
  if (first > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
    return 0xfffd;
  second = hex_value (*at + 2);
  if (second < 0xdc00 || second > 0xdfff)
    return 0xfffd;
  *at += 6;
  return (gunichar) (0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff)));
}

static char
unescape_one (char c)
{
  static const char from[] = "bfnrt";
  static const char to[] = "\b\f\n\r\t";
  const char *found = c != '\0' ? strchr (from, c) : NULL;

  return found != NULL ? to[found - from] : c;
}

gsize
sw_json_unescape (const SwJsonText *text,
                  char *to)
{
  const char *at = text->start;
  char *start = to;

  while (at < text->end)
    {
      const char *backslash = memchr (at, '\\', (gsize) (text->end - at));
      gsize n = (gsize) ((backslash != NULL ? backslash : text->end) - at);

      memcpy (to, at, n);
      to += n;
      at += n;
      if (backslash == NULL || at + 1 >= text->end)
        break;
      at += 2;
      if (at[-1] == 'u')
        to += g_unichar_to_utf8 (unescape_unicode (&at, text->end), to);
      else
        *to++ = unescape_one (at[-1]);
    }
  return (gsize) (to - start);
}

gboolean
sw_json_plain (const SwJsonText *text,
               char *room,
               gsize size,
               SwJsonText *plain)
{
  if (sw_json_length (text) > size)
    return FALSE;
  *plain = *text;
  plain->is_escaped = FALSE;
  plain->may_be_other = TRUE;
  plain->start = room;
  plain->end = room + sw_json_unescape (text, room);
  return TRUE;
}

/* No name that means something to a reader is longer than this, all its characters escaped. */
#define LONGEST_WORD (6 * 32)

gboolean
sw_json_is_escaped (const SwJsonText *text,
                    const char *other)
{
  char room[LONGEST_WORD];
  SwJsonText plain;

  return sw_json_plain (text, room, sizeof room, &plain) && sw_json_is (&plain, other);
}

const char *
sw_json_skip (SwJsonSkip *self,
              const char *at,
              const char *end)
{
  for (; at < end; at++)
    {
      if (self->is_string)
        {
          if (self->is_escaped)
            self->is_escaped = FALSE;
          else if (*at == '\\')
            self->is_escaped = TRUE;
          else if (*at == '"')
            self->is_string = FALSE;
          continue;
        }
      if (self->depth == 0 && self->has_begun && (*at == ',' || *at == '}' || *at == ']' || sw_json_is_space (*at)))
        return at;
      self->has_begun = TRUE;
      if (*at == '"')
        self->is_string = TRUE;
      else if (*at == '{' || *at == '[')
        self->depth++;
      else if ((*at == '}' || *at == ']') && --self->depth == 0)
        return at + 1;
    }
  return NULL;
}
