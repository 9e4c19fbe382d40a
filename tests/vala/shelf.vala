// SPDX-License-Identifier: LGPL-2.1-or-later
// Carriers and operations as a Vala program writes them: one with storage of its own, and one around another carrier.
using Strideweave;

/* Float64 values in a Vala array; knows relu and add. */
public class Shelf : Carrier {
  public static int live;

  double[] values;
  bool writable;

  public Shelf (double[] values, bool writable = true) {
    this.values = values;
    this.writable = writable;
    AtomicInt.inc (ref live);
  }

  ~Shelf () {
    AtomicInt.dec_and_test (ref live);
  }

  public override int64 size () throws GLib.Error {
    return values.length;
  }

  public override DType dtype () throws GLib.Error {
    return DType.FLOAT64;
  }

  public override bool is_mutable () throws GLib.Error {
    return writable;
  }

  public override Strideweave.Value get_value (int64 index) throws GLib.Error {
    return new Strideweave.Value.double (values[index]);
  }

  public override bool set_value (int64 index, Strideweave.Value value) throws GLib.Error {
    values[index] = value.get_double ();
    return true;
  }

  static void check_dtype (DType dtype) throws Strideweave.Error {
    if (dtype != DType.FLOAT64 && dtype != DType.INVALID)
      throw new Strideweave.Error.VALUE ("dtype is %s, but Shelf holds Float64 only", dtype.to_string ());
  }

  public override Carrier new_like (ValueList values, bool is_mutable, DType dtype) throws GLib.Error {
    double[] numbers = {};

    check_dtype (dtype);
    for (size_t i = 0; i < values.get_length (); i++)
      numbers += values.dup_value (i).get_double ();
    return new Shelf (numbers, is_mutable);
  }

  public override Carrier allocate_like (int64 size, bool is_mutable, DType dtype, bool is_empty) throws GLib.Error {
    check_dtype (dtype);
    return new Shelf (new double[size], is_mutable);
  }

  public override Operation dispatch_op (string name) throws GLib.Error {
    switch (name) {
      case "relu":
        return new ShelfReLU ();
      case "add":
        return new ShelfAdd ();
      default:
        return base.dispatch_op (name);
    }
  }
}

/* An operation that computes one value from the values of each coordinate. */
public abstract class ShelfOperation : Operation {
  protected abstract double compute_value (double[] operands);

  static double read (Tensor tensor, int64 ordinal) throws GLib.Error {
    return tensor.carrier.get_value (tensor.offset + tensor.layout.get_index_at (ordinal)).get_double ();
  }

  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    var shape = inputs.dup_tensor (0).shape;
    var results = new double[shape.size];

    for (int64 i = 0; i < results.length; i++) {
      double[] operands = {};

      for (size_t k = 0; k < inputs.get_length (); k++)
        operands += read (inputs.dup_tensor (k), i);
      results[i] = compute_value (operands);
    }
    return new Tensor (new Shelf (results), 0, new Layout.compact (shape));
  }
}

public class ShelfReLU : ShelfOperation {
  protected override double compute_value (double[] operands) {
    return double.max (operands[0], 0);
  }
}

public class ShelfAdd : ShelfOperation {
  protected override double compute_value (double[] operands) {
    return operands[0] + operands[1];
  }
}

/* Owns another carrier, whatever it is, and lowers its operations to it. */
public class Wrapper : Carrier {
  public Carrier inner { get; private set; }

  public Wrapper (Carrier inner) {
    this.inner = inner;
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

  /* A fresh carrier of the same class. */
  public virtual Wrapper wrap (Carrier inner) {
    return new Wrapper (inner);
  }

  public override Operation dispatch_op (string name) throws GLib.Error {
    return new WrapperOperation (this, inner.dispatch_op (name));
  }
}

/* Another exact class, for towers of wrappers. */
public class OuterWrapper : Wrapper {
  public OuterWrapper (Carrier inner) {
    base (inner);
  }

  public override Wrapper wrap (Carrier inner) {
    return new OuterWrapper (inner);
  }
}

public class WrapperOperation : Operation {
  Wrapper wrapper;
  Operation inner;

  public WrapperOperation (Wrapper wrapper, Operation inner) {
    this.wrapper = wrapper;
    this.inner = inner;
  }

  static Strideweave.Value lower_value (Strideweave.Value value) throws GLib.Error {
    var tensor = value.get_tensor ();

    if (tensor == null || !(tensor.carrier is Wrapper))
      return value;
    return new Strideweave.Value.tensor (new Tensor (((Wrapper) tensor.carrier).inner, tensor.offset, tensor.layout));
  }

  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    Strideweave.Value[] lowered = {};

    for (size_t i = 0; i < inputs.get_length (); i++)
      lowered += lower_value (inputs.dup_value (i));
    var result = inner.lower (new ValueList (lowered), options);
    return new Tensor (wrapper.wrap (result.carrier), result.offset, result.layout);
  }
}
