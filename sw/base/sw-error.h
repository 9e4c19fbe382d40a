/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

/**
 * SW_ERROR:
 *
 * The one error domain of Strideweave; its codes are those of [error@Strideweave.Error].
 */
#define SW_ERROR (sw_error_quark ())

/**
 * SwError:
 * @SW_ERROR_FAILED: something failed that no other code describes
 * @SW_ERROR_TYPE: an argument has the wrong type
 * @SW_ERROR_VALUE: an argument has the right type and an impossible value
 * @SW_ERROR_STATE: the object is in a state that does not allow the call
 * @SW_ERROR_INDEX: an index is outside its range
 * @SW_ERROR_NOT_IMPLEMENTED: nothing implements the requested name
 * @SW_ERROR_UNSUPPORTED: the combination of dtypes or carriers is not supported
 * @SW_ERROR_IO: the operating system refused an input or output
 * @SW_ERROR_FOREIGN: code outside the library, such as a script's override, failed
 *
 * What went wrong, by meaning. The message names the argument and the value.
 */
typedef enum {
  SW_ERROR_FAILED,
  SW_ERROR_TYPE,
  SW_ERROR_VALUE,
  SW_ERROR_STATE,
  SW_ERROR_INDEX,
  SW_ERROR_NOT_IMPLEMENTED,
  SW_ERROR_UNSUPPORTED,
  SW_ERROR_IO,
  SW_ERROR_FOREIGN,
} SwError;

SW_AVAILABLE_IN_0_1
GQuark sw_error_quark (void);

G_END_DECLS
