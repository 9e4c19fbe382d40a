// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors, carriers whose operations run a script, and checks of what was recorded.
using Strideweave;

/* What the hooks of the tests throw. */
public errordomain HookError {
  BROKEN
}

/* What an operation of a ScriptCarrier does inside its boundary. */
public delegate Tensor Script (ValueList inputs) throws GLib.Error;

public class ScriptOperation : Operation {
  ScriptCarrier carrier;

  public ScriptOperation (ScriptCarrier carrier) {
    this.carrier = carrier;
  }

  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    return carrier.run (inputs);
  }
}

/* A carrier of one value that dispatches any name. */
public class ScriptCarrier : Carrier {
  Script? script;

  public ScriptCarrier (owned Script? script = null) {
    this.script = (owned) script;
  }

  public Tensor run (ValueList inputs) throws GLib.Error {
    return script != null ? script (inputs) : inputs.dup_tensor (0);
  }

  public override int64 size () throws GLib.Error {
    return 1;
  }

  public override DType dtype () throws GLib.Error {
    return DType.FLOAT64;
  }

  public override Operation dispatch_op (string name) throws GLib.Error {
    return new ScriptOperation (this);
  }
}

/* Another exact class. */
public class DerivedCarrier : ScriptCarrier {
  public DerivedCarrier (owned Script? script = null) {
    base ((owned) script);
  }
}

namespace Fixtures {
  public delegate void Case () throws GLib.Error;

  public class Test {
    string path;
    Case func;

    public Test (string path, owned Case func) {
      this.path = path;
      this.func = (owned) func;
    }

    public void run () {
      try {
        func ();
      } catch (GLib.Error error) {
        GLib.Test.message ("%s throws", path);
        assert_no_error (error);
      }
    }
  }

  /* GLib keeps no reference to what it is going to run. */
  public GenericArray<Test> tests;

  public void test (string path, owned Case func) {
    if (tests == null)
      tests = new GenericArray<Test> ();
    tests.add (new Test (path, (owned) func));
    GLib.Test.add_data_func (path, tests[tests.length - 1].run);
  }

  /* A test whose name is the title of a scenario. */
  public void scenario (string title, owned Case func) {
    test ("/scenario/" + title, (owned) func);
  }

  /* Runs what must fail with one of Strideweave's errors. */
  public void assert_fails (int code, string message, Case func) {
    try {
      func ();
      GLib.Test.message ("no error with '%s'", message);
      GLib.Test.fail ();
    } catch (GLib.Error error) {
      assert_error (error, Strideweave.Error.quark (), code);
      if (!error.message.contains (message)) {
        GLib.Test.message ("'%s' is not in '%s'", message, error.message);
        GLib.Test.fail ();
      }
    }
  }

  public void assert_equal (int64 actual, int64 expected) {
    assert_cmpstr (actual.to_string (), CompareOperator.EQ, expected.to_string ());
  }

  public void assert_type (Type actual, Type expected) {
    assert_cmpstr (actual.name (), CompareOperator.EQ, expected.name ());
  }

  public void assert_text (string? actual, string? expected) {
    assert_cmpstr (actual, CompareOperator.EQ, expected);
  }

  public Tensor tensor_on (Carrier carrier, string shape = "(1,)") throws GLib.Error {
    return new Tensor (carrier, 0, new Layout.compact (new Shape.from_string (shape)));
  }

  public Carrier generic (int64 size) throws GLib.Error {
    double[] values = {};

    for (int64 i = 0; i < size; i++)
      values += (i % 2 == 0 ? -1.0 : 1.0) * (i + 1);
    return new Generic.doubles (values, DType.FLOAT32);
  }

  /* On Generic, with the values -1, 2, -3, 4 ... */
  public Tensor generic_tensor (string shape = "(2,)") throws GLib.Error {
    return tensor_on (generic (new Shape.from_string (shape).size), shape);
  }

  public Tensor cpu_tensor () throws GLib.Error {
    return tensor_on (new CPU (2), "(2,)");
  }

  /* On an Evictable whose primary tier is a Generic. */
  public Tensor evictable_tensor () throws GLib.Error {
    return tensor_on (new Evictable (generic (2), generic (0)), "(2,)");
  }

  /* The values -1, 2 as relu makes them. */
  public void assert_relu (Tensor result) throws GLib.Error {
    assert_cmpfloat (result.get_value ({ 0 }).get_double (), CompareOperator.EQ, 0);
    assert_cmpfloat (result.get_value ({ 1 }).get_double (), CompareOperator.EQ, 2);
  }

  /* An addition of something that is no tensor: it fails inside the boundary. */
  public Tensor failing_add (Tensor tensor) throws GLib.Error {
    GLib.Value text = "not a tensor";

    return call_operation ("add", new ValueList ({ new Strideweave.Value.tensor (tensor), new Strideweave.Value.object (text) }));
  }

  public void assert_failing_add (Tensor tensor) {
    assert_fails (Strideweave.Error.TYPE, "rhs must be a Tensor", () => failing_add (tensor));
  }

  /* The profiler of an execution of @func. */
  public Profiler profiled (Profiler profiler, Case func) throws GLib.Error {
    var scope = profiler.scope ();

    func ();
    scope.leave ();
    return profiler;
  }

  public int64 parent_of (ProfilerEvent event) {
    int64 parent;

    return event.get_parent_id (out parent) ? parent : -1;
  }
}
