/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-zones-private.h"

/* Where zones are in Python programs, and the numbers of these sites. */

/* A set-associative table: bounded, and what falls out is found out again. It does not keep code objects alive; one that
 * is gone is known by its weak reference, so that another at the same address is not taken for it. */
#define N_WAYS 4
#define N_SETS 512

typedef struct
{
  PyObject *code; /* only an address */
  PyObject *reference;
  PyObject *name; /* NULL: that of the function */
  int instruction;
  guint site;
} Entry;

typedef struct
{
  Entry entries[N_WAYS];
  guint next;
} Set;

static Set sets[N_SETS];

static inline Set *
find_set (const SwPythonPlace *place)
{
  guintptr hash = (guintptr) place->code / 16 + (guintptr) place->instruction * 31;

  if (place->name != NULL)
    hash += (guintptr) PyObject_Hash (place->name) * 7;
  return &sets[(hash ^ hash >> 9 ^ hash >> 18) % N_SETS];
}

static gboolean
is_alive (const Entry *entry)
{
#if PY_VERSION_HEX >= 0x030d0000
  PyObject *code;
  int status = PyWeakref_GetRef (entry->reference, &code);

  Py_XDECREF (code);
  return status == 1;
#else
  return PyWeakref_GET_OBJECT (entry->reference) == entry->code;
#endif
}

static inline gboolean
is_same_name (PyObject *a,
              PyObject *b)
{
  return a == b || (a != NULL && b != NULL && PyUnicode_Compare (a, b) == 0);
}

/* A text of a code object as C can have it; NULL with an exception. */
static PyObject *
get_text (PyObject *code,
          const char *attribute)
{
  PyObject *text = PyObject_GetAttrString (code, attribute);
  PyObject *bytes = text != NULL ? PyUnicode_AsEncodedString (text, "utf-8", "replace") : NULL;

  Py_XDECREF (text);
  return bytes;
}

#if PY_VERSION_HEX >= 0x030b0000
#define QUALIFIED_NAME "co_qualname"
#else
#define QUALIFIED_NAME "co_name"
#endif

/* 0 with an exception. */
static guint
register_site (const SwPythonPlace *place)
{
  PyCodeObject *code = (PyCodeObject *) place->code;
  PyObject *file = get_text (place->code, "co_filename");
  PyObject *function = file != NULL ? get_text (place->code, QUALIFIED_NAME) : NULL;
  int line = place->instruction >= 0 ? PyCode_Addr2Line (code, place->instruction) : code->co_firstlineno;
  const char *name = NULL;
  guint site = 0;

  if (function != NULL)
    name = place->name != NULL ? PyUnicode_AsUTF8 (place->name) : PyBytes_AS_STRING (function);
  if (name != NULL)
    site = sw_profile_site_register (PyBytes_AS_STRING (file), MAX (line, 0), PyBytes_AS_STRING (function), name);
  Py_XDECREF (function);
  Py_XDECREF (file);
  return site;
}

static guint
add_entry (Set *set,
           const SwPythonPlace *place)
{
  Entry *entry = &set->entries[set->next++ % N_WAYS];
  guint site = register_site (place);
  PyObject *reference = site != 0 ? PyWeakref_NewRef (place->code, NULL) : NULL;

  if (reference == NULL)
    return 0;
  entry->code = place->code;
  entry->instruction = place->instruction;
  entry->site = site;
  Py_XSETREF (entry->reference, reference);
  Py_XSETREF (entry->name, Py_XNewRef (place->name));
  return site;
}

guint
sw_python_site_of (const SwPythonPlace *place)
{
  Set *set = find_set (place);

  for (guint i = 0; i < N_WAYS; i++)
    {
      const Entry *entry = &set->entries[i];

      if (entry->code == place->code && entry->instruction == place->instruction &&
          is_same_name (entry->name, place->name) && is_alive (entry))
        return entry->site;
    }
  return add_entry (set, place);
}

#if PY_VERSION_HEX >= 0x030b0000
#define get_instruction PyFrame_GetLasti
#else
static int
get_instruction (PyFrameObject *frame)
{
  PyObject *attribute = PyObject_GetAttrString ((PyObject *) frame, "f_lasti");
  int instruction = attribute != NULL ? (int) PyLong_AsLong (attribute) : -1;

  Py_XDECREF (attribute);
  return instruction;
}
#endif

gboolean
sw_python_place_here (SwPythonPlace *place)
{
  PyFrameObject *frame = PyEval_GetFrame ();

  /* Called by C in a thread without any Python. */
  if (frame == NULL)
    return FALSE;
  place->code = (PyObject *) PyFrame_GetCode (frame);
  place->instruction = get_instruction (frame);
  return TRUE;
}
