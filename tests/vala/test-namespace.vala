// SPDX-License-Identifier: LGPL-2.1-or-later
// The namespace as a Vala program sees it.

void test_version () {
  assert_cmpstr (Strideweave.version (), CompareOperator.EQ,
                 "%d.%d.%d".printf (Strideweave.MAJOR_VERSION, Strideweave.MINOR_VERSION, Strideweave.MICRO_VERSION));
}

void test_classes () {
  assert_true (typeof (Strideweave.GenericReLUOperation).is_a (typeof (Strideweave.Operation)));
  assert_true (typeof (Strideweave.CPUMatmulOperation).is_a (typeof (Strideweave.Operation)));
  assert_true (typeof (Strideweave.Carrier).is_abstract ());
}

void test_error_domain () {
  Error error = new Strideweave.Error.VALUE ("x is %d", 7);

  assert_true (error is Strideweave.Error);
  assert_cmpstr (error.domain.to_string (), CompareOperator.EQ, "sw-error-quark");
}

int main (string[] args) {
  Test.init (ref args);
  Test.add_func ("/vala/namespace/version", test_version);
  Test.add_func ("/vala/namespace/classes", test_classes);
  Test.add_func ("/vala/namespace/error-domain", test_error_domain);
  return Test.run ();
}
