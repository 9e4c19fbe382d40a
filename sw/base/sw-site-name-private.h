/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The qualified name of a function, out of a compiler's whole signature: "int a::B<T>::f(int) const [with T = char]" is
 * "a::B<T>::f". What has no parameter list, such as the name that C or Python gives, stays as it is. */
char *sw_site_name_shorten (const char *signature) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
