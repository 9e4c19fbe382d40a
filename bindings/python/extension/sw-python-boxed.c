/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-private.h"

SwPythonErrors sw_python_errors;

PyObject *
sw_python_use_errors (PyObject *module,
                      PyObject *args)
{
  SwPythonErrors errors;

  if (!PyArg_ParseTuple (args, "OO!OO!O:use_errors", &errors.failure, &PyDict_Type, &errors.pending, &errors.forget,
                         &PyList_Type, &errors.closing, &errors.may_call))
    return NULL;

  Py_INCREF (errors.failure);
  Py_INCREF (errors.pending);
  Py_INCREF (errors.forget);
  Py_INCREF (errors.closing);
  Py_INCREF (errors.may_call);
  sw_python_errors = errors;
  Py_RETURN_NONE;
}

PyObject *
sw_python_take_boxed (PyTypeObject *type,
                      GType gtype,
                      gpointer boxed)
{
  SwPythonBoxed *self = (SwPythonBoxed *) type->tp_alloc (type, 0);

  if (G_UNLIKELY (self == NULL))
    {
      g_boxed_free (gtype, boxed);
      return NULL;
    }
  self->boxed = boxed;
  self->gtype = gtype;
  self->free_on_dealloc = TRUE;
  return (PyObject *) self;
}

PyObject *
sw_python_raise (GError *error)
{
  PyObject *message = PyUnicode_DecodeUTF8 (error->message, strlen (error->message), "replace");
  PyObject *failure = NULL;

  if (message != NULL)
    failure = PyObject_CallFunction (sw_python_errors.failure, "sOi", g_quark_to_string (error->domain), message, error->code);
  if (failure != NULL)
    PyErr_SetObject ((PyObject *) Py_TYPE (failure), failure);
  Py_XDECREF (failure);
  Py_XDECREF (message);
  g_error_free (error);
  return NULL;
}
