/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-private.h"

/* The module _strideweave: the parts of the Python override that programs spend their time in. The override works
 * without it, and the same; what is rare is left to the override even where the module is used. */

static PyMethodDef methods[] = {
  { "use_errors", sw_python_use_errors, METH_VARARGS, NULL },
  { "use_tensors", sw_python_use_tensors, METH_VARARGS, NULL },
  { "operation", sw_python_operation, METH_VARARGS, NULL },
  { "event_class", sw_python_event_class, METH_VARARGS, NULL },
  { "keep_fields", sw_python_keep_fields, METH_VARARGS, NULL },
  { "read_events", sw_python_read_events, METH_O, NULL },
  { NULL, NULL, 0, NULL },
};

static int
execute (PyObject *module)
{
  static gboolean is_used = FALSE;

  /* A second interpreter would find the classes and functions of the first. */
  if (is_used)
    {
      PyErr_SetString (PyExc_ImportError, "_strideweave is for one interpreter of a process");
      return -1;
    }
  is_used = TRUE;
  return PyModule_AddStringConstant (module, "version", SW_VERSION);
}

static PyModuleDef_Slot slots[] = {
  { Py_mod_exec, execute },
#ifdef Py_mod_multiple_interpreters
  { Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED },
#endif
#ifdef Py_mod_gil
  { Py_mod_gil, Py_MOD_GIL_USED },
#endif
  { 0, NULL },
};

static PyModuleDef definition = {
  PyModuleDef_HEAD_INIT,
  .m_name = "_strideweave",
  .m_doc = "The fast parts of Strideweave's override for Python.",
  .m_methods = methods,
  .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__strideweave (void);

PyMODINIT_FUNC
PyInit__strideweave (void)
{
  return PyModuleDef_Init (&definition);
}
