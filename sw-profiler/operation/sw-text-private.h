/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Any bytes, as valid UTF-8 that stays on one line and shows what it is; two different texts never look the same. */
void sw_text_append_display (GString *string,
                             const char *text);
/* The same between single quotes. */
void sw_text_append_quoted (GString *string,
                            const char *text);
/* A JSON string: valid UTF-8, with U+FFFD for each byte that is none. */
void sw_text_append_json (GString *string,
                          const char *text);
/* The shortest decimal that reads back as the same double; "2.0", not "2". The same in every locale. */
void sw_text_append_double (GString *string,
                            double value);

G_END_DECLS
