# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors on their way through C: GError codes as Python exceptions, and Python exceptions as themselves.

A GError has room for a domain, a code and a text, not for an exception. So a hook that fails (a method of a carrier or
an operation that is written in Python) leaves its exception here under a token, and the C call at the other end takes
it up again.
"""
import atexit
import itertools
import os
import sys
import threading

from gi.module import get_introspection_module
from gi.repository import GLib, GObject

raw = get_introspection_module("Strideweave")

HOOK_DOMAIN = "strideweave-python-exception"


class StrideweaveError(GLib.Error):
    """An error of the library; a RuntimeError, as every GLib.Error is. `str()` is the bare message."""

    def __init__(self, message="unknown error", domain="pygi-error", code=0):
        super().__init__(message, domain, code)
        self.args = (message,)

    def __str__(self):
        return self.message

    def __repr__(self):
        return f"{type(self).__name__}({self.message!r})"


class StrideweaveTypeError(StrideweaveError, TypeError):
    """An argument has the wrong type."""


class StrideweaveValueError(StrideweaveError, ValueError):
    """An argument has the right type and an impossible value."""


class StrideweaveIndexError(StrideweaveError, IndexError):
    """An index is outside its range."""


class StrideweaveNotImplementedError(StrideweaveError, NotImplementedError):
    """Nothing implements the requested name."""


class StrideweaveUnsupportedError(StrideweaveError, TypeError, NotImplementedError):
    """The combination of dtypes or carriers is not supported."""


class StrideweaveOSError(StrideweaveError, OSError):
    """The operating system refused an input or output."""

    def __init__(self, message="unknown error", domain="pygi-error", code=0):
        super().__init__(message, domain, code)
        self.errno = None
        self.strerror = message
        self.filename = None


LIBRARY_DOMAIN = GLib.quark_to_string(raw.Error.quark())

CLASSES = {
    int(raw.Error.TYPE): StrideweaveTypeError,
    int(raw.Error.VALUE): StrideweaveValueError,
    int(raw.Error.INDEX): StrideweaveIndexError,
    int(raw.Error.NOT_IMPLEMENTED): StrideweaveNotImplementedError,
    int(raw.Error.UNSUPPORTED): StrideweaveUnsupportedError,
    int(raw.Error.IO): StrideweaveOSError,
}


class _Thread(threading.local):
    depth = 0  # how many hooks of this thread are running
    has_recorded = False  # or might have: C knows what it is called


class _Entry:
    __slots__ = ("thread", "depth", "exception", "n_others", "tokens")

    def __init__(self, thread, depth, exception):
        self.thread = thread
        self.depth = depth
        self.exception = exception
        self.n_others = 0
        self.tokens = ()  # for later: those of the same object


of_thread = _Thread()
_tokens = itertools.count(1)
# Exceptions that are inside C now, by token. Nearly always empty, so that looking costs next to nothing.
_pending = {}
# How many errors came out of C that were not in there, while something was.
_n_others = 0
_MAX_LATER = 8


def sayable(text):
    """As much of a str as C can have."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def check_name(argument, name):
    """A str that arrives in C as it is."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be a str, not {type_name(name)}")
    if sayable(name) != name:
        raise ValueError(f"{argument} is {name!r}, which C cannot have: it holds a NUL or half of a surrogate pair")
    return name


def check_path(argument, path):
    """A path in the form of a str that PyGObject encodes as Python does."""
    try:
        path = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{argument} must be a path, not {type_name(path)}") from None
    if "\0" in path:
        raise ValueError(f"{argument} is {path!r}, which holds a NUL")
    return path


def _stash(exception, depth):
    """Keeps a hook's exception and makes the error that C sees instead."""
    token = next(_tokens) & 0x7FFFFFFF
    _pending[token] = _Entry(threading.get_ident(), depth, exception)
    if _is_sayable(exception):
        # C may want to know the code. It comes back as another object, which _recover () knows by its contents.
        return exception
    return _describe(exception, token)


def _describe(exception, token):
    name = type(exception).__name__
    try:
        text = str(exception)
    except Exception:
        text = ""
    return GLib.Error(sayable(f"{name}: {text}" if text else name), HOOK_DOMAIN, token)


def stash_for_later(exception, tokens):
    """The same for an exception that some later call will report, on any thread.

    C keeps the first of an object until it reports that, or another error in place of several; which of these it did is
    not to be seen, so the first after any such error counts, too. @tokens are those of the object, the oldest first.

    Returns the error, and the tokens to come with the next time.
    """
    if _is_sayable(exception):
        return exception, tokens
    kept = [(token, _pending.get(token)) for token in tokens]
    kept = [(token, entry) for token, entry in kept if entry is not None]
    if kept and kept[-1][1].n_others == _n_others:
        return _describe(exception, 0), tokens
    error = _stash(exception, 0)
    entry = _pending[error.code]
    entry.thread = None
    entry.n_others = _n_others
    tokens = (*(token for token, _ in kept), error.code)
    for token in tokens[:-_MAX_LATER]:
        _pending.pop(token, None)
    entry.tokens = tokens = tokens[-_MAX_LATER:]
    return error, tokens


def _is_sayable(exception):
    """Whether it is an error of C already, and C can say all of it."""
    if not isinstance(exception, GLib.Error) or exception.domain == HOOK_DOMAIN or type(exception.code) is not int:
        return False
    try:
        return b"\0" not in (exception.message + exception.domain).encode() and abs(exception.code) < 2**31
    except (TypeError, UnicodeEncodeError):
        return False


def _forget():
    """Drops what C swallowed in calls that this thread has finished."""
    thread, depth = threading.get_ident(), of_thread.depth
    for token, entry in list(_pending.items()):
        if entry.thread == thread and entry.depth > depth:
            _pending.pop(token, None)


def _recover(error):
    if error.domain == HOOK_DOMAIN:
        entry = _pending.get(error.code)
        if entry and entry.thread is None:
            # C has reported those before, or dropped them.
            for token in {*entry.tokens, error.code}:
                _pending.pop(token, None)
        return entry.exception if entry else None
    thread, depth = threading.get_ident(), of_thread.depth
    for entry in reversed(list(_pending.values())):
        known = entry.exception
        if (
            entry.thread == thread
            and entry.depth > depth
            and isinstance(known, GLib.Error)
            and (known.domain, known.code, known.message) == (error.domain, error.code, error.message)
        ):
            return known
    return None


def _take_lost():
    """What came up in a hook before its first line, where nothing can catch it: a KeyboardInterrupt, above all.

    PyGObject has printed it and gone on, and left it in `sys`.
    """
    exception = getattr(sys, "last_value", None)
    traceback = getattr(exception, "__traceback__", None)
    if traceback is None or traceback.tb_frame.f_code is not _hook_code:
        return None
    if isinstance(exception, KeyboardInterrupt) and threading.get_ident() != threading.main_thread().ident:
        return None  # it comes up in the main thread only
    sys.last_type = sys.last_value = sys.last_traceback = None
    return exception


def translate(error):
    """The exception to raise for a GError that came out of C."""
    global _n_others
    exception = _recover(error) if _pending else None
    if exception is None:
        _n_others += bool(_pending)
        exception = _take_lost()
    if _pending:
        _forget()
    if exception is not None:
        return exception
    if error.domain == LIBRARY_DOMAIN:
        return CLASSES.get(error.code, StrideweaveError)(error.message, error.domain, error.code)
    return error


def failure_of(domain, message, code):
    """The exception to raise for a GError of these contents, for callers of C that are in C themselves."""
    return translate(GLib.Error(message, domain, code))


_UNMADE = "Converting the GError failed"


def translate_unmade(error):
    """The exception to raise where PyGObject could not make one of a GError, as near the limit of recursion."""
    thread, depth = threading.get_ident(), of_thread.depth
    entries = [entry for entry in _pending.values() if entry.thread == thread and entry.depth > depth]
    _forget()
    if entries:
        return entries[-1].exception
    return RecursionError("maximum recursion depth exceeded") if str(error) == _UNMADE else error


# Not empty from the end of the program on.
closing = []
atexit.register(closing.append, True)


def check_python_lives(is_finalizing=sys.is_finalizing):
    """To be called before C when `closing` is true: a hook of a dying interpreter returns whatever is in a register."""
    if is_finalizing():
        raise RuntimeError("Python is shutting down, so Strideweave cannot be called any more")


def begin_on_thread():
    """To be called before C while `of_thread.has_recorded` is false: tells C what the thread is called."""
    from .threads import begin_to_record

    begin_to_record()


def call(function, *args):
    """Calls into C; what fails there is raised as the exception that it means."""
    if closing:
        check_python_lives()
    if not of_thread.has_recorded:
        begin_on_thread()
    failure = None
    try:
        result = function(*args)
    except GLib.Error as error:
        failure = translate(error)
    except RuntimeError as error:
        failure = translate_unmade(error)
    # An exception may keep this frame. Then values of C that hold Python objects, which may hold the exception, would
    # close a circle that the garbage collector cannot see through.
    args = None
    if failure is None:
        if _pending:
            _forget()
        return result
    try:
        # Not where the GLib.Error is being handled: that would become part of the exception's history.
        raise failure
    finally:
        del failure


def after_call():
    """For callers of C that cannot afford call (): to be called after a success when `pending` is true."""
    _forget()


pending = _pending


def own(argument):
    """A value that C lent for a call, as one that may be kept.

    PyGObject takes care of that by itself, but only where the hook succeeds.
    """
    return argument.copy() if isinstance(argument, GObject.GBoxed) else argument


def guarded(function):
    """A hook for C to call, whose exceptions and arguments survive."""

    def hook(*args):
        depth = of_thread.depth + 1
        of_thread.depth = depth
        try:
            args = tuple(map(own, args))
            return function(*args)
        except BaseException as exception:
            failure = _stash(exception, depth)
        finally:
            args = None  # see call ()
            of_thread.depth = depth - 1
        try:
            raise failure
        finally:
            del failure

    hook.__wrapped__ = function
    hook.__name__ = getattr(function, "__name__", "hook")
    return hook


_hook_code = guarded(call).__code__


def type_name(value):
    return type(value).__name__


def with_article(cls):
    """"a Tensor", "an Operation"."""
    name = cls.__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def check_instance(argument, value, cls, allowed=None):
    if not isinstance(value, cls):
        raise TypeError(f"{argument} must be {allowed or with_article(cls)}, not {type_name(value)}")


def check_bool(argument, value):
    if not isinstance(value, bool):
        raise TypeError(f"{argument} must be a bool, not {type_name(value)}")
