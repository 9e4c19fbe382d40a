/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <pthread.h>

G_BEGIN_DECLS

/* Starts a thread that takes no signals, which are the program's own affair. @thread NULL: nobody waits for its end.
 * @stack_size 0: what the system gives. FALSE: the system has no thread to give. */
gboolean sw_quiet_thread_start (pthread_t *thread,
                                gsize stack_size,
                                void *(*run) (void *data),
                                void *data);

G_END_DECLS
