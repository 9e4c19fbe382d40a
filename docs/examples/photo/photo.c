/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Blurs a photograph, finds its edges and makes it smaller by tensor operations, and shows which of them took the time; see
 * README.md. */
#include <locale.h>
#include <stdlib.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <strideweave.h>

#define MARGIN 2 /* by which edges have fewer pixels than the photograph, on each side */

static gboolean summary_only = FALSE;
static char *input_path = NULL;
static char *output_folder = NULL;

static const GOptionEntry options[] = {
  { "summary", 0, 0, G_OPTION_ARG_NONE, &summary_only, "Print only what is the same in every run", NULL },
  { "input", 0, 0, G_OPTION_ARG_FILENAME, &input_path, "The photograph", "FILE" },
  { "output", 0, 0, G_OPTION_ARG_FILENAME, &output_folder, "Where to save the pictures", "FOLDER" },
  G_OPTION_ENTRY_NULL
};

/* A window along one mode. All numbers are multiples of powers of two, so that sums of pixels are exact in any order. */
typedef struct
{
  const float *values;
  gint64 size;
} Bell;

static const float wide_values[] = { 1 / 256.f, 8 / 256.f, 28 / 256.f, 56 / 256.f, 70 / 256.f, 56 / 256.f, 28 / 256.f, 8 / 256.f, 1 / 256.f };
static const float small_values[] = { 1 / 4.f, 2 / 4.f, 1 / 4.f };
static const float halving_values[] = { 1 / 8.f, 3 / 8.f, 3 / 8.f, 1 / 8.f };

static const Bell wide_bell = { wide_values, G_N_ELEMENTS (wide_values) };
static const Bell small_bell = { small_values, G_N_ELEMENTS (small_values) };
static const Bell halving_bell = { halving_values, G_N_ELEMENTS (halving_values) };

/* How bright red, green and blue are, and how brightness grows to the right and downwards. */
static const float brightness[] = { 77 / 256.f, 150 / 256.f, 29 / 256.f };
static const float growth[] = {
  -1,
  0,
  1,
  -2,
  0,
  2,
  -1,
  0,
  1, /**/
  -1,
  -2,
  -1,
  0,
  0,
  0,
  1,
  2,
  1,
};

/* What became of the photograph, in the order in which it is shown. */
enum
{
  BLURRED,
  EDGES,
  DRAWING,
  HALF_CONVOLVED,
  HALF_POOLED,
  HALF_EDGES,
  N_STAGES
};

static const char *const stage_names[] = { "blurred", "edges", "drawing", "half-convolved", "half-pooled", "half-edges" };

/* --- Tensors of four modes: images, channels, rows, columns --- */

static gint64
get_extent (SwTensor *image,
            guint mode)
{
  return sw_shape_get_extent (sw_tensor_get_shape (image), mode);
}

/* A view of a carrier. */
static SwTensor *
view_new (SwCarrier *carrier,
          gint64 offset,
          const gint64 extents[4],
          const gint64 steps[4],
          GError **error)
{
  g_autoptr (SwShape) shape = sw_shape_new (extents, 4, error);
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;

  if (shape == NULL ||
      (stride = sw_stride_new (steps, 4, error)) == NULL ||
      (layout = sw_layout_new (shape, stride, error)) == NULL)
    return NULL;
  return sw_tensor_new (carrier, offset, layout, error);
}

/* A tensor over constant values, the last mode fastest. */
static SwTensor *
constant_new (const float *values,
              const gint64 extents[4],
              GError **error)
{
  g_autoptr (SwShape) shape = sw_shape_new (extents, 4, error);
  g_autoptr (GBytes) bytes = NULL;

  if (shape == NULL)
    return NULL;
  bytes = g_bytes_new_static (values, sw_shape_get_size (shape) * sizeof *values);
  return sw_from_bytes (bytes, shape, SW_DTYPE_FLOAT32, error);
}

static SwTensor *
repeat (SwTensor *image,
        gint64 images,
        gint64 channels,
        gint64 rows,
        gint64 columns,
        GError **error)
{
  g_autoptr (SwShape) shape = sw_shape_new ((gint64[]){ images, channels, rows, columns }, 4, error);

  return shape != NULL ? sw_broadcast_to (image, shape, error) : NULL;
}

/* A view of @image without @margin rows and columns on each side. */
static SwTensor *
crop (SwTensor *image,
      gint64 margin,
      GError **error)
{
  SwStride *stride = sw_layout_get_stride (sw_tensor_get_layout (image));
  gint64 extents[4];
  gint64 steps[4];

  for (guint mode = 0; mode < 4; mode++)
    {
      extents[mode] = get_extent (image, mode) - (mode >= 2 ? 2 * margin : 0);
      steps[mode] = sw_stride_get_step (stride, mode);
    }
  return view_new (sw_tensor_get_carrier (image),
                   sw_tensor_get_offset (image) + margin * (steps[2] + steps[3]),
                   extents,
                   steps,
                   error);
}

/* --- Files --- */

/* The file as a tensor (1, 3, height, width): a view of the decoder's pixels as they lie, without what pads its rows. */
static SwTensor *
load_photograph (const char *path,
                 GError **error)
{
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_file (path, error);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (SwCarrier) carrier = NULL;
  const guint8 *pixels;
  float *floats;
  gsize size;

  if (pixbuf == NULL)
    return NULL;
  pixels = gdk_pixbuf_read_pixels (pixbuf);
  size = gdk_pixbuf_get_byte_length (pixbuf);
  floats = g_new (float, size);
  for (gsize i = 0; i < size; i++)
    floats[i] = pixels[i];
  bytes = g_bytes_new_take (floats, size * sizeof *floats);
  carrier = sw_cpu_new_from_bytes (bytes, SW_DTYPE_FLOAT32, error);
  if (carrier == NULL)
    return NULL;
  return view_new (carrier,
                   0,
                   (gint64[]){ 1, 3, gdk_pixbuf_get_height (pixbuf), gdk_pixbuf_get_width (pixbuf) },
                   (gint64[]){ 0, 1, gdk_pixbuf_get_rowstride (pixbuf), gdk_pixbuf_get_n_channels (pixbuf) },
                   error);
}

/* Writes a tensor (3, width, height, 1) of numbers from 0 to 255. */
static gboolean
save_picture (SwTensor *picture,
              const char *path,
              GError **error)
{
  g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (picture, error);
  g_autoptr (GBytes) pixels = NULL;
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  gint64 width = get_extent (picture, 1);
  const gint32 *values;
  guint8 *data;
  gsize size;

  if (bytes == NULL)
    return FALSE;
  values = g_bytes_get_data (bytes, &size);
  size /= sizeof *values;
  data = g_malloc (size);
  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) values[i];
  pixels = g_bytes_new_take (data, size);
  pixbuf = gdk_pixbuf_new_from_bytes (pixels, GDK_COLORSPACE_RGB, FALSE, 8, width, get_extent (picture, 2), 3 * width);
  return gdk_pixbuf_save (pixbuf, path, "png", error, NULL);
}

/* --- The pipeline --- */

/* Convolves each channel by itself with the bell: downwards, then to the right. */
static SwTensor *
convolve_both_ways (SwTensor *image,
                    const Bell *bell,
                    gint64 step,
                    gint64 padding,
                    GError **error)
{
  gint64 channels = get_extent (image, 1);
  g_autoptr (SwTensor) column = constant_new (bell->values, (gint64[]){ 1, 1, bell->size, 1 }, error);
  g_autoptr (SwTensor) row = constant_new (bell->values, (gint64[]){ 1, 1, 1, bell->size }, error);
  g_autoptr (SwTensor) downwards = NULL;
  g_autoptr (SwTensor) rightwards = NULL;
  g_autoptr (SwTensor) half_done = NULL;

  if (column == NULL ||
      row == NULL ||
      (downwards = repeat (column, channels, 1, bell->size, 1, error)) == NULL ||
      (rightwards = repeat (row, channels, 1, 1, bell->size, error)) == NULL)
    return NULL;
  half_done = sw_conv_general (image, downwards,
                               (gint64[]){ step, 1 }, 2, (gint64[]){ padding, 0 }, 2, NULL, 0, channels, error);
  if (half_done == NULL)
    return NULL;
  return sw_conv_general (half_done, rightwards,
                          (gint64[]){ 1, step }, 2, (gint64[]){ 0, padding }, 2, NULL, 0, channels, error);
}

/* The same as a mean, also where the bell reaches beyond the image: what is outside has no weight. */
static SwTensor *
average (SwTensor *image,
         const Bell *bell,
         gint64 step,
         GError **error)
{
  static const float one = 1;
  gint64 padding = (bell->size - 1) / 2;
  g_autoptr (SwTensor) inside = constant_new (&one, (gint64[]){ 1, 1, 1, 1 }, error);
  g_autoptr (SwTensor) everywhere = NULL;
  g_autoptr (SwTensor) weights = NULL;
  g_autoptr (SwTensor) sums = NULL;
  g_autoptr (SwTensor) all_weights = NULL;

  if (inside == NULL ||
      (everywhere = repeat (inside, 1, 1, get_extent (image, 2), get_extent (image, 3), error)) == NULL ||
      (weights = convolve_both_ways (everywhere, bell, step, padding, error)) == NULL ||
      (sums = convolve_both_ways (image, bell, step, padding, error)) == NULL ||
      (all_weights = sw_broadcast_to (weights, sw_tensor_get_shape (sums), error)) == NULL)
    return NULL;
  return sw_div (sums, all_weights, error);
}

/* How much brightness changes from pixel to pixel, (1, 1, height - 4, width - 4). */
static SwTensor *
find_edges (SwTensor *photograph,
            GError **error)
{
  g_autoptr (SwTensor) colours = constant_new (brightness, (gint64[]){ 1, 3, 1, 1 }, error);
  g_autoptr (SwTensor) directions = constant_new (growth, (gint64[]){ 2, 1, 3, 3 }, error);
  g_autoptr (SwTensor) grey = NULL;
  g_autoptr (SwTensor) smooth = NULL;
  g_autoptr (SwTensor) slopes = NULL;
  g_autoptr (SwTensor) squares = NULL;
  g_autoptr (SwTensor) sums = NULL;
  g_autoptr (SwTensor) lengths = NULL;
  g_autoptr (SwTensor) edges = NULL;

  if (colours == NULL ||
      directions == NULL ||
      (grey = sw_conv_general (photograph, colours, NULL, 0, NULL, 0, NULL, 0, 1, error)) == NULL ||
      (smooth = convolve_both_ways (grey, &small_bell, 1, 0, error)) == NULL ||
      (slopes = sw_conv_general (smooth, directions, NULL, 0, NULL, 0, NULL, 0, 1, error)) == NULL ||
      (squares = sw_mul (slopes, slopes, error)) == NULL ||
      (sums = sw_reduce_sum_modes (squares, (gint64[]){ 1 }, 1, FALSE, NULL, error)) == NULL ||
      (lengths = sw_sqrt (sums, error)) == NULL ||
      (edges = sw_unsqueeze (lengths, 1, error)) == NULL)
    return NULL;
  return sw_clamp (edges, 0, 255, error);
}

/* Colours, darkened where the edges are. */
static SwTensor *
draw (SwTensor *colours,
      SwTensor *edges,
      GError **error)
{
  g_autoptr (SwTensor) inside = crop (colours, MARGIN, error);
  g_autoptr (SwTensor) darkness = NULL;
  g_autoptr (SwTensor) each_darkness = NULL;
  g_autoptr (SwTensor) taken = NULL;

  if (inside == NULL ||
      (darkness = sw_div_scalar (edges, 255, error)) == NULL ||
      (each_darkness = sw_broadcast_to (darkness, sw_tensor_get_shape (inside), error)) == NULL ||
      (taken = sw_mul (inside, each_darkness, error)) == NULL)
    return NULL;
  return sw_sub (inside, taken, error);
}

/* All stages, or %NULL. */
static GPtrArray *
process (SwTensor *photograph,
         GError **error)
{
  g_autoptr (GPtrArray) stages = g_ptr_array_new_full (N_STAGES, (GDestroyNotify) sw_tensor_unref);
  SwTensor *stage[N_STAGES] = { NULL };
  const gint64 half[] = { 2, 2 };

  if ((stage[BLURRED] = average (photograph, &wide_bell, 1, error)) != NULL &&
      (stage[EDGES] = find_edges (photograph, error)) != NULL &&
      (stage[DRAWING] = draw (stage[BLURRED], stage[EDGES], error)) != NULL &&
      (stage[HALF_CONVOLVED] = average (photograph, &halving_bell, 2, error)) != NULL &&
      (stage[HALF_POOLED] = sw_avg_pool (photograph, half, 2, NULL, 0, NULL, 0, error)) != NULL)
    stage[HALF_EDGES] = sw_max_pool (stage[EDGES], half, 2, NULL, 0, NULL, 0, error);
  for (guint i = 0; i < N_STAGES && stage[i] != NULL; i++)
    g_ptr_array_add (stages, stage[i]);
  return stages->len == N_STAGES ? g_steal_pointer (&stages) : NULL;
}

/* The stage as whole numbers in the order of a file, its colours fastest, grey as three equal ones. */
static SwTensor *
to_picture (SwTensor *stage,
            GError **error)
{
  g_autoptr (SwTensor) limited = sw_clamp (stage, 0, 255, error);
  g_autoptr (SwTensor) rounded = NULL;
  g_autoptr (SwTensor) whole = NULL;
  g_autoptr (SwTensor) coloured = NULL;

  if (limited == NULL ||
      (rounded = sw_round (limited, error)) == NULL ||
      (whole = sw_cast (rounded, SW_DTYPE_INT32, error)) == NULL ||
      (coloured = repeat (whole, 1, 3, get_extent (stage, 2), get_extent (stage, 3), error)) == NULL)
    return NULL;
  /* Bytes are copied with the first mode fastest. */
  return sw_permute (coloured, (gint64[]){ 1, 3, 2, 0 }, 4, error);
}

static GPtrArray *
to_pictures (GPtrArray *stages,
             GError **error)
{
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_tensor_unref);

  for (guint i = 0; i < stages->len; i++)
    {
      SwTensor *picture = to_picture (g_ptr_array_index (stages, i), error);

      if (picture == NULL)
        return NULL;
      g_ptr_array_add (pictures, picture);
    }
  return g_steal_pointer (&pictures);
}

/* --- What is printed --- */

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
print_report (SwTensor *photograph,
              GPtrArray *stages,
              SwProfiler *profiler,
              GError **error)
{
  g_print ("a photograph of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT " pixels, and what Strideweave operations made of it:\n",
           get_extent (photograph, 3), get_extent (photograph, 2));
  for (guint i = 0; i < stages->len; i++)
    {
      SwTensor *stage = g_ptr_array_index (stages, i);

      g_print ("  %s: %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT "\n",
               stage_names[i], get_extent (stage, 3), get_extent (stage, 2));
    }
  if (!print_table ("Where the time went:", profiler, FALSE, error) ||
      !print_table ("The same by the shapes of the inputs:", profiler, TRUE, error))
    return FALSE;
  g_print ("\n");
  return TRUE;
}

static gboolean
print_checksum (const char *name,
                SwTensor *stage,
                GError **error)
{
  g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (stage, error);
  g_autofree char *checksum = NULL;

  if (bytes == NULL)
    return FALSE;
  checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_print ("stage %s", name);
  for (guint mode = 0; mode < 4; mode++)
    g_print (" %" G_GINT64_FORMAT, get_extent (stage, mode));
  g_print (" %s\n", checksum);
  return TRUE;
}

/* What is the same in every run and in every language: the exact values of each stage, and how often what ran. */
static gboolean
print_summary (GPtrArray *stages,
               SwProfiler *profiler,
               GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  for (guint i = 0; i < stages->len; i++)
    if (!print_checksum (stage_names[i], g_ptr_array_index (stages, i), error))
      return FALSE;
  rows = sw_profiler_dup_key_averages (profiler, FALSE, error);
  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    {
      SwProfilerAggregate *row = g_ptr_array_index (rows, i);

      g_print ("calls %s %s %" G_GINT64_FORMAT "\n",
               sw_profiler_aggregate_get_name (row),
               g_type_name (sw_profiler_aggregate_get_carrier_type (row)),
               sw_profiler_aggregate_get_count (row));
    }
  return TRUE;
}

static gboolean
save_pictures (GPtrArray *pictures,
               GError **error)
{
  if (output_folder == NULL)
    output_folder = g_dir_make_tmp ("strideweave-photo-XXXXXX", error);
  if (output_folder == NULL)
    return FALSE;
  for (guint i = 0; i < pictures->len; i++)
    {
      g_autofree char *name = g_strconcat (stage_names[i], ".png", NULL);
      g_autofree char *path = g_build_filename (output_folder, name, NULL);

      if (!save_picture (g_ptr_array_index (pictures, i), path, error))
        return FALSE;
      if (!summary_only)
        g_print ("picture saved in %s\n", path);
    }
  return TRUE;
}

static gboolean
run (GError **error)
{
  g_autoptr (SwTensor) photograph = load_photograph (input_path, error);
  g_autoptr (SwProfiler) profiler = sw_profiler_new (TRUE);
  g_autoptr (GPtrArray) stages = NULL;
  g_autoptr (GPtrArray) pictures = NULL;

  if (photograph == NULL || !sw_profiler_enter (profiler, error))
    return FALSE;
  stages = process (photograph, error);
  if (stages != NULL)
    pictures = to_pictures (stages, error);
  if (!sw_profiler_exit (profiler, pictures != NULL ? error : NULL) || pictures == NULL)
    return FALSE;
  return (summary_only ? print_summary (stages, profiler, error) : print_report (photograph, stages, profiler, error)) &&
         save_pictures (pictures, error);
}

int
main (int argc,
      char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- blur a photograph, find its edges, make it smaller");
  g_autoptr (GError) error = NULL;
  gboolean done;

  /* Names of files in messages as the terminal shows them; numbers stay as they are everywhere. */
  setlocale (LC_CTYPE, "");
  g_option_context_add_main_entries (context, options, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  if (done && input_path == NULL)
    input_path = g_strdup (PHOTOGRAPH);
  done = done && run (&error);
  if (!done)
    g_printerr ("photo: %s\n", error->message);
  g_free (input_path);
  g_free (output_folder);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
