/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the library writes is read back the same, from each format, and from whatever is left of a file. */
#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <strideweave.h>
#include <string.h>

#include "trace-lines.h"

/* Every byte, but where each reading takes twenty times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define STRIDE 23
#else
#define STRIDE 1
#endif

static char *folder;

static const char *const workloads[] = { "empty", "ties", "times", "deep", "threads", "lanes", "overlaps", "async", "flows", "counters",
                                         "instants", "args", "hostile", "losses", "random" };

static TraceLines *
lines_of (const char *workload,
          const char *suffix)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.%s", folder, workload, suffix);

  return trace_lines_of_path (path);
}

static char *
replace (const char *pattern,
         const char *text,
         const char *by)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE, 0, &error);
  char *replaced;

  g_assert_no_error (error);
  replaced = g_regex_replace (regex, text, -1, 0, by, 0, &error);
  g_assert_no_error (error);
  return replaced;
}

static int
compare_lines (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static char *
sort_lines (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  qsort (lines, g_strv_length (lines), sizeof *lines, compare_lines);
  return g_strjoinv ("\n", lines);
}

/* An asynchronous track is one, however many lanes it has. */
static char *
join_lanes (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_hash_table_add (known, lines[i]) || !g_str_has_prefix (lines[i], "track ") || !g_str_has_suffix (lines[i], " async"))
      g_string_append_printf (joined, "%s%s", i > 0 ? "\n" : "", lines[i]);
  return g_string_free (g_steal_pointer (&joined), FALSE);
}

/* Without what Perfetto's form cannot say: numbers of flows as they were, and the numbers of rows that are no threads. */
static char *
as_perfetto (const char *text)
{
  g_autofree char *flows = replace ("[0-9]+ (start|step|end)", text, "\\1");
  g_autofree char *rows = replace ("^track (.*) (gpu_queue|async|counter) [0-9]+", flows, "track \\1 \\2");
  g_autofree char *tracks = join_lanes (rows);

  return sort_lines (tracks);
}

/* Without what Chrome's form cannot say: kinds and units of rows, and those of rows that have no records of their own. */
static char *
as_chrome (const char *text)
{
  g_autofree char *queues = replace ("^(track .*) gpu_queue ", text, "\\1 thread ");
  g_autofree char *units = replace ("^(track .* counter) .*$", queues, "\\1");
  g_autofree char *rows = replace ("^track .* (async|counter).*\n", units, "");

  return sort_lines (rows);
}

static void
check_report (const TraceLines *lines,
              SwTraceInput input)
{
  g_assert_no_error (lines->error);
  g_assert_cmpint (lines->report.input, ==, input);
  g_assert_false (lines->report.is_truncated);
  g_assert_cmpuint (lines->report.n_malformed, ==, 0);
  g_assert_cmpuint (lines->report.n_bad_times, ==, 0);
  g_assert_cmpuint (lines->report.n_orphan_ends, ==, 0);
  g_assert_cmpuint (lines->report.n_unfinished, ==, 0);
  g_assert_cmpuint (lines->report.n_misnamed_ends, ==, 0);
  g_assert_cmpuint (lines->report.n_ignored, ==, 0);
  g_assert_cmpuint (lines->n_sessions, ==, 1);
}

/* Covers all that the writer can write. */
static void
test_round_trip (gconstpointer data)
{
  const char *workload = data;
  g_autoptr (TraceLines) jsonl = lines_of (workload, "jsonl");
  g_autoptr (TraceLines) chrome = lines_of (workload, "json");
  g_autoptr (TraceLines) perfetto = lines_of (workload, "pftrace");
  g_autofree char *expected_of_chrome = NULL;
  g_autofree char *chrome_text = NULL;
  g_autofree char *expected_of_perfetto = NULL;
  g_autofree char *perfetto_text = NULL;

  check_report (jsonl, SW_TRACE_INPUT_JSONL);
  check_report (chrome, SW_TRACE_INPUT_CHROME_JSON);
  check_report (perfetto, SW_TRACE_INPUT_PERFETTO);
  expected_of_chrome = as_chrome (jsonl->text);
  chrome_text = as_chrome (chrome->text);
  expected_of_perfetto = as_perfetto (jsonl->text);
  perfetto_text = as_perfetto (perfetto->text);
  g_assert_cmpstr (chrome_text, ==, expected_of_chrome);
  g_assert_cmpstr (perfetto_text, ==, expected_of_perfetto);
}

static void
test_args (void)
{
  static const char *const suffixes[] = { "jsonl", "json", "pftrace" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autoptr (TraceLines) lines = lines_of ("args", suffixes[i]);

      trace_lines_assert (lines, "slice workloads/main all 0+5 {text='a \"quoted\" line\n', name='strideweave.CPU', "
                                 "smallest=-9223372036854775808, largest=9223372036854775807, unsigned=9007199254740993, "
                                 "real=~0.1, nan='NaN', yes=true, no=false, twice=2, empty='', shape='((2, 3), 4)'}\n"
                                 "slice workloads/main one 10+5 {text='a \"quoted\" line\n'}");
    }
}

static void
test_session (void)
{
  static const char *const suffixes[] = { "jsonl", "json", "pftrace" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autoptr (TraceLines) lines = lines_of ("losses", suffixes[i]);

      trace_lines_assert (lines, "diagnostic before_base 1\n"
                                 "diagnostic negative_duration 1\n"
                                 "diagnostic other_lane 0\n"
                                 "drops no memory 1\n"
                                 "drops overlapping 0\n"
                                 "drops queue full 7\n"
                                 "session 0123456789abcdeffedcba9876543210 1000000000123 1700000000000000000 4321 workloads");
    }
}

/* As far as it was written, and known to be cut. */
static void
test_killed (void)
{
  static const char *const suffixes[] = { "jsonl", "json", "pftrace" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autoptr (TraceLines) lines = lines_of ("killed", suffixes[i]);

      g_assert_no_error (lines->error);
      g_assert_cmpuint (lines->report.n_slices, ==, 30000);
      g_assert_cmpuint (lines->report.n_orphan_ends + lines->report.n_malformed, ==, 0);
      g_assert_true (lines->report.is_truncated);
      g_assert_cmpuint (lines->report.error_offset, ==, lines->report.n_bytes);
    }
}

static guint
count_lines (const TraceLines *lines,
             const char *prefix)
{
  g_auto (GStrv) all = g_strsplit (lines->text, "\n", -1);
  guint n = 0;

  for (guint i = 0; all[i] != NULL; i++)
    n += g_str_has_prefix (all[i], prefix);
  return n;
}

/* Each line of the shorter one must be in the longer one, but for what ended early; flows may be missing. */
static void
assert_part_of (const TraceLines *part,
                const TraceLines *whole)
{
  g_autofree char *part_text = replace (" <.*>$", part->text, "");
  g_autofree char *whole_text = replace (" <.*>$", whole->text, "");
  g_auto (GStrv) lines = g_strsplit (part_text, "\n", -1);
  g_auto (GStrv) wanted = g_strsplit (whole_text, "\n", -1);
  g_autoptr (GHashTable) all = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; wanted[i] != NULL; i++)
    g_hash_table_add (all, wanted[i]);
  for (guint i = 0; lines[i] != NULL; i++)
    if ((g_str_has_prefix (lines[i], "slice") && !g_str_has_suffix (lines[i], " !")) || g_str_has_prefix (lines[i], "counter"))
      if (!g_hash_table_contains (all, lines[i]))
        g_error ("'%s' is not in the whole file", lines[i]);
}

static void
check_cuts (const char *bytes,
            gsize n_bytes,
            const char *what,
            gboolean is_in_order)
{
  g_autoptr (TraceLines) whole = trace_lines_of_bytes (bytes, n_bytes);
  guint n_whole = count_lines (whole, "slice");
  guint last = 0;

  g_assert_no_error (whole->error);
  for (gsize n = 0; n < n_bytes; n += STRIDE)
    {
      /* A copy of that very size: a read behind it is seen by the sanitizer. */
      g_autofree char *copy = g_memdup2 (bytes, n);
      g_autoptr (TraceLines) part = trace_lines_of_bytes (copy, n);
      guint n_slices;

      if (part->error != NULL)
        {
          g_assert_error (part->error, SW_ERROR, SW_ERROR_VALUE);
          g_assert_cmpuint (last, ==, 0);
          continue;
        }
      n_slices = count_lines (part, "slice");
      /* The first packets of Perfetto's do not say yet whose file it is, and the last ones not how many they are. */
      if (!part->report.is_truncated && n_slices < n_whole && strstr (part->text, "session ") != NULL)
        g_error ("%s cut at %zu of %zu bytes seems to be whole", what, n, n_bytes);
      g_assert_cmpuint (n_slices, >=, last);
      last = n_slices;
      if (is_in_order)
        assert_part_of (part, whole);
    }
  g_assert_cmpuint (last, ==, n_whole);
}

static void
test_cuts (gconstpointer data)
{
  static const char *const small[] = { "ties", "async", "flows", "counters", "args" };

  for (gsize i = 0; i < G_N_ELEMENTS (small); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%s.%s", folder, small[i], (const char *) data);
      g_autofree char *bytes = NULL;
      gsize n_bytes;

      g_assert_true (g_file_get_contents (path, &bytes, &n_bytes, NULL));
      /* In Perfetto's form an end has no name, and may be written before the beginnings that it may belong to. */
      check_cuts (bytes, n_bytes, small[i], strcmp (data, "pftrace") != 0);
    }
}

/* Whatever a byte becomes, nothing crashes, and what fails says so. */
static void
test_mutations (gconstpointer data)
{
  static const guint8 flips[] = { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff };
  g_autofree char *path = g_strdup_printf ("%s/flows.%s", folder, (const char *) data);
  g_autofree char *bytes = NULL;
  gsize n_bytes;

  g_assert_true (g_file_get_contents (path, &bytes, &n_bytes, NULL));
  for (gsize at = 0; at < n_bytes; at += STRIDE)
    for (gsize i = 0; i < G_N_ELEMENTS (flips); i++)
      {
        g_autoptr (TraceLines) lines = NULL;

        bytes[at] ^= (char) flips[i];
        lines = trace_lines_of_bytes (bytes, n_bytes);
        bytes[at] ^= (char) flips[i];
        g_assert_true (lines->text != NULL || g_error_matches (lines->error, SW_ERROR, SW_ERROR_VALUE));
      }
}

/* The order of records says nothing, but for those of one time. */
static void
test_shuffled (void)
{
  g_autoptr (TraceLines) whole = lines_of ("random", "json");
  g_autofree char *path = g_strdup_printf ("%s/random.json", folder);
  g_autofree char *bytes = NULL;
  g_auto (GStrv) records = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (GString) shuffled = g_string_new ("[");
  g_autoptr (TraceLines) lines = NULL;
  guint n;

  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  g_strdelimit (bytes + strlen (bytes) - 2, "]", '\n');
  records = g_strsplit (bytes + 2, ",\n", -1);
  n = g_strv_length (records);
  for (guint i = n - 1; i > 1; i--)
    {
      guint j = (guint) g_rand_int_range (random, 1, (gint32) i + 1);
      char *record = records[i];

      records[i] = records[j];
      records[j] = record;
    }
  for (guint i = 0; i < n; i++)
    g_string_append_printf (shuffled, "%s%s", i > 0 ? "," : "", records[i]);
  g_string_append (shuffled, "]");
  lines = trace_lines_of_text (shuffled->str);
  g_assert_no_error (lines->error);
  g_assert_cmpstr (lines->text, ==, whole->text);
}

/* As cat makes one file of two. */
static void
test_concatenated (gconstpointer data)
{
  g_autofree char *first_path = g_strdup_printf ("%s/async.%s", folder, (const char *) data);
  g_autofree char *second_path = g_strdup_printf ("%s/killed.%s", folder, (const char *) data);
  g_autoptr (GString) both = g_string_new (NULL);
  g_autoptr (TraceLines) lines = NULL;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  gsize n_first;
  gsize n_second;

  g_assert_true (g_file_get_contents (first_path, &first, &n_first, NULL));
  g_assert_true (g_file_get_contents (second_path, &second, &n_second, NULL));
  g_string_append_len (both, first, (gssize) n_first);
  g_string_append_len (both, second, (gssize) n_second);
  lines = trace_lines_of_bytes (both->str, both->len);
  trace_lines_assert (lines, "session 00000000000000030000000000000004 1000000000123 0 4321 killed\n"
                             "session 0123456789abcdeffedcba9876543210 1000000000123 1700000000000000000 4321 workloads");
  g_assert_cmpuint (lines->n_sessions, ==, 2);
  g_assert_cmpuint (count_lines (lines, "slice workloads/request request"), ==, 6);
  g_assert_cmpuint (count_lines (lines, "slice killed/main"), ==, 30000);
  g_assert_cmpuint (count_lines (lines, "slice"), ==, 30007);
}

static char *
compress (const char *bytes,
          gsize n_bytes,
          gsize *n_packed)
{
  g_autoptr (GConverter) compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  char *packed = g_malloc (n_bytes + 1024);
  gsize n_read;

  g_assert_cmpint (g_converter_convert (compressor, bytes, n_bytes, packed, n_bytes + 1024, G_CONVERTER_INPUT_AT_END, &n_read,
                                        n_packed, NULL),
                   ==, G_CONVERTER_FINISHED);
  return packed;
}

static void
test_gzip (void)
{
  g_autoptr (TraceLines) whole = lines_of ("deep", "json");
  g_autofree char *path = g_strdup_printf ("%s/deep.json", folder);
  g_autofree char *bytes = NULL;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autoptr (GString) both = g_string_new (NULL);
  gsize n_bytes;
  gsize n_first;
  gsize n_second;

  g_assert_true (g_file_get_contents (path, &bytes, &n_bytes, NULL));
  first = compress (bytes, n_bytes / 3, &n_first);
  second = compress (bytes + n_bytes / 3, n_bytes - n_bytes / 3, &n_second);
  g_string_append_len (both, first, (gssize) n_first);
  g_string_append_len (both, second, (gssize) n_second);
  for (guint n_zeros = 0; n_zeros < 3; n_zeros++)
    {
      g_autoptr (TraceLines) lines = trace_lines_of_bytes (both->str, both->len);

      g_assert_no_error (lines->error);
      g_assert_cmpstr (lines->text, ==, whole->text);
      g_assert_false (lines->report.is_truncated);
      g_assert_cmpuint (lines->report.n_bytes, ==, n_bytes);
      g_string_append_c (both, '\0');
    }
  for (gsize n = 0; n < n_first + n_second; n += STRIDE)
    {
      g_autoptr (TraceLines) lines = trace_lines_of_bytes (both->str, n);

      if (n == n_first)
        g_assert_true (lines->report.is_truncated);
      if (lines->error == NULL)
        g_assert_true (lines->report.is_truncated);
    }
}

/* What a text says does not depend on how it is written. */
static void
test_escapes (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      "{\"typ\\u0065\":\"\\u0068eader\",\"format\":\"strideweave-trace\",\"version\":1,\"session\":\"00000000000000000000000000000001\","
      "\"base_ns\":5,\"pid\":1}\n"
      "{\"type\":\"slic\\u0065\",\"n\\u0061me\":\"a\\/b\",\"track\":1,\"start_ns\":9,\"dur\\u0061tion_ns\":1,\"pid\":1,\"tid\":1}\n"
      "{\"type\":\"od\\u0064 \\u00e9\"}\n"
      "{\"type\":\"summary\"}\n");

  g_assert_nonnull (strstr (lines->text, "slice / a/b 4+1\n"));
  g_assert_cmpuint (lines->report.n_malformed, ==, 0);
  g_assert_cmpuint (lines->report.n_ignored, ==, 1);
  g_assert_cmpstr (lines->ignored, ==, "odd \303\251");
  g_assert_false (lines->report.is_truncated);
}

int
main (int argc,
      char **argv)
{
  static const char *const suffixes[] = { "json", "jsonl", "pftrace" };
  g_autoptr (GError) error = NULL;
  const char *program[] = { NULL, NULL, NULL };
  int status;
  int result;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("trace-reader-XXXXXX", &error);
  g_assert_no_error (error);
  program[0] = g_getenv ("SW_TRACE_WORKLOADS");
  program[1] = folder;
  g_assert_nonnull (program[0]);
  g_assert_true (g_spawn_sync (NULL, (char **) program, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error));
  g_assert_cmpint (status, ==, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (workloads); i++)
    {
      g_autofree char *path = g_strdup_printf ("/trace-reader/round-trip/%s", workloads[i]);

      g_test_add_data_func (path, workloads[i], test_round_trip);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *cuts = g_strdup_printf ("/trace-reader/cuts/%s", suffixes[i]);
      g_autofree char *mutations = g_strdup_printf ("/trace-reader/mutations/%s", suffixes[i]);
      g_autofree char *concatenated = g_strdup_printf ("/trace-reader/concatenated/%s", suffixes[i]);

      g_test_add_data_func (cuts, suffixes[i], test_cuts);
      g_test_add_data_func (mutations, suffixes[i], test_mutations);
      g_test_add_data_func (concatenated, suffixes[i], test_concatenated);
    }
  g_test_add_func ("/trace-reader/args", test_args);
  g_test_add_func ("/trace-reader/escapes", test_escapes);
  g_test_add_func ("/trace-reader/session", test_session);
  g_test_add_func ("/trace-reader/killed", test_killed);
  g_test_add_func ("/trace-reader/shuffled", test_shuffled);
  g_test_add_func ("/trace-reader/gzip", test_gzip);

  result = g_test_run ();
  for (gsize i = 0; i <= G_N_ELEMENTS (workloads); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (suffixes); j++)
      {
        g_autofree char *path = g_strdup_printf ("%s/%s.%s", folder, i < G_N_ELEMENTS (workloads) ? workloads[i] : "killed", suffixes[j]);

        g_remove (path);
      }
  g_rmdir (folder);
  g_free (folder);
  return result;
}
