/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-profiler-site.h"

#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-site-registry-private.h"

/**
 * SwProfilerSite:
 *
 * A place in a program that measures zones, and the name that it gives them.
 *
 * The same file, line, function and name are the same site, whatever memory they came from. A site is made when it is
 * first used, its texts are copied then, and it lives as long as the process. At most 1,048,576 sites are kept, and 256 MiB
 * of their text; what comes after that is counted under one site, named “(too many sites)”.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwProfilerSite
{
  SwSite site;
};

G_DEFINE_BOXED_TYPE (SwProfilerSite, sw_profiler_site, sw_profiler_site_ref, sw_profiler_site_unref)

/**
 * sw_profiler_site_lookup:
 * @id: the number of the site
 *
 * Returns the site of a number, such as one that a column of site numbers holds. May be called on any thread.
 *
 * Returns: (transfer none) (nullable): the site; %NULL when no site has that number
 */
SwProfilerSite *
sw_profiler_site_lookup (guint32 id)
{
  return (SwProfilerSite *) sw_site_registry_get (id);
}

/**
 * sw_profiler_site_ref:
 * @self: the site
 *
 * Takes a reference. Sites live as long as the process: this does nothing.
 *
 * Returns: (transfer full): @self
 */
SwProfilerSite *
sw_profiler_site_ref (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self;
}

/**
 * sw_profiler_site_unref:
 * @self: (transfer full): the site
 *
 * Gives a reference back. Sites live as long as the process: this does nothing.
 */
void
sw_profiler_site_unref (SwProfilerSite *self)
{
  g_return_if_fail (self != NULL);
}

/**
 * sw_profiler_site_get_id:
 * @self: the site
 *
 * Returns the number of the site, which it keeps for the life of the process.
 *
 * Returns: the number, from 1
 */
guint32
sw_profiler_site_get_id (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site.id;
}

/**
 * sw_profiler_site_get_file:
 * @self: the site
 *
 * Returns the file that the site is in.
 *
 * Returns: (transfer none): the name of the file, as the program gave it
 */
const char *
sw_profiler_site_get_file (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->site.file;
}

/**
 * sw_profiler_site_get_line:
 * @self: the site
 *
 * Returns the line that the site is on.
 *
 * Returns: the number of the line, from 1; 0 when it is not known
 */
guint32
sw_profiler_site_get_line (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site.line;
}

/**
 * sw_profiler_site_get_function:
 * @self: the site
 *
 * Returns the qualified name of the function that the site is in.
 *
 * Where a compiler gave a whole signature, this is the name alone.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_site_get_function (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->site.function;
}

/**
 * sw_profiler_site_get_name:
 * @self: the site
 *
 * Returns the name that the site gives to what it measures.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_site_get_name (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->site.name;
}

/**
 * sw_profiler_site_equal:
 * @self: a site
 * @other: another site
 *
 * Compares two sites.
 *
 * Returns: whether they are the same
 */
gboolean
sw_profiler_site_equal (SwProfilerSite *self,
                        SwProfilerSite *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self == other;
}

/**
 * sw_profiler_site_hash:
 * @self: the site
 *
 * Returns a hash of the value: the same for equal sites.
 *
 * Returns: the hash
 */
guint
sw_profiler_site_hash (SwProfilerSite *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site.hash;
}

/**
 * sw_profiler_site_to_string:
 * @self: the site
 *
 * Returns all fields of the site on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_site_to_string (SwProfilerSite *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  g_string_printf (text, "ProfilerSite(id=%u, name=", self->site.id);
  sw_text_append_quoted (text, self->site.name);
  g_string_append (text, ", function=");
  sw_text_append_quoted (text, self->site.function);
  g_string_append (text, ", file=");
  sw_text_append_quoted (text, self->site.file);
  g_string_append_printf (text, ", line=%u)", self->site.line);
  return g_string_free (text, FALSE);
}
