/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/analysis/sw-call-tree-private.h"
#include "sw-profiler/tool/sw-tool-stacks-private.h"

static void
put_string (SwTraceSink *sink,
            const char *text)
{
  sw_trace_sink_put (sink, text, strlen (text));
}

static void
put_number (SwTraceSink *sink,
            guint64 value)
{
  char text[32];

  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  put_string (sink, text);
}

/* A whole record, which may be handed on. */
static void
end_record (SwTraceSink *sink)
{
  sw_trace_sink_end_record (sink);
  if (sink->n_used >= SW_TRACE_SINK_FLUSH_AT)
    sw_trace_sink_flush (sink, NULL);
}

static gboolean
is_stack (gpointer data,
          guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (data, id);

  return track == NULL || track->kind != SW_TRACE_TRACK_ASYNC;
}

typedef struct
{
  SwTraceAnalysis *analysis;
  guint64 n_async;
  guint64 n_clipped;
  guint64 n_unfinished;
} Counting;

static void
count_slice (gpointer data,
             SwNestedSlice *slice,
             const SwNestedSlice *parent)
{
  Counting *self = data;

  self->n_async += !is_stack (self->analysis, slice->track);
  self->n_clipped += (slice->flags & SW_SLICE_CLIPPED) != 0;
  self->n_unfinished += (slice->flags & SW_SLICE_UNFINISHED) != 0;
}

static gboolean
note_left_out (SwTraceAnalysis *analysis,
               GPtrArray *notes,
               GError **error)
{
  static const SwNestingVisitor visitor = { .open = count_slice };
  Counting counting = { .analysis = analysis };

  if (!sw_trace_analysis_visit (analysis, NULL, &visitor, &counting, error))
    return FALSE;
  sw_tool_note_count (notes, counting.n_async, "asynchronous slices, which are on no stack, left out");
  sw_tool_note_count (notes, counting.n_clipped, "slices that overlap what they began in, which end with it");
  sw_tool_trace_note_moments (analysis, notes);
  sw_tool_note (notes, "categories, arguments and flows have no place in this form");
  return TRUE;
}

/* What ends a name or a line there is written as in an address. */
static void
put_frame (SwTraceSink *sink,
           const char *name)
{
  if (*name == '\0')
    put_string (sink, "(no name)");
  for (; *name != '\0'; name++)
    if (*name == ';' || *name == '\n' || *name == '\r')
      put_string (sink, *name == ';' ? "%3B" : *name == '\n' ? "%0A"
                                                             : "%0D");
    else
      sw_trace_sink_put (sink, name, 1);
}

/* The names from the outermost slice down to @node. Threads need no name of their kind before them. */
static void
put_path (SwTraceSink *sink,
          SwCallTree *tree,
          guint32 node,
          GArray *path)
{
  g_array_set_size (path, 0);
  for (; sw_call_tree_get_node (tree, node)->depth > 1; node = sw_call_tree_get_node (tree, node)->parent)
    g_array_append_val (path, node);
  if (sw_call_tree_get_node (tree, node)->name != SW_TRACE_TRACK_THREAD)
    {
      put_frame (sink, sw_call_tree_get_text (tree, node));
      put_string (sink, ";");
    }
  for (guint i = path->len; i-- > 0;)
    {
      put_frame (sink, sw_call_tree_get_text (tree, g_array_index (path, guint32, i)));
      put_string (sink, i > 0 ? ";" : " ");
    }
}

/* Each line has all names down to its own: deeper than that, a file would grow with the square of the depth. */
#define DEEPEST 2001

static void
put_folded (SwTraceSink *sink,
            SwCallTree *tree,
            GPtrArray *notes)
{
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint64 n_cut = 0;
  gboolean skips = FALSE;

  for (guint32 node = sw_call_tree_next (tree, SW_CALL_TREE_ROOT, FALSE); node != SW_CALL_TREE_NONE;
       node = sw_call_tree_next (tree, node, skips))
    {
      const SwCallNode *at = sw_call_tree_get_node (tree, node);

      gint64 self_ns = at->depth == DEEPEST ? at->total_ns : at->self_ns;

      skips = (at->depth == 1 && at->name == SW_TRACE_TRACK_ASYNC) || at->depth == DEEPEST;
      n_cut += at->depth == DEEPEST && at->first_child != SW_CALL_TREE_NONE;
      if (at->depth < 2 || self_ns <= 0)
        continue;
      put_path (sink, tree, node, path);
      put_number (sink, (guint64) self_ns);
      put_string (sink, "\n");
      end_record (sink);
    }
  sw_tool_note_count (notes, n_cut, "stacks that are deeper than 2,000, whose time is that of what is at that depth");
}

gboolean
sw_tool_write_folded (SwToolTrace *trace,
                      SwTraceSink *sink,
                      GPtrArray *notes,
                      GError **error)
{
  g_autoptr (SwCallTree) tree = NULL;
  SwSliceFilter filter;

  sw_slice_filter_init (&filter);
  tree = sw_call_tree_new (trace->analysis, &filter, SW_CALL_GROUP_KIND, error);
  sw_slice_filter_clear (&filter);
  if (tree == NULL || !note_left_out (trace->analysis, notes, error))
    {
      sw_trace_sink_cancel (sink);
      return FALSE;
    }
  sw_call_tree_sort (tree);
  put_folded (sink, tree, notes);
  return sw_trace_sink_close (sink, error);
}

typedef struct
{
  SwTraceAnalysis *analysis;
  SwTraceSink *sink;
  guint32 track;   /* of the profile that is open; G_MAXUINT32: none */
  guint64 last_ns; /* after the first event of the trace */
  gboolean has_event;
  guint n_profiles;
  GArray *frames;      /* of guint32: names, by frame */
  GHashTable *by_name; /* frame + 1 */
} Speedscope;

static void
put_json_text (SwTraceSink *sink,
               const char *text)
{
  SwTraceNames names;
  guint32 id;

  sw_trace_names_init (&names);
  id = sw_trace_names_intern (&names, text, strlen (text));
  sw_trace_sink_put (sink, sw_trace_names_get (&names, id)->json, sw_trace_names_get (&names, id)->json_length);
  sw_trace_names_clear (&names);
}

/* From the first event of the trace on: no tool keeps more digits than a double has. */
static guint64
relative (const Speedscope *self,
          gint64 time_ns)
{
  return (guint64) time_ns - (guint64) self->analysis->first_ns;
}

static guint
find_frame (Speedscope *self,
            guint32 label)
{
  guint32 name = sw_trace_analysis_get_label (self->analysis, label)->name;
  guint frame = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, GUINT_TO_POINTER (name)));

  if (frame == 0)
    {
      g_array_append_val (self->frames, name);
      frame = self->frames->len;
      g_hash_table_insert (self->by_name, GUINT_TO_POINTER (name), GUINT_TO_POINTER (frame));
    }
  return frame - 1;
}

static void
put_profile_name (Speedscope *self,
                  guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->analysis, id);
  const char *process;
  gint64 pid = sw_trace_analysis_get_pid (self->analysis, id, &process);
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, track != NULL ? track->id : 0);
  g_autofree char *name = g_strdup_printf ("%s (%s, pid %" G_GINT64_FORMAT ")", track != NULL && track->name != NULL ? track->name : number,
                                           process != NULL ? process : "process", pid);

  put_json_text (self->sink, name);
}

static void
close_profile (Speedscope *self)
{
  if (self->track == G_MAXUINT32)
    return;
  put_string (self->sink, "],\"startValue\":0,\"endValue\":");
  put_number (self->sink, self->last_ns);
  put_string (self->sink, "}");
  end_record (self->sink);
}

static void
open_profile (Speedscope *self,
              guint32 track)
{
  close_profile (self);
  put_string (self->sink, self->n_profiles++ > 0 ? ",\n" : "\n");
  put_string (self->sink, "{\"type\":\"evented\",\"name\":");
  put_profile_name (self, track);
  put_string (self->sink, ",\"unit\":\"nanoseconds\",\"events\":[");
  self->track = track;
  self->has_event = FALSE;
  self->last_ns = 0;
}

static void
put_event (Speedscope *self,
           const char *type,
           const SwNestedSlice *slice,
           gint64 time_ns)
{
  put_string (self->sink, self->has_event ? ",\n{\"type\":\"" : "\n{\"type\":\"");
  put_string (self->sink, type);
  put_string (self->sink, "\",\"frame\":");
  put_number (self->sink, find_frame (self, slice->label));
  put_string (self->sink, ",\"at\":");
  self->last_ns = relative (self, time_ns);
  put_number (self->sink, self->last_ns);
  put_string (self->sink, "}");
  end_record (self->sink);
  self->has_event = TRUE;
}

static void
open_slice (gpointer data,
            SwNestedSlice *slice,
            const SwNestedSlice *parent)
{
  Speedscope *self = data;

  if (self->track != slice->track)
    open_profile (self, slice->track);
  put_event (self, "O", slice, slice->start_ns);
}

static void
close_slice (gpointer data,
             const SwNestedSlice *slice,
             const SwNestedSlice *parent)
{
  put_event (data, "C", slice, slice->start_ns + slice->duration_ns);
}

static gboolean
wants_track (gpointer data,
             guint32 track)
{
  return is_stack (((Speedscope *) data)->analysis, track);
}

static void
put_frames (Speedscope *self,
            const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  put_string (self->sink, "\n],\n\"shared\":{\"frames\":[");
  for (guint i = 0; i < self->frames->len; i++)
    {
      put_string (self->sink, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
      put_json_text (self->sink, sw_trace_analysis_get_text (self->analysis, g_array_index (self->frames, guint32, i)));
      put_string (self->sink, "}");
      end_record (self->sink);
    }
  put_string (self->sink, "\n]},\n\"activeProfileIndex\":0,\"exporter\":\"strideweave " SW_VERSION "\",\"name\":");
  put_json_text (self->sink, name);
  put_string (self->sink, "}\n");
  end_record (self->sink);
}

gboolean
sw_tool_write_speedscope (SwToolTrace *trace,
                          SwTraceSink *sink,
                          GPtrArray *notes,
                          GError **error)
{
  static const SwNestingVisitor visitor = { .open = open_slice, .close = close_slice };
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) by_name = g_hash_table_new (NULL, NULL);
  Speedscope self = { .analysis = trace->analysis, .sink = sink, .track = G_MAXUINT32, .frames = frames, .by_name = by_name };

  put_string (sink, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"profiles\":[");
  if (!note_left_out (trace->analysis, notes, error) ||
      !sw_trace_analysis_visit (trace->analysis, wants_track, &visitor, &self, error))
    {
      sw_trace_sink_cancel (sink);
      return FALSE;
    }
  close_profile (&self);
  put_frames (&self, trace->path);
  return sw_trace_sink_close (sink, error);
}
