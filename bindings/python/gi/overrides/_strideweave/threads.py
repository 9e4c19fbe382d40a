# SPDX-License-Identifier: LGPL-2.1-or-later
"""What threads are called: before Python 3.14 the system does not know the names that threading has for them."""
import functools
import os
import threading

from .errors import check_name, closing, of_thread, raw, sayable

_main_is_given = False  # a name, by the program


def _name_of(thread):
    """What threading calls it, or None where that is what it calls every such thread."""
    is_dull = thread is threading.main_thread() and thread.name == "MainThread"
    return None if is_dull else sayable(thread.name)


def _tell(thread):
    """Gives C the name that threading has for a thread of this process."""
    number = 0 if thread.ident == threading.get_ident() else thread.native_id
    if number is None:
        return
    name = _name_of(thread)
    raw.profile_tell_thread_name(number, name)
    while name != _name_of(thread):  # another thread has just changed it
        name = _name_of(thread)
        raw.profile_tell_thread_name(number, name)


def _tell_own():
    thread = threading.current_thread()
    if not isinstance(thread, threading._DummyThread):  # "Dummy-1" says less than the system knows
        _tell(thread)


def begin_to_record():
    """Tells C what this thread is called, once for each thread; call() and the module of C call it."""
    if not of_thread.has_recorded:
        of_thread.has_recorded = True
        _tell_own()


def _tell_again():
    if of_thread.has_recorded:
        _tell_own()


def _follow_names():
    """Lets C know of `thread.name = ...`."""
    name = threading.Thread.name

    @functools.wraps(name.fset)
    def set_name(thread, value):
        name.fset(thread, value)
        if thread.is_alive() and not closing:
            _tell(thread)

    threading.Thread.name = name.setter(set_name)


_follow_names()
os.register_at_fork(after_in_child=_tell_again)


def set_thread_name(name):
    """Names the calling thread, in everything that is recorded."""
    global _main_is_given
    raw.TraceContext.set_thread_name(check_name("name", name))
    _main_is_given |= threading.current_thread() is threading.main_thread()


def name_of_main_thread():
    """(its identifier, what threading calls it), or None where the program named it, as C knows."""
    main = threading.main_thread()
    return None if _main_is_given else (main.ident, main.name)
