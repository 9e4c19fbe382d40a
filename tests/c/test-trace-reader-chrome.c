/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>
#include <string.h>

#include "trace-lines.h"

#define RECORDS(records) "[" records "]"

static void
check (const char *text,
       const char *expected)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (text);

  trace_lines_assert (lines, expected);
  g_assert_cmpint (lines->report.input, ==, SW_TRACE_INPUT_CHROME_JSON);
}

/* Times keep every nanosecond, however they are written. */
static void
test_times (void)
{
  static const struct
  {
    const char *ts;
    const char *dur;
    const char *expected;
  } times[] = {
    { "1", "2", "slice / a 1000+2000" },
    { "1.5", "0.3", "slice / a 1500+300" },
    { "1.234", "0.001", "slice / a 1234+1" },
    { "1e3", "2.5E-1", "slice / a 1000000+250" },
    { "1.5e+3", "0e5", "slice / a 1500000+0" },
    { "\"12.5\"", "\"3\"", "slice / a 12500+3000" },
    { "-3.25", "1", "slice / a -3250+1000" },
    { "1700000000123456.789", "0.001", "slice / a 1700000000123456789+1" },
    { "9007199254740.993", "1", "slice / a 9007199254740993+1000" },
    { "0.0004", "0.0005", "slice / a 0+1" },
    { "12.3456", "0", "slice / a 12346+0" },
    { "1.00000000000000000000000001", "1", "slice / a 1000+1000" },
    { "123456789012345.6789012345678901234567890", "1", "slice / a 123456789012345679+1000" },
    { "0.0000000000000000000000000000001", "1e-30", "slice / a 0+0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_autofree char *text = g_strdup_printf ("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":%s,\"dur\":%s}]", times[i].ts, times[i].dur);

      check (text, times[i].expected);
    }
}

static void
test_bad_times (void)
{
  static const char *const times[] = { "NaN", "Infinity", "-Infinity", "1e300", "92233720368547758.08", "\"x\"", "null", "true",
                                       "[1]", "{}", "1e", "1.", "-", "--1", "99999999999999999999999999", "\"\"" };

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_autofree char *text = g_strdup_printf ("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":%s,\"dur\":1},"
                                               "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":%s},"
                                               "{\"ph\":\"X\",\"name\":\"c\",\"ts\":1,\"dur\":1}]",
                                               times[i], times[i]);
      g_autoptr (TraceLines) lines = trace_lines_of_text (text);

      trace_lines_assert (lines, "slice / c 1000+1000");
      g_assert_cmpuint (lines->report.n_bad_times, ==, 2);
      g_assert_false (lines->report.is_truncated);
    }
}

/* A pair may be shut in an order of its own. */
static void
test_pairs (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      RECORDS ("{\"ph\":\"B\",\"name\":\"outer\",\"cat\":\"c\",\"ts\":1,\"pid\":1,\"tid\":1,\"args\":{\"a\":1}},"
               "{\"ph\":\"B\",\"name\":\"inner\",\"ts\":2,\"pid\":1,\"tid\":1},"
               "{\"ph\":\"B\",\"name\":\"elsewhere\",\"ts\":2,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"E\",\"ts\":3,\"pid\":1,\"tid\":1,\"args\":{\"b\":2}},"
               "{\"ph\":\"E\",\"name\":\"outer\",\"ts\":4,\"pid\":1,\"tid\":1,\"args\":{\"a\":3}},"
               "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1},"
               "{\"ph\":\"E\",\"name\":\"other\",\"ts\":5,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"B\",\"name\":\"left\",\"ts\":6,\"pid\":1,\"tid\":3},"
               "{\"ph\":\"B\",\"name\":\"lost\",\"ts\":7,\"pid\":1,\"tid\":3},"
               "{\"ph\":\"E\",\"name\":\"left\",\"ts\":9,\"pid\":1,\"tid\":3}"));

  trace_lines_assert (lines, "slice / elsewhere 2000+7000 !\n"
                             "slice / inner 2000+1000 {b=2}\n"
                             "slice / left 6000+3000\n"
                             "slice / lost 7000+2000 !\n"
                             "slice / outer [c] 1000+3000 {a=3}");
  g_assert_cmpuint (lines->report.n_orphan_ends, ==, 2);
  g_assert_cmpuint (lines->report.n_misnamed_ends, ==, 2);
  g_assert_cmpuint (lines->report.n_unfinished, ==, 2);
}

/* Several of one id nest as they come; others of that id in another category, scope or process are others. */
static void
test_async (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      RECORDS ("{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x10\",\"name\":\"r\",\"ts\":1,\"pid\":1},"
               "{\"ph\":\"b\",\"cat\":\"c\",\"id\":16,\"name\":\"r\",\"ts\":2,\"pid\":1},"
               "{\"ph\":\"b\",\"cat\":\"other\",\"id\":\"0x10\",\"name\":\"r\",\"ts\":3,\"pid\":1},"
               "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x10\",\"scope\":\"s\",\"name\":\"r\",\"ts\":4,\"pid\":1},"
               "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":\"0x10\"},\"name\":\"r\",\"ts\":5,\"pid\":1},"
               "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":\"0x10\"},\"name\":\"r\",\"ts\":6,\"pid\":2},"
               "{\"ph\":\"n\",\"cat\":\"c\",\"id\":\"0x10\",\"name\":\"step\",\"ts\":7,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x10\",\"ts\":10,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x10\",\"ts\":20,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"other\",\"id\":\"0x10\",\"ts\":30,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x10\",\"scope\":\"s\",\"ts\":40,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x10\"},\"name\":\"r\",\"ts\":60,\"pid\":2},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x10\"},\"name\":\"r\",\"ts\":50,\"pid\":1},"
               "{\"ph\":\"S\",\"cat\":\"c\",\"id\":\"a\",\"name\":\"old\",\"ts\":1,\"pid\":1},"
               "{\"ph\":\"S\",\"cat\":\"c\",\"id\":\"a\",\"name\":\"older\",\"ts\":2,\"pid\":1},"
               "{\"ph\":\"F\",\"cat\":\"c\",\"id\":\"a\",\"name\":\"old\",\"ts\":3,\"pid\":1},"
               "{\"ph\":\"F\",\"cat\":\"c\",\"id\":\"a\",\"name\":\"older\",\"ts\":5,\"pid\":1},"
               "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x10\",\"ts\":99,\"pid\":1}"));

  trace_lines_assert (lines, "instant  step [c] 7000\n"
                             "slice /old old [c] 1000+2000\n"
                             "slice /older older [c] 2000+3000\n"
                             "slice /r r [c] 1000+19000\n"
                             "slice /r r [c] 2000+8000\n"
                             "slice /r r [c] 4000+36000\n"
                             "slice /r r [c] 5000+45000\n"
                             "slice /r r [c] 6000+54000\n"
                             "slice /r r [other] 3000+27000");
  g_assert_cmpuint (lines->report.n_orphan_ends, ==, 1);
  g_assert_cmpuint (lines->report.n_unfinished, ==, 0);
}

/* The object form of PyTorch and Chromium: the list anywhere, and much that says nothing of events. */
static void
test_object (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      " {\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"]}\"}], \"displayTimeUnit\": \"ns\",\n"
      "\"otherData\": {\"traceEvents\": [{\"ph\": \"X\"}]}, \"empty\": \"\",\n"
      "\"traceEvents\": [\n"
      "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 7, \"tid\": \"7\", \"ts\": 100.5, \"dur\": 2,\n"
      " \"args\": {\"External id\": 3, \"Input Dims\": [[2, 3], []], \"Ev\": {\"a\": null, \"b\": [true, -1.50]}, \"n\": null}},\n"
      "{\"ph\": \"s\", \"id\": 5, \"pid\": 7, \"tid\": \"7\", \"ts\": 100.5, \"cat\": \"flow\", \"name\": \"flow\"},\n"
      "{\"ph\": \"X\", \"name\": \"mm\", \"pid\": 0, \"tid\": \"stream 7\", \"ts\": 101, \"dur\": 1},\n"
      "{\"ph\": \"f\", \"id\": 5, \"pid\": 0, \"tid\": \"stream 7\", \"ts\": 101, \"cat\": \"flow\", \"name\": \"flow\", \"bp\": \"e\"},\n"
      "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 7, \"tid\": 0, \"args\": {\"name\": \"python\"}},\n"
      "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 7, \"tid\": 7, \"args\": {\"name\": \"main\"}},\n"
      "{\"name\": \"process_labels\", \"ph\": \"M\", \"pid\": 7, \"args\": {\"labels\": \"CPU\"}},\n"
      "{\"name\": \"o\", \"ph\": \"N\", \"id\": 1, \"ts\": 1}, {\"ph\": \"D\", \"id\": 1, \"ts\": 1}, {\"ph\": \"D\", \"ts\": 2}\n"
      "], \"traceName\": \"x.json\"}\n");

  trace_lines_assert (lines, "slice /stream 7 mm 101000+1000 <5 end>\n"
                             "slice python/main aten::mm [cpu_op] 100500+2000 {External id=3, Input Dims=[[2,3],[]], "
                             "Ev={\"a\":null,\"b\":[true,-1.50]}, n=null} <5 start>\n"
                             "track  process 0\n"
                             "track /stream 7 thread 0\n"
                             "track python process 7\n"
                             "track python/main thread 7");
  g_assert_cmpuint (lines->report.n_ignored, ==, 4);
  g_assert_cmpstr (lines->ignored, ==, "process_labels, N, D");
  g_assert_false (lines->report.is_truncated);
}

/* What a text says does not depend on how it is written. */
static void
test_escapes (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      "{\"trace\\u0045vents\": ["
      "{\"\\u0070h\":\"\\u0058\",\"n\\u0061me\":\"a\\u0062\",\"\\u0074\\u0073\":1,\"dur\":1,\"pid\":1,\"tid\":1,\"\\u0062ind_id\":3,\"flow_\\u006fut\":true},"
      "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread\\u005fname\",\"args\":{\"n\\u0061me\":\"t\\/1\"}},"
      "{\"ph\":\"M\",\"pid\":1,\"name\":\"other\\/kind \\u00e9\",\"args\":{}},"
      "{\"ph\":\"M\",\"pid\":1,\"name\":\"\\u0000\\ud800\",\"args\":{}},"
      "{\"ph\":\"M\",\"pid\":1,\"name\":\"other/kind \303\251\",\"args\":{}},"
      "{\"ph\":\"\\u004e\",\"ts\":1}]}");

  trace_lines_assert (lines, "slice /t/1 ab 1000+1000 <3 start>\n"
                             "track  process 1\n"
                             "track /t/1 thread 1");
  g_assert_cmpuint (lines->report.n_ignored, ==, 4);
  g_assert_cmpstr (lines->ignored, ==, "other/kind \303\251, \357\277\275\357\277\275, N");
}

/* Flows that do not stand behind their slice: around it, or at the next one. */
static void
test_flows (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      RECORDS ("{\"ph\":\"s\",\"id\":1,\"cat\":\"flow\",\"name\":\"flow\",\"ts\":12,\"tid\":1},"
               "{\"ph\":\"f\",\"id\":1,\"cat\":\"flow\",\"name\":\"flow\",\"ts\":25,\"tid\":2},"
               "{\"ph\":\"t\",\"id\":1,\"cat\":\"flow\",\"name\":\"flow\",\"ts\":90,\"tid\":3},"
               "{\"ph\":\"X\",\"name\":\"outer\",\"ts\":10,\"dur\":10,\"tid\":1},"
               "{\"ph\":\"X\",\"name\":\"inner\",\"ts\":11,\"dur\":3,\"tid\":1},"
               "{\"ph\":\"X\",\"name\":\"before\",\"ts\":20,\"dur\":10,\"tid\":2},"
               "{\"ph\":\"X\",\"name\":\"next\",\"ts\":26,\"dur\":1,\"tid\":2},"
               "{\"ph\":\"X\",\"name\":\"bound\",\"ts\":1,\"dur\":1,\"tid\":4,\"bind_id\":\"0x7\",\"flow_in\":true,\"flow_out\":true}"));

  trace_lines_assert (lines, "instant / flow [flow] 90000 <1 step>\n"
                             "slice / before 20000+10000\n"
                             "slice / bound 1000+1000 <7 step>\n"
                             "slice / inner 11000+3000 <1 start>\n"
                             "slice / next 26000+1000 <1 end>\n"
                             "slice / outer 10000+10000");
}

static void
test_counters (void)
{
  check (RECORDS ("{\"ph\":\"C\",\"name\":\"memory\",\"ts\":1,\"args\":{\"used\":5,\"free\":2.5}},"
                  "{\"ph\":\"C\",\"name\":\"memory\",\"id\":\"0x1\",\"ts\":2,\"args\":{\"value\":\"7\"}},"
                  "{\"ph\":\"C\",\"name\":\"odd\",\"ts\":3,\"args\":{\"value\":\"NaN\",\"text\":\"x\"}},"
                  "{\"ph\":\"C\",\"name\":\"huge\",\"ts\":4,\"args\":{\"value\":18446744073709551616}}"),
         "counter /huge 4000 ~1.8446744073709552e+19\n"
         "counter /memory free 1000 ~2.5\n"
         "counter /memory used 1000 5\n"
         "counter /memory[0x1] 2000 7\n"
         "counter /odd 3000 ~NaN");
}

/* Nothing of an argument is lost. */
static void
test_args (void)
{
  check (RECORDS ("{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"min\":-9223372036854775808,\"max\":18446744073709551615,"
                  "\"more\":18446744073709551616,\"e\":1e3,\"inf\":1e400,\"nan\":NaN,\"esc\":\"\\u00e9\\ud83e\\udd8a\\n\\/\","
                  "\"nul\":\"a\\u0000b\",\"half\":\"\\ud800\",\"zero\":-0,\"deep\":{\"x\":[NaN,{\"y\":\"\\u0001\"}]}}}"),
         "slice / a 1000+1000 {min=-9223372036854775808, max=18446744073709551615, more=18446744073709551616, e=~1000.0, inf=1e400, "
         "nan=~NaN, esc='\xc3\xa9\xf0\x9f\xa6\x8a\n/', nul=\"a\\u0000b\", half='\xef\xbf\xbd', zero=~-0.0, "
         "deep={\"x\":[\"NaN\",{\"y\":\"\\u0001\"}]}}");
  check (RECORDS ("{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":[1,2]},"
                  "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":1,\"args\":{\"a\":}},"
                  "{\"ph\":\"X\",\"name\":\"c\",\"ts\":1,\"dur\":1,\"args\":null}"),
         "slice / a 1000+1000 {args=[1,2]}\n"
         "slice / b 1000+1000 {args='{\"a\":}'}\n"
         "slice / c 1000+1000");
}

/* What others get wrong, and a reader can live with. */
static void
test_lenient (void)
{
  g_autoptr (TraceLines) lines = trace_lines_of_text (
      "\xef\xbb\xbf [,{\"ph\":\"X\",\"name\":\"\xff\xe9 \",\"ts\":1,\"dur\":1,\"tid\":99999999999999999999},,"
      "{\"ph\":\"X\",\"name\":\"tab\there\",\"ts\":1,\"dur\":1,}{\"ph\":\"X\",\"ts\":2,\"dur\":1},null,5,{},{\"ph\":\"XX\"},]");

  trace_lines_assert (lines, "slice /  2000+1000\n"
                             "slice / tab\there 1000+1000\n"
                             "slice /99999999999999999999 \xef\xbf\xbd\xef\xbf\xbd  1000+1000");
  g_assert_cmpuint (lines->report.n_malformed, ==, 4);
  g_assert_cmpuint (lines->report.n_bad_texts, ==, 1);
  g_assert_cmpuint (lines->report.n_records, ==, 7);
  g_assert_cmpuint (lines->report.error_record, ==, 4);
  g_assert_false (lines->report.is_truncated);
}

/* Behind a list: lines of JSONL, as cat makes of two formats, are not lost in silence. */
static void
test_other_behind (void)
{
  static const char list[] = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}]\n";
  g_autofree char *text = g_strconcat (list, "{\"type\":\"header\"}\n{\"type\":\"slice\",\"name\":\"lost\"}\n", list, NULL);
  g_autoptr (TraceLines) lines = trace_lines_of_text (text);

  trace_lines_assert (lines, "slice / a 1000+1000\n"
                             "slice / a 1000+1000");
  g_assert_cmpuint (lines->report.n_malformed, ==, 2);
  g_assert_cmpuint (lines->report.n_records, ==, 4);
  g_assert_cmpuint (lines->report.error_record, ==, 2);
  g_assert_cmpuint (lines->report.error_offset, ==, strlen (list));
  g_assert_false (lines->report.is_truncated);
}

static void
test_refused (void)
{
  static const char *const texts[] = { "", " \n", "x", "{", "{}", "{\"a\":1}", "[{\"ph\":", "[x]", "\"ph\"", "[{\"a\" 1}]", "\x1f\x8b" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TraceLines) lines = trace_lines_of_text (texts[i]);

      g_assert_error (lines->error, SW_ERROR, SW_ERROR_VALUE);
    }
}

/* Where a file goes wrong is said. */
static void
test_broken (void)
{
  static const char text[] = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1},{\"ph\":\"X\" x";
  g_autoptr (TraceLines) lines = trace_lines_of_text (text);

  trace_lines_assert (lines, "slice / a 1000+1000");
  g_assert_true (lines->report.is_truncated);
  g_assert_cmpuint (lines->report.error_offset, ==, sizeof text - 2);
  g_assert_cmpuint (lines->report.error_record, ==, 2);
}

/* A record larger than the window, and one that is cut by its edge. */
static void
test_large (void)
{
  const gsize length = 10 * 1024 * 1024;
  g_autofree char *name = g_strnfill (length, 'n');
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (TraceLines) lines = NULL;
  g_auto (GStrv) all = NULL;

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "{\"ph\":\"X\",\"name\":\"small\",\"ts\":%u,\"dur\":1,\"args\":{\"i\":%u}},\n", i, i);
  g_string_append_printf (text, "{\"ph\":\"X\",\"name\":\"%s\",\"ts\":1,\"dur\":1,\"args\":{\"%s\":\"%s\"}}]", name, name, name);
  lines = trace_lines_of_bytes (text->str, text->len);
  g_assert_no_error (lines->error);
  g_assert_cmpuint (lines->report.n_slices, ==, 20001);
  g_assert_cmpuint (lines->report.n_bytes, ==, text->len);
  all = g_strsplit (lines->text, "\n", 2);
  g_assert_cmpuint (strlen (all[0]), ==, 3 * length + strlen ("slice /  1000+1000 {=''}"));
}

/* Hundreds of thousands that never end, and as many ends that fit none: still done at once. */
static void
test_unbalanced (void)
{
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (TraceLines) lines = NULL;

  for (guint i = 0; i < 200000; i++)
    g_string_append_printf (text, "{\"ph\":\"B\",\"name\":\"a\",\"ts\":%u},", i);
  for (guint i = 0; i < 200000; i++)
    g_string_append_printf (text, "{\"ph\":\"E\",\"name\":\"b\",\"ts\":%u},", 200000 + i);
  g_string_append (text, "]");
  lines = trace_lines_of_bytes (text->str, text->len);
  g_assert_no_error (lines->error);
  g_assert_cmpuint (lines->report.n_unfinished, ==, 200000);
  g_assert_cmpuint (lines->report.n_orphan_ends, ==, 200000);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/trace-reader/chrome/times", test_times);
  g_test_add_func ("/trace-reader/chrome/bad-times", test_bad_times);
  g_test_add_func ("/trace-reader/chrome/pairs", test_pairs);
  g_test_add_func ("/trace-reader/chrome/async", test_async);
  g_test_add_func ("/trace-reader/chrome/object", test_object);
  g_test_add_func ("/trace-reader/chrome/escapes", test_escapes);
  g_test_add_func ("/trace-reader/chrome/flows", test_flows);
  g_test_add_func ("/trace-reader/chrome/counters", test_counters);
  g_test_add_func ("/trace-reader/chrome/args", test_args);
  g_test_add_func ("/trace-reader/chrome/lenient", test_lenient);
  g_test_add_func ("/trace-reader/chrome/other-behind", test_other_behind);
  g_test_add_func ("/trace-reader/chrome/refused", test_refused);
  g_test_add_func ("/trace-reader/chrome/broken", test_broken);
  g_test_add_func ("/trace-reader/chrome/large", test_large);
  g_test_add_func ("/trace-reader/chrome/unbalanced", test_unbalanced);

  return g_test_run ();
}
