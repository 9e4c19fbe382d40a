/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-sysprof-collector.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-file-private.h"
#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-sysprof-capture-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-thread-private.h"

/* Each takes a number of the capture for good. What is beyond is not recorded, and counted. */
#define MAX_COUNTERS 4096

/**
 * SwSysprofCollector:
 *
 * Writes events as marks and counters into a capture that Sysprof opens, beside what Sysprof itself knows of the machine.
 *
 * A span is a mark with its category as the group, an instant a mark that lasts no time. A mark belongs to the process, so its
 * message names the thread, then the arguments and flows; the name again, where the format cut it at 39 bytes. Times are
 * those of CLOCK_MONOTONIC, as in all captures. About once a second, marks are handed to the operating system; what was
 * dropped is in the capture when it is closed, as metadata.
 *
 * The library has it where it was built with Sysprof's own: [func@Strideweave.SysprofCollector.is_available]. In the child of
 * a fork the collector writes nothing.
 */
struct _SwSysprofCollector
{
  SwCollector parent_instance;

  SwSysprofCapture *capture;
  guint fork_count;     /* whose capture it is */
  GHashTable *counters; /* type and name -> number */
  GString *message;
  guint64 n_pending; /* events since the last flush */
  gboolean has_failed;
};

G_DEFINE_FINAL_TYPE (SwSysprofCollector, sw_sysprof_collector, SW_TYPE_COLLECTOR)

static gboolean
is_inherited (SwSysprofCollector *self)
{
  return self->fork_count != sw_fork_get_count ();
}

static gboolean
fail (SwSysprofCollector *self,
      GError **error)
{
  int code = errno;

  self->has_failed = TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_IO, "the capture cannot be written: %s", g_strerror (code));
  return FALSE;
}

static void
attach (SwCollector *collector,
        const SwTraceSession *session)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (collector);
  g_autofree char *id =
      g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", session->id[0], session->id[1]);

  if (!is_inherited (self) && !self->has_failed)
    sw_sysprof_capture_add_metadata (self->capture, sw_clock_monotonic_ns (), "strideweave.session", id);
}

static void
put_field (GString *message,
           const char *key,
           const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_printf (message, "%s%s: %s", message->len > 0 ? ", " : "", key, valid != NULL ? valid : text);
}

static void
put_item (GString *message,
          const SwTraceItem *item)
{
  static const char *const steps[] = { "starts", "steps", "ends" };
  g_autoptr (GVariant) value = NULL;
  g_autofree char *key = NULL;
  g_autofree char *text = NULL;

  if (item->type == SW_TRACE_ITEM_FLOW)
    {
      text = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", item->value.v_uint64, steps[item->extra]);
      put_field (message, "flow", text);
      return;
    }
  value = g_variant_ref_sink (sw_trace_item_to_variant (item));
  key = g_utf8_make_valid (item->text, item->key_length);
  text = item->type == SW_TRACE_ITEM_STRING || item->type == SW_TRACE_ITEM_SHAPE ? g_variant_dup_string (value, NULL)
                                                                                 : g_variant_print (value, FALSE);
  put_field (message, key, text);
}

static const char *
describe (SwSysprofCollector *self,
          const SwTraceRecord *record,
          const char *name)
{
  const guint8 *end = record->items + record->items_size;

  g_string_truncate (self->message, 0);
  if (record->kind != SW_TRACE_EVENT_KIND_ASYNC_SPAN)
    {
      g_autofree char *thread = sw_lane_dup_name (record->lane);

      put_field (self->message, sw_lane_is_queue (record->lane) ? "queue" : "thread", thread);
    }
  if (strlen (name) >= 40)
    put_field (self->message, "name", name);
  for (const SwTraceItem *item = (const void *) record->items; (const guint8 *) item < end; item = sw_trace_item_next (item))
    put_item (self->message, item);
  if (record->interrupted)
    put_field (self->message, "interrupted", "true");
  return self->message->str;
}

static gboolean
take_mark (SwSysprofCollector *self,
           const SwTraceRecord *record)
{
  g_autofree char *name = g_utf8_make_valid (record->name, -1);
  g_autofree char *category = g_utf8_make_valid (record->category, -1);

  return sw_sysprof_capture_add_mark (self->capture, record->start_ns, record->duration_ns,
                                      *category != '\0' ? category : "strideweave", name,
                                      describe (self, record, name));
}

static guint
find_counter (SwSysprofCollector *self,
              const SwTraceRecord *record)
{
  g_autofree char *valid = g_utf8_make_valid (record->name, -1);
  g_autofree char *key = g_strconcat (record->is_integer ? "i" : "d", valid, NULL);
  guint counter = GPOINTER_TO_UINT (g_hash_table_lookup (self->counters, key));

  if (counter != 0 || g_hash_table_size (self->counters) >= MAX_COUNTERS)
    return counter;
  counter = sw_sysprof_capture_add_counter (self->capture, record->start_ns, valid, record->is_integer);
  if (counter != 0)
    g_hash_table_insert (self->counters, g_steal_pointer (&key), GUINT_TO_POINTER (counter));
  else
    self->has_failed = TRUE;
  return counter;
}

static gboolean
take (SwCollector *collector,
      const SwTraceRecord *record,
      GError **error)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (collector);
  gboolean succeeded;
  guint counter;

  if (is_inherited (self) || self->has_failed)
    return FALSE;
  if (record->kind != SW_TRACE_EVENT_KIND_COUNTER)
    {
      succeeded = take_mark (self, record);
    }
  else
    {
      counter = find_counter (self, record);
      if (counter == 0)
        return self->has_failed ? fail (self, error) : FALSE;
      succeeded = sw_sysprof_capture_set_counter (self->capture, record->start_ns, counter, record->value.integer,
                                                  record->value.real, record->is_integer);
    }
  if (!succeeded)
    {
      sw_collector_give_back (collector, self->n_pending);
      self->n_pending = 0;
      return fail (self, error);
    }
  self->n_pending++;
  return TRUE;
}

static gboolean
flush (SwCollector *collector,
       GError **error)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (collector);
  gboolean succeeded;

  if (is_inherited (self) || self->has_failed)
    return TRUE;
  succeeded = sw_sysprof_capture_flush (self->capture);
  if (!succeeded)
    /* Of what was on its way nobody can tell what arrived. */
    sw_collector_give_back (collector, self->n_pending);
  self->n_pending = 0;
  return succeeded || fail (self, error);
}

static gboolean
finish (SwCollector *collector,
        GError **error)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (collector);
  g_autofree char *dropped = g_strdup_printf ("%" G_GUINT64_FORMAT, sw_collector_get_dropped_count (collector));
  gboolean succeeded;

  if (is_inherited (self))
    return TRUE;
  if (!self->has_failed)
    sw_sysprof_capture_add_metadata (self->capture, sw_clock_monotonic_ns (), "strideweave.dropped", dropped);
  succeeded = flush (collector, error);
  g_clear_pointer (&self->capture, sw_sysprof_capture_free);
  return succeeded;
}

/**
 * sw_sysprof_collector_is_available:
 *
 * Returns whether the library was built with what writes captures.
 *
 * Returns: whether collectors can be made
 */
gboolean
sw_sysprof_collector_is_available (void)
{
  return sw_sysprof_capture_is_built ();
}

static gboolean
check_available (GError **error)
{
  if (sw_sysprof_capture_is_built ())
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
               "the library was built without libsysprof-capture-4, so it has no Sysprof collector");
  return FALSE;
}

static SwSysprofCollector *
new_for_fd (int fd,
            const char *what,
            GError **error)
{
  SwSysprofCapture *capture = sw_sysprof_capture_new (fd);
  SwSysprofCollector *self;

  if (capture == NULL)
    {
      int code = errno;

      close (fd);
      g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot write a capture to %s: %s", what, g_strerror (code));
      return NULL;
    }
  self = g_object_new (SW_TYPE_SYSPROF_COLLECTOR, NULL);
  self->capture = capture;
  return self;
}

/**
 * sw_sysprof_collector_new:
 * @path: (type filename): where to; Sysprof's own end in `.syscap`
 * @error: where an error goes
 *
 * Makes a collector, and its file, with mode 0600; no symbolic link is followed.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_UNSUPPORTED where the library was built without, or with
 *   %SW_ERROR_IO where the file cannot be written
 */
SwSysprofCollector *
sw_sysprof_collector_new (const char *path,
                          GError **error)
{
  gboolean is_regular;
  int fd;

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check_available (error))
    return NULL;
  fd = sw_trace_file_open (path, &is_regular);
  if (fd >= 0 && is_regular)
    return new_for_fd (fd, path, error);
  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot write a capture to %s: %s", path,
               fd >= 0 ? "it is no regular file" : g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return NULL;
}

/**
 * sw_sysprof_collector_new_for_session:
 * @error: where an error goes
 *
 * Makes a collector that writes into the capture of the Sysprof that started the program, which says so in the environment
 * variable `SYSPROF_TRACE_FD`.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_UNSUPPORTED where no Sysprof started the program, or the
 *   library was built without, or with %SW_ERROR_IO for a file that cannot be written
 */
SwSysprofCollector *
sw_sysprof_collector_new_for_session (GError **error)
{
  const char *value = g_getenv ("SYSPROF_TRACE_FD");
  guint64 number;
  int fd;

  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check_available (error))
    return NULL;
  if (value == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                   "the environment variable SYSPROF_TRACE_FD is not set: no Sysprof waits for marks of this program");
      return NULL;
    }
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT, &number, NULL) ||
      (fd = fcntl ((int) number, F_DUPFD_CLOEXEC, 0)) < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_IO, "SYSPROF_TRACE_FD is '%s', which is no open file", value);
      return NULL;
    }
  return new_for_fd (fd, "SYSPROF_TRACE_FD", error);
}

/* No context has it any more. */
static void
sw_sysprof_collector_dispose (GObject *object)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (object);
  g_autoptr (GError) error = NULL;

  /* In the child of a fork it is left alone: to free it would write what the parent writes. */
  if (self->capture != NULL && !is_inherited (self) && !sw_collector_close (SW_COLLECTOR (self), &error))
    g_warning ("%s", error->message);
  G_OBJECT_CLASS (sw_sysprof_collector_parent_class)->dispose (object);
}

static void
sw_sysprof_collector_finalize (GObject *object)
{
  SwSysprofCollector *self = SW_SYSPROF_COLLECTOR (object);

  g_hash_table_unref (self->counters);
  g_string_free (self->message, TRUE);
  G_OBJECT_CLASS (sw_sysprof_collector_parent_class)->finalize (object);
}

static void
sw_sysprof_collector_class_init (SwSysprofCollectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);

  object_class->dispose = sw_sysprof_collector_dispose;
  object_class->finalize = sw_sysprof_collector_finalize;
  collector_class->flush = flush;
  collector_class->close = finish;
  collector_class->take = take;
  collector_class->attach = attach;
  collector_class->tick = flush;
}

static void
sw_sysprof_collector_init (SwSysprofCollector *self)
{
  self->fork_count = sw_fork_get_count ();
  self->counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->message = g_string_new (NULL);
}
