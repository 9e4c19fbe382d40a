# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones and frames: as contexts, and as decorators of functions, coroutines and generators.

With the extension the contexts are its own; decorators, and what is given in an odd way, are here for both.
"""
import dis
import functools
import inspect
import sys
import threading
import weakref

from gi.repository import GLib

from .errors import begin_on_thread, call, check_name, of_thread, raw, sayable, type_name
from .extension import extension

# Calls that stand between a scope and the code it belongs to.
_PASSED_THROUGH = frozenset(("contextlib", __name__))


def _check_encoder(encoder):
    if encoder is not None:
        raise TypeError(
            f"encoder must be a command encoder or None, not {type_name(encoder)}"
            + ("; as a decorator it is written with parentheses" if callable(encoder) else "")
        )


def _entered_at(depth):
    """The code that enters a scope, @depth calls ago, and where in it."""
    frame = sys._getframe(depth + 1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _PASSED_THROUGH:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def _line_of(code, instruction):
    if instruction < 0:
        return code.co_firstlineno
    starts = [line for start, line in dis.findlinestarts(code) if start <= instruction and line is not None]
    return starts[-1] if starts else code.co_firstlineno


class _Sites:
    """The numbers of sites by code, instruction and name; bounded, and without keeping code alive."""

    LIMIT = 2048

    def __init__(self):
        self.known = {}

    def find(self, code, instruction, name):
        key = id(code), instruction, name
        entry = self.known.get(key)
        # Another code may have come to the address of one that is gone.
        if entry is not None and entry[0]() is code:
            return entry[1]
        site = raw.profile_site_register(
            sayable(code.co_filename),
            _line_of(code, instruction),
            sayable(function_name(code)),
            sayable(function_name(code)) if name is None else name,
        )
        if len(self.known) >= self.LIMIT:
            self.known.clear()
        self.known[key] = weakref.ref(code), site
        return site


def function_name(code):
    """The qualified name of a function; before Python 3.11 a code knows only the last part of it."""
    return getattr(code, "co_qualname", code.co_name)


_sites = _Sites()


class _Scope:
    """A zone or a frame, for a with statement, or to decorate a function."""

    __slots__ = ("name", "is_frame", "_code", "_instruction", "_token", "_thread", "_entered")

    def __init__(self, name, is_frame, code=None, instruction=-1):
        self.name = name
        self.is_frame = is_frame
        self._code = code
        self._instruction = instruction
        self._token = 0
        self._thread = 0
        self._entered = False

    def __enter__(self):
        if self._entered:
            raise RuntimeError(f"this {'frame' if self.is_frame else 'zone'} is entered already")
        if raw.profile_is_recording():
            if not of_thread.has_recorded:
                begin_on_thread()
            if self.is_frame:
                self._token = call(raw.profile_frame_begin, self.name)
            else:
                if self._code is None:
                    self._code, self._instruction = _entered_at(1)
                self._token = raw.profile_zone_begin(_sites.find(self._code, self._instruction, self.name))
                self._thread = threading.get_ident()
        self._entered = True
        return self

    def __exit__(self, *_):
        self._entered = not self._end()
        return False

    def _end(self):
        token, self._token = self._token, 0
        if token:
            try:
                (raw.profile_frame_end if self.is_frame else raw.profile_zone_end)(token)
            except GLib.Error:
                # Counted: instrumentation must not break what it measures. Its own thread can still end a zone.
                if not self.is_frame and self._thread != threading.get_ident():
                    self._token = token
        return not self._token

    def __del__(self):
        self._end()

    def __call__(self, function):
        return _decorate(self, function)

    def __repr__(self):
        if self.name is None:
            return "profile_function()"
        return f"profile_{'frame' if self.is_frame else 'zone'}({self.name!r})"


_Scope.__name__ = _Scope.__qualname__ = "ProfileScope"
_Scope.__module__ = "strideweave"


def _scope_of(name, is_frame, code, instruction):
    return extension.scope_of(name, is_frame, code, instruction) if extension else _Scope(name, is_frame, code, instruction)


def _scope_here(name, is_frame=False):
    """A scope at the place of who called the caller of this."""
    frame = sys._getframe(2)
    return _scope_of(name, is_frame, frame.f_code, frame.f_lasti)


def profile_zone(name, encoder=None):
    """A zone of this name, for `with` or as a decorator: a stretch of the thread's time, which its current ZoneProfiler records."""
    check_name("name", name)
    _check_encoder(encoder)
    return _scope_here(str(name))


def profile_function(encoder=None):
    """A zone with the qualified name of the function that calls this, or of the one that it decorates."""
    _check_encoder(encoder)
    return _scope_here(None)


def profile_frame(name="frame"):
    """A frame of the current ZoneProfiler, for `with` or as a decorator: zones of all threads that begin in it are its own."""
    check_name("name", name)
    return _scope_here(str(name), True)


# Decorators


def _decorate(scope, function):
    """@function with each stretch of its body, from where it goes on to where it waits or ends, in a scope like @scope."""
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(scope, function.__func__))
    if not callable(function):
        raise TypeError(f"a zone decorates a function, not {type_name(function)}")
    code = getattr(inspect.unwrap(function), "__code__", None)
    name, instruction = scope.name, -1
    if code is None:
        code, instruction = _entered_at(1)
        name = name or sayable(getattr(function, "__qualname__", type_name(function)))
    return wrap(functools.partial(_scope_of, name, scope.is_frame, code, instruction), function)


def wrap(make, function, is_wanted=None):
    """@function with each stretch of its body in a context that @make makes; of a call, where @is_wanted says so."""
    if inspect.isasyncgenfunction(function):
        wrapper = _wrap_async_generator(make, function)
    elif inspect.iscoroutinefunction(function):
        wrapper = _wrap_coroutine(make, function)
    elif inspect.isgeneratorfunction(function):
        wrapper = _wrap_generator(make, function)
    elif is_wanted is not None:
        wrapper = _wrap_sometimes(make, function, is_wanted)
    else:
        wrapper = _wrap_function(make, function)
    try:
        return functools.wraps(function)(wrapper)
    except AttributeError:
        return wrapper


def _wrap_function(make, function):
    def wrapper(*args, **kwargs):
        with make():
            return function(*args, **kwargs)

    return wrapper


def _wrap_sometimes(make, function, is_wanted):
    def wrapper(*args, **kwargs):
        if is_wanted():
            with make():
                return function(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


def _drive(make, generator):
    """The generator (or coroutine) as it is, with a scope around each run of its body."""
    step, argument = generator.send, None
    while True:
        try:
            with make():
                item = step(argument)
        except StopIteration as stop:
            return stop.value
        try:
            argument = yield item
            step = generator.send
        except GeneratorExit:
            with make():
                generator.close()
            raise
        except BaseException as exception:
            step, argument = generator.throw, exception


class _Driven:
    """What can be awaited in the place of a coroutine."""

    __slots__ = ("make", "coroutine")

    def __init__(self, make, coroutine):
        self.make = make
        self.coroutine = coroutine

    def __await__(self):
        return _drive(self.make, self.coroutine)


def _wrap_generator(make, function):
    def wrapper(*args, **kwargs):
        return (yield from _drive(make, function(*args, **kwargs)))

    return wrapper


def _wrap_coroutine(make, function):
    async def wrapper(*args, **kwargs):
        return await _Driven(make, function(*args, **kwargs))

    return wrapper


def _wrap_async_generator(make, function):
    async def wrapper(*args, **kwargs):
        generator = function(*args, **kwargs)
        step = generator.asend(None)
        while True:
            try:
                item = await _Driven(make, step)
            except StopAsyncIteration:
                return
            try:
                argument = yield item
                step = generator.asend(argument)
            except GeneratorExit:
                await _Driven(make, generator.aclose())
                raise
            except BaseException as exception:
                step = generator.athrow(exception)

    return wrapper


if extension is not None:
    extension.use_zones(_decorate, profile_zone, profile_function, profile_frame, lambda: _entered_at(1))
    profile_zone = extension.profile_zone
    profile_function = extension.profile_function
    profile_frame = extension.profile_frame
else:
    for _function in (profile_zone, profile_function, profile_frame):
        _function.__module__ = "strideweave"
