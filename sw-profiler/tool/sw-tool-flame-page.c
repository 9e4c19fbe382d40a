/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-flame-private.h"

#include <string.h>

#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw/base/sw-hash-private.h"

/* Times in the timeline of which there are more than can be shown are counted by length: by the power of two, and that in parts. */
#define PARTS_BITS 4
#define N_LENGTHS (64 << PARTS_BITS)

typedef struct
{
  SwFlame *flame;
  GString *json;
  GHashTable *ids; /* text -> place in names */
  GPtrArray *names;
  guint64 lengths[N_LENGTHS];
  guint64 n_slices;
  gint64 min_ns; /* what a slice in the timeline takes at least */
  gint64 origin_ns;
  guint32 track; /* the one that is open; G_MAXUINT32: none */
  gboolean needs_comma;
} Page;

/* In a script, where no tag may end it. */
static void
put_string (GString *json,
            const char *text)
{
  gsize length = strlen (text);
  g_autofree char *quoted = g_malloc (sw_trace_json_string_size (length));
  char *end = sw_trace_put_json_string (quoted, text, length);

  for (const char *at = quoted; at < end; at++)
    {
      if (*at == '<')
        g_string_append (json, "\\u003c");
      else
        g_string_append_c (json, *at);
    }
}

static void
put_number (GString *json,
            gint64 number)
{
  char digits[SW_TRACE_NUMBER_SIZE];

  g_string_append_len (json, digits, sw_trace_put_int64 (digits, number) - digits);
}

static guint
find_name (Page *self,
           const char *text)
{
  gpointer place;

  if (g_hash_table_lookup_extended (self->ids, text, NULL, &place))
    return GPOINTER_TO_UINT (place);
  g_ptr_array_add (self->names, g_strdup (text));
  g_hash_table_insert (self->ids, g_ptr_array_index (self->names, self->names->len - 1), GUINT_TO_POINTER (self->names->len - 1));
  return self->names->len - 1;
}

/* From the first event on; it may be more than a signed number holds. */
static void
put_distance (Page *self,
              gint64 time_ns)
{
  char digits[32];
  char *end = sw_trace_put_uint64 (digits, time_ns > self->origin_ns ? (guint64) time_ns - (guint64) self->origin_ns : 0);

  g_string_append_len (self->json, digits, end - digits);
}

static void
put_comma (Page *self)
{
  if (self->needs_comma)
    g_string_append_c (self->json, ',');
  self->needs_comma = TRUE;
}

/* Of each node: depth, name, calls, total, self. */
static void
put_nodes (Page *self,
           gint64 min_ns)
{
  SwCallTree *tree = self->flame->tree;
  guint64 n_hidden;
  gint64 limit = sw_flame_find_limit (tree, SW_FLAME_MAX_NODES, min_ns, &n_hidden);
  guint32 node = SW_CALL_TREE_ROOT;

  sw_flame_note_hidden (self->flame, n_hidden, limit);
  g_string_append (self->json, "\"nodes\":[");
  while (node != SW_CALL_TREE_NONE)
    {
      const SwCallNode *at = sw_call_tree_get_node (tree, node);
      gboolean is_hidden = node != SW_CALL_TREE_ROOT && at->total_ns < limit;

      if (!is_hidden)
        {
          const gint64 numbers[] = { at->depth, find_name (self, sw_call_tree_get_text (tree, node)), (gint64) at->calls, at->total_ns, at->self_ns };

          for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
            {
              put_comma (self);
              put_number (self->json, numbers[i]);
            }
        }
      node = sw_call_tree_next (tree, node, is_hidden);
    }
  g_string_append_c (self->json, ']');
}

static guint
find_length (gint64 ns)
{
  guint64 length = (guint64) MAX (ns, 1);
  guint power = 63 - (guint) __builtin_clzll (length);
  guint part = power >= PARTS_BITS ? (guint) (length >> (power - PARTS_BITS)) & ((1 << PARTS_BITS) - 1) : 0;

  return power << PARTS_BITS | part;
}

static gint64
get_least_of_length (guint length)
{
  guint power = length >> PARTS_BITS;
  guint64 part = length & ((1 << PARTS_BITS) - 1);

  return power >= PARTS_BITS ? (gint64) (((1u << PARTS_BITS) | part) << (power - PARTS_BITS)) : (gint64) 1 << power;
}

static gboolean
wants_track (gpointer data,
             guint32 track)
{
  Page *self = data;

  return sw_slice_filter_has_track (self->flame->filter, self->flame->trace->analysis, track);
}

static void
count_slice (gpointer data,
             SwNestedSlice *slice,
             const SwNestedSlice *parent)
{
  Page *self = data;

  if (!sw_slice_filter_has_time (self->flame->filter, slice))
    return;
  self->n_slices++;
  self->lengths[find_length (slice->duration_ns)]++;
}

/* So that no more than can be shown are left; what is inside of a slice is no longer than that, so nothing hangs in the air. */
static void
choose_slices (Page *self)
{
  guint64 n_shown = 0;

  self->min_ns = 0;
  if (self->n_slices <= SW_FLAME_MAX_SLICES)
    return;
  for (guint length = N_LENGTHS; length-- > 0;)
    {
      if (n_shown + self->lengths[length] > SW_FLAME_MAX_SLICES)
        {
          self->min_ns = get_least_of_length (length + 1);
          break;
        }
      n_shown += self->lengths[length];
    }
  g_ptr_array_add (self->flame->notes,
                   g_strdup_printf ("The timeline leaves out %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " slices: those that are shorter than %" G_GINT64_FORMAT " ns. The flame graph counts them.",
                                    self->n_slices - n_shown, self->n_slices, self->min_ns));
}

static void
end_track (Page *self)
{
  if (self->track != G_MAXUINT32)
    g_string_append (self->json, "]}");
}

static void
begin_track (Page *self,
             guint32 id)
{
  SwTraceAnalysis *analysis = self->flame->trace->analysis;
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (analysis, id);
  const char *process = NULL;
  gint64 pid = sw_trace_analysis_get_pid (analysis, id, &process);
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, track != NULL ? track->id : 0);
  const char *name = track != NULL && track->name != NULL && *track->name != '\0' ? track->name : number;
  g_autofree char *label = NULL;

  label = process != NULL && *process != '\0' ? g_strdup_printf ("%s — %s %" G_GINT64_FORMAT, name, process, pid)
                                              : g_strdup_printf ("%s — process %" G_GINT64_FORMAT, name, pid);
  end_track (self);
  self->track = id;
  put_comma (self);
  g_string_append (self->json, "\n{\"name\":");
  put_string (self->json, label);
  g_string_append_printf (self->json, ",\"may_overlap\":%s,\"slices\":[", track != NULL && track->kind == SW_TRACE_TRACK_ASYNC ? "true" : "false");
  self->needs_comma = FALSE;
}

/* Of each slice: start, duration, depth, name. */
static void
put_slice (gpointer data,
           SwNestedSlice *slice,
           const SwNestedSlice *parent)
{
  Page *self = data;
  SwTraceAnalysis *analysis = self->flame->trace->analysis;

  if (!sw_slice_filter_has_time (self->flame->filter, slice) || slice->duration_ns < self->min_ns)
    return;
  if (slice->track != self->track)
    {
      self->needs_comma = self->track != G_MAXUINT32;
      begin_track (self, slice->track);
    }
  const gint64 numbers[] = { slice->duration_ns, slice->depth,
                             find_name (self, sw_trace_analysis_get_text (analysis, sw_trace_analysis_get_label (analysis, slice->label)->name)) };

  put_comma (self);
  put_distance (self, slice->start_ns);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      put_comma (self);
      put_number (self->json, numbers[i]);
    }
}

static gboolean
put_tracks (Page *self,
            GError **error)
{
  static const SwNestingVisitor counting = { .open = count_slice };
  static const SwNestingVisitor putting = { .open = put_slice };
  SwTraceAnalysis *analysis = self->flame->trace->analysis;

  self->origin_ns = analysis->first_ns == G_MAXINT64 ? 0 : analysis->first_ns;
  if (!sw_trace_analysis_visit (analysis, wants_track, &counting, self, error))
    return FALSE;
  choose_slices (self);
  g_string_append (self->json, ",\n\"tracks\":[");
  self->track = G_MAXUINT32;
  if (!sw_trace_analysis_visit (analysis, wants_track, &putting, self, error))
    return FALSE;
  end_track (self);
  g_string_append (self->json, "],\n\"duration_ns\":");
  put_distance (self, analysis->last_ns);
  return TRUE;
}

static void
put_texts (Page *self,
           const char *key,
           GPtrArray *texts)
{
  g_string_append_printf (self->json, ",\n\"%s\":[", key);
  self->needs_comma = FALSE;
  for (guint i = 0; i < texts->len; i++)
    {
      put_comma (self);
      put_string (self->json, g_ptr_array_index (texts, i));
    }
  g_string_append_c (self->json, ']');
}

static gboolean
put_data (SwFlame *flame,
          gint64 min_ns,
          GString *json,
          GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) ids = g_hash_table_new (sw_hash_text, g_str_equal);
  g_autofree Page *self = g_new0 (Page, 1);

  *self = (Page){ .flame = flame, .json = json, .ids = ids, .names = names };
  g_string_append_c (json, '{');
  put_nodes (self, min_ns);
  if (!put_tracks (self, error))
    return FALSE;
  put_texts (self, "names", names);
  put_texts (self, "notes", flame->notes);
  g_string_append_c (json, '}');
  return TRUE;
}

/* One after the other they are one script. */
static void
put_script (GString *page)
{
  static const char *const files[] = { "flame-drawing.js", "flame-graph.js", "flame-timeline.js", "flame-page.js" };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_string_append (page, sw_flame_get_part (files[i]));
}

/* Where the template says "@NAME@". */
static gboolean
put_placeholder (SwFlame *self,
                 const char *name,
                 gint64 min_ns,
                 GString *page,
                 GError **error)
{
  g_autofree char *title = NULL;

  if (g_str_equal (name, "DATA"))
    return put_data (self, min_ns, page, error);
  if (g_str_equal (name, "STYLE"))
    g_string_append (page, sw_flame_get_part ("flame.css"));
  else if (g_str_equal (name, "SCRIPT"))
    put_script (page);
  else
    g_string_append (page, title = g_markup_escape_text (self->title, -1));
  return TRUE;
}

gboolean
sw_flame_put_page (SwFlame *self,
                   gint64 min_ns,
                   GString *page,
                   GError **error)
{
  g_auto (GStrv) parts = g_strsplit (sw_flame_get_part ("flame.html"), "@", -1);

  /* Every second one is the name of a placeholder. */
  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (i % 2 == 0)
        g_string_append (page, parts[i]);
      else if (!put_placeholder (self, parts[i], min_ns, page, error))
        return FALSE;
    }
  return TRUE;
}
