/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sw/base/sw-site-name-private.h"
#include "sw/base/sw-site-registry-private.h"

#define N_THREADS 8
#define N_NAMES 500

static void
test_same_site (void)
{
  guint32 first = sw_site_registry_intern ("a.c", 10, "main", "load");

  g_assert_cmpuint (first, >, 0);
  g_assert_cmpuint (sw_site_registry_intern ("a.c", 10, "main", "load"), ==, first);
  g_assert_cmpuint (sw_site_registry_intern ("b.c", 10, "main", "load"), !=, first);
  g_assert_cmpuint (sw_site_registry_intern ("a.c", 11, "main", "load"), !=, first);
  g_assert_cmpuint (sw_site_registry_intern ("a.c", 10, "other", "load"), !=, first);
  g_assert_cmpuint (sw_site_registry_intern ("a.c", 10, "main", "save"), !=, first);
  /* Where one text ends and the next begins counts. */
  g_assert_cmpuint (sw_site_registry_intern ("a.cm", 10, "ain", "load"), !=, first);
}

static void
test_fields (void)
{
  guint32 id = sw_site_registry_intern ("dir/file.cc", 77, "void ns::Box<int>::open(int) const", "opening");
  const SwSite *site = sw_site_registry_get (id);

  g_assert_cmpuint (site->id, ==, id);
  g_assert_cmpuint (site->line, ==, 77);
  g_assert_cmpstr (site->file, ==, "dir/file.cc");
  g_assert_cmpstr (site->signature, ==, "void ns::Box<int>::open(int) const");
  g_assert_cmpstr (site->function, ==, "ns::Box<int>::open");
  g_assert_cmpstr (site->name, ==, "opening");
}

static void
test_missing (void)
{
  guint32 id = sw_site_registry_intern (NULL, 0, NULL, NULL);

  g_assert_cmpstr (sw_site_registry_get (id)->name, ==, "");
  g_assert_cmpuint (sw_site_registry_intern ("", 0, "", ""), ==, id);
  g_assert_null (sw_site_registry_get (0));
  g_assert_null (sw_site_registry_get (sw_site_registry_count () + 1));
  g_assert_null (sw_site_registry_get (SW_SITE_MAX_SITES + 1));
  g_assert_null (sw_site_registry_get (G_MAXUINT32));
}

static void
test_names_are_copied (void)
{
  char name[] = "first";
  guint32 id = sw_site_registry_intern ("copied.c", 1, "f", name);

  memcpy (name, "other", sizeof name);
  g_assert_cmpstr (sw_site_registry_get (id)->name, ==, "first");
  g_assert_cmpuint (sw_site_registry_intern ("copied.c", 1, "f", name), !=, id);
}

static void
test_long_names (void)
{
  g_autofree char *a = g_strnfill (4096, 'x');
  g_autofree char *b = g_strdup (a);
  guint32 id;

  b[4095] = 'y';
  id = sw_site_registry_intern ("long.c", 1, "f", a);
  g_assert_cmpuint (sw_site_registry_intern ("long.c", 1, "f", b), !=, id);
  g_assert_cmpstr (sw_site_registry_get (id)->name, ==, a);
}

/* The ids that each thread got, for the same names. */
static guint32 found[N_THREADS][N_NAMES];

static void *
intern_names (void *data)
{
  guint32 *ids = data;

  for (int i = 0; i < N_NAMES; i++)
    {
      char name[32];

      g_snprintf (name, sizeof name, "name %d", i);
      ids[i] = sw_site_registry_intern ("threads.c", 5, "run", name);
      g_assert_cmpstr (sw_site_registry_get (ids[i])->name, ==, name);
      g_assert_cmpuint (sw_site_registry_count (), >=, ids[i]);
    }
  return NULL;
}

static void
test_threads (void)
{
  pthread_t threads[N_THREADS];
  g_autoptr (GHashTable) distinct = g_hash_table_new (NULL, NULL);

  for (int t = 0; t < N_THREADS; t++)
    g_assert_cmpint (pthread_create (&threads[t], NULL, intern_names, found[t]), ==, 0);
  for (int t = 0; t < N_THREADS; t++)
    pthread_join (threads[t], NULL);
  for (int i = 0; i < N_NAMES; i++)
    {
      g_assert_true (g_hash_table_add (distinct, GUINT_TO_POINTER (found[0][i])));
      for (int t = 1; t < N_THREADS; t++)
        g_assert_cmpuint (found[t][i], ==, found[0][i]);
    }
}

static void *
intern_until_told (void *data)
{
  const int *stop = data;

  /* Relaxed: nothing else is handed over. */
  for (guint32 i = 0; !__atomic_load_n (stop, __ATOMIC_RELAXED); i++)
    sw_site_registry_intern ("fork.c", i % 5000, "f", "busy");
  return NULL;
}

/* A child that is forked while other threads register goes on. */
static void
test_fork (void)
{
  pthread_t thread;
  int stop = 0;

  g_assert_cmpint (pthread_create (&thread, NULL, intern_until_told, &stop), ==, 0);
  for (int i = 0; i < 20; i++)
    {
      pid_t child = fork ();
      int status;

      if (child == 0)
        {
          alarm (20);
          _exit (sw_site_registry_intern ("child.c", i, "f", "child") != 0 ? 0 : 1);
        }
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_cmpint (status, ==, 0);
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  pthread_join (thread, NULL);
}

static void
test_shorten (void)
{
  static const struct
  {
    const char *signature, *function;
  } cases[] = {
    { "main", "main" },
    { "", "" },
    { "AmbientProfileOwner.record", "AmbientProfileOwner.record" },
    { "outer.<locals>.<lambda>", "outer.<locals>.<lambda>" },
    { "int main(int, char**)", "main" },
    { "void f()", "f" },
    { "static char *a::g(const char *)", "a::g" },
    { "const std::string& A::name() const", "A::name" },
    { "constexpr auto ns::f(T) [with T = int]", "ns::f" },
    { "std::map<int, std::pair<int, int> > ns::Box<T, U>::get(T (*)(U)) && [with T = int; U = char]", "ns::Box<T, U>::get" },
    { "bool A::operator()(int) const", "A::operator()" },
    { "bool operator<(const A&, const A&)", "operator<" },
    { "A::operator bool() const", "A::operator bool" },
    { "void* A::operator new(std::size_t)", "A::operator new" },
    { "int operator_count(int)", "operator_count" },
    { "void (anonymous namespace)::hidden(int)", "(anonymous namespace)::hidden" },
    { "main(int, char**)::<lambda(int)>", "main::<lambda(int)>" },
    { "A::~A()", "A::~A" },
    { "int f(", "f" },
    { "(", "(" },
    { "()", "()" },
    { "a<b(", "a<b(" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *function = sw_site_name_shorten (cases[i].signature);

      g_assert_cmpstr (function, ==, cases[i].function);
    }
}

/* Last: afterwards no more sites fit. */
static void
test_bound (void)
{
  guint32 known = sw_site_registry_intern ("bound.c", 0, "f", "bound");
  guint32 overflow;

  for (guint32 line = 1; sw_site_registry_count () < SW_SITE_MAX_SITES - 1; line++)
    sw_site_registry_intern ("bound.c", line, "f", "bound");
  overflow = sw_site_registry_intern ("bound.c", 0, "f", "one more");
  g_assert_cmpstr (sw_site_registry_get (overflow)->name, ==, SW_SITE_OVERFLOW_NAME);
  g_assert_cmpuint (sw_site_registry_intern ("bound.c", 0, "f", "another"), ==, overflow);
  g_assert_cmpuint (sw_site_registry_count (), ==, SW_SITE_MAX_SITES);
  g_assert_cmpuint (sw_site_registry_intern ("bound.c", 0, "f", "bound"), ==, known);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/site-registry/same-site", test_same_site);
  g_test_add_func ("/site-registry/fields", test_fields);
  g_test_add_func ("/site-registry/missing", test_missing);
  g_test_add_func ("/site-registry/names-are-copied", test_names_are_copied);
  g_test_add_func ("/site-registry/long-names", test_long_names);
  g_test_add_func ("/site-registry/threads", test_threads);
  g_test_add_func ("/site-registry/fork", test_fork);
  g_test_add_func ("/site-registry/shorten", test_shorten);
  g_test_add_func ("/site-registry/bound", test_bound);
  return g_test_run ();
}
