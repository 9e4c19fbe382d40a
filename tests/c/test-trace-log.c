/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>
#include <strideweave.h>

/* Messages are GLib's structured logging, apart from traces, and say nothing of what tensors hold. */

#define RECOGNISABLE 13371337.0
#define RECOGNISABLE_TEXT "13371337"

static guint n_messages;

static GLogWriterOutput
write_log (GLogLevelFlags level,
           const GLogField *fields,
           gsize n_fields,
           gpointer data)
{
  gboolean is_ours = FALSE;

  for (gsize i = 0; i < n_fields; i++)
    {
      const char *value = fields[i].value;

      if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
        is_ours = g_str_equal (value, "Strideweave");
      if (fields[i].length < 0)
        g_assert_null (strstr (value, RECOGNISABLE_TEXT));
    }
  g_assert_true (is_ours);
  n_messages++;
  return G_LOG_WRITER_HANDLED;
}

static void
compute (void)
{
  const double numbers[] = { RECOGNISABLE, RECOGNISABLE };
  const gint64 size = G_N_ELEMENTS (numbers);
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles (numbers, G_N_ELEMENTS (numbers), SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwShape) shape = sw_shape_new (&size, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwTensor) tensor = sw_tensor_new (carrier, 0, layout, NULL);
  g_autoptr (SwTensor) sum = sw_add (tensor, tensor, NULL);
  g_autoptr (SwValueList) values = sw_value_list_new_doubles (numbers, G_N_ELEMENTS (numbers));
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (sum);
  /* The error names the value, to whoever made the mistake; nobody else hears of it. */
  g_assert_null (sw_carrier_new_like (carrier, values, TRUE, SW_DTYPE_INT32, &error));
  g_assert_nonnull (strstr (error->message, RECOGNISABLE_TEXT));
}

static void
test_messages (void)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (GError) error = NULL;
  SwFileCollector *collector = sw_file_collector_new ("/dev/full", SW_TRACE_FORMAT_JSONL, &error);

  g_assert_no_error (error);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  compute ();
  sw_trace_context_set_collector (context, NULL);
  g_assert_cmpuint (n_messages, ==, 0);
  /* Nobody closed it, so nobody could be told. */
  g_object_unref (collector);
  g_assert_cmpuint (n_messages, ==, 1);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR);
  g_log_set_writer_func (write_log, NULL, NULL);
  g_test_add_func ("/trace-log/messages", test_messages);
  return g_test_run ();
}
