// SPDX-License-Identifier: LGPL-2.1-or-later
// What a Vala program does with an installed Strideweave.

int main () {
  try {
    var layout = new Strideweave.Layout.compact (new Strideweave.Shape ({ 2 }));
    var carrier = new Strideweave.Generic.doubles ({ -1.0, 2.5 }, Strideweave.DType.FLOATING);
    var tensor = new Strideweave.Tensor (carrier, 0, layout);
    var profiler = new Strideweave.Profiler (false);

    profiler.enter ();
    var result = Strideweave.relu (tensor);
    profiler.exit ();
    assert (result.get_value ({ 1 }).get_double () == 2.5);
    assert (profiler.count_events () == 1);
  } catch (Error error) {
    printerr ("%s\n", error.message);
    return 1;
  }
  print ("vala: works\n");
  return 0;
}
