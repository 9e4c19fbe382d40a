/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A race, made on purpose, through the test harness of GLib: ThreadSanitizer must see it whatever is suppressed. */
#include <glib.h>
#include <pthread.h>

static int counter;

static void *
count (void *unused)
{
  for (int i = 0; i < 1000; i++)
    counter++;
  return NULL;
}

static void
test_race (void)
{
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, count, NULL), ==, 0);
  count (NULL);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/race/seen", test_race);
  return g_test_run ();
}
