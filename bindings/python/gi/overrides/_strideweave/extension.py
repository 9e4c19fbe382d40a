# SPDX-License-Identifier: LGPL-2.1-or-later
"""The module of C that does what this package does, faster: None where it is not built, or not wanted.

With STRIDEWEAVE_PURE_PYTHON=1 in the environment nothing of it is used.
"""
import inspect
import os
import warnings

from . import errors
from .errors import raw


def _load():
    if os.environ.get("STRIDEWEAVE_PURE_PYTHON", "0") not in ("", "0"):
        return None
    try:
        import _strideweave
    except ImportError:
        return None
    if _strideweave.version != raw.version():
        warnings.warn(
            f"{_strideweave.__file__} is of Strideweave {_strideweave.version}, but the library is {raw.version()}:"
            " it is not used",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return _strideweave


extension = _load()
if extension is not None:
    extension.use_errors(
        errors.failure_of, errors.pending, errors.after_call, errors.closing, errors.check_python_lives
    )


def use_tensors(tensor_class, probe):
    """Tells the extension the classes it has to do with; it refuses a PyGObject that it does not know."""
    global extension
    if extension is not None:
        try:
            extension.use_tensors(raw.Tensor, tensor_class, raw.Shape, probe)
        except ImportError as error:
            warnings.warn(f"{extension.__file__} is not used: {error}", RuntimeWarning, stacklevel=2)
            extension = None


def accelerate(module, names):
    """Puts the extension's forms of functions in front of those that the module has."""
    if extension is None:
        return
    for name in names:
        function = module[name]
        documentation = f"{name}{inspect.signature(function)}\n--\n\n{function.__doc__}"
        module[name] = extension.operation(name, documentation, function.__module__, function)
