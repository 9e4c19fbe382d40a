/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-cupti-private.h"

G_BEGIN_DECLS

/* What CUPTI records: as much as the most verbose of the contexts that have the collector wants. From any thread. */
typedef struct _SwCuptiSwitch SwCuptiSwitch;

SwCuptiSwitch *sw_cupti_switch_new (void) G_GNUC_WARN_UNUSED_RESULT;
void sw_cupti_switch_free (SwCuptiSwitch *self);
void sw_cupti_switch_set_level (SwCuptiSwitch *self,
                                gconstpointer context,
                                guint level);
/* For good. */
void sw_cupti_switch_off (SwCuptiSwitch *self);
/* The first that was not taken yet; NULL: none. */
GError *sw_cupti_switch_take_error (SwCuptiSwitch *self) G_GNUC_WARN_UNUSED_RESULT;

/* Whether all that is needed can be switched on; off again after that. FALSE with UNSUPPORTED. */
gboolean sw_cupti_switch_try (const SwCuptiLibrary *library,
                              GError **error);

G_END_DECLS
