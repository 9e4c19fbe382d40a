/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "fake-events.h"

#include <locale.h>

#include "sw/base/sw-error.h"
#include "sw-profiler/operation/sw-profiler-aggregate.h"

static char *
table_of (const SwEventSource *source,
          const char *sort_by,
          gboolean descending,
          gboolean group_by_shape,
          gint64 row_limit)
{
  g_autoptr (GError) error = NULL;
  char *table = sw_event_source_dup_table (source, sort_by, descending, group_by_shape, row_limit, &error);

  g_assert_no_error (error);
  return table;
}

/* Three names on two carriers, two of the rows with the same self time. */
static FakeEvents *
make_events (void)
{
  FakeEvents *fake = fake_events_new ();
  GType cpu = fake_type ("SwFakeCPU");
  GType own = fake_type ("FakeCarrier");
  guint32 flat = fake_events_add_shapes (fake, (const gint64[]){ -3, -3, 5 }, 3);
  guint32 deep = fake_events_add_shapes (fake, (const gint64[]){ -4, -4, 2, -4, 3, 4, -1 }, 7);

  fake_events_add_site (fake, "relu", cpu, G_TYPE_OBJECT);
  fake_events_add_site (fake, "matmul", cpu, G_TYPE_OBJECT);
  fake_events_add_site (fake, "relu", own, G_TYPE_OBJECT);
  fake_events_add (fake, 0, flat, SW_EVENT_NO_PARENT, 0, 100, 40, TRUE);
  fake_events_add (fake, 0, deep, SW_EVENT_NO_PARENT, 0, 201, 60, FALSE);
  fake_events_add (fake, 1, deep, SW_EVENT_NO_PARENT, 0, 123456, 100, TRUE);
  fake_events_add (fake, 2, flat, SW_EVENT_NO_PARENT, 0, 7, 7, TRUE);
  return fake;
}

static void
test_layout (void)
{
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *table = table_of (&source, NULL, TRUE, FALSE, -1);
  g_autofree char *again = table_of (&source, "self_total_time_ns", TRUE, FALSE, 3);

  g_assert_cmpstr (table, ==,
                   "Name    Carrier              Calls  Total (ns)  Self total (ns)  Mean (ns)  Min (ns)  Max (ns)\n"
                   "------  -------------------  -----  ----------  ---------------  ---------  --------  --------\n"
                   "matmul  Strideweave.FakeCPU      1      123456              100   123456.0    123456    123456\n"
                   "relu    Strideweave.FakeCPU      2         301              100      150.5       100       201\n"
                   "relu    FakeCarrier              1           7                7        7.0         7         7");
  g_assert_cmpstr (again, ==, table);
}

static void
test_shapes (void)
{
  /* Covers: 12.11 */
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *table = table_of (&source, "name", FALSE, TRUE, 2);
  g_autofree char *without = NULL;

  g_assert_cmpstr (table, ==,
                   "Name    Carrier              Input shapes         Calls  Total (ns)  Self total (ns)  Mean (ns)  Min (ns)  Max (ns)\n"
                   "------  -------------------  -------------------  -----  ----------  ---------------  ---------  --------  --------\n"
                   "matmul  Strideweave.FakeCPU  ((2, (3, 4)), None)      1      123456              100   123456.0    123456    123456\n"
                   "relu    FakeCarrier          ((5,),)                  1           7                7        7.0         7         7" +
                       0);
  fake->records_shapes = FALSE;
  without = table_of (&source, "name", FALSE, TRUE, 1);
  g_assert_nonnull (strstr (without, "  None          "));
}

static void
test_empty (void)
{
  /* Covers: 12.10 */
  g_autoptr (FakeEvents) empty = fake_events_new ();
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource nothing = fake_events_get_source (empty);
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *table = table_of (&nothing, NULL, TRUE, FALSE, -1);
  g_autofree char *with_shapes = table_of (&nothing, NULL, TRUE, TRUE, -1);
  g_autofree char *no_rows = table_of (&source, NULL, TRUE, FALSE, 0);

  g_assert_cmpstr (table, ==,
                   "Name  Carrier  Calls  Total (ns)  Self total (ns)  Mean (ns)  Min (ns)  Max (ns)\n"
                   "----  -------  -----  ----------  ---------------  ---------  --------  --------");
  g_assert_cmpstr (with_shapes, ==,
                   "Name  Carrier  Input shapes  Calls  Total (ns)  Self total (ns)  Mean (ns)  Min (ns)  Max (ns)\n"
                   "----  -------  ------------  -----  ----------  ---------------  ---------  --------  --------");
  g_assert_cmpstr (no_rows, ==, table);
}

/* The carriers' and names' columns, joined. */
static char *
first_columns (const char *table)
{
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 2; lines[i] != NULL; i++)
    g_string_append_printf (text, "%.*s ", (int) strcspn (lines[i], " "), lines[i]);
  return g_string_free (text, FALSE);
}

static void
test_sort (void)
{
  /* Covers: 12.2, 12.7 */
  g_autoptr (FakeEvents) fake = fake_events_new ();
  SwEventSource source;
  const struct
  {
    const char *field, *ascending, *descending;
  } cases[] = {
    { "name", "a b c d ", "d c b a " },
    { "carrier_type", "b c a d ", "a d b c " },
    { "input_shapes", "a b c d ", "a b c d " },
    { "count", "a b d c ", "c a b d " },
    { "total_time_ns", "b a c d ", "c d a b " },
    { "self_total_time_ns", "d a c b ", "b a c d " },
    { "mean_time_ns", "c b a d ", "d a b c " },
    { "min_time_ns", "c b a d ", "d a b c " },
    { "max_time_ns", "c b a d ", "d a b c " },
  };

  fake_events_add_site (fake, "d", fake_type ("FakeZ"), G_TYPE_OBJECT);
  fake_events_add_site (fake, "c", fake_type ("FakeA"), G_TYPE_OBJECT);
  fake_events_add_site (fake, "b", fake_type ("FakeA"), G_TYPE_OBJECT);
  fake_events_add_site (fake, "a", fake_type ("FakeZ"), G_TYPE_OBJECT);
  fake_events_add (fake, 0, 0, SW_EVENT_NO_PARENT, 0, 40, 1, TRUE);
  for (guint i = 0; i < 4; i++)
    fake_events_add (fake, 1, 0, SW_EVENT_NO_PARENT, 0, 10, 1, TRUE);
  fake_events_add (fake, 2, 0, SW_EVENT_NO_PARENT, 0, 20, 9, TRUE);
  fake_events_add (fake, 3, 0, SW_EVENT_NO_PARENT, 0, 30, 4, TRUE);
  source = fake_events_get_source (fake);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *up = table_of (&source, cases[i].field, FALSE, FALSE, -1);
      g_autofree char *down = table_of (&source, cases[i].field, TRUE, FALSE, -1);
      g_autofree char *up_names = first_columns (up);
      g_autofree char *down_names = first_columns (down);

      g_assert_cmpstr (up_names, ==, cases[i].ascending);
      g_assert_cmpstr (down_names, ==, cases[i].descending);
    }
}

static void
assert_refused (const char *sort_by,
                gint64 row_limit,
                const char *message)
{
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_event_source_dup_table (&source, sort_by, TRUE, FALSE, row_limit, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, message);
}

#define FIELDS                                                                                                \
  " is not one of name, carrier_type, input_shapes, count, total_time_ns, self_total_time_ns, mean_time_ns, " \
  "min_time_ns, max_time_ns"

static void
test_bad_input (void)
{
  assert_refused ("calls", -1, "sort field 'calls'" FIELDS);
  assert_refused ("", -1, "sort field ''" FIELDS);
  assert_refused ("NAME", -1, "sort field 'NAME'" FIELDS);
  assert_refused ("a\n'\xff", -1, "sort field 'a\\n\\'\\xff'" FIELDS);
  assert_refused (NULL, -2, "row_limit is -2, but must not be negative, or be -1 for all rows");
  assert_refused (NULL, G_MININT64,
                  "row_limit is -9223372036854775808, but must not be negative, or be -1 for all rows");
}

static void
test_large_limit (void)
{
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *all = table_of (&source, NULL, TRUE, FALSE, -1);
  g_autofree char *many = table_of (&source, NULL, TRUE, FALSE, G_MAXINT64);

  g_assert_cmpstr (many, ==, all);
}

static void
test_dropped (void)
{
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *before = table_of (&source, NULL, TRUE, FALSE, -1);
  g_autofree char *after = NULL;
  g_autofree char *expected = g_strconcat (before, "\n3 more events found no memory to be kept in", NULL);

  source.n_dropped = 3;
  after = table_of (&source, NULL, TRUE, FALSE, -1);
  g_assert_cmpstr (after, ==, expected);
}

/* Each line as wide as the header, no space at its end, and all of it text that a terminal shows as it is. */
static void
assert_aligned (const char *table,
                guint n_rows)
{
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);

  g_assert_true (g_utf8_validate (table, -1, NULL));
  g_assert_cmpuint (g_strv_length (lines), ==, 2 + n_rows);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_assert_cmpint (g_utf8_strlen (lines[i], -1), ==, g_utf8_strlen (lines[0], -1));
      g_assert_false (g_str_has_suffix (lines[i], " "));
      for (const char *c = lines[i]; *c != '\0'; c = g_utf8_next_char (c))
        g_assert_true (g_unichar_type (g_utf8_get_char (c)) != G_UNICODE_CONTROL);
    }
}

static void
test_random (void)
{
  for (guint round = 0; round < 20; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (g_test_rand_int_range (0, 300));
      SwEventSource source = fake_events_get_source (fake);

      for (guint shapes = 0; shapes < 2; shapes++)
        {
          g_autoptr (GPtrArray) rows = sw_event_source_dup_key_averages (&source, shapes);
          g_autofree char *table = table_of (&source, "mean_time_ns", TRUE, shapes, -1);
          g_autofree char *again = table_of (&source, "mean_time_ns", TRUE, shapes, -1);
          g_autofree char *limited = table_of (&source, "mean_time_ns", TRUE, shapes, 3);

          g_assert_cmpstr (again, ==, table);
          assert_aligned (table, rows->len);
          assert_aligned (limited, MIN (rows->len, 3));
        }
    }
}

/* Long names are shortened, but stay different where they differ at the end; names that look alike do not. */
static void
test_names (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();
  g_autofree char *x = fake_long_name ("x");
  g_autofree char *y = fake_long_name ("\xc3\xbc");
  SwEventSource source;
  g_autofree char *table = NULL;

  fake_events_add_site (fake, x, G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, y, G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, "a\nb", G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, "a\\nb", G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, "\xff", G_TYPE_OBJECT, G_TYPE_OBJECT);
  for (guint i = 0; i < 5; i++)
    fake_events_add (fake, i, 0, SW_EVENT_NO_PARENT, 0, 1, 1, TRUE);
  source = fake_events_get_source (fake);
  table = table_of (&source, "name", FALSE, FALSE, -1);
  assert_aligned (table, 5);
  g_assert_nonnull (strstr (table, "\na\\nb "));
  g_assert_nonnull (strstr (table, "\na\\\\nb "));
  g_assert_nonnull (strstr (table, "\n\\xff "));
  g_assert_nonnull (strstr (table, "\nabcdefghijklmnopqrstuvwxyzabc…"));
  g_assert_nonnull (strstr (table, "x  GObject"));
  g_assert_nonnull (strstr (table, "\xc3\xbc  GObject"));
  g_assert_cmpint (strcspn (strchr (table, '\n') + 1, " "), ==, 60);
}

static void
test_locale (void)
{
  g_autoptr (FakeEvents) fake = make_events ();
  SwEventSource source = fake_events_get_source (fake);
  g_autofree char *before = table_of (&source, NULL, TRUE, TRUE, -1);
  g_autofree char *after = NULL;
  const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8" };
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (locales) && !found; i++)
    found = setlocale (LC_ALL, locales[i]) != NULL;
  if (!found)
    {
      g_test_skip ("no locale with a decimal comma");
      return;
    }
  after = table_of (&source, NULL, TRUE, TRUE, -1);
  setlocale (LC_ALL, "C");
  g_assert_cmpstr (after, ==, before);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler-table/layout", test_layout);
  g_test_add_func ("/profiler-table/shapes", test_shapes);
  g_test_add_func ("/profiler-table/empty", test_empty);
  g_test_add_func ("/profiler-table/sort", test_sort);
  g_test_add_func ("/profiler-table/bad-input", test_bad_input);
  g_test_add_func ("/profiler-table/large-limit", test_large_limit);
  g_test_add_func ("/profiler-table/dropped", test_dropped);
  g_test_add_func ("/profiler-table/random", test_random);
  g_test_add_func ("/profiler-table/names", test_names);
  g_test_add_func ("/profiler-table/locale", test_locale);
  return g_test_run ();
}
