// SPDX-License-Identifier: LGPL-2.1-or-later
// A program that knows nothing of how it is recorded: ten operations in a span.
using Strideweave;

int main () {
  try {
    var span = trace_span ("ten of them", "vala");
    var layout = new Layout.compact (new Shape ({ 2 }));
    var tensor = new Tensor (new Generic.doubles ({ -1.0, 2.5 }, DType.FLOATING), 0, layout);

    for (var i = 0; i < 10; i++)
      relu (tensor);
    span.end ();
  } catch (GLib.Error error) {
    printerr ("%s\n", error.message);
    return 1;
  }
  return 0;
}
