/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-request-private.h"

#include <errno.h>
#include <string.h>

#include "sw/base/sw-error.h"

/* A table of operations does not need many events of one thread; these take some 300 MB. */
#define DEFAULT_MAX_EVENTS 8000000

typedef struct
{
  const char *name;
  int value;
} Name;

static const Name formats[] = {
  { "chrome-json", SW_TRACE_FORMAT_CHROME_JSON },
  { "json", SW_TRACE_FORMAT_CHROME_JSON },
  { "jsonl", SW_TRACE_FORMAT_JSONL },
  { "perfetto", SW_TRACE_FORMAT_PERFETTO },
  { "pftrace", SW_TRACE_FORMAT_PERFETTO },
};
static const Name trace_endings[] = {
  { ".json", SW_TRACE_FORMAT_CHROME_JSON },
  { ".jsonl", SW_TRACE_FORMAT_JSONL },
  { ".pftrace", SW_TRACE_FORMAT_PERFETTO },
  { ".perfetto-trace", SW_TRACE_FORMAT_PERFETTO },
};
static const Name profile_endings[] = {
  { ".txt", SW_PROFILE_TO_TEXT },
  { ".csv", SW_PROFILE_TO_CSV },
  { ".json", SW_PROFILE_TO_JSON },
};
static const Name verbosities[] = {
  { "none", SW_TRACE_VERBOSITY_NONE },
  { "decisions", SW_TRACE_VERBOSITY_DECISIONS },
  { "operations", SW_TRACE_VERBOSITY_OPERATIONS },
  { "full", SW_TRACE_VERBOSITY_FULL },
};

static gboolean
find_name (const Name *names,
           gsize n_names,
           const char *name,
           int *value)
{
  for (gsize i = 0; i < n_names; i++)
    if (g_str_equal (names[i].name, name))
      {
        *value = names[i].value;
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_ending (const Name *names,
             gsize n_names,
             const char *path,
             int *value)
{
  for (gsize i = 0; i < n_names; i++)
    if (g_str_has_suffix (path, names[i].name))
      {
        *value = names[i].value;
        return TRUE;
      }
  return FALSE;
}

gboolean
sw_trace_format_from_path (const char *path,
                           SwTraceFormat *format)
{
  g_autofree char *plain = g_strdup (path);
  int value;

  if (g_str_has_suffix (plain, ".gz"))
    plain[strlen (plain) - strlen (".gz")] = '\0';
  if (!find_ending (trace_endings, G_N_ELEMENTS (trace_endings), plain, &value))
    return FALSE;
  *format = (SwTraceFormat) value;
  return TRUE;
}

gboolean
sw_trace_format_from_name (const char *name,
                           SwTraceFormat *format)
{
  int value;

  if (!find_name (formats, G_N_ELEMENTS (formats), name, &value))
    return FALSE;
  *format = (SwTraceFormat) value;
  return TRUE;
}

gboolean
sw_trace_verbosity_from_name (const char *name,
                              SwTraceVerbosity *verbosity)
{
  int value;

  if (!find_name (verbosities, G_N_ELEMENTS (verbosities), name, &value))
    return FALSE;
  *verbosity = (SwTraceVerbosity) value;
  return TRUE;
}

/* Takes ",key=value" off the end of @text; a comma without = behind it belongs to the path. */
static gboolean
take_option (char *text,
             const char **key,
             const char **value)
{
  char *comma = strrchr (text, ',');
  char *equals = comma != NULL ? strchr (comma, '=') : NULL;

  if (equals == NULL)
    return FALSE;
  *comma = '\0';
  *equals = '\0';
  *key = comma + 1;
  *value = equals + 1;
  return TRUE;
}

static gboolean
fail (GError **error,
      const char *format,
      ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error,
      const char *format,
      ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (SW_ERROR, SW_ERROR_VALUE, format, arguments));
  va_end (arguments);
  return FALSE;
}

static gboolean
check_path (const char *path,
            GError **error)
{
  if (*path == '\0')
    return fail (error, "it names no file");
  for (const char *c = strchr (path, '%'); c != NULL; c = strchr (c + 2, '%'))
    if (c[1] != 'p' && c[1] != '%')
      return fail (error, "%% is followed by neither p, for the number of the process, nor %%");
  return TRUE;
}

/* The file's name does not change when the program changes its folder. */
static char *
make_absolute (const char *path)
{
  return g_canonicalize_filename (path, NULL);
}

/* The text behind the last colon, where that can be the name of a format: no part of a path that has a folder or an ending. */
static char *
find_format_name (char *path)
{
  char *colon = strrchr (path, ':');

  return colon != NULL && strpbrk (colon, "/.") == NULL ? colon : NULL;
}

static gboolean
parse_format (SwTraceRequest *self,
              char *path,
              GError **error)
{
  char *colon = find_format_name (path);

  if (colon == NULL)
    {
      if (sw_trace_format_from_path (path, &self->format))
        return TRUE;
      return fail (error, "the file ends in none of .json, .jsonl and .pftrace, with or without .gz, and no :FORMAT follows it");
    }
  if (!sw_trace_format_from_name (colon + 1, &self->format))
    return fail (error, "the format is '%s', which is none of chrome-json, jsonl and perfetto", colon + 1);
  *colon = '\0';
  return TRUE;
}

static gboolean
parse_trace_option (SwTraceRequest *self,
                    const char *key,
                    const char *value,
                    GError **error)
{
  if (g_str_equal (key, "gpu"))
    {
      self->uses_cupti = g_str_equal (value, "cupti");
      return self->uses_cupti || fail (error, "gpu is '%s', which is not cupti", value);
    }
  if (!g_str_equal (key, "verbosity"))
    return fail (error, "the option is '%s', which is neither verbosity nor gpu", key);
  if (!sw_trace_verbosity_from_name (value, &self->verbosity))
    return fail (error, "the verbosity is '%s', which is none of none, decisions, operations and full", value);
  return TRUE;
}

gboolean
sw_trace_request_parse (SwTraceRequest *self,
                        const char *value,
                        GError **error)
{
  g_autofree char *text = g_strdup (value);
  SwTraceRequest request = { .verbosity = SW_TRACE_VERBOSITY_OPERATIONS };
  const char *key;
  const char *option;

  *self = (SwTraceRequest){ NULL };
  while (take_option (text, &key, &option))
    if (!parse_trace_option (&request, key, option, error))
      return FALSE;
  if (!parse_format (&request, text, error) || !check_path (text, error))
    return FALSE;
  request.path = make_absolute (text);
  *self = request;
  return TRUE;
}

static gboolean
parse_number (const char *text,
              const char *key,
              gint64 *number,
              GError **error)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, &value, NULL))
    return fail (error, "%s is '%s', which is no positive number", key, text);
  *number = (gint64) value;
  return TRUE;
}

static gboolean
parse_profile_option (SwProfileRequest *self,
                      const char *key,
                      const char *value,
                      GError **error)
{
  if (g_str_equal (key, "top"))
    return parse_number (value, key, &self->row_limit, error);
  if (g_str_equal (key, "events"))
    return parse_number (value, key, &self->max_events, error);
  if (!g_str_equal (key, "by"))
    return fail (error, "the option is '%s', which is none of top, by and events", key);
  if (!g_str_equal (value, "thread"))
    return fail (error, "by is '%s', which is not thread", value);
  self->by_thread = TRUE;
  return TRUE;
}

static gboolean
parse_target (SwProfileRequest *self,
              const char *path,
              GError **error)
{
  int target;

  if (g_str_equal (path, "table"))
    return TRUE;
  if (!find_ending (profile_endings, G_N_ELEMENTS (profile_endings), path, &target))
    return fail (error, "it is neither table nor a file that ends in .txt, .csv or .json");
  if (!check_path (path, error))
    return FALSE;
  self->target = (SwProfileTarget) target;
  self->path = make_absolute (path);
  return TRUE;
}

gboolean
sw_profile_request_parse (SwProfileRequest *self,
                          const char *value,
                          GError **error)
{
  g_autofree char *text = g_strdup (value);
  SwProfileRequest request = {
    .is_set = TRUE,
    .target = SW_PROFILE_TO_STDERR,
    .row_limit = -1,
    .max_events = DEFAULT_MAX_EVENTS,
  };
  const char *key;
  const char *option;

  *self = (SwProfileRequest){ FALSE };
  while (take_option (text, &key, &option))
    if (!parse_profile_option (&request, key, option, error))
      return FALSE;
  if (!parse_target (&request, text, error))
    return FALSE;
  *self = request;
  return TRUE;
}
