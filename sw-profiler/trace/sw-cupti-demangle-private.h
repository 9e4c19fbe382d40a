/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A GRefString: the name of a C++ function as its source has it, where the system has what knows how; else, and of any
 * other name, as it is. */
char *sw_cupti_demangle (const char *name) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
