# SPDX-License-Identifier: LGPL-2.1-or-later
"""What threads are called: before Python 3.14 the system does not know the names that threading has for them."""
import threading

from .errors import check_name, raw, sayable


class _Told(threading.local):
    name = None
    is_given = False  # by the program, which knows better
    has_recorded = False


_told = _Told()


def tell_name_of_thread():
    """Gives C the name that threading has for this thread now."""
    thread = threading.current_thread()
    if _told.is_given or thread is threading.main_thread() or isinstance(thread, threading._DummyThread) or thread.name == _told.name:
        return
    raw.profile_set_thread_name(sayable(thread.name))
    _told.name = thread.name


def begin_to_record():
    """The same, once for each thread; the module of C calls it likewise."""
    if not _told.has_recorded:
        _told.has_recorded = True
        tell_name_of_thread()


def set_thread_name(name):
    """Names the calling thread, in everything that is recorded."""
    raw.TraceContext.set_thread_name(check_name("name", name))
    _told.is_given = True
