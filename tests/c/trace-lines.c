/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "trace-lines.h"

#include <string.h>

#include "sw-profiler/export/sw-trace-text-private.h"

typedef struct
{
  char *name;
  SwTraceTrackInfo info;
  char *unit;
} Track;

typedef struct
{
  SwTraceReader *reader;
  GPtrArray *lines;
  GArray *tracks; /* of Track, by id - 1 */
  gint64 base_ns;
  guint n_sessions;
  gboolean was_session_told;
} Lines;

static Track *
track_of (Lines *self,
          guint32 id)
{
  g_assert_cmpuint (id, >, 0);
  g_assert_cmpuint (id, <=, self->tracks->len);
  g_assert_nonnull (g_array_index (self->tracks, Track, id - 1).name);
  return &g_array_index (self->tracks, Track, id - 1);
}

static void
clear_track (gpointer data)
{
  g_free (((Track *) data)->name);
  g_free (((Track *) data)->unit);
}

static void
on_restart (gpointer data)
{
  Lines *self = data;

  g_ptr_array_set_size (self->lines, 0);
  g_array_set_size (self->tracks, 0);
  self->base_ns = 0;
  self->n_sessions = 0;
}

static void
on_session (gpointer data,
            const SwTraceSession *session,
            gboolean has_base)
{
  Lines *self = data;

  self->base_ns = has_base ? session->base_ns : 0;
  self->n_sessions++;
  if (has_base)
    g_ptr_array_add (self->lines,
                     g_strdup_printf ("session %016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x %" G_GINT64_FORMAT
                                      " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s",
                                      session->id[0], session->id[1], session->base_ns, session->wall_ns, session->pid,
                                      session->process_name != NULL ? session->process_name : "-"));
}

static void
on_track (gpointer data,
          guint32 id,
          const SwTraceTrackInfo *info)
{
  Lines *self = data;
  Track *track;

  g_assert_cmpuint (self->n_sessions, >, 0);
  if (id > self->tracks->len)
    g_array_set_size (self->tracks, id);
  track = &g_array_index (self->tracks, Track, id - 1);
  if (info->kind == SW_TRACE_TRACK_PROCESS)
    g_assert_cmpuint (info->process, ==, 0);
  else
    g_assert_cmpint (track_of (self, info->process)->info.kind, ==, SW_TRACE_TRACK_PROCESS);
  g_free (track->name);
  g_free (track->unit);
  track->info = *info;
  track->name = g_strdup (info->name != NULL ? info->name : "");
  track->unit = g_strdup (info->unit != NULL ? info->unit : "");
}

/* A mark for the name that the track has in the end: events may be told before it changes, or after. */
static void
append_place (Lines *self,
              GString *line,
              guint32 id)
{
  track_of (self, id);
  g_string_append_printf (line, " \001%u\001", id);
}

static void
append_final_place (Lines *self,
                    GString *line,
                    guint32 id)
{
  Track *track = track_of (self, id);

  if (track->info.process != 0)
    g_string_append_printf (line, "%s/%s", track_of (self, track->info.process)->name, track->name);
  else
    g_string_append (line, track->name);
}

/* Names may have the mark in them, but only behind it. */
static void
name_places (Lines *self)
{
  for (guint i = 0; i < self->lines->len; i++)
    {
      char *line = g_ptr_array_index (self->lines, i);
      const char *mark = strstr (line, " \001");
      GString *named;
      char *end;

      if (mark == NULL || mark != strchr (line, ' '))
        continue;
      named = g_string_new_len (line, mark + 1 - line);
      append_final_place (self, named, (guint32) g_ascii_strtoull (mark + 2, &end, 10));
      g_string_append (named, end + 1);
      g_free (line);
      g_ptr_array_index (self->lines, i) = g_string_free (named, FALSE);
    }
}

static void
append_value (Lines *self,
              GString *line,
              const SwTraceArg *arg)
{
  char number[SW_TRACE_NUMBER_SIZE];

  switch (arg->type)
    {
    case SW_TRACE_ARG_STRING:
      g_string_append_printf (line, "'%s'", arg->value.string);
      break;
    case SW_TRACE_ARG_NAME:
      g_string_append_printf (line, "'%s'", sw_trace_reader_name (self->reader, arg->value.name)->text);
      break;
    case SW_TRACE_ARG_INT64:
      g_string_append_printf (line, "%" G_GINT64_FORMAT, arg->value.int64);
      break;
    case SW_TRACE_ARG_UINT64:
      g_string_append_printf (line, "%" G_GUINT64_FORMAT, arg->value.uint64);
      break;
    case SW_TRACE_ARG_DOUBLE:
      *sw_trace_put_double (number, arg->value.real) = '\0';
      g_string_append_printf (line, "~%s", number);
      break;
    case SW_TRACE_ARG_BOOL:
      g_string_append (line, arg->value.boolean ? "true" : "false");
      break;
    case SW_TRACE_ARG_JSON:
      g_assert_null (strchr (arg->value.string, '\n'));
      g_string_append (line, arg->value.string);
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
append_rest (Lines *self,
             GString *line,
             const SwTraceSlice *slice)
{
  static const char *const steps[] = { "start", "step", "end" };

  g_string_append (line, slice->n_args > 0 ? " {" : "");
  for (guint i = 0; i < slice->n_args; i++)
    {
      gboolean is_superseded = FALSE;

      for (guint j = i + 1; j < slice->n_args; j++)
        is_superseded |= slice->args[j].key == slice->args[i].key;
      if (is_superseded)
        continue;
      g_string_append_printf (line, "%s=", sw_trace_reader_name (self->reader, slice->args[i].key)->text);
      append_value (self, line, &slice->args[i]);
      g_string_append (line, i + 1 < slice->n_args ? ", " : "}");
    }
  g_string_append (line, slice->n_flows > 0 ? " <" : "");
  for (guint i = 0; i < slice->n_flows; i++)
    g_string_append_printf (line, "%" G_GUINT64_FORMAT " %s%s", slice->flows[i].id, steps[slice->flows[i].step],
                            i + 1 < slice->n_flows ? ", " : ">");
}

static void
append_names (Lines *self,
              GString *line,
              const SwTraceSlice *slice)
{
  append_place (self, line, slice->track);
  g_string_append_printf (line, " %s", sw_trace_reader_name (self->reader, slice->name)->text);
  if (slice->category != 0)
    g_string_append_printf (line, " [%s]", sw_trace_reader_name (self->reader, slice->category)->text);
}

static void
on_slice (gpointer data,
          const SwTraceReadSlice *slice)
{
  Lines *self = data;
  GString *line = g_string_new ("slice");

  g_assert_cmpint (slice->slice.duration_ns, >=, 0);
  append_names (self, line, &slice->slice);
  g_string_append_printf (line, " %" G_GINT64_FORMAT "+%" G_GINT64_FORMAT, slice->slice.start_ns - self->base_ns,
                          slice->slice.duration_ns);
  append_rest (self, line, &slice->slice);
  if (slice->flags & SW_TRACE_READ_UNFINISHED)
    g_string_append (line, " !");
  g_ptr_array_add (self->lines, g_string_free (line, FALSE));
}

static void
on_instant (gpointer data,
            const SwTraceSlice *instant)
{
  Lines *self = data;
  GString *line = g_string_new ("instant");

  append_names (self, line, instant);
  g_string_append_printf (line, " %" G_GINT64_FORMAT, instant->start_ns - self->base_ns);
  append_rest (self, line, instant);
  g_ptr_array_add (self->lines, g_string_free (line, FALSE));
}

static void
on_counter (gpointer data,
            const SwTraceReadCounter *counter)
{
  Lines *self = data;
  GString *line = g_string_new ("counter");
  char number[SW_TRACE_NUMBER_SIZE];

  append_place (self, line, counter->track);
  g_string_append_printf (line, " %" G_GINT64_FORMAT " ", counter->time_ns - self->base_ns);
  if (counter->is_integer)
    g_string_append_printf (line, "%" G_GINT64_FORMAT, counter->integer);
  else
    {
      *sw_trace_put_double (number, counter->real) = '\0';
      g_string_append_printf (line, "~%s", number);
    }
  g_ptr_array_add (self->lines, g_string_free (line, FALSE));
}

static void
on_drops (gpointer data,
          const char *reason,
          guint64 n)
{
  Lines *self = data;

  g_ptr_array_add (self->lines, g_strdup_printf ("drops %s %" G_GUINT64_FORMAT, reason, n));
}

static void
on_diagnostic (gpointer data,
               const char *name,
               guint64 n)
{
  Lines *self = data;

  g_ptr_array_add (self->lines, g_strdup_printf ("diagnostic %s %" G_GUINT64_FORMAT, name, n));
}

static const SwTraceVisitor visitor = {
  .restart = on_restart,
  .session = on_session,
  .track = on_track,
  .slice = on_slice,
  .instant = on_instant,
  .counter = on_counter,
  .drops = on_drops,
  .diagnostic = on_diagnostic,
};

static int
compare_lines (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_track_lines (Lines *self)
{
  static const char *const kinds[] = { "process", "thread", "gpu_queue", "async", "counter" };

  for (guint i = 0; i < self->tracks->len; i++)
    {
      Track *track = &g_array_index (self->tracks, Track, i);
      GString *line;

      /* Some are never told, as nothing is on them. */
      if (track->name == NULL)
        continue;
      line = g_string_new ("track");
      append_place (self, line, i + 1);
      g_string_append_printf (line, " %s %" G_GINT64_FORMAT, kinds[track->info.kind], track->info.id);
      if (track->info.rank != SW_TRACE_NO_RANK)
        g_string_append_printf (line, " rank %d", track->info.rank);
      if (*track->unit != '\0')
        g_string_append_printf (line, " unit %s", track->unit);
      g_ptr_array_add (self->lines, g_string_free (line, FALSE));
    }
}

static TraceLines *
read_lines (SwTraceReader *reader)
{
  Lines self = { .reader = reader, .lines = g_ptr_array_new_with_free_func (g_free) };
  TraceLines *lines = g_new0 (TraceLines, 1);
  gboolean is_read;

  self.tracks = g_array_new (FALSE, TRUE, sizeof (Track));
  g_array_set_clear_func (self.tracks, clear_track);
  is_read = sw_trace_reader_read (reader, &visitor, &self, &lines->error);
  g_assert_true (is_read == (lines->error == NULL));
  lines->report = *sw_trace_reader_get_report (reader);
  lines->ignored = g_strdup (lines->report.ignored);
  lines->n_sessions = self.n_sessions;
  if (is_read)
    {
      add_track_lines (&self);
      name_places (&self);
      g_ptr_array_sort (self.lines, compare_lines);
      g_ptr_array_add (self.lines, NULL);
      lines->text = g_strjoinv ("\n", (char **) self.lines->pdata);
    }
  g_ptr_array_unref (self.lines);
  g_array_unref (self.tracks);
  return lines;
}

TraceLines *
trace_lines_of_bytes (const void *bytes,
                      gsize n_bytes)
{
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_bytes (bytes, n_bytes);

  return read_lines (reader);
}

TraceLines *
trace_lines_of_text (const char *text)
{
  return trace_lines_of_bytes (text, strlen (text));
}

TraceLines *
trace_lines_of_path (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_path (path, &error);

  g_assert_no_error (error);
  return read_lines (reader);
}

void
trace_lines_free (TraceLines *self)
{
  g_free (self->text);
  g_clear_error (&self->error);
  g_free (self->ignored);
  g_free (self);
}

void
trace_lines_assert (const TraceLines *self,
                    const char *expected)
{
  g_auto (GStrv) wanted = g_strsplit (expected, "\n", -1);
  g_auto (GStrv) all = NULL;
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autofree char *text = NULL;

  g_assert_no_error (self->error);
  all = g_strsplit (self->text, "\n", -1);
  for (guint i = 0; all[i] != NULL; i++)
    for (guint j = 0; wanted[j] != NULL; j++)
      {
        gsize n = strcspn (wanted[j], " ");

        if (strncmp (all[i], wanted[j], n + 1) != 0)
          continue;
        g_ptr_array_add (found, all[i]);
        break;
      }
  g_ptr_array_add (found, NULL);
  text = g_strjoinv ("\n", (char **) found->pdata);
  g_assert_cmpstr (text, ==, expected);
}
