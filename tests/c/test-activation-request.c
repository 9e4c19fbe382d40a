/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the variables of the environment say, and what is wrong with what they do not. */
#include "config.h"

#include <string.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw-profiler/trace/sw-activation-request-private.h"

static void
check_trace (const char *value,
             const char *path,
             SwTraceFormat format,
             SwTraceVerbosity verbosity)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = g_canonicalize_filename (path, NULL);
  SwTraceRequest request;

  g_assert_true (sw_trace_request_parse (&request, value, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (request.path, ==, expected);
  g_assert_cmpint (request.format, ==, format);
  g_assert_cmpint (request.verbosity, ==, verbosity);
  g_free (request.path);
}

static void
test_trace (void)
{
  const SwTraceVerbosity operations = SW_TRACE_VERBOSITY_OPERATIONS;

  check_trace ("out.pftrace", "out.pftrace", SW_TRACE_FORMAT_PERFETTO, operations);
  check_trace ("out.perfetto-trace", "out.perfetto-trace", SW_TRACE_FORMAT_PERFETTO, operations);
  check_trace ("/tmp/out.json", "/tmp/out.json", SW_TRACE_FORMAT_CHROME_JSON, operations);
  check_trace ("out.jsonl.gz", "out.jsonl.gz", SW_TRACE_FORMAT_JSONL, operations);
  check_trace ("out.json:jsonl", "out.json", SW_TRACE_FORMAT_JSONL, operations);
  check_trace ("out:perfetto", "out", SW_TRACE_FORMAT_PERFETTO, operations);
  check_trace ("out:pftrace,verbosity=full", "out", SW_TRACE_FORMAT_PERFETTO, SW_TRACE_VERBOSITY_FULL);
  check_trace ("out.json,verbosity=none", "out.json", SW_TRACE_FORMAT_CHROME_JSON, SW_TRACE_VERBOSITY_NONE);
  check_trace ("out.json,verbosity=decisions", "out.json", SW_TRACE_FORMAT_CHROME_JSON, SW_TRACE_VERBOSITY_DECISIONS);
  /* Of two, the first one counts: it is taken off last. */
  check_trace ("out.json,verbosity=full,verbosity=none", "out.json", SW_TRACE_FORMAT_CHROME_JSON, SW_TRACE_VERBOSITY_FULL);
}

static void
test_gpu (void)
{
  g_autoptr (GError) error = NULL;
  SwTraceRequest request;

  g_assert_true (sw_trace_request_parse (&request, "out.json", &error));
  g_assert_false (request.uses_cupti);
  g_free (request.path);
  g_assert_true (sw_trace_request_parse (&request, "out.json,gpu=cupti,verbosity=full", &error));
  g_assert_no_error (error);
  g_assert_true (request.uses_cupti);
  g_assert_cmpint (request.verbosity, ==, SW_TRACE_VERBOSITY_FULL);
  g_free (request.path);
}

/* Paths may have what separates the rest of the value. */
static void
test_odd_paths (void)
{
  const SwTraceVerbosity operations = SW_TRACE_VERBOSITY_OPERATIONS;

  check_trace ("a,b.json", "a,b.json", SW_TRACE_FORMAT_CHROME_JSON, operations);
  check_trace ("a:b/c.jsonl", "a:b/c.jsonl", SW_TRACE_FORMAT_JSONL, operations);
  check_trace ("a:b.jsonl", "a:b.jsonl", SW_TRACE_FORMAT_JSONL, operations);
  check_trace ("a:b.x:json", "a:b.x", SW_TRACE_FORMAT_CHROME_JSON, operations);
  check_trace ("a=b.json", "a=b.json", SW_TRACE_FORMAT_CHROME_JSON, operations);
  check_trace ("%p-%%.json", "%p-%%.json", SW_TRACE_FORMAT_CHROME_JSON, operations);
  check_trace ("\xff.json", "\xff.json", SW_TRACE_FORMAT_CHROME_JSON, operations);
}

static void
refuse_trace (const char *value,
              const char *message)
{
  g_autoptr (GError) error = NULL;
  SwTraceRequest request = { .path = (char *) "before" };

  g_assert_false (sw_trace_request_parse (&request, value, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
  g_assert_null (request.path);
}

static void
test_bad_traces (void)
{
  refuse_trace ("out", "the file ends in none of .json, .jsonl and .pftrace");
  refuse_trace ("out.gz", "the file ends in none of");
  refuse_trace ("out:xml", "the format is 'xml', which is none of chrome-json, jsonl and perfetto");
  refuse_trace ("out:", "the format is ''");
  refuse_trace (":json", "it names no file");
  refuse_trace ("out.json,verbosity=loud", "the verbosity is 'loud', which is none of");
  refuse_trace ("out.json,verbosity=", "the verbosity is ''");
  refuse_trace ("out.json,colour=red", "the option is 'colour', which is neither verbosity nor gpu");
  refuse_trace ("out.json,gpu=rocm", "gpu is 'rocm', which is not cupti");
  refuse_trace ("out.json,gpu=", "gpu is ''");
  refuse_trace ("out.json,=full", "the option is ''");
  refuse_trace ("%d.json", "% is followed by neither p");
  refuse_trace ("out:json%", "the format is 'json%'");
  refuse_trace ("%:json", "% is followed by neither p");
}

static void
check_profile (const char *value,
               SwProfileTarget target,
               const char *path,
               gint64 row_limit,
               gboolean by_thread,
               gint64 max_events)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;
  SwProfileRequest request;

  g_assert_true (sw_profile_request_parse (&request, value, &error));
  g_assert_no_error (error);
  g_assert_true (request.is_set);
  g_assert_cmpint (request.target, ==, target);
  g_assert_cmpstr (request.path, ==, expected);
  g_assert_cmpint (request.row_limit, ==, row_limit);
  g_assert_cmpint (request.by_thread, ==, by_thread);
  g_assert_cmpint (request.max_events, ==, max_events);
  g_free (request.path);
}

static void
test_profile (void)
{
  check_profile ("table", SW_PROFILE_TO_STDERR, NULL, -1, FALSE, 8000000);
  check_profile ("table,top=5,by=thread,events=7", SW_PROFILE_TO_STDERR, NULL, 5, TRUE, 7);
  check_profile ("a.txt", SW_PROFILE_TO_TEXT, "a.txt", -1, FALSE, 8000000);
  check_profile ("a,b.csv,top=9223372036854775807", SW_PROFILE_TO_CSV, "a,b.csv", G_MAXINT64, FALSE, 8000000);
  check_profile ("%p.json", SW_PROFILE_TO_JSON, "%p.json", -1, FALSE, 8000000);
}

static void
refuse_profile (const char *value,
                const char *message)
{
  g_autoptr (GError) error = NULL;
  SwProfileRequest request = { .is_set = TRUE };

  g_assert_false (sw_profile_request_parse (&request, value, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
  g_assert_false (request.is_set);
  g_assert_null (request.path);
}

static void
test_bad_profiles (void)
{
  refuse_profile ("tables", "it is neither table nor a file that ends in .txt, .csv or .json");
  refuse_profile ("a.pftrace", "it is neither table nor a file");
  refuse_profile ("table,top=0", "top is '0', which is no positive number");
  refuse_profile ("table,top=-1", "top is '-1'");
  refuse_profile ("table,top=", "top is ''");
  refuse_profile ("table,events=9223372036854775808", "events is '9223372036854775808'");
  refuse_profile ("table,by=zone", "by is 'zone', which is not thread");
  refuse_profile ("table,from=1", "the option is 'from', which is none of top, by and events");
  refuse_profile ("%.csv", "% is followed by neither p");
}

static void
test_expansion (void)
{
  g_autofree char *path = sw_activation_expand_path ("/a/%p/%%p%p");
  g_autofree char *expected = g_strdup_printf ("/a/%ld/%%p%ld", (long) getpid (), (long) getpid ());

  g_assert_cmpstr (path, ==, expected);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/activation-request/gpu", test_gpu);
  g_test_add_func ("/activation-request/trace", test_trace);
  g_test_add_func ("/activation-request/odd-paths", test_odd_paths);
  g_test_add_func ("/activation-request/bad-traces", test_bad_traces);
  g_test_add_func ("/activation-request/profile", test_profile);
  g_test_add_func ("/activation-request/bad-profiles", test_bad_profiles);
  g_test_add_func ("/activation-request/expansion", test_expansion);
  return g_test_run ();
}
