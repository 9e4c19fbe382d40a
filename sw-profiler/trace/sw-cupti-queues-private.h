/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* The lanes of streams, by their numbers. */
typedef struct
{
  GHashTable *lanes;    /* of SwLane, by Key */
  GHashTable *contexts; /* device -> the first context that was seen there */
} SwCuptiQueues;

/* What is beyond shares one lane for each device. */
#define SW_CUPTI_MAX_QUEUES 1024

void sw_cupti_queues_init (SwCuptiQueues *self);
void sw_cupti_queues_clear (SwCuptiQueues *self);
/* Borrowed. */
SwLane *sw_cupti_queues_get (SwCuptiQueues *self,
                             guint32 device,
                             guint32 context,
                             guint32 stream);

G_END_DECLS
