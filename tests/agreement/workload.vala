// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs workload.txt in Vala and prints what was recorded.
using Strideweave;

[CCode (cheader_filename = "tests/fixtures/clock.h", cname = "fixture_clock_set")]
extern void set_fake_clock (int64 now_ns, int64 step_ns);
[CCode (cheader_filename = "tests/fixtures/clock.h", cname = "fixture_clock_advance")]
extern void advance_fake_clock (int64 ns);
[CCode (cheader_filename = "tests/fixtures/clock.h", cname = "fixture_clock_unset")]
extern void unset_fake_clock ();

const string[] SORT_FIELDS = {
  "name", "carrier_type", "input_shapes", "count", "total_time_ns", "self_total_time_ns", "mean_time_ns", "min_time_ns",
  "max_time_ns"
};
const string[] BLOCKS = { "profile", "step", "throw", "repeat" };

errordomain Thrown {
  THROWN
}

delegate void Block () throws GLib.Error;

// --- Carriers and operations ---

/* Runs a block of the script. */
class WorkloadStep : Operation {
  unowned Block? block;

  public void run (Block block) {
    this.block = block;
  }

  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    if (block != null)
      block ();
    return inputs.dup_tensor (0);
  }
}

class WorkloadLowering : Operation {
  WorkloadAdapter carrier;
  string name;

  public WorkloadLowering (WorkloadAdapter carrier, string name) {
    this.carrier = carrier;
    this.name = name;
  }

  static Strideweave.Value lower_value (Strideweave.Value value) throws GLib.Error {
    var tensor = value.get_tensor ();
    var carrier = tensor != null ? tensor.carrier as WorkloadAdapter : null;

    if (carrier == null)
      return value;
    return new Strideweave.Value.tensor (new Tensor (carrier.inner, tensor.offset, tensor.layout));
  }

  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    Strideweave.Value[] lowered = {};

    advance_fake_clock (carrier.cost ());
    for (size_t i = 0; i < inputs.get_length (); i++)
      lowered += lower_value (inputs.dup_value (i));
    var result = carrier.inner.dispatch_op (name).lower (new ValueList (lowered), options);
    if (name == "exp" && carrier is WorkloadTwin)
      throw new Thrown.THROWN ("Twin cannot take exponentials");
    return new Tensor (make_adapter (carrier.get_type (), result.carrier), result.offset, result.layout);
  }
}

/* Owns another carrier, and lowers to it. */
abstract class WorkloadAdapter : Carrier {
  public Carrier inner { get; construct; }

  public virtual int64 cost () {
    return 0;
  }

  public override int64 size () throws GLib.Error {
    return inner.size ();
  }

  public override DType dtype () throws GLib.Error {
    return inner.dtype ();
  }

  public override Strideweave.Value get_value (int64 index) throws GLib.Error {
    return inner.get_value (index);
  }

  public override Operation dispatch_op (string name) throws GLib.Error {
    if (name == "step")
      return new WorkloadStep ();
    return new WorkloadLowering (this, name);
  }
}

class WorkloadFirst : WorkloadAdapter {
  public override int64 cost () {
    return 3;
  }
}

class WorkloadSecond : WorkloadAdapter {
  public override int64 cost () {
    return 20;
  }
}

class WorkloadTwin : WorkloadAdapter {
}

Carrier make_adapter (Type type, Carrier inner) {
  return (Carrier) GLib.Object.new (type, "inner", inner);
}

// --- What the script names ---

Type get_class (string name) {
  switch (name) {
    case "Generic":
      return typeof (Generic);
    case "CPU":
      return typeof (CPU);
    case "Evictable":
      return typeof (Evictable);
    case "First":
      return typeof (WorkloadFirst);
    case "Second":
      return typeof (WorkloadSecond);
    case "Twin":
      return typeof (WorkloadTwin);
    case "Step":
      return typeof (WorkloadStep);
    case "Lowering":
      return typeof (WorkloadLowering);
    default:
      error ("no class is called %s", name);
  }
}

double[] values (int64 size) {
  double[] result = {};

  for (int64 i = 0; i < size; i++)
    result += (double) (i + 1) * (i % 2 == 0 ? -1 : 1);
  return result;
}

Carrier make_carrier (string name, int64 size) throws GLib.Error {
  if (name == "Generic")
    return new Generic.doubles (values (size), DType.FLOAT32);
  if (name == "Evictable")
    return new Evictable (make_carrier ("Generic", size), make_carrier ("Generic", 0));
  var carrier = new CPU (size);
  int64 index = 0;
  foreach (var value in values (size))
    carrier.set_value (index++, new Strideweave.Value.double (value));
  return carrier;
}

Tensor make_tensor (string chain, string shape_text) throws GLib.Error {
  var shape = new Shape.from_string (shape_text);
  var names = chain.split ("/");
  var carrier = make_carrier (names[names.length - 1], shape.size);

  for (int i = names.length - 2; i >= 0; i--)
    carrier = make_adapter (get_class (names[i]), carrier);
  return new Tensor (carrier, 0, new Layout.compact (shape));
}

int64[] parse_indices (string word) {
  int64[] indices = {};

  foreach (unowned var part in word[1 : word.length - 1].split (","))
    indices += int64.parse (part);
  return indices;
}

string kind_of (GLib.Error error) {
  if (error is Thrown)
    return "thrown";
  assert_true (error is Strideweave.Error);
  if (error is Strideweave.Error.TYPE)
    return "type";
  return (error is Strideweave.Error.VALUE) ? "value" : "state";
}

string class_name (Type type) {
  unowned var name = type.name ();

  return name.substring (name.has_prefix ("Workload") ? 8 : 2);
}

string shapes_text (InputShapes? shapes) {
  return shapes != null ? shapes.to_string () : "None";
}

// --- The script ---

class Runner {
  HashTable<string, Tensor> tensors = new HashTable<string, Tensor> (str_hash, str_equal);
  HashTable<string, Profiler> profilers = new HashTable<string, Profiler> (str_hash, str_equal);

  class Line {
    public string[] words;

    public Line (string text) {
      words = text.split (" ");
    }
  }

  GenericArray<Line> script = new GenericArray<Line> ();

  public Runner (string text) {
    foreach (unowned var line in text.split ("\n")) {
      var stripped = line.strip ();

      if (stripped != "" && !stripped.has_prefix ("#"))
        script.add (new Line (stripped));
    }
  }

  /* Runs the commands from a line on, until its "end". */
  public void run_block (int place) throws GLib.Error {
    while (place < script.length) {
      unowned var words = script[place++].words;

      if (words[0] == "end")
        return;
      if (words[0] in BLOCKS) {
        run_block_command (place, words);
        place = skip (place);
      } else {
        run_line (words);
      }
    }
  }

  int skip (int place) {
    for (int depth = 1; depth > 0; place++) {
      unowned var command = script[place].words[0];

      if (command == "end")
        depth--;
      else if (command in BLOCKS)
        depth++;
    }
    return place;
  }

  void run_block_command (int place, string[] words) throws GLib.Error {
    switch (words[0]) {
      case "profile":
        profile (place, words);
        break;
      case "step":
        step (words[1], () => run_block (place));
        break;
      case "throw":
        throw_from_step (place, words[1]);
        break;
      default:
        for (int64 n = int64.parse (words[1]); n > 0; n--)
          run_block (place);
        break;
    }
  }

  // --- Commands with a block ---

  void profile (int place, string[] words) throws GLib.Error {
    var record_shapes = "shapes" in words;
    var profiler = new Profiler (record_shapes);

    foreach (unowned var word in words) {
      Type[] types = {};

      if (!word.has_prefix ("carriers="))
        continue;
      foreach (unowned var name in word.substring (9).split (","))
        types += get_class (name);
      profiler = new Profiler.for_carriers (types, record_shapes);
    }
    profilers[words[1]] = profiler;
    var scope = profiler.scope ();
    run_block (place);
    scope.leave ();
  }

  /* Its second input is no tensor, as the function of other languages is none. */
  void step (string name, Block block) throws GLib.Error {
    var tensor = tensors[name];
    var operation = (WorkloadStep) tensor.carrier.dispatch_op ("step");

    operation.run (block);
    operation.forward (new ValueList ({ new Strideweave.Value.tensor (tensor), new Strideweave.Value.none () }));
  }

  void throw_from_step (int place, string name) throws GLib.Error {
    try {
      step (name, () => {
        run_block (place);
        throw new Thrown.THROWN ("thrown");
      });
      assert_not_reached ();
    } catch (Thrown error) {
      print ("caught throw\n");
    }
  }

  // --- Commands of one line ---

  void run_line (string[] words) throws GLib.Error {
    switch (words[0]) {
      case "name":
        Profiler.set_type_name (get_class (words[1]), words[2]);
        break;
      case "clock":
        set_fake_clock (int64.parse (words[1]), int64.parse (words[2]));
        break;
      case "advance":
        advance_fake_clock (int64.parse (words[1]));
        break;
      case "tensor":
        tensors[words[1]] = make_tensor (words[2], words[3]);
        break;
      case "release":
        tensors[words[1]].carrier.release ();
        break;
      case "run":
        call (words[1 : words.length]);
        break;
      case "let":
        tensors[words[1]] = call (words[2 : words.length]);
        break;
      case "fail":
        fail (words[1 : words.length]);
        break;
      case "lookup":
        tensors[words[2]].carrier.dispatch_op (words[1]);
        break;
      case "direct":
        new WorkloadStep ().forward (new ValueList.tensors ({ tensors[words[1]] }));
        break;
      case "move":
        move (make_tensor ("Generic", "(2,)"), make_carrier ("CPU", 2));
        break;
      case "refuse":
        refuse ();
        break;
      default:
        print_results (words);
        break;
    }
  }

  void print_results (string[] words) throws GLib.Error {
    var profiler = profilers[words[1]];

    switch (words[0]) {
      case "show":
        show (profiler, words[1]);
        break;
      case "summary":
        summarize (profiler);
        break;
      case "tables":
        print_tables (profiler);
        break;
      default:
        error ("no command is called %s", words[0]);
    }
  }

  Tensor call (string[] words) throws GLib.Error {
    var tensor = tensors[words[1]];
    unowned var last = words[words.length - 1];
    ExecutionOptions? options = null;
    string? word = words.length > 2 ? words[2] : null;

    if (last.has_prefix ("options:")) {
      var parts = last.split (":");

      options = new ExecutionOptions (parts[1], parts[2] == "FLOAT32" ? DType.FLOAT32 : DType.FLOAT64);
      if (words.length == 3)
        word = null;
    }
    if (word == null)
      return call_with_tensor (words[0], tensor, options);
    if (word.has_prefix ("'"))
      return call_with_text (words[0], tensor, word[1 : word.length - 1]);
    if (word in tensors)
      return call_with_tensors (words[0], tensor, tensors[word], options);
    if (word.has_prefix ("("))
      return words[0] == "reshape" ? reshape (tensor, new Shape.from_string (word))
                                   : broadcast_to (tensor, new Shape.from_string (word));
    if (word.has_prefix ("["))
      return call_with_indices (words[0], tensor, parse_indices (word), options);
    return call_with_number (words[0], tensor, double.parse (word));
  }

  Tensor call_with_tensor (string name, Tensor tensor, ExecutionOptions? options) throws GLib.Error {
    switch (name) {
      case "relu":
        return relu (tensor);
      case "neg":
        return neg (tensor);
      case "exp":
        return exp (tensor);
      case "reduce_sum":
        return reduce_sum (tensor, options);
      case "reduce_max":
        return reduce_max (tensor);
      case "argmax":
        return argmax (tensor);
      default:
        error ("no operation of one tensor is called %s", name);
    }
  }

  Tensor call_with_tensors (string name, Tensor lhs, Tensor rhs, ExecutionOptions? options) throws GLib.Error {
    switch (name) {
      case "add":
        return add (lhs, rhs);
      case "elementwise_mul":
        return elementwise_mul (lhs, rhs);
      case "matmul":
        return matmul (lhs, rhs, options);
      default:
        error ("no operation of two tensors is called %s", name);
    }
  }

  Tensor call_with_number (string name, Tensor tensor, double number) throws GLib.Error {
    switch (name) {
      case "add":
        return add_scalar (tensor, number);
      case "sub":
        return sub_scalar (tensor, number);
      case "mul":
        return mul_scalar (tensor, number);
      case "div":
        return div_scalar (tensor, number);
      case "maximum":
        return maximum_scalar (tensor, number);
      case "argmax":
        return argmax_mode (tensor, (int64) number);
      default:
        error ("no operation of a tensor and a number is called %s", name);
    }
  }

  Tensor call_with_indices (string name, Tensor tensor, int64[] indices, ExecutionOptions? options) throws GLib.Error {
    switch (name) {
      case "reduce_sum":
        return reduce_sum_modes (tensor, indices, false, options);
      case "reduce_max":
        return reduce_max_modes (tensor, indices);
      case "permute":
        return permute (tensor, indices);
      default:
        error ("no operation of a tensor and indices is called %s", name);
    }
  }

  /* An argument that the function for it cannot take: whoever does this goes by the name. */
  Tensor call_with_text (string name, Tensor tensor, string text) throws GLib.Error {
    GLib.Value object = text;

    return call_operation (name, new ValueList ({ new Strideweave.Value.tensor (tensor), new Strideweave.Value.object (object) }));
  }

  void fail (string[] words) {
    try {
      call (words);
      assert_not_reached ();
    } catch (GLib.Error error) {
      print ("caught %s %s\n", words[0], kind_of (error));
    }
  }

  void refuse () {
    var profiler = new Profiler ();

    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        profiler.scope ();
        assert_not_reached ();
      } catch (Strideweave.Error error) {
        print ("refused %s\n", kind_of (error));
      }
    }
  }

  // --- Results ---

  void print_event (ProfilerEvent event) {
    int64 parent;
    var has_parent = event.get_parent_id (out parent);

    print ("event %s parent=%s name=%s carrier=%s implementation=%s shapes=%s start=%s duration=%s self=%s %s\n",
           event.id.to_string (), has_parent ? parent.to_string () : "-", event.name, class_name (event.carrier_type),
           class_name (event.implementation_type), shapes_text (event.input_shapes), event.start_time_ns.to_string (),
           event.duration_ns.to_string (), event.self_time_ns.to_string (), event.succeeded ? "succeeded" : "failed");
  }

  void print_row (ProfilerAggregate row) {
    var mean = row.mean_time_ns;

    print ("row name=%s carrier=%s shapes=%s count=%s total=%s self=%s mean=%016" + uint64.FORMAT_MODIFIER + "x min=%s max=%s\n",
           row.name, class_name (row.carrier_type), shapes_text (row.input_shapes), row.count.to_string (),
           row.total_time_ns.to_string (), row.self_total_time_ns.to_string (), *((uint64*) (&mean)),
           row.min_time_ns.to_string (), row.max_time_ns.to_string ());
  }

  void print_rows (Profiler profiler, bool by_shape) throws GLib.Error {
    print (by_shape ? "rows by shape\n" : "rows\n");
    foreach (var row in profiler.dup_key_averages (by_shape))
      print_row (row);
  }

  void summarize (Profiler profiler) throws GLib.Error {
    print_rows (profiler, false);
    print_rows (profiler, true);
    print ("table\n%s\n", profiler.dup_table ());
  }

  void show (Profiler profiler, string name) throws GLib.Error {
    var events = profiler.dup_events ();
    var threads = new GenericSet<int64?> (int64_hash, int64_equal);

    foreach (var event in events)
      threads.add ((int64) event.thread_id);
    print ("profiler %s threads=%u\n", name, threads.length);
    foreach (var event in events)
      print_event (event);
    summarize (profiler);
  }

  void print_tables (Profiler profiler) throws GLib.Error {
    foreach (unowned var field in SORT_FIELDS) {
      for (int i = 0; i < 4; i++) {
        var descending = i < 2;
        var by_shape = i % 2 == 1;

        print ("table %s%s%s\n", field, descending ? " descending" : "", by_shape ? " by shape" : "");
        print ("%s\n", profiler.dup_table (field, descending, by_shape));
      }
    }
    foreach (var limit in new int64[] { 0, 1, 2, 1000000 })
      print ("table limit %s\n%s\n", limit.to_string (), profiler.dup_table (null, true, false, limit));
  }
}

int main (string[] args) {
  try {
    string text;

    FileUtils.get_contents (args[1], out text);
    new Runner (text).run_block (0);
    unset_fake_clock ();
    return 0;
  } catch (GLib.Error error) {
    printerr ("%s\n", error.message);
    return 1;
  }
}
