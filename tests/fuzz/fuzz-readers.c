/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads whatever bytes as a trace, and looks at all that the reader says of them. libFuzzer calls it; replay.c does with files. */
#include "config.h"

#include <string.h>

#include "sw-profiler/read/sw-trace-reader-private.h"

int
LLVMFuzzerTestOneInput (const guint8 *bytes,
                        gsize n_bytes);

typedef struct
{
  SwTraceReader *reader;
  GHashTable *tracks; /* that were told */
  guint n_sessions;
  guint64 sum; /* so that nothing is left out as unused */
} State;

static void
look_at_text (State *self,
              const char *text)
{
  for (; *text != '\0'; text++)
    self->sum += (guint8) *text;
}

static void
look_at_name (State *self,
              guint32 id)
{
  const SwTraceName *name = sw_trace_reader_name (self->reader, id);

  g_assert (g_utf8_validate (name->json, name->json_length, NULL));
  look_at_text (self, name->text);
}

static void
look_at_slice (State *self,
               const SwTraceSlice *slice)
{
  g_assert (g_hash_table_contains (self->tracks, GUINT_TO_POINTER (slice->track)));
  look_at_name (self, slice->name);
  look_at_name (self, slice->category);
  for (guint i = 0; i < slice->n_args; i++)
    {
      look_at_name (self, slice->args[i].key);
      if (slice->args[i].type == SW_TRACE_ARG_NAME)
        look_at_name (self, slice->args[i].value.name);
      if (slice->args[i].type == SW_TRACE_ARG_STRING || slice->args[i].type == SW_TRACE_ARG_JSON)
        look_at_text (self, slice->args[i].value.string);
      if (slice->args[i].type == SW_TRACE_ARG_JSON)
        g_assert (strchr (slice->args[i].value.string, '\n') == NULL &&
                  g_utf8_validate (slice->args[i].value.string, -1, NULL));
    }
  for (guint i = 0; i < slice->n_flows; i++)
    self->sum += slice->flows[i].id;
}

static void
on_session (gpointer data,
            const SwTraceSession *session,
            gboolean has_base)
{
  State *self = data;

  self->n_sessions++;
  look_at_text (self, session->process_name != NULL ? session->process_name : "");
}

static void
on_track (gpointer data,
          guint32 track,
          const SwTraceTrackInfo *info)
{
  State *self = data;

  g_assert (track > 0 && self->n_sessions > 0);
  if (info->kind != SW_TRACE_TRACK_PROCESS)
    g_assert (g_hash_table_contains (self->tracks, GUINT_TO_POINTER (info->process)));
  g_hash_table_add (self->tracks, GUINT_TO_POINTER (track));
  look_at_text (self, info->name != NULL ? info->name : "");
  look_at_text (self, info->unit != NULL ? info->unit : "");
}

static void
on_slice (gpointer data,
          const SwTraceReadSlice *slice)
{
  gint64 end;

  g_assert (slice->slice.duration_ns >= 0);
  g_assert (!__builtin_add_overflow (slice->slice.start_ns, slice->slice.duration_ns, &end));
  look_at_slice (data, &slice->slice);
}

static void
on_instant (gpointer data,
            const SwTraceSlice *instant)
{
  look_at_slice (data, instant);
}

static void
on_counter (gpointer data,
            const SwTraceReadCounter *counter)
{
  g_assert (g_hash_table_contains (((State *) data)->tracks, GUINT_TO_POINTER (counter->track)));
}

static void
on_tally (gpointer data,
          const char *name,
          guint64 n)
{
  look_at_text (data, name);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes,
                        gsize n_bytes)
{
  static const SwTraceVisitor visitor = {
    .session = on_session,
    .track = on_track,
    .slice = on_slice,
    .instant = on_instant,
    .counter = on_counter,
    .drops = on_tally,
    .diagnostic = on_tally,
  };
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_bytes (bytes, n_bytes);
  g_autoptr (GError) error = NULL;
  State state = { .reader = reader, .tracks = g_hash_table_new (NULL, NULL) };
  gboolean is_read = sw_trace_reader_read (reader, &visitor, &state, &error);

  g_assert (is_read == (error == NULL));
  g_hash_table_unref (state.tracks);
  return 0;
}
