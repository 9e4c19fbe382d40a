/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/tensor/sw-carrier-private.h"

#include <pthread.h>

/* Plain threads and atomics: what a sanitizer sees here is the library's own order of events, not GLib's. */

#define N_READERS 3
#define N_ITEMS 16

static guint
n_rounds (void)
{
  return g_test_thorough () ? 5000 : 200;
}

typedef struct
{
  SwCarrier *carrier;
  gint64 items[N_ITEMS];
  pthread_barrier_t start;
  gint n_destroyed;
  gint n_wrong;
  gint n_reads;
} Round;

/* The memory's owner takes it back, as free () would: whoever still reads now, reads garbage, and races. */
static void
take_back (gpointer data)
{
  Round *round = data;

  for (guint i = 0; i < N_ITEMS; i++)
    round->items[i] = -1;
  round->n_destroyed++;
}

static gpointer
read_until_released (gpointer data)
{
  Round *round = data;
  SwStorage storage;

  pthread_barrier_wait (&round->start);
  while (sw_carrier_hold (round->carrier, &storage, NULL))
    {
      const gint64 *items = storage.data;

      for (guint i = 0; i < N_ITEMS; i++)
        {
          if (items[i] != i)
            __atomic_fetch_add (&round->n_wrong, 1, __ATOMIC_RELAXED);
        }
      __atomic_fetch_add (&round->n_reads, 1, __ATOMIC_RELAXED);
      sw_carrier_drop (round->carrier);
    }

  return NULL;
}

static gpointer
release (gpointer data)
{
  Round *round = data;

  pthread_barrier_wait (&round->start);
  while (__atomic_load_n (&round->n_reads, __ATOMIC_RELAXED) < N_READERS)
    sched_yield ();
  g_assert_true (sw_carrier_release (round->carrier, NULL));
  return NULL;
}

/* Two threads release, others read: the memory goes once, and under nobody. */
static void
test_release_under_readers (void)
{
  for (guint i = 0; i < n_rounds (); i++)
    {
      Round round = { 0 };
      pthread_t threads[N_READERS + 2];

      for (guint j = 0; j < N_ITEMS; j++)
        round.items[j] = j;
      round.carrier = sw_cpu_new_for_memory (N_ITEMS, (gsize) round.items, TRUE, SW_DTYPE_INT64, take_back, &round, NULL);
      pthread_barrier_init (&round.start, NULL, G_N_ELEMENTS (threads));
      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        pthread_create (&threads[j], NULL, j < N_READERS ? read_until_released : release, &round);
      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        pthread_join (threads[j], NULL);

      g_assert_cmpint (round.n_wrong, ==, 0);
      g_assert_cmpint (round.n_destroyed, ==, 1);
      g_assert_finalize_object (round.carrier);
      g_assert_cmpint (round.n_destroyed, ==, 1);
      pthread_barrier_destroy (&round.start);
    }
}

typedef struct
{
  SwCarrier *carrier;
  SwCarrier *owner;
  pthread_barrier_t start;
  gboolean released;
  gboolean claimed[2];
} Claim;

static gpointer
try_claim (Claim *claim,
           guint i)
{
  pthread_barrier_wait (&claim->start);
  claim->claimed[i] = sw_carrier_claim (claim->carrier, claim->owner, "primary", NULL);
  return NULL;
}

static gpointer
claim_first (gpointer data)
{
  return try_claim (data, 0);
}

static gpointer
claim_second (gpointer data)
{
  return try_claim (data, 1);
}

static gpointer
try_release (gpointer data)
{
  Claim *claim = data;

  pthread_barrier_wait (&claim->start);
  claim->released = sw_carrier_release (claim->carrier, NULL);
  return NULL;
}

/* A carrier gets one owner or is released, never both and never two. */
static void
test_claims_and_release (void)
{
  static gpointer (*const functions[]) (gpointer data) = { claim_first, claim_second, try_release };

  for (guint i = 0; i < n_rounds (); i++)
    {
      Claim claim = { sw_cpu_new (1, TRUE, SW_DTYPE_BOOL, FALSE, NULL), sw_cpu_new (1, TRUE, SW_DTYPE_BOOL, FALSE, NULL) };
      pthread_t threads[G_N_ELEMENTS (functions)];

      pthread_barrier_init (&claim.start, NULL, G_N_ELEMENTS (threads));
      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        pthread_create (&threads[j], NULL, functions[j], &claim);
      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        pthread_join (threads[j], NULL);

      g_assert_cmpint (claim.claimed[0] + claim.claimed[1] + claim.released, ==, 1);
      g_assert_cmpint (sw_carrier_is_released (claim.carrier), ==, claim.released);
      g_assert_cmpint (sw_carrier_is_owned (claim.carrier), ==, !claim.released);
      if (!claim.released)
        sw_carrier_relinquish (claim.carrier, claim.owner);
      g_assert_finalize_object (claim.carrier);
      g_assert_finalize_object (claim.owner);
      pthread_barrier_destroy (&claim.start);
    }
}

static gpointer
exchange_values (gpointer data)
{
  SwCarrier *carrier = data;

  for (guint i = 0; i < 20 * n_rounds (); i++)
    {
      g_autoptr (SwValue) fresh = sw_value_new_int64 (i);
      g_autoptr (SwValue) found = NULL;

      g_assert_true (sw_carrier_set_value (carrier, i % 2, fresh, NULL));
      found = sw_carrier_get_value (carrier, i % 2, NULL);
      g_assert_nonnull (found);
    }

  return NULL;
}

/* Values of Any that one thread replaces while another reads them stay whole. */
static void
test_values_of_any (void)
{
  SwValue *nothing[2] = { NULL, NULL };
  g_autoptr (SwValueList) values = sw_value_list_new (nothing, 2);
  SwCarrier *carrier = sw_generic_new (values, TRUE, SW_DTYPE_ANY, NULL);
  pthread_t threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_create (&threads[i], NULL, exchange_values, carrier);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);

  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, G_N_ELEMENTS (threads) * 20 * n_rounds ());
  g_assert_finalize_object (carrier);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/carrier-threads/release-under-readers", test_release_under_readers);
  g_test_add_func ("/carrier-threads/claims-and-release", test_claims_and_release);
  g_test_add_func ("/carrier-threads/values-of-any", test_values_of_any);
  return g_test_run ();
}
