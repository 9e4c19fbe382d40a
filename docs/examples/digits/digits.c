/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Classifies handwritten digits by tensor operations and shows which operations took the time; see README.md. */
#include <stdlib.h>

#include <gio/gio.h>
#include <strideweave.h>

#define BATCH 128
#define PIXELS 64
#define COLUMNS (PIXELS + 1) /* of the file: an image, then which digit it is */
#define HELD_OUT_EVERY 5

static gboolean summary_only = FALSE;
static char *events_folder = NULL;
static char *data_path = NULL;
static char *weights_folder = NULL;

static const GOptionEntry options[] = {
  { "summary", 0, 0, G_OPTION_ARG_NONE, &summary_only, "Print only what is the same in every run", NULL },
  { "events", 0, 0, G_OPTION_ARG_FILENAME, &events_folder, "Where to save the events", "FOLDER" },
  { "data", 0, 0, G_OPTION_ARG_FILENAME, &data_path, "The digits", "FILE" },
  { "weights", 0, 0, G_OPTION_ARG_FILENAME, &weights_folder, "The trained network", "FOLDER" },
  G_OPTION_ENTRY_NULL
};

/* The network: 64 pixels, 48 hidden units, 10 digits. */
typedef struct
{
  SwTensor *hidden_weight;
  SwTensor *hidden_bias;
  SwTensor *output_weight;
  SwTensor *output_bias;
} Network;

static void
network_free (Network *self)
{
  g_clear_pointer (&self->hidden_weight, sw_tensor_unref);
  g_clear_pointer (&self->hidden_bias, sw_tensor_unref);
  g_clear_pointer (&self->output_weight, sw_tensor_unref);
  g_clear_pointer (&self->output_bias, sw_tensor_unref);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Network, network_free)

/* --- Files --- */

/* Opens a text file, through a decompressor if its name says so. */
static GDataInputStream *
open_lines (const char *path,
            GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) raw = g_file_read (file, NULL, error);
  g_autoptr (GConverter) gunzip = NULL;
  g_autoptr (GInputStream) text = NULL;

  if (raw == NULL)
    return NULL;
  if (!g_str_has_suffix (path, ".gz"))
    return g_data_input_stream_new (G_INPUT_STREAM (raw));
  gunzip = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  text = g_converter_input_stream_new (G_INPUT_STREAM (raw), gunzip);
  return g_data_input_stream_new (text);
}

/* Appends the numbers of one line to @floats and returns how many there were; -1 at the end of the file, and with
 * @error set when the line cannot be read. */
static gint64
read_line (GDataInputStream *lines,
           GArray *floats,
           GError **error)
{
  g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, error);
  g_auto (GStrv) fields = NULL;
  gint64 n_fields;

  if (line == NULL)
    return -1;
  fields = g_strsplit (line, ",", -1);
  for (n_fields = 0; fields[n_fields] != NULL; n_fields++)
    {
      float value = (float) g_ascii_strtod (fields[n_fields], NULL);

      g_array_append_val (floats, value);
    }
  return n_fields;
}

/* A view of @rows by @columns values: a row begins @row_step after the one before it. */
static SwTensor *
matrix_new (SwCarrier *carrier,
            gint64 offset,
            gint64 rows,
            gint64 columns,
            gint64 row_step,
            GError **error)
{
  g_autoptr (SwShape) shape = sw_shape_new ((gint64[]){ rows, columns }, 2, error);
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;

  if (shape == NULL)
    return NULL;
  stride = sw_stride_new ((gint64[]){ row_step, 1 }, 2, error);
  if (stride == NULL)
    return NULL;
  layout = sw_layout_new (shape, stride, error);
  if (layout == NULL)
    return NULL;
  return sw_tensor_new (carrier, offset, layout, error);
}

/* Loads a file of comma-separated numbers; the tensor takes over the memory that they were read into. */
static SwTensor *
load_matrix (const char *path,
             GError **error)
{
  g_autoptr (GDataInputStream) lines = open_lines (path, error);
  g_autoptr (GArray) floats = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GError) failure = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (SwCarrier) carrier = NULL;
  gint64 columns;
  gint64 rows = 0;
  gsize size;

  if (lines == NULL)
    return NULL;
  while ((columns = read_line (lines, floats, &failure)) >= 0)
    {
      rows++;
      if (floats->len != rows * columns)
        break;
    }
  if (failure != NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&failure), "%s: ", path);
      return NULL;
    }
  if (rows == 0 || columns >= 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: no matrix, see line %" G_GINT64_FORMAT, path, rows);
      return NULL;
    }
  columns = floats->len / rows;
  size = floats->len * sizeof (float);
  bytes = g_bytes_new_take (g_array_free (g_steal_pointer (&floats), FALSE), size);
  carrier = sw_cpu_new_from_bytes (bytes, SW_DTYPE_FLOAT32, error);
  if (carrier == NULL)
    return NULL;
  return matrix_new (carrier, 0, rows, columns, columns, error);
}

static SwTensor *
load_weights (const char *name,
              GError **error)
{
  g_autofree char *path = g_build_filename (weights_folder, name, NULL);

  return load_matrix (path, error);
}

static Network *
load_network (GError **error)
{
  g_autoptr (Network) self = g_new0 (Network, 1);

  if ((self->hidden_weight = load_weights ("hidden-weight.csv", error)) == NULL ||
      (self->hidden_bias = load_weights ("hidden-bias.csv", error)) == NULL ||
      (self->output_weight = load_weights ("output-weight.csv", error)) == NULL ||
      (self->output_bias = load_weights ("output-bias.csv", error)) == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

/* --- The network --- */

/* input x weight + bias */
static SwTensor *
affine (SwTensor *input,
        SwTensor *weight,
        SwTensor *bias,
        GError **error)
{
  g_autoptr (SwTensor) product = sw_matmul (input, weight, NULL, error);
  g_autoptr (SwTensor) bias_rows = NULL;

  if (product == NULL)
    return NULL;
  bias_rows = sw_broadcast_to (bias, sw_tensor_get_shape (product), error);
  if (bias_rows == NULL)
    return NULL;
  return sw_add (product, bias_rows, error);
}

/* The digit that each image of @batch shows. */
static SwTensor *
network_classify (Network *self,
                  SwTensor *batch,
                  GError **error)
{
  g_autoptr (SwTensor) scaled = sw_mul_scalar (batch, 1.0 / 16, error);
  g_autoptr (SwTensor) hidden = NULL;
  g_autoptr (SwTensor) active = NULL;
  g_autoptr (SwTensor) scores = NULL;

  if (scaled == NULL)
    return NULL;
  hidden = affine (scaled, self->hidden_weight, self->hidden_bias, error);
  if (hidden == NULL)
    return NULL;
  active = sw_relu (hidden, error);
  if (active == NULL)
    return NULL;
  scores = affine (active, self->output_weight, self->output_bias, error);
  if (scores == NULL)
    return NULL;
  return sw_argmax_mode (scores, 1, FALSE, error);
}

/* Appends the digits in @digits to @text. */
static gboolean
append_digits (GString *text,
               SwTensor *digits,
               GError **error)
{
  g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (digits, error);
  const gint64 *values;
  gsize size;

  if (bytes == NULL)
    return FALSE;
  values = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / sizeof *values; i++)
    g_string_append_c (text, '0' + (char) values[i]);
  return TRUE;
}

/* A view of the images from row @first on, without their labels. */
static SwTensor *
batch_new (SwTensor *digits,
           gint64 first,
           GError **error)
{
  gint64 rows = sw_tensor_get_size (digits) / COLUMNS;

  return matrix_new (sw_tensor_get_carrier (digits), first * COLUMNS, MIN (BATCH, rows - first), PIXELS, COLUMNS, error);
}

static gboolean
classify_all (Network *network,
              SwTensor *digits,
              GString *predictions,
              GError **error)
{
  gint64 rows = sw_tensor_get_size (digits) / COLUMNS;

  for (gint64 first = 0; first < rows; first += BATCH)
    {
      g_autoptr (SwTensor) batch = batch_new (digits, first, error);
      g_autoptr (SwTensor) classes = NULL;

      if (batch == NULL)
        return FALSE;
      classes = network_classify (network, batch, error);
      if (classes == NULL || !append_digits (predictions, classes, error))
        return FALSE;
    }
  return TRUE;
}

/* Records every operation on this thread, with the shapes of its inputs. */
static SwProfiler *
profile_all (Network *network,
             SwTensor *digits,
             GString *predictions,
             GError **error)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (TRUE);
  gboolean classified;

  if (!sw_profiler_enter (profiler, error))
    return NULL;
  classified = classify_all (network, digits, predictions, error);
  if (!sw_profiler_exit (profiler, classified ? error : NULL) || !classified)
    return NULL;
  return g_steal_pointer (&profiler);
}

/* --- The same through two tiers --- */

/* Moves the carrier of @tensor into memory that can be evicted to a file, and lets it go there and back. */
static SwTensor *
move_to_tiers (SwTensor *tensor,
               GError **error)
{
  gint64 size = sw_carrier_size (sw_tensor_get_carrier (tensor), error);
  g_autoptr (SwCarrier) primary = NULL;
  g_autoptr (SwCarrier) secondary = NULL;
  g_autoptr (SwCarrier) tiers = NULL;
  g_autoptr (SwTensor) moved = NULL;

  if (size < 0 ||
      (primary = sw_cpu_new (size, TRUE, SW_DTYPE_FLOAT32, FALSE, error)) == NULL ||
      (secondary = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT32, error)) == NULL ||
      (tiers = sw_evictable_new (primary, secondary, error)) == NULL ||
      (moved = sw_move (tensor, tiers, error)) == NULL ||
      !sw_evictable_evict (SW_EVICTABLE (tiers), error) ||
      !sw_evictable_promote (SW_EVICTABLE (tiers), error))
    return NULL;
  return g_steal_pointer (&moved);
}

static Network *
network_move_to_tiers (Network *network,
                       GError **error)
{
  g_autoptr (Network) self = g_new0 (Network, 1);

  if ((self->hidden_weight = move_to_tiers (network->hidden_weight, error)) == NULL ||
      (self->hidden_bias = move_to_tiers (network->hidden_bias, error)) == NULL ||
      (self->output_weight = move_to_tiers (network->output_weight, error)) == NULL ||
      (self->output_bias = move_to_tiers (network->output_bias, error)) == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

/* Moves everything, and classifies the first batch. */
static SwProfiler *
profile_tiered (Network *network,
                SwTensor *digits,
                GString *predictions,
                GError **error)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (TRUE);
  g_autoptr (Network) moved_network = network_move_to_tiers (network, error);
  g_autoptr (SwTensor) moved_digits = NULL;
  g_autoptr (SwTensor) batch = NULL;
  g_autoptr (SwTensor) classes = NULL;

  if (moved_network == NULL ||
      (moved_digits = move_to_tiers (digits, error)) == NULL ||
      (batch = batch_new (moved_digits, 0, error)) == NULL ||
      !sw_profiler_enter (profiler, error))
    return NULL;
  classes = network_classify (moved_network, batch, error);
  if (!sw_profiler_exit (profiler, classes != NULL ? error : NULL) ||
      classes == NULL ||
      !append_digits (predictions, classes, error))
    return NULL;
  return g_steal_pointer (&profiler);
}

/* --- What is printed --- */

/* The labels, from the last column, as the digits of one string. */
static char *
dup_labels (SwTensor *digits,
            GError **error)
{
  gint64 rows = sw_tensor_get_size (digits) / COLUMNS;
  g_autoptr (SwTensor) column = matrix_new (sw_tensor_get_carrier (digits), PIXELS, rows, 1, COLUMNS, error);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  const float *values;

  if (column == NULL || (bytes = sw_tensor_dup_bytes (column, error)) == NULL)
    return NULL;
  values = g_bytes_get_data (bytes, NULL);
  for (gint64 row = 0; row < rows; row++)
    g_string_append_c (text, '0' + (char) values[row]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* How often @predictions is right, of every @step rows one. */
static void
print_accuracy (const char *what,
                const GString *predictions,
                const char *labels,
                gsize step)
{
  guint n_right = 0;
  guint n_rows = 0;

  for (gsize i = 0; i < predictions->len; i += step)
    {
      n_right += predictions->str[i] == labels[i];
      n_rows++;
    }
  g_print ("accuracy on %s: %.2f %% (%u of %u)\n", what, 100.0 * n_right / n_rows, n_right, n_rows);
}

static gboolean
print_table (const char *title,
             SwProfiler *profiler,
             gboolean by_shape,
             GError **error)
{
  g_autofree char *table = sw_profiler_dup_table (profiler, "self_total_time_ns", TRUE, by_shape, -1, error);

  if (table == NULL)
    return FALSE;
  g_print ("\n%s\n%s\n", title, table);
  return TRUE;
}

static gboolean
save_events (SwProfiler *profiler,
             const char *name,
             GError **error)
{
  g_autofree char *path = g_build_filename (events_folder, name, NULL);

  if (!sw_profiler_save_json (profiler, path, error))
    return FALSE;
  if (!summary_only)
    g_print ("events saved in %s\n", path);
  return TRUE;
}

static gboolean
print_report (SwProfiler *plain,
              SwProfiler *tiered,
              const GString *predictions,
              const char *labels,
              GError **error)
{
  g_print ("%" G_GSIZE_FORMAT " handwritten digits, classified by Strideweave operations in batches of %d\n", predictions->len, BATCH);
  print_accuracy ("all digits", predictions, labels, 1);
  print_accuracy ("the digits held out of the training", predictions, labels, HELD_OUT_EVERY);
  return print_table ("Where the time went:", plain, FALSE, error) &&
         print_table ("The same by the shapes of the inputs:", plain, TRUE, error) &&
         print_table ("One batch again, in memory that can be evicted to files: outer operations and their inner ones:", tiered, FALSE, error);
}

/* How often each operation ran on each class of carrier. */
static gboolean
print_calls (const char *run,
             SwProfiler *profiler,
             GError **error)
{
  g_autoptr (GPtrArray) rows = sw_profiler_dup_key_averages (profiler, FALSE, error);

  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    {
      SwProfilerAggregate *row = g_ptr_array_index (rows, i);

      g_print ("%s %s %s %" G_GINT64_FORMAT "\n",
               run,
               sw_profiler_aggregate_get_name (row),
               g_type_name (sw_profiler_aggregate_get_carrier_type (row)),
               sw_profiler_aggregate_get_count (row));
    }
  return TRUE;
}

static gboolean
print_summary (SwProfiler *plain,
               SwProfiler *tiered,
               const GString *predictions,
               const GString *tiered_predictions,
               GError **error)
{
  g_autofree char *checksum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, predictions->str, -1);
  g_autofree char *tiered_checksum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, tiered_predictions->str, -1);

  g_print ("predictions %s\n", checksum);
  g_print ("tiered-predictions %s\n", tiered_checksum);
  return print_calls ("calls", plain, error) && print_calls ("tiered-calls", tiered, error);
}

static gboolean
run (GError **error)
{
  g_autoptr (SwTensor) digits = load_matrix (data_path, error);
  g_autoptr (Network) network = NULL;
  g_autoptr (SwProfiler) plain = NULL;
  g_autoptr (SwProfiler) tiered = NULL;
  g_autoptr (GString) predictions = g_string_new (NULL);
  g_autoptr (GString) tiered_predictions = g_string_new (NULL);
  g_autofree char *labels = NULL;

  if (digits == NULL ||
      (labels = dup_labels (digits, error)) == NULL ||
      (network = load_network (error)) == NULL ||
      (plain = profile_all (network, digits, predictions, error)) == NULL ||
      (tiered = profile_tiered (network, digits, tiered_predictions, error)) == NULL)
    return FALSE;
  if (!summary_only && !print_report (plain, tiered, predictions, labels, error))
    return FALSE;
  if (events_folder == NULL)
    events_folder = g_dir_make_tmp ("strideweave-digits-XXXXXX", error);
  return events_folder != NULL &&
         save_events (plain, "digits.json", error) &&
         save_events (tiered, "digits-tiered.json", error) &&
         (!summary_only || print_summary (plain, tiered, predictions, tiered_predictions, error));
}

/* Fills in what the command line left open. */
static void
complete_options (void)
{
  if (data_path == NULL)
    data_path = g_strdup (DIGITS_DATA);
  if (weights_folder == NULL)
    weights_folder = g_strdup (DIGITS_WEIGHTS);
}

int
main (int argc,
      char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- classify handwritten digits");
  g_autoptr (GError) error = NULL;
  gboolean done;

  g_option_context_add_main_entries (context, options, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  if (done)
    {
      complete_options ();
      done = run (&error);
    }
  if (!done)
    g_printerr ("digits: %s\n", error->message);
  g_free (data_path);
  g_free (weights_folder);
  g_free (events_folder);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
