/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tier-fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct
{
  ShelfBehaviour behaviour;
  gboolean primary_is_shelf;
  gboolean promotes;
} Failure;

static const Failure failures[] = {
  { SHELF_FAILS_TO_ALLOCATE, FALSE, FALSE }, /* the bigger secondary */
  { SHELF_FAILS_TO_ALLOCATE, TRUE, FALSE },  /* the empty primary */
  { SHELF_FAILS_TO_ALLOCATE, FALSE, TRUE },  /* the empty secondary */
  { SHELF_FAILS_TO_ALLOCATE, TRUE, TRUE },   /* the new primary */
  { SHELF_FAILS_TO_ALLOCATE_EMPTY, TRUE, FALSE },
  { SHELF_FAILS_TO_ALLOCATE_EMPTY, FALSE, TRUE },
  { SHELF_ALLOCATES_ANOTHER_CLASS, FALSE, FALSE },
  { SHELF_ALLOCATES_ANOTHER_CLASS, TRUE, FALSE },
  { SHELF_ALLOCATES_ANOTHER_CLASS, FALSE, TRUE },
  { SHELF_ALLOCATES_ANOTHER_CLASS, TRUE, TRUE },
  { SHELF_FAILS_TO_MOVE, FALSE, FALSE },
  { SHELF_FAILS_TO_MOVE, TRUE, FALSE },
  { SHELF_FAILS_TO_MOVE, FALSE, TRUE },
  { SHELF_FAILS_TO_MOVE, TRUE, TRUE },
  { SHELF_MOVES_AND_FAILS, TRUE, FALSE },
  { SHELF_MOVES_AND_FAILS, FALSE, TRUE },
  { SHELF_MOVES_TO_NOTHING, FALSE, FALSE },
  { SHELF_MOVES_TO_NOTHING, TRUE, TRUE },
  { SHELF_MOVES_TO_THE_SOURCE, TRUE, FALSE },
  { SHELF_MOVES_TO_THE_SOURCE, FALSE, TRUE },
};

static void
fail_transition (const Failure *failure,
                 GType other_type)
{
  GType primary_type = failure->primary_is_shelf ? shelf_get_type () : other_type;
  GType secondary_type = failure->primary_is_shelf ? other_type : shelf_get_type ();
  SwEvictable *carrier = new_hierarchy (primary_type, secondary_type);
  g_autoptr (SwCarrier) primary = NULL;
  g_autoptr (SwCarrier) secondary = NULL;
  g_autoptr (SwCarrier) primary_after = NULL;
  g_autoptr (SwCarrier) secondary_after = NULL;
  int n_before;
  GError *error = NULL;

  if (failure->promotes)
    evict (carrier);
  primary = sw_evictable_get_primary (carrier);
  secondary = sw_evictable_get_secondary (carrier);
  n_before = n_shelves;

  shelf_behaviour = failure->behaviour;
  if (failure->promotes)
    g_assert_false (sw_evictable_promote (carrier, &error));
  else
    g_assert_false (sw_evictable_evict (carrier, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  shelf_behaviour = SHELF_BEHAVES;

  primary_after = sw_evictable_get_primary (carrier);
  secondary_after = sw_evictable_get_secondary (carrier);
  g_assert_true (primary == primary_after);
  g_assert_true (secondary == secondary_after);
  g_assert_true (sw_carrier_is_owned (primary));
  g_assert_true (sw_carrier_is_owned (secondary));
  g_assert_false (sw_carrier_is_released (primary));
  g_assert_false (sw_carrier_is_released (secondary));
  g_assert_cmpint (n_shelves, ==, n_before);
  g_assert_cmpuint (sw_carrier_get_version (SW_CARRIER (carrier)), ==, 0);
  g_assert_true (sw_evictable_is_evicted (carrier) == failure->promotes);
  assert_numbers (failure->promotes ? secondary : SW_CARRIER (carrier), N_VALUES);

  evict (carrier);
  promote (carrier);
  g_assert_finalize_object (carrier);
}

static void
test_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      fail_transition (&failures[i], SW_TYPE_CPU);
      fail_transition (&failures[i], SW_TYPE_FILE_BACKED);
    }
  g_assert_cmpint (n_shelves, ==, 0);
}

static void
set_file_limit (rlim_t n_bytes)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (n_bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

static void
test_full_disk (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (carrier);
  GError *error = NULL;

  set_file_limit (10);
  g_assert_false (sw_evictable_evict (carrier, &error));
  assert_sw_error (error, SW_ERROR_IO, "File too large");
  set_file_limit (RLIM_INFINITY);

  g_assert_false (sw_evictable_is_evicted (carrier));
  g_assert_cmpint (sw_carrier_size (secondary, NULL), ==, 0);
  assert_numbers (SW_CARRIER (carrier), N_VALUES);
  evict (carrier);
  promote (carrier);
}

static void
test_damaged (void)
{
  const GType types[] = { SW_TYPE_CPU, SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SwEvictable) carrier = new_hierarchy (types[i], SW_TYPE_FILE_BACKED);
      g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (carrier);
      const char *path = sw_file_backed_get_path (SW_FILE_BACKED (secondary));
      g_autofree char *contents = NULL;
      GError *error = NULL;
      gsize length;

      evict (carrier);
      g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
      g_assert_cmpint (truncate (path, 20), ==, 0);
      g_assert_false (sw_evictable_promote (carrier, &error));
      assert_sw_error (error, SW_ERROR_IO, path);
      g_assert_true (sw_evictable_is_evicted (carrier));
      g_assert_true (g_file_set_contents (path, contents, length, NULL));
      promote (carrier);
    }
}

static SwEvictable *moving;

static void
meddle (void)
{
  GError *error = NULL;

  g_assert_false (sw_evictable_evict (moving, &error));
  assert_sw_error (error, SW_ERROR_STATE, "moving between its tiers");
  g_assert_false (sw_evictable_promote (moving, &error));
  assert_sw_error (error, SW_ERROR_STATE, "moving between its tiers");
  g_assert_false (set_number (SW_CARRIER (moving), 0, 1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
}

static void
release_moving (void)
{
  GError *error = NULL;

  g_assert_true (sw_carrier_release (SW_CARRIER (moving), &error));
  g_assert_no_error (error);
}

/* What a foreign move function may do to the hierarchy that it moves. */
static void
test_meddling (void)
{
  SwEvictable *carrier = new_hierarchy (shelf_get_type (), SW_TYPE_CPU);
  SwCarrier *primary;
  SwCarrier *secondary;

  moving = carrier;
  shelf_on_move = meddle;
  evict (carrier);
  shelf_on_move = NULL;
  promote (carrier);

  shelf_on_move = release_moving;
  evict (carrier);
  shelf_on_move = NULL;
  primary = sw_evictable_get_primary (carrier);
  secondary = sw_evictable_get_secondary (carrier);
  g_assert_true (sw_carrier_is_released (primary));
  g_assert_true (sw_carrier_is_released (secondary));
  g_assert_false (sw_carrier_is_owned (secondary));

  g_assert_finalize_object (carrier);
  g_assert_finalize_object (primary);
  g_assert_finalize_object (secondary);
  g_assert_cmpint (n_shelves, ==, 0);
}

static SwCarrier *lent;
static SwCarrier *thief;

static void
steal (void)
{
  GError *error = NULL;

  sw_carrier_claim (lent, thief, "lent", &error);
  g_assert_no_error (error);
}

/* Somebody claims the secondary while a foreign function has it for writing. */
static void
test_stolen (void)
{
  g_autoptr (SwCarrier) primary = new_numbers (SW_TYPE_CPU, N_VALUES);
  g_autoptr (SwCarrier) secondary = new_numbers (shelf_get_type (), N_VALUES);
  g_autoptr (SwCarrier) carrier = sw_evictable_new (primary, secondary, NULL);
  GError *error = NULL;

  lent = secondary;
  thief = new_numbers (SW_TYPE_CPU, 1);
  shelf_on_move = steal;
  g_assert_false (sw_evictable_evict (SW_EVICTABLE (carrier), &error));
  assert_sw_error (error, SW_ERROR_STATE, "composite");
  shelf_on_move = NULL;
  assert_numbers (carrier, N_VALUES);

  evict (SW_EVICTABLE (carrier));
  g_assert_false (sw_carrier_is_released (secondary));
  g_assert_true (sw_carrier_is_owned (secondary));
  promote (SW_EVICTABLE (carrier));
  sw_carrier_relinquish (secondary, thief);
  g_assert_finalize_object (g_steal_pointer (&thief));
}

int
main (int argc,
      char **argv)
{
  signal (SIGXFSZ, SIG_IGN);
  g_test_init (&argc, &argv, NULL);
  shelf_register_moves ();
  g_test_add_func ("/evictable-failures/failures", test_failures);
  g_test_add_func ("/evictable-failures/full-disk", test_full_disk);
  g_test_add_func ("/evictable-failures/damaged", test_damaged);
  g_test_add_func ("/evictable-failures/meddling", test_meddling);
  g_test_add_func ("/evictable-failures/stolen", test_stolen);
  return g_test_run ();
}
