/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <strideweave.h>

/* What a program of another project does first. Exits with 0 when the result is right. */
int
main (void)
{
  const double values[] = { -1.0, 0.0, 2.5 };
  const gint64 extents[] = { G_N_ELEMENTS (values) };
  const gint64 last[] = { 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles (values, G_N_ELEMENTS (values), SW_DTYPE_FLOATING, &error);
  g_autoptr (SwShape) shape = sw_shape_new (extents, G_N_ELEMENTS (extents), &error);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwTensor) input = sw_tensor_new (carrier, 0, layout, &error);
  g_autoptr (SwTensor) output = input != NULL ? sw_relu (input, &error) : NULL;
  g_autoptr (SwValue) value = output != NULL ? sw_tensor_get_value (output, last, G_N_ELEMENTS (last), &error) : NULL;

  if (value == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  g_print ("relu gives %g, version %s\n", sw_value_get_double (value), sw_version ());
  return sw_value_get_double (value) == 2.5 ? 0 : 1;
}
