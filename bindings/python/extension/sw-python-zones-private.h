/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-python-private.h"

G_BEGIN_DECLS

typedef struct
{
  PyObject *code;  /* a reference, or NULL: not known yet */
  int instruction; /* within the code; -1: the function as a whole */
  PyObject *name;  /* a reference; NULL: the name of the function */
} SwPythonPlace;

/* The number of the site; 0 with an exception. */
guint sw_python_site_of (const SwPythonPlace *place);

/* Where the innermost Python code is that runs now. FALSE, without an exception: there is none. */
gboolean sw_python_place_here (SwPythonPlace *place);

/* Makes the types; for the module's execution. */
gboolean sw_python_add_zones (PyObject *module);

PyObject *sw_python_profile_zone (PyObject *module,
                                  PyObject *const *args,
                                  Py_ssize_t n_args,
                                  PyObject *names);
PyObject *sw_python_profile_function (PyObject *module,
                                      PyObject *const *args,
                                      Py_ssize_t n_args,
                                      PyObject *names);
PyObject *sw_python_profile_frame (PyObject *module,
                                   PyObject *const *args,
                                   Py_ssize_t n_args,
                                   PyObject *names);
PyObject *sw_python_use_zones (PyObject *module,
                               PyObject *args);
PyObject *sw_python_scope_of (PyObject *module,
                              PyObject *args);

G_END_DECLS
