/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void sw_testing_set_fake_clock (gint64 now_ns,
                                gint64 step_ns);
void sw_testing_advance_fake_clock (gint64 ns);
void sw_testing_unset_fake_clock (void);

G_END_DECLS
