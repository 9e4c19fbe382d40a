/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"

/**
 * sw_error_quark:
 *
 * Gets the domain of the library's errors, [error@Strideweave.Error].
 *
 * Returns: the quark of `sw-error-quark`
 */
/* Not G_DEFINE_QUARK: its cache is a plain variable, which the first errors of two threads would race for. */
GQuark
sw_error_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("sw-error-quark"));
  return (GQuark) quark;
}
