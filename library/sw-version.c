/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "library/sw-version.h"

/**
 * sw_version:
 *
 * The version of the library that is loaded, which may be later than the one a program was compiled against.
 *
 * Returns: (transfer none): three numbers with dots between, such as "0.1.0"
 */
const char *
sw_version (void)
{
  return SW_VERSION;
}
