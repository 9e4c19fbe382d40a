// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors: how they come about, and what can be had of them.
using Strideweave;
using Fixtures;

double[] numbers_of (Tensor tensor) throws GLib.Error {
  double[] numbers = {};

  for (int64 i = 0; i < tensor.get_size (); i++) {
    var value = tensor.get_value ({ i });

    switch (value.get_kind ()) {
    case ValueKind.BOOL:
      numbers += value.get_bool () ? 1 : 0;
      break;
    case ValueKind.INT64:
      numbers += (double) value.get_int64 ();
      break;
    default:
      numbers += value.get_double ();
      break;
    }
  }
  return numbers;
}

void assert_numbers (Tensor tensor, double[] expected) throws GLib.Error {
  var numbers = numbers_of (tensor);

  assert_equal (numbers.length, expected.length);
  for (var i = 0; i < expected.length; i++)
    assert_cmpfloat (numbers[i], CompareOperator.EQ, expected[i]);
}

void test_creation () throws GLib.Error {
  var shape = new Shape ({ 2, 2 });
  var list = new ValueList.doubles ({ 1, 2, 3, 4 });

  assert_numbers (zeros (shape), { 0, 0, 0, 0 });
  assert_true (zeros (shape).get_dtype () == DType.FLOAT32);
  assert_numbers (ones (shape, DType.INT32), { 1, 1, 1, 1 });
  assert_true (full (shape, new Strideweave.Value.bool (true)).get_dtype () == DType.BOOL);
  assert_numbers (arange (1, 7, 2), { 1, 3, 5 });
  assert_numbers (arange_doubles (0, 1, 0.5), { 0, 0.5 });
  assert_numbers (from_values (list, shape), { 1, 3, 2, 4 });
  assert_numbers (from_values (list), { 1, 2, 3, 4 });
}

void test_empty () throws GLib.Error {
  var none = zeros (new Shape ({ 0, 3 }));
  var matrix = from_values (new ValueList.doubles ({ 1, 2, 3, 4 }), new Shape ({ 2, 2 }));

  assert_equal ((int) none.get_size (), 0);
  assert_equal ((int) none.get_layout ().get_cosize (), 0);
  assert_numbers (none, {});
  assert_numbers (arange (0, 0, 1), {});
  assert_numbers (from_values (new ValueList.doubles ({})), {});
  assert_numbers (matrix.slice ({ 2 }), {});
  assert_numbers (add (none, none), {});
  assert_numbers (reduce_sum (none), { 0 });
  assert_numbers (reduce_prod_modes (none, { 0 }, false), { 1, 1, 1 });
  assert_numbers (matmul (zeros (new Shape ({ 2, 0 })), none), { 0, 0, 0, 0, 0, 0 });
  assert_text (none.dup_values_text (), "[]");
  assert_fails (Strideweave.Error.VALUE, "finds no values along modes 0, 1", () => reduce_min (none));
  assert_fails (Strideweave.Error.VALUE, "outside", () => none.get_value ({ 0 }));
}

void test_creation_like () throws GLib.Error {
  var like = new FileBacked (null, true, DType.INT64);
  var tensor = arange (0, 3, 1, DType.INVALID, like);

  assert_true (tensor.get_carrier_type () == typeof (FileBacked));
  assert_true (tensor.get_dtype () == DType.INT64);
  assert_numbers (tensor, { 0, 1, 2 });
}

void test_creation_refused () throws GLib.Error {
  assert_fails (Strideweave.Error.VALUE, "step is 0", () => arange (0, 3, 0));
  assert_fails (Strideweave.Error.VALUE, "step is nan", () => arange_doubles (0, 3, double.NAN));
  assert_fails (Strideweave.Error.TYPE, "dtype is Bool", () => arange (0, 3, 1, DType.BOOL));
  assert_fails (Strideweave.Error.VALUE, "Int32", () => full (new Shape ({ 2 }), new Strideweave.Value.int64 (1l << 40), DType.INT32));
  assert_fails (Strideweave.Error.VALUE, "0 values", () => from_values (new ValueList.doubles ({}), new Shape ({ 1 })));
}

void test_text () throws GLib.Error {
  var tensor = arange (0, 4);

  assert_text (tensor.to_string (), "Tensor([0, 1, 2, 3], shape=(4,), dtype=Int64, carrier=CPU)");
  assert_text (@"$tensor", tensor.to_string ());
  assert_text (tensor.dup_values_text (), "[0 1 2 3]");
  tensor.get_carrier ().release ();
  assert_true (tensor.to_string ().contains ("no values: "));
  assert_fails (Strideweave.Error.STATE, "released", () => tensor.dup_values_text ());
}

void test_kept_modes () throws GLib.Error {
  var tensor = from_values (new ValueList.doubles ({ 1, 5, 3, 4, 2, 6 }), new Shape ({ 2, 3 }));
  var sums = reduce_sum_modes (tensor, { 1 }, true);

  assert_text (sums.shape.to_string (), "(2, 1)");
  assert_numbers (sums, { 9, 12 });
  assert_text (reduce_max_modes (tensor, { 0, 1 }, true).shape.to_string (), "(1, 1)");
  assert_text (argmax_mode (tensor, 0, true).shape.to_string (), "(1, 3)");
  assert_text (argmax_mode (tensor, 0).shape.to_string (), "(3,)");
}

void test_parts () throws GLib.Error {
  var tensor = arange (0, 12);
  var matrix = new Tensor (tensor.get_carrier (), 0, new Layout.row_major (new Shape ({ 3, 4 })));

  assert_numbers (matrix.slice ({ 1 }, { 3 }), { 4, 8, 5, 9, 6, 10, 7, 11 });
  assert_numbers (matrix.slice ({ 0, 1 }, { int64.MAX, -1 }, { 2 }), { 1, 9, 2, 10 });
  assert_numbers (matrix.slice (), { 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 });
  assert_fails (Strideweave.Error.INDEX, "stops[1] is 5", () => matrix.slice (null, { 1, 5 }));
  assert_equal (matrix.dup_row_major_bytes ().get_size (), 96);
  assert_true (matrix.dup_row_major_bytes ().compare (tensor.dup_bytes ()) == 0);
}

void test_out () throws GLib.Error {
  var ones = ones (new Shape ({ 2 }));
  var result = zeros (new Shape ({ 2 }));

  assert_true (unary_into (result, "neg", ones));
  assert_numbers (result, { -1, -1 });
  assert_true (binary_into (result, "sub", result, ones));
  assert_numbers (result, { -2, -2 });
  assert_true (binary_scalar_into (result, "mul", result, 0.5));
  assert_numbers (result, { -1, -1 });
  call_operation ("abs", new ValueList.tensors ({ result }), new ExecutionOptions.into ("abs", DType.INVALID, result));
  assert_numbers (result, { 1, 1 });
  assert_fails (Strideweave.Error.VALUE, "shape", () => unary_into (zeros (new Shape ({ 3 })), "neg", ones));
  assert_numbers (scalar_sub (3, ones), { 2, 2 });
  assert_numbers (scalar_binary ("pow", new Strideweave.Value.double (2), ones, null), { 2, 2 });
  assert_true (scalar_binary_into (result, "div", 1, result));
  assert_numbers (result, { 1, 1 });
}

void test_cache () throws GLib.Error {
  var before = CPU.get_cache_limit ();
  uint64 n_hits, n_misses, n_hits_after;

  CPU.set_cache_limit (1 << 20);
  CPU.trim_cache ();
  assert_equal ((int64) CPU.get_cache_statistics (out n_hits, out n_misses), 0);
  new CPU (4096).release ();
  assert_true (CPU.get_cache_statistics (out n_hits, out n_misses) >= 4 * 4096);
  var again = new CPU (4096);
  CPU.get_cache_statistics (out n_hits_after, null);
  assert_true (n_hits_after > n_hits);
  again.release ();
  assert_true (CPU.trim_cache () >= 4 * 4096);
  assert_fails (Strideweave.Error.VALUE, "-1", () => CPU.set_cache_limit (-1));
  CPU.set_cache_limit (before);
}

void test_threads_and_kernels () throws GLib.Error {
  var before = CPU.get_n_threads ();
  var tensor = ones (new Shape ({ 4 }));
  var operation = tensor.get_carrier ().dispatch_op ("exp");

  CPU.set_n_threads (2);
  assert_equal (CPU.get_n_threads (), 2);
  assert_fails (Strideweave.Error.VALUE, "0", () => CPU.set_n_threads (0));
  CPU.set_n_threads (before);

  assert_text (operation.kernel, null);
  operation.forward (new ValueList.tensors ({ tensor }));
  assert_true (operation.kernel.contains ("contiguous"));
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/tensors/creation", test_creation);
  test ("/tensors/empty", test_empty);
  test ("/tensors/creation-like", test_creation_like);
  test ("/tensors/creation-refused", test_creation_refused);
  test ("/tensors/text", test_text);
  test ("/tensors/kept-modes", test_kept_modes);
  test ("/tensors/parts", test_parts);
  test ("/tensors/out", test_out);
  test ("/tensors/cache", test_cache);
  test ("/tensors/threads-and-kernels", test_threads_and_kernels);
  return GLib.Test.run ();
}
