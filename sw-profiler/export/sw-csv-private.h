/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One field of a CSV file (RFC 4180): between quotes where it must be, and where it is empty, which tells it from none, NULL;
 * U+FFFD for each byte that is not UTF-8. */
void sw_csv_append_text (GString *csv,
                         const char *text);

G_END_DECLS
