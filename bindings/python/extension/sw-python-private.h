/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <strideweave.h>

G_BEGIN_DECLS

/* What the files of the module _strideweave share. The module is for one interpreter and one process, as PyGObject is,
 * so that its state is in plain variables, which the GIL guards. */

/* How PyGObject lays out an instance of a boxed type. That is public, in its pygobject.h, and so fixed; the module
 * still checks at import that it finds a type where it expects one. */
typedef struct
{
  PyObject base;
  gpointer boxed;
  GType gtype;
  gboolean free_on_dealloc;
} SwPythonBoxed;

/* Functions of the override that the module calls when something is out of the ordinary. */
typedef struct
{
  PyObject *failure;   /* (domain, message, code): the exception that a GError means */
  PyObject *pending;   /* a dict that is not empty while exceptions of hooks are inside C */
  PyObject *forget;    /* (): to be called after a success while it is not */
  PyObject *closing;   /* a list that is not empty when the interpreter shuts down */
  PyObject *may_call;  /* (): to be called while it is not; raises when it is too late to call C */
} SwPythonErrors;

extern SwPythonErrors sw_python_errors;

/* The boxed value of @object when it is an instance of @type and still has one, else NULL without an exception. */
static inline gpointer
sw_python_peek_boxed (PyObject *object,
                      PyTypeObject *type)
{
  return Py_TYPE (object) == type || PyObject_TypeCheck (object, type) ? ((SwPythonBoxed *) object)->boxed : NULL;
}

/* A new instance of @type, a class of PyGObject for boxed values of @gtype, that takes @boxed over. */
PyObject *sw_python_take_boxed (PyTypeObject *type,
                                GType gtype,
                                gpointer boxed);

/* Raises what @error means, takes @error, and returns NULL. */
PyObject *sw_python_raise (GError *error);

/* Whether it is what the boxed types of the namespace derive from, whose instances are as SwPythonBoxed describes. */
gboolean sw_python_is_base_of_boxed (PyTypeObject *type);

static inline gboolean
sw_python_is_closing (void)
{
  return PyList_GET_SIZE (sw_python_errors.closing) > 0;
}

extern _Thread_local gboolean sw_python_thread_has_recorded;

/* Tells C what the thread is called. FALSE with an exception. */
gboolean sw_python_begin_to_record (void);

/* The same where it is no failure to know nothing of the thread. */
static inline void
sw_python_meet_thread (void)
{
  if (G_UNLIKELY (!sw_python_thread_has_recorded) && !sw_python_begin_to_record ())
    PyErr_Clear ();
}

/* After each call into C that may have run hooks, and succeeded. FALSE with an exception. */
static inline gboolean
sw_python_after_success (void)
{
  PyObject *result;

  if (G_LIKELY (PyDict_GET_SIZE (sw_python_errors.pending) == 0))
    return TRUE;
  result = PyObject_CallNoArgs (sw_python_errors.forget);
  Py_XDECREF (result);
  return result != NULL;
}

/* Methods of the module; each file defines its own. */
PyObject *sw_python_use_errors (PyObject *module,
                                PyObject *args);
PyObject *sw_python_use_tensors (PyObject *module,
                                 PyObject *args);
PyObject *sw_python_operation (PyObject *module,
                               PyObject *args);
PyObject *sw_python_event_class (PyObject *module,
                                 PyObject *args);
PyObject *sw_python_keep_fields (PyObject *module,
                                 PyObject *args);
PyObject *sw_python_read_events (PyObject *module,
                                 PyObject *profiler);

G_END_DECLS
