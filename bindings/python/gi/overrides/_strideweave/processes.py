# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the environment asks to record is completed where Python ends a process otherwise than by exit().

Processes that multiprocessing forks end by os._exit(). A KeyboardInterrupt that nobody catches ends the interpreter by
the signal itself.
"""
import atexit
import os
import sys

from .errors import raw


class _Token:
    """What multiprocessing.util remembers the function by; weakly."""


_token = _Token()


def _finish_last(_token):
    # After the finalizers of the program itself.
    sys.modules["multiprocessing.util"].Finalize(None, raw.activation_finish, exitpriority=-1000)


def _prepare_child():
    """multiprocessing forgets the finalizers of the parent, and then runs what is registered here."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_token, _finish_last)


def _is_child():
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def _finish_after_interrupt():
    # Set for the exception that ended the program, before this runs.
    if isinstance(last := getattr(sys, "last_type", None), type) and issubclass(last, KeyboardInterrupt):
        raw.activation_finish()


def activation_finish():
    """Completes what STRIDEWEAVE_TRACE and STRIDEWEAVE_PROFILE asked for: before os._exit() or os.exec*()."""
    raw.activation_finish()


def watch_processes():
    if not any(os.environ.get(name) for name in ("STRIDEWEAVE_TRACE", "STRIDEWEAVE_PROFILE")):
        return
    atexit.register(_finish_after_interrupt)
    os.register_at_fork(after_in_child=_prepare_child)
    _prepare_child()
    if _is_child():
        _finish_last(_token)
