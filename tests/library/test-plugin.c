/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A module records and is unloaded; what it recorded keeps its names. */
#include "plugin.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>

#define OPERATION "an operation that the plugin names"

/* --- A GTypeModule that dlopen () loads --- */

typedef struct
{
  GTypeModule parent_instance;
  const char *path;
  void *handle;
  const Plugin *plugin;
} Loader;

typedef struct
{
  GTypeModuleClass parent_class;
} LoaderClass;

GType
loader_get_type (void);
G_DEFINE_TYPE (Loader, loader, G_TYPE_TYPE_MODULE)

static gboolean
loader_load (GTypeModule *module)
{
  Loader *self = (Loader *) module;

  self->handle = dlopen (self->path, RTLD_NOW | RTLD_LOCAL);
  if (self->handle == NULL)
    g_error ("%s", dlerror ());
  self->plugin = dlsym (self->handle, PLUGIN_SYMBOL);
  g_assert_nonnull (self->plugin);
  self->plugin->register_carrier (module);
  return TRUE;
}

static void
loader_unload (GTypeModule *module)
{
  Loader *self = (Loader *) module;

  g_assert_cmpint (dlclose (self->handle), ==, 0);
  self->plugin = NULL;
}

static void
loader_class_init (LoaderClass *klass)
{
  G_TYPE_MODULE_CLASS (klass)->load = loader_load;
  G_TYPE_MODULE_CLASS (klass)->unload = loader_unload;
}

static void
loader_init (Loader *self)
{
}

static gboolean
is_loaded (const char *path)
{
  void *handle = dlopen (path, RTLD_NOW | RTLD_NOLOAD);

  if (handle != NULL)
    dlclose (handle);
  return handle != NULL;
}

/* --- Tests --- */

static SwProfiler *
record_and_unload (const char *path)
{
  Loader *loader = g_object_new (loader_get_type (), NULL);
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_new (TRUE);
  SwCarrier *carrier;

  loader->path = path;
  g_assert_true (g_type_module_use (&loader->parent_instance));
  g_assert_true (is_loaded (path));
  carrier = g_object_new (g_type_from_name ("PluginCarrier"), NULL);
  sw_profiler_enter (profiler, &error);
  g_assert_no_error (error);
  loader->plugin->run (carrier);
  loader->plugin->run (carrier);
  sw_profiler_exit (profiler, &error);
  g_assert_no_error (error);
  g_object_unref (carrier);
  g_type_module_unuse (&loader->parent_instance);
  return profiler;
}

static void
check_text (const char *text)
{
  g_assert_nonnull (strstr (text, OPERATION));
  g_assert_nonnull (strstr (text, "plugin.Carrier"));
}

static void
check_results (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events = sw_profiler_dup_events (profiler, &error);
  g_autoptr (GPtrArray) rows = sw_profiler_dup_key_averages (profiler, TRUE, &error);
  g_autofree char *table = sw_profiler_dup_table (profiler, NULL, TRUE, TRUE, -1, &error);
  g_autofree char *text = NULL, *saved = NULL;
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "strideweave-plugin-XXXXXX", NULL);
  int file = g_mkstemp (path);

  g_assert_no_error (error);
  g_close (file, NULL);
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[1]), ==, OPERATION);
  g_assert_cmpstr (g_type_name (sw_profiler_event_get_carrier_type (events->pdata[1])), ==, "PluginCarrier");
  g_assert_cmpstr (g_type_name (sw_profiler_event_get_implementation_type (events->pdata[1])), ==, "PluginOperation");
  g_assert_cmpuint (rows->len, ==, 1);
  check_text (table);
  text = sw_profiler_event_to_string (events->pdata[0]);
  g_assert_nonnull (strstr (text, OPERATION));
  sw_profiler_save_json (profiler, path, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &saved, NULL, &error);
  g_assert_no_error (error);
  check_text (saved);
  g_assert_nonnull (strstr (saved, "PluginOperation"));
  g_remove (path);
}

static void
test_names_outlive_their_module (gconstpointer path)
{
  g_autoptr (SwProfiler) profiler = record_and_unload (path);

  /* A sanitizer may keep modules for its reports; the texts are then not gone, and this shows less. */
  if (is_loaded (path))
    g_test_message ("the module stays loaded");
  check_results (profiler);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  g_test_add_data_func ("/plugin/names-outlive-their-module", argv[1], test_names_outlive_their_module);
  return g_test_run ();
}
