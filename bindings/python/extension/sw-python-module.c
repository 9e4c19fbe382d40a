/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-traces-private.h"
#include "sw-python-zones-private.h"

/* The module _strideweave: the parts of the Python override that programs spend their time in. The override works
 * without it, and the same; what is rare is left to the override even where the module is used. */

#define PROFILE_ZONE_DOC                                                                                               \
  "profile_zone(name, encoder=None)\n--\n\n"                                                                           \
  "A zone of this name, for `with` or as a decorator: a stretch of the thread's time, which its current ZoneProfiler " \
  "records."
#define PROFILE_FUNCTION_DOC               \
  "profile_function(encoder=None)\n--\n\n" \
  "A zone with the qualified name of the function that calls this, or of the one that it decorates."
#define PROFILE_FRAME_DOC               \
  "profile_frame(name='frame')\n--\n\n" \
  "A frame of the current ZoneProfiler, for `with` or as a decorator: zones of all threads that begin in it are its own."

#define FAST(function) (PyCFunction) (void (*) (void)) function, METH_FASTCALL | METH_KEYWORDS

static PyMethodDef methods[] = {
  { "use_errors", sw_python_use_errors, METH_VARARGS, NULL },
  { "use_tensors", sw_python_use_tensors, METH_VARARGS, NULL },
  { "operation", sw_python_operation, METH_VARARGS, NULL },
  { "event_class", sw_python_event_class, METH_VARARGS, NULL },
  { "keep_fields", sw_python_keep_fields, METH_VARARGS, NULL },
  { "read_events", sw_python_read_events, METH_O, NULL },
  { "use_zones", sw_python_use_zones, METH_VARARGS, NULL },
  { "use_traces", sw_python_use_traces, METH_VARARGS, NULL },
  { "span_of", sw_python_span_of, METH_VARARGS, NULL },
  { "end_async_span", sw_python_end_async_span, METH_VARARGS, NULL },
  { "scope_of", sw_python_scope_of, METH_VARARGS, NULL },
  { "profile_zone", FAST (sw_python_profile_zone), PROFILE_ZONE_DOC },
  { "profile_function", FAST (sw_python_profile_function), PROFILE_FUNCTION_DOC },
  { "profile_frame", FAST (sw_python_profile_frame), PROFILE_FRAME_DOC },
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
  if (!sw_python_add_zones (module) || !sw_python_add_traces (module))
    return -1;
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
