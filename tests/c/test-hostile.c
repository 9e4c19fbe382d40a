/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "strideweave.h"

#include <sys/wait.h>
#include <unistd.h>

/* As g_object_new () of a language that has no other way to make objects: no constructor has given it anything. */
static SwCarrier *
new_unfinished (GType type)
{
  return g_object_new (type, NULL);
}

static void
assert_unfinished (GError **error)
{
  g_assert_error (*error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr ((*error)->message, "carrier is an unfinished "));
  g_clear_error (error);
}

static void
check_unfinished (SwCarrier *carrier)
{
  g_autoptr (SwValueList) values = sw_value_list_new (NULL, 0);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sw_carrier_size (carrier, &error), ==, 0);
  g_assert_no_error (error);
  g_assert_false (sw_carrier_is_mutable (carrier, &error));
  g_assert_no_error (error);
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_FLOAT32));

  g_assert_cmpint (sw_carrier_dtype (carrier, &error), ==, SW_DTYPE_INVALID);
  assert_unfinished (&error);
  g_assert_null (sw_carrier_new_like (carrier, values, TRUE, SW_DTYPE_FLOAT32, &error));
  assert_unfinished (&error);
  g_assert_null (sw_carrier_allocate_like (carrier, 1, TRUE, SW_DTYPE_FLOAT32, FALSE, &error));
  assert_unfinished (&error);
  g_assert_null (sw_carrier_dispatch_op (carrier, "relu", &error));
  assert_unfinished (&error);
}

static void
test_unfinished (void)
{
  const GType types[] = { SW_TYPE_CPU, SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED, SW_TYPE_EVICTABLE };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      SwCarrier *carrier = new_unfinished (types[i]);
      g_autoptr (GError) error = NULL;

      check_unfinished (carrier);
      g_assert_true (sw_carrier_release (carrier, &error));
      g_assert_no_error (error);
      g_assert_finalize_object (carrier);
      g_assert_finalize_object (new_unfinished (types[i]));
    }
}

static void
test_unfinished_evictable (void)
{
  g_autoptr (SwCarrier) carrier = new_unfinished (SW_TYPE_EVICTABLE);
  g_autoptr (SwCarrier) cpu = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  SwEvictable *evictable = SW_EVICTABLE (carrier);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_evictable_get_primary (evictable));
  g_assert_null (sw_evictable_get_secondary (evictable));
  g_assert_false (sw_evictable_is_evicted (evictable));
  g_assert_false (sw_evictable_evict (evictable, &error));
  assert_unfinished (&error);
  g_assert_false (sw_evictable_promote (evictable, &error));
  assert_unfinished (&error);
  g_assert_null (sw_evictable_new (carrier, cpu, &error));
  assert_unfinished (&error);
  g_assert_false (sw_carrier_is_owned (cpu));
}

static void
test_foreign_object (void)
{
  g_auto (GValue) object = G_VALUE_INIT;
  g_autoptr (SwValue) value = NULL;
  g_autoptr (SwCarrier) cpu = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_value_init (&object, G_TYPE_POINTER);
  value = sw_value_new_foreign_object (&object, "bytes");
  text = sw_value_to_string (value);
  g_assert_cmpstr (text, ==, "<bytes>");
  g_assert_false (sw_carrier_set_value (cpu, 0, value, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "value <bytes> is not a Float32");
}

/* A capsule of Python, as far as a destructor sees it. */
typedef struct
{
  const char *name;
  guint64 content;
} Capsule;

static int
capsule_is_valid (gpointer capsule,
                  const char *name)
{
  return strcmp (((Capsule *) capsule)->name, name) == 0;
}

static gpointer
capsule_get_pointer (gpointer capsule,
                     const char *name)
{
  g_assert_true (capsule_is_valid (capsule, name));
  return (gpointer) (guintptr) ((Capsule *) capsule)->content;
}

static void
test_capsule (void)
{
  void (*destroy) (gpointer) = (void (*) (gpointer)) (guintptr) sw_buffer_get_capsule_destructor (
      (guintptr) capsule_is_valid, (guintptr) capsule_get_pointer);
  SwCarrier *carrier = sw_cpu_new (2, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwShape) shape = sw_shape_new ((const gint64[]){ 2 }, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  SwTensor *tensor = sw_tensor_new (carrier, 0, layout, NULL);
  SwBuffer *buffer = sw_buffer_new (tensor, NULL);
  Capsule unused = { "dltensor", sw_buffer_new_dlpack (buffer) };
  Capsule taken = { "used_dltensor", sw_buffer_new_dlpack (buffer) };

  g_assert_nonnull (destroy);
  sw_buffer_unref (buffer);
  destroy (&unused);
  destroy (&taken);
  /* The one that was taken is its taker's to free. */
  sw_buffer_free_dlpack (taken.content);
  sw_tensor_unref (tensor);
  g_assert_finalize_object (carrier);
}

static gboolean
count_one_session (void)
{
  g_autoptr (SwProfiler) own = sw_profiler_new (FALSE);

  return sw_profiler_enter (own, NULL) && sw_profiler_exit (own, NULL) && sw_profiler_count_events (own, NULL) == 0;
}

static void
test_fork (void)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (GError) error = NULL;
  pid_t child;
  int status;

  g_assert_true (sw_profiler_enter (profiler, &error));
  child = fork ();
  if (child == 0)
    _exit (count_one_session () && !sw_profiler_exit (profiler, NULL) ? 0 : 1);

  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_false (count_one_session ());
  g_assert_true (sw_profiler_exit (profiler, &error));
  g_assert_no_error (error);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/unfinished", test_unfinished);
  g_test_add_func ("/hostile/unfinished-evictable", test_unfinished_evictable);
  g_test_add_func ("/hostile/foreign-object", test_foreign_object);
  g_test_add_func ("/hostile/capsule", test_capsule);
  g_test_add_func ("/hostile/fork", test_fork);
  return g_test_run ();
}
