/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-private.h"

_Thread_local gboolean sw_python_thread_has_recorded;

/* What threading calls the thread is the override's to know. */
gboolean
sw_python_begin_to_record (void)
{
  PyObject *threads = PyImport_ImportModule ("gi.overrides._strideweave.threads");
  PyObject *result = threads != NULL ? PyObject_CallMethod (threads, "begin_to_record", NULL) : NULL;

  sw_python_thread_has_recorded = result != NULL;
  Py_XDECREF (threads);
  Py_XDECREF (result);
  return result != NULL;
}
