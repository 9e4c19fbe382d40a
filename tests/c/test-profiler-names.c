/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dispatch names of every length and origin: kept whole, kept after their owner, and told apart by their text. */
#include "config.h"

#include <string.h>

#include "profiler-fixtures.h"

#define LONG 4096

static void
run_named (SwTensor *tensor,
           const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

static SwTensor *
tensor_of_any_operation (void)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);

  return test_tensor_on (carrier);
}

static GPtrArray *
dup_rows (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *rows = sw_profiler_dup_key_averages (profiler, FALSE, &error);

  g_assert_no_error (error);
  return rows;
}

/* All of them are the same but for the last character. */
static char *
long_name (char end)
{
  char *name = g_strnfill (LONG, 'a');

  name[LONG - 1] = end;
  return name;
}

static void
test_long_names_are_whole (void)
{
  g_autoptr (SwTensor) tensor = tensor_of_any_operation ();
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_autofree char *first = long_name ('x'), *second = long_name ('y');
  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;

  run_named (tensor, first);
  run_named (tensor, second);
  run_named (tensor, first);
  test_profiler_exit (profiler);

  events = test_profiler_events (profiler);
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[0]), ==, first);
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[1]), ==, second);
  rows = dup_rows (profiler);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpstr (sw_profiler_aggregate_get_name (rows->pdata[0]), ==, first);
  g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[0]), ==, 2);
  g_assert_cmpstr (sw_profiler_aggregate_get_name (rows->pdata[1]), ==, second);
  table = sw_profiler_dup_table (profiler, "name", FALSE, FALSE, -1, NULL);
  /* The table may show less of a name, but has both rows. */
  lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_true (g_str_has_prefix (lines[2], "aaaaaaaa"));
}

static void
test_names_are_copied_when_they_are_given (void)
{
  g_autoptr (SwTensor) tensor = tensor_of_any_operation ();
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  char buffer[32];

  for (guint i = 0; i < 100; i++)
    {
      char *owned = g_strdup_printf ("owned-%u", i);

      g_snprintf (buffer, sizeof buffer, "buffer-%u", i);
      run_named (tensor, buffer);
      memset (buffer, 'x', sizeof buffer - 1);
      run_named (tensor, owned);
      memset (owned, 'x', strlen (owned));
      g_free (owned);
    }
  test_profiler_exit (profiler);

  events = test_profiler_events (profiler);
  for (guint i = 0; i < events->len; i++)
    {
      g_snprintf (buffer, sizeof buffer, i % 2 == 0 ? "buffer-%u" : "owned-%u", i / 2);
      g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[i]), ==, buffer);
    }
}

static void
test_equal_texts_are_one_row (void)
{
  g_autoptr (SwTensor) tensor = tensor_of_any_operation ();
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) rows = NULL;
  char first[] = "same", second[] = "same";
  g_autofree char *third = g_strdup (first);

  run_named (tensor, first);
  run_named (tensor, second);
  run_named (tensor, third);
  run_named (tensor, "same");
  run_named (tensor, "other");
  test_profiler_exit (profiler);

  rows = dup_rows (profiler);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpstr (sw_profiler_aggregate_get_name (rows->pdata[1]), ==, "same");
  g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[1]), ==, 4);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/names/long-names-are-whole", test_long_names_are_whole);
  g_test_add_func ("/profiler/names/are-copied-when-they-are-given", test_names_are_copied_when_they_are_given);
  g_test_add_func ("/profiler/names/equal-texts-are-one-row", test_equal_texts_are_one_row);
  return g_test_run ();
}
