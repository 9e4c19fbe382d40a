/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-output-private.h"
#include "sw-profiler/tool/sw-tool-source-private.h"
#include "sw/base/sw-error.h"

/* Of memory, for the events of all files. */
#define BUDGET ((gsize) 96 * 1024 * 1024)
#define LEAST_BUDGET ((gsize) 256 * 1024)

/* What CLOCK_REALTIME differs from CLOCK_MONOTONIC by is the same in all files of one boot, but for what the wall clock was set by. Another
 * boot differs by the time between the two. */
#define SAME_BOOT_NS (2 * G_GINT64_CONSTANT (1000000000))

typedef enum
{
  ALIGN_AUTO,
  ALIGN_WALL,
  ALIGN_START,
  ALIGN_NONE,
} Align;

static const char *const alignments[] = { "auto", "wall", "start", "none" };

static const char details[] =
    "The files are those of several processes, in any of the formats; OUT is as for convert. Processes stay apart, also where they have the\n"
    "same number: one of them then gets another one, and its name says which it had. So do flows and asynchronous slices.\n"
    "\n"
    "Times are those of the first file that names its clock. By --align auto, those of files of the same boot are so already: their wall\n"
    "clocks are within two seconds of each other's at the same monotonic time. Others are moved to where their wall-clock labels are, which\n"
    "is said. Files that name no clock are left as they are. With wall all files are moved by their labels, and must have one; with\n"
    "start all begin with the first event of the first file; with none nothing is moved.\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or OUT not be written, 2 wrong options, 3 done, but a file is cut short or broken.";

static SwToolSource *
get_source (GPtrArray *sources,
            guint i)
{
  return g_ptr_array_index (sources, i);
}

/* What is to be added to a monotonic time for the wall clock's. */
static gboolean
get_offset (const SwToolSource *source,
            gint64 *offset_ns)
{
  const SwSourceSession *session = sw_tool_source_get_session (source);

  return sw_tool_source_has_clock (source) && session->session.wall_ns != 0 &&
         !__builtin_sub_overflow (session->session.wall_ns, session->session.base_ns, offset_ns);
}

/* The first that has a label: the clock of all. */
static SwToolSource *
find_reference (GPtrArray *sources,
                gint64 *offset_ns)
{
  for (guint i = 0; i < sources->len; i++)
    if (get_offset (get_source (sources, i), offset_ns))
      return get_source (sources, i);
  return NULL;
}

static gboolean
align_by_start (GPtrArray *sources)
{
  gboolean has_target = FALSE;
  gint64 target = 0, first, last;

  for (guint i = 0; i < sources->len; i++)
    {
      SwToolSource *source = get_source (sources, i);

      if (!sw_trace_sorter_get_times (source->sorter, &first, &last))
        continue;
      if (!has_target)
        target = first;
      has_target = TRUE;
      if (__builtin_sub_overflow (target, first, &source->shift_ns))
        source->shift_ns = G_MAXINT64;
    }
  return TRUE;
}

static void
say_moved (const SwToolSource *source,
           const SwToolSource *reference)
{
  sw_tool_complain ("%s: moved by %" G_GINT64_FORMAT " ns, to where its wall-clock label is in %s: it is of another boot", source->path,
                    source->shift_ns, reference->path);
}

static gboolean
align_by_wall (GPtrArray *sources,
               Align align,
               GError **error)
{
  gint64 reference_ns = 0, offset_ns, difference;
  const SwToolSource *reference = find_reference (sources, &reference_ns);

  for (guint i = 0; i < sources->len; i++)
    {
      SwToolSource *source = get_source (sources, i);

      if (!get_offset (source, &offset_ns))
        {
          if (align == ALIGN_WALL)
            {
              g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has no wall-clock label, which --align wall needs", source->path);
              return FALSE;
            }
          if (sources->len > 1 && sw_tool_source_has_clock (source))
            sw_tool_complain ("%s: names no wall-clock time: its times are taken to be of the same boot", source->path);
          else if (sources->len > 1)
            sw_tool_complain ("%s: names no clock: its times are left as they are; --align start would move them", source->path);
          continue;
        }
      if (__builtin_sub_overflow (offset_ns, reference_ns, &difference))
        difference = G_MAXINT64;
      if (align == ALIGN_AUTO && difference <= SAME_BOOT_NS && difference >= -SAME_BOOT_NS)
        continue;
      source->shift_ns = difference;
      if (align == ALIGN_AUTO)
        say_moved (source, reference);
    }
  return TRUE;
}

static gboolean
align_sources (GPtrArray *sources,
               Align align,
               GError **error)
{
  if (align == ALIGN_NONE)
    return TRUE;
  return align == ALIGN_START ? align_by_start (sources) : align_by_wall (sources, align, error);
}

/* The same events twice are allowed, and worth a word. */
static void
say_sessions (GPtrArray *sources)
{
  for (guint i = 0; i < sources->len; i++)
    for (guint k = 0; k < i; k++)
      {
        const guint64 *id = sw_tool_source_get_session (get_source (sources, i))->session.id;
        const guint64 *other = sw_tool_source_get_session (get_source (sources, k))->session.id;

        if ((id[0] | id[1]) == 0 || id[0] != other[0] || id[1] != other[1])
          continue;
        sw_tool_complain ("%s: is of the same session as %s: what is in both is there twice", get_source (sources, i)->path,
                          get_source (sources, k)->path);
        break;
      }
}

static gboolean
read_sources (GPtrArray *sources,
              char *const *paths,
              guint n_paths,
              gboolean *is_broken)
{
  for (guint i = 0; i < n_paths; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
      SwToolSource *source = sw_tool_source_read (paths[i], MAX (BUDGET / n_paths, LEAST_BUDGET), &error);

      if (source == NULL)
        {
          sw_tool_complain ("%s: %s", paths[i], error->message);
          return FALSE;
        }
      g_ptr_array_add (sources, source);
      sw_tool_report_add_notes (&source->report, notes);
      for (guint k = 0; k < notes->len; k++)
        sw_tool_complain ("%s: %s", paths[i], (const char *) g_ptr_array_index (notes, k));
      *is_broken = *is_broken || sw_tool_report_is_broken (&source->report);
    }
  say_sessions (sources);
  return TRUE;
}

static int
merge (char *const *paths,
       guint n_paths,
       const char *out,
       SwToolForm form,
       Align align)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_tool_source_free);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  SwTraceSink *sink = sw_tool_output_open (out, &error);
  gboolean is_broken = FALSE;

  if (sink != NULL && !read_sources (sources, paths, n_paths, &is_broken))
    {
      sw_trace_sink_cancel (sink);
      return SW_TOOL_FAILED;
    }
  if (sink != NULL && !align_sources (sources, align, &error))
    sw_trace_sink_cancel (sink);
  else if (sink != NULL && sw_tool_sources_write (sources, (SwTraceFormat) form, sink, notes, &error))
    {
      for (guint i = 0; i < notes->len; i++)
        sw_tool_complain ("%s: %s", out, (const char *) g_ptr_array_index (notes, i));
      return is_broken ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
    }
  sw_tool_complain ("merge: %s", error->message);
  return SW_TOOL_FAILED;
}

static gboolean
find_alignment (const char *text,
                Align *align,
                GError **error)
{
  *align = ALIGN_AUTO;
  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (alignments); i++)
    if (g_str_equal (alignments[i], text))
      {
        *align = (Align) i;
        return TRUE;
      }
  if (text != NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--align is %s, which is none of auto, wall, start or none", text);
  return text == NULL;
}

static gboolean
find_form (const char *format,
           const char *out,
           SwToolForm *form,
           GError **error)
{
  if (!sw_tool_form_find (format, out, form, error))
    return FALSE;
  if (*form <= SW_TOOL_FORM_PERFETTO)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s: only chrome-json, jsonl and perfetto hold several processes; convert makes the others",
               out);
  return FALSE;
}

static int
run (int argc,
     char **argv)
{
  g_autofree char *format = NULL;
  g_autofree char *align_text = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format, "chrome-json, jsonl or perfetto", "FORMAT" },
    { "align", 'a', 0, G_OPTION_ARG_STRING, &align_text, "auto, wall, start or none: how times are moved", "HOW" },
    { NULL },
  };
  SwToolForm form;
  Align align;
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_merge_command, entries, details, &argc, &argv, &is_done);

  if (is_done)
    return status;
  if (argc < 3)
    {
      sw_tool_complain ("merge: at least one file and OUT are needed; see sw-profiler merge --help");
      return SW_TOOL_USAGE;
    }
  if (!find_alignment (align_text, &align, &error) || !find_form (format, argv[argc - 1], &form, &error) ||
      !sw_tool_output_check (argv[argc - 1], argv + 1, (guint) argc - 2, &error))
    {
      sw_tool_complain ("merge: %s", error->message);
      return SW_TOOL_USAGE;
    }
  return merge (argv + 1, (guint) argc - 2, argv[argc - 1], form, align);
}

const SwToolCommand sw_tool_merge_command = { "merge", "FILE... OUT", "Traces of several processes as one", run };
