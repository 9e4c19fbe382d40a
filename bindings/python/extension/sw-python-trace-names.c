/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-traces-private.h"

/* The sites of names that were emitted lately. A site is for ever, so a name gets one only when it is met again: what is
 * made up for a single event, such as the number of a request, is copied with the event instead. */
#define N_WAYS 4
#define N_SETS 512
#define MAX_NAME_BYTES 256
/* A program that makes up names without end must not fill the table that all of the process shares. */
#define MAX_INTERNED (1u << 16)

typedef struct
{
  PyObject *name;
  PyObject *category; /* NULL: none */
  SwTraceSite site;   /* the texts are those of the two */
} Entry;

typedef struct
{
  Entry entries[N_WAYS];
  guint next;
} Set;

static Set sets[N_SETS];
static guint n_interned;

static inline gboolean
is_same (PyObject *a,
         PyObject *b)
{
  return a == b || (a != NULL && b != NULL && PyUnicode_Compare (a, b) == 0);
}

static gboolean
init_site (SwTraceSite *self,
           PyObject *name,
           PyObject *category,
           guint level)
{
  const char *name_text = PyUnicode_AsUTF8 (name);
  const char *category_text = category != NULL ? PyUnicode_AsUTF8 (category) : "";

  *self = (SwTraceSite){ name_text, category_text, level, SW_TRACE_SITE_COPIED };
  return name_text != NULL && category_text != NULL;
}

static SwTraceSite *
meet (Set *set,
      const SwTraceSite *site,
      PyObject *name,
      PyObject *category)
{
  Entry *entry = &set->entries[set->next++ % N_WAYS];
  PyObject *old_name = entry->name, *old_category = entry->category;

  entry->site = *site;
  entry->name = Py_NewRef (name);
  entry->category = Py_XNewRef (category);
  /* Strings: no code runs. */
  Py_XDECREF (old_name);
  Py_XDECREF (old_category);
  return &entry->site;
}

static G_GNUC_NO_INLINE void
meet_again (SwTraceSite *site)
{
  if (n_interned < MAX_INTERNED)
    {
      n_interned++;
      site->id = 0; /* found out when it is recorded */
    }
}

SwTraceSite *
sw_python_trace_site (PyObject *name,
                      PyObject *category,
                      guint level,
                      SwTraceSite *own)
{
  guintptr hash;
  Set *set;

  /* Others may compare as they like. */
  if (G_UNLIKELY (!PyUnicode_CheckExact (name) || (category != NULL && !PyUnicode_CheckExact (category))))
    return init_site (own, name, category, level) ? own : NULL;
  hash = (guintptr) PyObject_Hash (name) + level;
  if (category != NULL)
    hash += (guintptr) PyObject_Hash (category) * 7;
  set = &sets[(hash ^ hash >> 9 ^ hash >> 18) % N_SETS];
  for (guint i = 0; i < N_WAYS; i++)
    {
      Entry *entry = &set->entries[i];

      if (entry->name == NULL || entry->site.level != level || !is_same (entry->name, name) ||
          !is_same (entry->category, category))
        continue;
      if (G_UNLIKELY (entry->site.id == SW_TRACE_SITE_COPIED))
        meet_again (&entry->site);
      return &entry->site;
    }
  if (!init_site (own, name, category, level))
    return NULL;
  if (strlen (own->name) + strlen (own->category) > MAX_NAME_BYTES)
    return own;
  return meet (set, own, name, category);
}
