/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Classifies handwritten digits by tensor operations and shows which operations took the time; see README.md. */
using Strideweave;

namespace Digits {
  const int BATCH = 128;
  const int PIXELS = 64;
  const int COLUMNS = PIXELS + 1; // of the file: an image, then which digit it is
  const int HELD_OUT_EVERY = 5;

  // Where the build found them.
  [CCode (cname = "DIGITS_DATA")]
  extern const string DATA;
  [CCode (cname = "DIGITS_WEIGHTS")]
  extern const string WEIGHTS;

  bool summary = false;
  string? events = null;
  string? data = null;
  string? weights = null;

  const OptionEntry[] OPTIONS = {
    { "summary", 0, 0, OptionArg.NONE, ref summary, "Print only what is the same in every run", null },
    { "events", 0, 0, OptionArg.FILENAME, ref events, "Where to save the events", "FOLDER" },
    { "data", 0, 0, OptionArg.FILENAME, ref data, "The digits", "FILE" },
    { "weights", 0, 0, OptionArg.FILENAME, ref weights, "The trained network", "FOLDER" },
    { null }
  };

  /* The network: 64 pixels, 48 hidden units, 10 digits. */
  class Network {
    public Tensor hidden_weight;
    public Tensor hidden_bias;
    public Tensor output_weight;
    public Tensor output_bias;

    public Network.from_folder (string folder) throws GLib.Error {
      hidden_weight = load_matrix (Path.build_filename (folder, "hidden-weight.csv"));
      hidden_bias = load_matrix (Path.build_filename (folder, "hidden-bias.csv"));
      output_weight = load_matrix (Path.build_filename (folder, "output-weight.csv"));
      output_bias = load_matrix (Path.build_filename (folder, "output-bias.csv"));
    }

    public void move_to_tiers () throws GLib.Error {
      hidden_weight = Digits.move_to_tiers (hidden_weight);
      hidden_bias = Digits.move_to_tiers (hidden_bias);
      output_weight = Digits.move_to_tiers (output_weight);
      output_bias = Digits.move_to_tiers (output_bias);
    }

    /* The digit that each image of the batch shows. */
    public Tensor classify (Tensor batch) throws GLib.Error {
      var scaled = mul_scalar (batch, 1.0 / 16);
      var hidden = relu (affine (scaled, hidden_weight, hidden_bias));
      return argmax_mode (affine (hidden, output_weight, output_bias), 1);
    }

    static Tensor affine (Tensor input, Tensor weight, Tensor bias) throws GLib.Error {
      var product = matmul (input, weight, null);
      return add (product, broadcast_to (bias, product.get_shape ()));
    }
  }

  delegate string Classifier () throws GLib.Error;

  /* Operations that ran under a profiler, and the digits that came out. */
  class Run {
    public Profiler profiler = new Profiler (true);
    public string predictions;

    public Run (Classifier classifier) throws GLib.Error {
      profiler.enter ();
      try {
        predictions = classifier ();
      } catch (GLib.Error error) {
        profiler.exit ();
        throw error;
      }
      profiler.exit ();
    }

    public string table (bool by_shape) throws GLib.Error {
      return profiler.dup_table ("self_total_time_ns", true, by_shape, -1);
    }
  }

  /* Opens a text file, through a decompressor if its name says so. */
  DataInputStream open_lines (string path) throws GLib.Error {
    InputStream stream = File.new_for_path (path).read ();
    if (path.has_suffix (".gz"))
      stream = new ConverterInputStream (stream, new ZlibDecompressor (ZlibCompressorFormat.GZIP));
    return new DataInputStream (stream);
  }

  /* A view of rows by columns values: a row begins row_step after the one before it. */
  Tensor new_matrix (Carrier carrier, int64 offset, int64 rows, int64 columns, int64 row_step) throws GLib.Error {
    var layout = new Layout (new Shape ({ rows, columns }), new Stride ({ row_step, 1 }));
    return new Tensor (carrier, offset, layout);
  }

  /* Loads a file of comma-separated numbers. */
  Tensor load_matrix (string path) throws GLib.Error {
    var lines = open_lines (path);
    float[] numbers = {};
    int rows = 0;
    int columns = 0;
    string? line;
    while ((line = lines.read_line ()) != null) {
      var fields = line.split (",");
      if (rows++ == 0)
        columns = fields.length;
      if (fields.length != columns)
        throw new IOError.INVALID_DATA ("%s: no matrix, see line %d", path, rows);
      foreach (unowned var field in fields)
        numbers += (float) double.parse (field);
    }
    if (rows == 0)
      throw new IOError.INVALID_DATA ("%s: no matrix, it is empty", path);
    unowned var memory = (uint8[]) numbers;
    memory.length = numbers.length * (int) sizeof (float);
    var carrier = new CPU.from_bytes (new Bytes (memory), DType.FLOAT32);
    return new_matrix (carrier, 0, rows, columns, columns);
  }

  /* The digits in a tensor, as one string. */
  string digits_of (Tensor tensor) throws GLib.Error {
    var bytes = tensor.dup_bytes ();
    unowned var values = (int64[]) bytes.get_data ();
    var text = new StringBuilder ();
    for (int i = 0; i < tensor.get_size (); i++)
      text.append_c ('0' + (char) values[i]);
    return text.str;
  }

  /* The labels, from the last column, as one string. */
  string labels_of (Tensor digits) throws GLib.Error {
    var column = new_matrix (digits.get_carrier (), PIXELS, count_rows (digits), 1, COLUMNS);
    var bytes = column.dup_bytes ();
    unowned var values = (float[]) bytes.get_data ();
    var text = new StringBuilder ();
    for (int i = 0; i < column.get_size (); i++)
      text.append_c ('0' + (char) values[i]);
    return text.str;
  }

  int64 count_rows (Tensor digits) {
    return digits.get_size () / COLUMNS;
  }

  /* A view of the images from row first on, without their labels. */
  Tensor new_batch (Tensor digits, int64 first) throws GLib.Error {
    var rows = int64.min (BATCH, count_rows (digits) - first);
    return new_matrix (digits.get_carrier (), first * COLUMNS, rows, PIXELS, COLUMNS);
  }

  string classify_all (Network network, Tensor digits) throws GLib.Error {
    var predictions = new StringBuilder ();
    for (int64 first = 0; first < count_rows (digits); first += BATCH)
      predictions.append (digits_of (network.classify (new_batch (digits, first))));
    return predictions.str;
  }

  /* Moves the tensor's carrier into memory that can be evicted to a file, and lets it go there and back. */
  Tensor move_to_tiers (Tensor tensor) throws GLib.Error {
    var primary = new CPU (tensor.get_carrier ().size (), true, DType.FLOAT32, false);
    var secondary = new FileBacked (null, true, DType.FLOAT32);
    var tiers = new Evictable (primary, secondary);
    var moved = move (tensor, tiers);
    tiers.evict ();
    tiers.promote ();
    return moved;
  }

  /* How often predictions are right, of every step rows one. */
  void print_accuracy (string what, string predictions, string labels, int step) {
    int right = 0;
    int rows = 0;
    for (int i = 0; i < predictions.length; i += step) {
      if (predictions[i] == labels[i])
        right++;
      rows++;
    }
    print ("accuracy on %s: %.2f %% (%d of %d)\n", what, 100.0 * right / rows, right, rows);
  }

  void print_report (Run plain, Run tiers, string labels) throws GLib.Error {
    print ("%d handwritten digits, classified by Strideweave operations in batches of %d\n", labels.length, BATCH);
    print_accuracy ("all digits", plain.predictions, labels, 1);
    print_accuracy ("the digits held out of the training", plain.predictions, labels, HELD_OUT_EVERY);
    print ("\nWhere the time went:\n%s\n", plain.table (false));
    print ("\nThe same by the shapes of the inputs:\n%s\n", plain.table (true));
    print ("\nOne batch again, in memory that can be evicted to files: outer operations and their inner ones:\n");
    print ("%s\n\n", tiers.table (false));
  }

  void print_predictions (string name, Run run) {
    print ("%s %s\n", name, Checksum.compute_for_string (ChecksumType.SHA256, run.predictions));
  }

  void print_calls (string name, Run run) throws GLib.Error {
    foreach (unowned var row in run.profiler.dup_key_averages (false))
      print ("%s %s %s %s\n", name, row.get_name (), row.get_carrier_type ().name (), row.get_count ().to_string ());
  }

  /* What is the same in every run and in every language. */
  void print_summary (Run plain, Run tiers) throws GLib.Error {
    print_predictions ("predictions", plain);
    print_predictions ("tiered-predictions", tiers);
    print_calls ("calls", plain);
    print_calls ("tiered-calls", tiers);
  }

  void save_events (Run run, string path) throws GLib.Error {
    run.profiler.save_json (path);
    if (!summary)
      print ("events saved in %s\n", path);
  }

  void run () throws GLib.Error {
    var digits = load_matrix (data ?? DATA);
    var labels = labels_of (digits);
    var network = new Network.from_folder (weights ?? WEIGHTS);
    var plain = new Run (() => classify_all (network, digits));
    network.move_to_tiers ();
    var batch = new_batch (move_to_tiers (digits), 0);
    var tiers = new Run (() => digits_of (network.classify (batch)));
    if (summary)
      print_summary (plain, tiers);
    else
      print_report (plain, tiers, labels);
    var folder = events ?? DirUtils.make_tmp ("strideweave-digits-XXXXXX");
    save_events (plain, Path.build_filename (folder, "digits.json"));
    save_events (tiers, Path.build_filename (folder, "digits-tiered.json"));
  }

  int main (string[] words) {
    try {
      var context = new OptionContext ("- classify handwritten digits");
      context.add_main_entries (OPTIONS, null);
      context.parse (ref words);
      run ();
      return 0;
    } catch (GLib.Error error) {
      printerr ("digits: %s\n", error.message);
      return 1;
    }
  }
}
