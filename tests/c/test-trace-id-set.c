/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib.h>

#include "sw-profiler/export/sw-trace-id-set-private.h"

/* Bytes for each member, and for none. */
#define MOST_BYTES_EACH 40
#define MOST_BYTES_ALONE 256

static void
add (SwTraceIdSet *set,
     GHashTable *model,
     guint32 id)
{
  gboolean is_new = !g_hash_table_contains (model, GUINT_TO_POINTER (id));

  g_assert_cmpint (sw_trace_id_set_has (set, id), ==, !is_new);
  g_assert_cmpint (sw_trace_id_set_add (set, id), ==, is_new);
  g_assert_true (sw_trace_id_set_has (set, id));
  g_hash_table_add (model, GUINT_TO_POINTER (id));
  g_assert_cmpuint (set->n, ==, g_hash_table_size (model));
  g_assert_cmpuint (set->n_bytes + sizeof (guint32) * set->n_slots, <=, MOST_BYTES_ALONE + MOST_BYTES_EACH * (gsize) set->n);
}

static void
check_all (const SwTraceIdSet *set,
           GHashTable *model,
           guint32 limit)
{
  GHashTableIter iter;
  gpointer id;

  for (guint32 i = 0; i < limit; i++)
    g_assert_cmpint (sw_trace_id_set_has (set, i), ==, g_hash_table_contains (model, GUINT_TO_POINTER (i)));
  g_hash_table_iter_init (&iter, model);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_assert_true (sw_trace_id_set_has (set, GPOINTER_TO_UINT (id)));
}

static void
test_empty (void)
{
  SwTraceIdSet set = { 0 };

  g_assert_false (sw_trace_id_set_has (&set, 0));
  g_assert_false (sw_trace_id_set_has (&set, G_MAXUINT32));
  sw_trace_id_set_clear (&set);
}

static void
test_steps (void)
{
  static const guint32 steps[] = { 1, 3, 64, 65, 1000, 100003 };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      SwTraceIdSet set = { 0 };
      g_autoptr (GHashTable) model = g_hash_table_new (NULL, NULL);

      for (guint32 k = 0; k < 5000; k++)
        add (&set, model, k * steps[i]);
      add (&set, model, G_MAXUINT32);
      for (guint32 k = 5000; k > 0; k--)
        add (&set, model, (k - 1) * steps[i]);
      check_all (&set, model, 20000);
      sw_trace_id_set_clear (&set);
    }
}

/* High ones first, which the bits reach later. */
static void
test_any_order (void)
{
  for (guint round = 0; round < 20; round++)
    {
      SwTraceIdSet set = { 0 };
      g_autoptr (GHashTable) model = g_hash_table_new (NULL, NULL);
      gint32 limit = 1 << g_test_rand_int_range (4, 20);

      for (guint k = 0; k < 3000; k++)
        add (&set, model, (guint32) g_test_rand_int_range (0, limit));
      check_all (&set, model, (guint32) limit);
      sw_trace_id_set_clear (&set);
      g_assert_false (sw_trace_id_set_has (&set, 0));
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-id-set/empty", test_empty);
  g_test_add_func ("/trace-id-set/steps", test_steps);
  g_test_add_func ("/trace-id-set/any-order", test_any_order);
  return g_test_run ();
}
