/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A place in a program and the name that it gives to what it measures. Never changes and is never freed. */
typedef struct
{
  guint32 id; /* from 1 */
  guint32 line;
  guint32 hash;
  const char *file;
  const char *signature; /* the function as the compiler or interpreter names it */
  const char *function;  /* short: qualified name only */
  const char *name;
} SwSite;

/* What is kept at most; whatever comes after that is counted under one site, named SW_SITE_OVERFLOW_NAME. */
#define SW_SITE_MAX_SITES (1u << 20)
#define SW_SITE_MAX_TEXT_BYTES ((gsize) 256 << 20)
#define SW_SITE_OVERFLOW_NAME "(too many sites)"

/* The id of the site of exactly these four; all are copied when they are new. NULL counts as "". From any thread, without
 * a lock when the site is there already. Never 0. */
guint32 sw_site_registry_intern (const char *file,
                                 guint32 line,
                                 const char *signature,
                                 const char *name);
/* NULL when there is no such site. From any thread, without a lock. */
const SwSite *sw_site_registry_get (guint32 id);
/* The ids in use are 1 up to this. */
guint32 sw_site_registry_count (void);

G_END_DECLS
