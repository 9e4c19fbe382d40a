/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-python-private.h"

G_BEGIN_DECLS

/* How PyGObject lays out an instance of a GObject; public, in its pygobject.h. */
typedef struct
{
  PyObject base;
  GObject *object;
} SwPythonWrapper;

#define SW_PYTHON_FAST(function) (PyCFunction) (void (*) (void)) function, METH_FASTCALL | METH_KEYWORDS

/* NULL: PyGObject made no object for it. */
static inline SwTraceContext *
sw_python_context_of (PyObject *object)
{
  return (SwTraceContext *) ((SwPythonWrapper *) object)->object;
}

/* FALSE with an exception: the interpreter is going. */
static inline gboolean
sw_python_may_trace (void)
{
  PyObject *result;

  if (G_LIKELY (!sw_python_is_closing ()))
    return G_LIKELY (sw_python_thread_has_recorded) || sw_python_begin_to_record ();
  result = PyObject_CallNoArgs (sw_python_errors.may_call);
  Py_XDECREF (result);
  return result != NULL;
}

/* What a call said that is to be emitted, before anything of it is evaluated. The references are the caller's. */
typedef struct
{
  PyObject *context;
  PyObject *name;
  PyObject *category; /* NULL: none */
  PyObject *level;
  guint level_number;
  PyObject *given;         /* a dict, or a function that returns one; NULL: neither */
  PyObject *names;         /* a tuple of the keywords; NULL: there are none */
  PyObject *const *values; /* theirs; NULL for each that is no argument of the event */
  PyObject *more;          /* a dict of keywords, where they are not in @names; or NULL */
} SwPythonEmission;

#define SW_PYTHON_TRACE_N_INLINE 8

/* Arguments, evaluated: in the order they were given in, each key once. */
typedef struct
{
  SwTraceArgument *items;
  PyObject **owners; /* a key and a value for each item, which may borrow from them */
  gsize n;
  gsize n_allocated;
  SwTraceArgument inline_items[SW_PYTHON_TRACE_N_INLINE];
  PyObject *inline_owners[2 * SW_PYTHON_TRACE_N_INLINE];
} SwPythonArguments;

static inline void
sw_python_arguments_init (SwPythonArguments *self)
{
  self->items = self->inline_items;
  self->owners = self->inline_owners;
  self->n = 0;
  self->n_allocated = SW_PYTHON_TRACE_N_INLINE;
}

/* All of them FALSE with an exception; what was added is to be cleared then, too. */
gboolean sw_python_arguments_add (SwPythonArguments *self,
                                  PyObject *key,
                                  PyObject *value);
gboolean sw_python_arguments_collect (SwPythonArguments *self,
                                      const SwPythonEmission *emission);
void sw_python_arguments_clear (SwPythonArguments *self);

/* use_trace_arguments (class of shapes, check_key, plain): for module start; borrows. */
void sw_python_use_trace_arguments (PyTypeObject *shape_class,
                                    PyObject *check_key,
                                    PyObject *plain);

/* The site of a name and a category (or NULL), which is valid until Python code runs; it may be @own. NULL with an
 * exception. */
SwTraceSite *sw_python_trace_site (PyObject *name,
                                   PyObject *category,
                                   guint level,
                                   SwTraceSite *own);

/* A str that C can have just as it is. */
static inline gboolean
sw_python_is_plain_text (PyObject *text)
{
  const char *bytes;
  Py_ssize_t size;

  if (!PyUnicode_CheckExact (text))
    return FALSE;
  bytes = PyUnicode_AsUTF8AndSize (text, &size);
  if (bytes != NULL)
    return (Py_ssize_t) strlen (bytes) == size;
  PyErr_Clear ();
  return FALSE;
}

/* A span that is not entered, with references of its own. */
PyObject *sw_python_span_new (const SwPythonEmission *emission);

PyObject *sw_python_context_annotate (PyObject *context,
                                      PyObject *const *args,
                                      Py_ssize_t n_args,
                                      PyObject *names);

gboolean sw_python_add_spans (PyObject *module);
void sw_python_use_decorate (PyObject *function);

/* Makes the types; for the module's execution. */
gboolean sw_python_add_traces (PyObject *module);

PyObject *sw_python_use_traces (PyObject *module,
                                PyObject *args);
PyObject *sw_python_span_of (PyObject *module,
                             PyObject *args);
PyObject *sw_python_end_async_span (PyObject *module,
                                    PyObject *args);

G_END_DECLS
