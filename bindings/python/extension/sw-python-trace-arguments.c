/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-traces-private.h"

/* What events are given as arguments. Values of the usual classes are converted here; all that is less usual, or wrong,
 * is left to functions of the override, which return one of the former or raise. */

static PyTypeObject *shape_class;
static PyObject *check_key; /* (key): the key as C can have it */
static PyObject *plain;     /* (key, value): a value of a class that is known here */

void
sw_python_use_trace_arguments (PyTypeObject *class,
                               PyObject *check_key_function,
                               PyObject *plain_function)
{
  Py_XSETREF (shape_class, (PyTypeObject *) Py_NewRef (class));
  Py_XSETREF (check_key, Py_NewRef (check_key_function));
  Py_XSETREF (plain, Py_NewRef (plain_function));
}

#define MAX_TOKENS 64
#define MAX_DEPTH 8

/* The tokens of a tuple of ints and further tuples. FALSE, without an exception: it is not as simple as that. */
static gboolean
put_tokens (PyObject *tuple,
            gint64 *tokens,
            gsize *n_tokens,
            guint depth)
{
  Py_ssize_t n = PyTuple_GET_SIZE (tuple);

  if (depth == MAX_DEPTH || *n_tokens + (gsize) n + 1 > MAX_TOKENS)
    return FALSE;
  tokens[(*n_tokens)++] = -2 - n;
  for (Py_ssize_t i = 0; i < n; i++)
    {
      PyObject *item = PyTuple_GET_ITEM (tuple, i);
      int overflow = 0;

      if (PyTuple_CheckExact (item))
        {
          if (!put_tokens (item, tokens, n_tokens, depth + 1))
            return FALSE;
          continue;
        }
      if (!PyLong_CheckExact (item) || *n_tokens == MAX_TOKENS)
        return FALSE;
      tokens[*n_tokens] = PyLong_AsLongLongAndOverflow (item, &overflow);
      if (overflow != 0 || tokens[*n_tokens] < 0)
        return FALSE;
      (*n_tokens)++;
    }
  return TRUE;
}

static SwShape *
shape_of_tuple (PyObject *tuple)
{
  gint64 tokens[MAX_TOKENS];
  gsize n_tokens = 0;

  return put_tokens (tuple, tokens, &n_tokens, 0) ? sw_shape_new_from_tokens (tokens, n_tokens, NULL) : NULL;
}

static gboolean
set_integer (SwTraceArgument *self,
             PyObject *value)
{
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow (value, &overflow);
  unsigned long long positive;

  if (G_LIKELY (overflow == 0))
    {
      *self = SW_TRACE_INT64 (self->key, number);
      return TRUE;
    }
  if (overflow < 0)
    return FALSE;
  positive = PyLong_AsUnsignedLongLong (value);
  if (positive == (unsigned long long) -1 && PyErr_Occurred () != NULL)
    {
      PyErr_Clear ();
      return FALSE;
    }
  *self = SW_TRACE_UINT64 (self->key, positive);
  return TRUE;
}

/* Borrows from @value, but for a shape of a tuple. FALSE, without an exception: it is of another class, or out of range. */
static gboolean
set_value (SwTraceArgument *self,
           PyObject *value)
{
  if (PyUnicode_CheckExact (value))
    {
      if (!sw_python_is_plain_text (value))
        return FALSE;
      *self = SW_TRACE_STRING (self->key, PyUnicode_AsUTF8 (value));
      return TRUE;
    }
  if (PyLong_CheckExact (value))
    return set_integer (self, value);
  if (PyFloat_CheckExact (value))
    *self = SW_TRACE_DOUBLE (self->key, PyFloat_AS_DOUBLE (value));
  else if (PyBool_Check (value))
    *self = SW_TRACE_BOOLEAN (self->key, value == Py_True);
  else if (PyTuple_CheckExact (value))
    *self = SW_TRACE_SHAPE (self->key, shape_of_tuple (value));
  else if (Py_TYPE (value) == shape_class)
    *self = SW_TRACE_SHAPE (self->key, ((SwPythonBoxed *) value)->boxed);
  else
    return FALSE;
  return self->type != SW_TRACE_ARGUMENT_SHAPE || self->value.v_shape != NULL;
}

static inline gboolean
is_never_callable (PyObject *value)
{
  return PyUnicode_CheckExact (value) || PyLong_CheckExact (value) || PyFloat_CheckExact (value) ||
         PyTuple_CheckExact (value);
}

/* Returns what is to be kept for as long as the argument is used; NULL with an exception. */
static PyObject *
evaluate (SwTraceArgument *self,
          PyObject *key,
          PyObject *given)
{
  PyObject *value, *simple;

  value = !is_never_callable (given) && PyCallable_Check (given) ? PyObject_CallNoArgs (given) : Py_NewRef (given);
  if (value == NULL || G_LIKELY (set_value (self, value)))
    return value;
  simple = PyObject_CallFunctionObjArgs (plain, key, value, NULL);
  Py_DECREF (value);
  if (simple == NULL || set_value (self, simple))
    return simple;
  Py_DECREF (simple);
  return PyErr_Format (PyExc_SystemError, "the value of argument %R was not made plain", key);
}

static void
grow (SwPythonArguments *self)
{
  gsize n = self->n_allocated * 2;
  SwTraceArgument *items = g_new (SwTraceArgument, n);
  PyObject **owners = g_new (PyObject *, 2 * n);

  memcpy (items, self->items, self->n * sizeof *items);
  memcpy (owners, self->owners, 2 * self->n * sizeof *owners);
  if (self->items != self->inline_items)
    {
      g_free (self->items);
      g_free (self->owners);
    }
  self->items = items;
  self->owners = owners;
  self->n_allocated = n;
}

static void
clear_item (const SwTraceArgument *item,
            PyObject *const *owners)
{
  if (item->type == SW_TRACE_ARGUMENT_SHAPE && PyTuple_CheckExact (owners[1]))
    sw_shape_unref (item->value.v_shape);
  Py_DECREF (owners[0]);
  Py_DECREF (owners[1]);
}

/* Where an argument of the key already is, which a later one takes the place of; else one more. */
static gsize
find_place (const SwPythonArguments *self,
            const char *key)
{
  for (gsize i = 0; i < self->n; i++)
    if (strcmp (self->items[i].key, key) == 0)
      return i;
  return self->n;
}

static void
put (SwPythonArguments *self,
     const SwTraceArgument *item,
     PyObject *key,
     PyObject *owner)
{
  gsize place = find_place (self, item->key);

  /* What runs when a value goes away cannot come to this list. */
  if (place < self->n)
    clear_item (&self->items[place], &self->owners[2 * place]);
  else if (self->n == self->n_allocated)
    grow (self);
  self->items[place] = *item;
  self->owners[2 * place] = key;
  self->owners[2 * place + 1] = owner;
  self->n = MAX (self->n, place + 1);
}

gboolean
sw_python_arguments_add (SwPythonArguments *self,
                         PyObject *key,
                         PyObject *value)
{
  SwTraceArgument item;
  PyObject *owner = NULL;
  PyObject *own_key = sw_python_is_plain_text (key) ? Py_NewRef (key) : PyObject_CallOneArg (check_key, key);

  if (own_key == NULL)
    return FALSE;
  item.key = PyUnicode_AsUTF8 (own_key);
  if (item.key != NULL)
    owner = evaluate (&item, own_key, value);
  if (owner == NULL)
    {
      Py_DECREF (own_key);
      return FALSE;
    }
  put (self, &item, own_key, owner);
  return TRUE;
}

static gboolean
refuse_given (PyObject *given)
{
  PyObject *name = PyObject_GetAttrString ((PyObject *) Py_TYPE (given), "__name__");

  if (name != NULL)
    PyErr_Format (PyExc_TypeError, "arguments must be a dict, or a function that returns one, not %U", name);
  Py_XDECREF (name);
  return FALSE;
}

/* A list of its own: what evaluates the values may change the dict. */
static gboolean
add_mapping (SwPythonArguments *self,
             PyObject *mapping)
{
  PyObject *items = PyMapping_Items (mapping);
  gboolean is_added = items != NULL;

  for (Py_ssize_t i = 0; is_added && i < PyList_GET_SIZE (items); i++)
    {
      PyObject *pair = PyList_GET_ITEM (items, i);

      is_added = PyTuple_Check (pair) && PyTuple_GET_SIZE (pair) == 2;
      if (!is_added)
        PyErr_SetString (PyExc_TypeError, "items() of arguments must give pairs");
      else
        is_added = sw_python_arguments_add (self, PyTuple_GET_ITEM (pair, 0), PyTuple_GET_ITEM (pair, 1));
    }
  Py_XDECREF (items);
  return is_added;
}

static gboolean
add_given (SwPythonArguments *self,
           PyObject *given)
{
  PyObject *mapping = PyCallable_Check (given) ? PyObject_CallNoArgs (given) : Py_NewRef (given);
  gboolean is_added = mapping != NULL;

  if (is_added && mapping != Py_None)
    is_added = PyDict_Check (mapping) || PyObject_HasAttrString (mapping, "items") ? add_mapping (self, mapping)
                                                                                   : refuse_given (mapping);
  Py_XDECREF (mapping);
  return is_added;
}

gboolean
sw_python_arguments_collect (SwPythonArguments *self,
                             const SwPythonEmission *emission)
{
  Py_ssize_t n = emission->names != NULL ? PyTuple_GET_SIZE (emission->names) : 0;

  if (emission->given != NULL && !add_given (self, emission->given))
    return FALSE;
  for (Py_ssize_t i = 0; i < n; i++)
    if (emission->values[i] != NULL &&
        !sw_python_arguments_add (self, PyTuple_GET_ITEM (emission->names, i), emission->values[i]))
      return FALSE;
  return emission->more == NULL || add_mapping (self, emission->more);
}

void
sw_python_arguments_clear (SwPythonArguments *self)
{
  for (gsize i = 0; i < self->n; i++)
    clear_item (&self->items[i], &self->owners[2 * i]);
  if (self->items != self->inline_items)
    {
      g_free (self->items);
      g_free (self->owners);
    }
}
