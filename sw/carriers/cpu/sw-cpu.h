/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-carrier.h>

G_BEGIN_DECLS

#define SW_TYPE_CPU (sw_cpu_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwCPU, sw_cpu, SW, CPU, SwCarrier)

SW_AVAILABLE_IN_0_1
SwCarrier *sw_cpu_new (gint64 size,
                       gboolean is_mutable,
                       SwDType dtype,
                       gboolean is_empty,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_cpu_new_for_address (gint64 size,
                                   guint64 address,
                                   gboolean is_mutable,
                                   SwDType dtype,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_cpu_new_for_memory (gint64 size,
                                  guint64 address,
                                  gboolean is_mutable,
                                  SwDType dtype,
                                  GDestroyNotify destroy,
                                  gpointer user_data,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_cpu_new_from_bytes (GBytes *bytes,
                                  SwDType dtype,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
guint64 sw_cpu_get_address (SwCPU *self,
                            GError **error);
SW_AVAILABLE_IN_0_1
guint sw_cpu_get_n_threads (void);
SW_AVAILABLE_IN_0_1
gboolean sw_cpu_set_n_threads (guint n_threads,
                               GError **error);

SW_AVAILABLE_IN_0_1
gboolean sw_cpu_set_cache_limit (gint64 n_bytes,
                                 GError **error);
SW_AVAILABLE_IN_0_1
gint64 sw_cpu_get_cache_limit (void);
SW_AVAILABLE_IN_0_1
guint64 sw_cpu_trim_cache (void);
SW_AVAILABLE_IN_0_1
guint64 sw_cpu_get_cache_statistics (guint64 *n_hits,
                                     guint64 *n_misses);

G_END_DECLS
