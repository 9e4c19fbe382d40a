/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

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

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/trace-reader/chrome/times", test_times);
  g_test_add_func ("/trace-reader/chrome/bad-times", test_bad_times);
  g_test_add_func ("/trace-reader/chrome/pairs", test_pairs);

  return g_test_run ();
}
