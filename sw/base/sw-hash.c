/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-hash-private.h"

#include <string.h>

__extension__ typedef unsigned __int128 Wide;

static guint64 secrets[3];

/* Before any thread, so that nobody waits for it. GLib's generator takes its seed from the system. */
__attribute__ ((constructor)) static void
choose_secrets (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (secrets); i++)
    secrets[i] = (guint64) g_random_int () << 32 | g_random_int ();
}

/* Each bit of both goes into many of the result. */
static inline guint64
fold (guint64 a,
      guint64 b)
{
  Wide product = (Wide) a * b;

  return (guint64) product ^ (guint64) (product >> 64);
}

static inline guint64
load (const guint8 *bytes,
      gsize n)
{
  guint64 word = 0;

  if (G_LIKELY (n >= sizeof word))
    memcpy (&word, bytes, sizeof word);
  else if (n > 0)
    memcpy (&word, bytes, n);
  return word;
}

guint64
sw_hash_bytes (const void *bytes,
               gsize n_bytes)
{
  const guint8 *at = bytes;
  guint64 hash = secrets[0] ^ n_bytes;

  for (; n_bytes > 16; at += 16, n_bytes -= 16)
    hash = fold (load (at, 8) ^ secrets[1], load (at + 8, 8) ^ hash);
  hash = fold (load (at, n_bytes) ^ secrets[1], load (at + MIN (n_bytes, 8), n_bytes - MIN (n_bytes, 8)) ^ hash);
  return fold (hash ^ secrets[1], secrets[2]);
}

guint
sw_hash_int64 (gconstpointer number)
{
  return (guint) fold (*(const guint64 *) number ^ secrets[0], secrets[2]);
}

guint
sw_hash_text (gconstpointer text)
{
  return (guint) sw_hash_bytes (text, strlen (text));
}

guint
sw_hash_gbytes (gconstpointer bytes)
{
  gsize n;
  const void *data = g_bytes_get_data ((GBytes *) bytes, &n);

  return (guint) sw_hash_bytes (data, n);
}
