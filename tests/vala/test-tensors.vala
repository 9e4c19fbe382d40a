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
  assert_fails (Strideweave.Error.VALUE, "values is empty", () => from_values (new ValueList.doubles ({})));
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

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/tensors/creation", test_creation);
  test ("/tensors/creation-like", test_creation_like);
  test ("/tensors/creation-refused", test_creation_refused);
  test ("/tensors/text", test_text);
  test ("/tensors/kept-modes", test_kept_modes);
  return GLib.Test.run ();
}
