# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones and frames in Python programs, as contexts and as decorators."""
import asyncio
import contextlib
import gc
import inspect
import os
import sys
import threading
import weakref

import pytest
from helpers import Boom, in_thread, vector

import strideweave as sw

FILE = os.path.abspath(__file__)


@pytest.fixture
def profiler():
    with sw.ZoneProfiler() as profiler:
        yield profiler


def capture(run, profiler=None):
    """The trace of what run() does."""
    profiler = profiler or sw.current_profiler()
    profiler.start_capture()
    try:
        run()
    finally:
        trace = profiler.stop_capture()
    return trace


def rows(trace):
    """(name, name of the parent) of each zone, in the order of their beginnings."""
    names = {site.id: site.name for site in trace.sites}
    zones = [
        (start, names[site], parent)
        for chunk in trace.zone_chunks
        for start, site, parent in zip(chunk.start_ns, chunk.site_id, chunk.parent_index)
    ]
    parents = [None if parent < 0 else zones[parent][1] for _, _, parent in zones]
    order = sorted(range(len(zones)), key=lambda place: zones[place][0])
    return [(zones[place][1], parents[place]) for place in order]


def names(trace):
    return [name for name, _ in rows(trace)]


# Contexts


def test_nesting(profiler):
    def run():
        with sw.profile_zone("outer"):
            with sw.profile_zone("first"):
                pass
            with sw.profile_zone("second"), sw.profile_zone("third"):
                pass

    assert rows(capture(run)) == [("outer", None), ("first", "outer"), ("second", "outer"), ("third", "second")]


class Owner:
    def record(self):
        with sw.profile_function():
            with sw.profile_zone("part"):
                return inspect.currentframe().f_lineno


def test_sites_are_where_the_call_is(profiler):
    lines = []
    trace = capture(lambda: lines.append(Owner().record()))
    function, part = trace.sites
    qualified = "Owner.record" if sys.version_info >= (3, 11) else "record"
    assert (function.name, function.function, part.name, part.function) == (qualified, qualified, "part", qualified)
    assert os.path.abspath(function.file) == FILE == os.path.abspath(part.file)
    assert (function.line, part.line) == (lines[0] - 2, lines[0] - 1)


def test_each_expression_is_a_site(profiler):
    def run():
        for _ in range(3):
            with sw.profile_zone("same"):
                pass
            with sw.profile_zone("same"):
                pass

    trace = capture(run)
    first, second = trace.sites
    assert (first.name, second.name, second.line - first.line) == ("same", "same", 2)
    assert trace.query_zones("same").count == 6


def test_names_of_one_place(profiler):
    """More than any table has places for, and back again."""
    wanted = [f"zone {number}" for number in range(5000)] + ["zone 0", "zone 4999"]
    profiler.start_capture()
    for name in wanted:
        with sw.profile_zone(name):
            pass
        if name.endswith("000"):
            profiler.flush()
    trace = profiler.stop_capture()
    assert names(trace) == wanted
    assert len(trace.sites) == 5000
    assert len({(site.line, site.function) for site in trace.sites}) == 1


@pytest.mark.parametrize("name", ["", "ü ↦ 𝔘", "a" * 5000, 'quote " and \\', "%s\n"])
def test_odd_names(profiler, name):
    def run():
        with sw.profile_zone(name):
            pass

    assert names(capture(run)) == [name]


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", ["x"], object()])
def test_wrong_names(wrong):
    for make in sw.profile_zone, sw.profile_frame:
        with pytest.raises(TypeError, match="name must be a str"):
            make(wrong)


def test_wrong_arguments():
    for name in "nul\0", "\ud800":
        for make in sw.profile_zone, sw.profile_frame:
            with pytest.raises(ValueError, match="name is"):
                make(name)
    for wrong in "x", 3, object():
        with pytest.raises(TypeError, match="encoder must be"):
            sw.profile_zone("x", wrong)
        with pytest.raises(TypeError, match="encoder must be"):
            sw.profile_function(encoder=wrong)
    with pytest.raises(TypeError, match="parentheses"):
        sw.profile_function(lambda: None)
    for call in (
        lambda: sw.profile_zone(),
        lambda: sw.profile_zone("a", None, None),
        lambda: sw.profile_zone("a", name="b"),
        lambda: sw.profile_function(None, None),
        lambda: sw.profile_frame("a", "b"),
        lambda: sw.profile_zone(nam="x"),
    ):
        with pytest.raises(TypeError):
            call()


def test_all_arguments(profiler):
    def run():
        with sw.profile_zone(name="a", encoder=None), sw.profile_zone("b", None), sw.profile_function(None):
            with sw.profile_frame(name="own"):
                pass

    trace = capture(run)
    assert names(trace)[:2] == ["a", "b"] and names(trace)[2].endswith("run")
    assert [frame.name for frame in trace.frames] == ["own"]


def test_exceptions_go_through(profiler):
    error = Boom("this one")

    def run():
        with pytest.raises(Boom) as info:
            with sw.profile_zone("failing"), sw.profile_frame():
                raise error
        assert info.value is error and error.__context__ is None

    assert names(capture(run)) == ["failing"]


def test_scopes_are_entered_one_at_a_time(profiler):
    zone = sw.profile_zone("again")

    def run():
        for _ in range(2):
            with zone:
                with pytest.raises(RuntimeError, match="entered already"):
                    zone.__enter__()

    assert rows(capture(run)) == [("again", None)] * 2
    assert zone.name == "again" and not zone.is_frame and repr(zone) == "profile_zone('again')"
    assert repr(sw.profile_frame()) == "profile_frame('frame')"
    assert repr(sw.profile_function()) == "profile_function()"


def test_a_scope_that_is_lost_ends(profiler):
    def run():
        sw.profile_zone("lost").__enter__()
        with sw.profile_zone("next"):
            pass

    assert rows(capture(run)) == [("lost", None), ("next", None)]


# The current profiler


def test_nothing_without_a_profiler():
    def run():
        assert sw.current_profiler_or_none() is None
        with pytest.raises(RuntimeError, match="no current ZoneProfiler"):
            sw.current_profiler()
        with sw.profile_zone("nobody sees this"), sw.profile_function(), sw.profile_frame():
            pass

    in_thread(run)
    with sw.ZoneProfiler() as profiler:
        assert capture(lambda: None, profiler).zone_count == 0


def site_exists(name):
    from gi.repository import Strideweave

    number = 1
    while (site := Strideweave.ProfilerSite.lookup(number)) is not None:
        if site.name == name:
            return True
        number += 1
    return False


def test_nothing_while_disabled(profiler):
    profiler.enabled = False

    def run():
        with sw.profile_zone("unseen while disabled"), sw.profile_frame(), sw.profile_frame():
            pass

    assert capture(run).zone_count == 0
    assert not site_exists("unseen while disabled")
    profiler.enabled = True
    assert capture(run_seen).zone_count == 1 and site_exists("seen while enabled")


def run_seen():
    with sw.profile_zone("seen while enabled"):
        pass


def test_first_profiler_is_the_default():
    def run():
        first, second = sw.ZoneProfiler(), sw.ZoneProfiler()
        assert sw.current_profiler() is first
        with second as entered:
            assert entered is second and sw.current_profiler() is second is sw.current_profiler_or_none()
            with first:
                assert sw.current_profiler() is first
        assert sw.current_profiler() is first
        with pytest.raises(RuntimeError):
            second.__exit__(None, None, None)
        del first, second
        gc.collect()
        assert sw.current_profiler_or_none() is None

    in_thread(run)


def test_a_zone_keeps_its_profiler(profiler):
    other = sw.ZoneProfiler()
    other.start_capture()

    def run():
        zone = sw.profile_zone("mine").__enter__()
        with other:
            zone.__exit__(None, None, None)

    assert names(capture(run)) == ["mine"]
    assert other.stop_capture().zone_count == 0


def test_worker_threads(profiler):
    def work(number):
        with profiler, sw.profile_zone(f"worker {number}"):
            pass

    def run():
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    trace = capture(run)
    assert sorted(names(trace)) == [f"worker {number}" for number in range(8)]
    assert len(trace.timelines) == 8 and {timeline.type for timeline in trace.timelines} == {"cpu"}


def test_threads_are_called_what_python_calls_them(profiler):
    long, hostile = "ein Faden mit einem langen Namen \u2713", "NUL \0 and half a pair \ud800"

    def work(renamed):
        with profiler, sw.profile_zone("first"):
            pass
        if renamed:
            threading.current_thread().name = renamed
            with profiler, sw.profile_zone("second"):
                pass

    def run():
        for name, renamed in (long, None), ("before", "after"), (hostile, None):
            thread = threading.Thread(target=work, args=(renamed,), name=name)
            thread.start()
            thread.join()
        with profiler, sw.profile_zone("here"):
            pass

    # They stand in the order in which their queues were read.
    timelines = sorted(timeline.name for timeline in capture(run).timelines)
    assert len(timelines) == 4 and {long, "after"} < set(timelines) and "MainThread" not in timelines
    assert timelines[0].startswith("NUL ") and "half a pair" in timelines[0]


def test_misplaced_ends_are_counted(profiler):
    zone = sw.profile_zone("of another thread").__enter__()
    before = profiler.diagnostics.misplaced_end_count
    in_thread(lambda: zone.__exit__(None, None, None))
    assert profiler.diagnostics.misplaced_end_count == before + 1


def test_a_zone_can_still_end_on_its_own_thread(profiler):
    def run():
        zone = sw.profile_zone("ended twice").__enter__()
        in_thread(lambda: zone.__exit__(None, None, None))
        with pytest.raises(RuntimeError, match="entered already"):
            zone.__enter__()
        zone.__exit__(None, None, None)
        with sw.profile_zone("beside"):
            pass
        with zone:
            pass

    trace = capture(run)
    assert sorted(names(trace)) == ["beside", "ended twice", "ended twice"]
    assert all((chunk.parent_index == -1).all() for chunk in trace.zone_chunks)


def test_ends_out_of_order_are_counted(profiler):
    def run():
        outer, inner = sw.profile_zone("outer").__enter__(), sw.profile_zone("inner").__enter__()
        outer.__exit__()
        inner.__exit__()

    trace = capture(run)
    assert sorted(names(trace)) == ["inner", "outer"] and profiler.diagnostics.misplaced_end_count >= 1


def test_operations_are_zones(profiler):
    def run():
        with sw.profile_zone("mine"):
            sw.relu(vector([1.0]))
            profiler.enable_auto_zones = False
            sw.relu(vector([1.0]))
            profiler.enable_auto_zones = True

    (mine, operation) = rows(capture(run))
    assert mine == ("mine", None) and operation[0].endswith("::relu") and operation[1] == "mine"


def test_a_forked_child_goes_on(profiler):
    with sw.profile_zone("open in the parent"):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if names(capture(run_seen)) == ["seen while enabled"] else 2
            finally:
                os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# Frames


def test_frames(profiler):
    def run():
        for _ in range(3):
            with sw.profile_frame():
                with sw.profile_zone("in"):
                    pass
        with sw.profile_zone("out"):
            pass

    trace = capture(run)
    assert [frame.name for frame in trace.frames] == ["frame"] * 3
    (chunk,) = trace.zone_chunks
    first = trace.frames[0].index
    assert chunk.frame_index.tolist() == [first, first + 1, first + 2, sw.ZONE_NO_FRAME]


def test_one_frame_at_a_time(profiler):
    with sw.profile_frame("outer"):
        with pytest.raises(RuntimeError, match="already active"):
            with sw.profile_frame("inner"):
                pass
    with sw.profile_frame("after"):
        pass


# Code that goes away


def make_code(number):
    namespace = {"sw": sw}
    exec(compile(f"def run{number}():\n    with sw.profile_zone('x'):\n        pass\n", f"file{number}.py", "exec"), namespace)
    return namespace[f"run{number}"]


def test_code_is_not_kept_alive(profiler):
    function = make_code(0)
    reference = weakref.ref(function.__code__)
    capture(function)
    del function
    gc.collect()
    assert reference() is None


def test_new_code_at_an_old_address(profiler):
    seen = []
    for number in range(200):
        function = make_code(number)
        trace = capture(function)
        seen.append([(site.file, site.function) for site in trace.sites])
    assert seen == [[(f"file{number}.py", f"run{number}")] for number in range(200)]


# Decorators


def test_functions(profiler):
    @sw.profile_zone("named")
    def named(first, *, second=2):
        """What it does."""
        return first + second

    class Class:
        @sw.profile_function()
        def method(self):
            return self

        @sw.profile_zone("static")
        @staticmethod
        def static():
            return 3

        @classmethod
        @sw.profile_zone("class")
        def of_class(cls):
            return cls

    def run():
        own = Class()
        assert named(1, second=5) == 6 and own.method() is own and Class.static() == 3 and Class.of_class() is Class
        with pytest.raises(TypeError):
            named()

    trace = capture(run)
    assert named.__name__ == "named" and named.__doc__ == "What it does."
    assert str(inspect.signature(named)) == "(first, *, second=2)"
    shown = [name.rpartition(".")[2] for name in names(trace)]
    assert shown == ["named", "method", "static", "class", "named"]
    assert {os.path.abspath(site.file) for site in trace.sites} == {FILE}
    assert trace.sites[0].line == inspect.unwrap(named).__code__.co_firstlineno


def test_recursion_and_threads(profiler):
    @sw.profile_zone("recursive")
    def recurse(depth):
        return depth and recurse(depth - 1)

    assert rows(capture(lambda: recurse(3))) == [("recursive", None)] + [("recursive", "recursive")] * 3


def test_frames_as_decorators(profiler):
    @sw.profile_frame("step")
    def step():
        with sw.profile_zone("inside"):
            pass

    trace = capture(lambda: (step(), step()))
    assert [frame.name for frame in trace.frames] == ["step", "step"]


def test_other_callables(profiler):
    class Callable:
        def __call__(self, value):
            return value

    for function in Callable(), len, Callable:
        wrapped = sw.profile_zone("called")(function)
        assert names(capture(lambda: wrapped("x") if function is not Callable else wrapped())) == ["called"]  # noqa: B023
    for wrong in 3, None, "x":
        with pytest.raises(TypeError, match="decorates a function"):
            sw.profile_zone("x")(wrong)
    for wrong in (), (len, len):
        with pytest.raises(TypeError):
            sw.profile_zone("x")(*wrong)


def test_generators_behave_as_before(profiler):
    log = []

    def plain():
        try:
            got = yield 1
            log.append(got)
            try:
                yield 2
            except Boom as error:
                log.append(error.args)
            yield from (3, 4)
        finally:
            log.append("closed")
        return "result"

    def use(function):
        log.clear()
        generator = function()
        seen = [next(generator), generator.send("sent"), generator.throw(Boom("thrown")), next(generator)]
        with pytest.raises(StopIteration) as stop:
            next(generator)
        closed = function()
        next(closed)
        closed.close()
        with pytest.raises(StopIteration):
            next(closed)
        return seen, stop.value.value, list(log)

    decorated = sw.profile_zone("generator")(plain)
    assert inspect.isgeneratorfunction(decorated)
    assert use(decorated) == use(plain) == ([1, 2, 3, 4], "result", ["sent", ("thrown",), "closed", "closed"])


def test_generators_are_measured_while_they_run(profiler):
    @sw.profile_zone("generator")
    def generate():
        for number in range(3):
            with sw.profile_zone(f"work {number}"):
                pass
            yield number

    def run():
        for number in generate():
            with sw.profile_zone(f"between {number}"):
                pass

    seen = rows(capture(run))
    assert seen.count(("generator", None)) == 4
    assert [row for row in seen if row[0] != "generator"] == [
        row for number in range(3) for row in ((f"work {number}", "generator"), (f"between {number}", None))
    ]


def test_coroutines(profiler):
    @sw.profile_zone("coroutine")
    async def work(name, fail=False):
        with sw.profile_zone(f"{name} before"):
            pass
        await asyncio.sleep(0)
        with sw.profile_zone(f"{name} after"):
            pass
        if fail:
            raise Boom(name)
        return name

    async def both():
        return await asyncio.gather(work("a"), work("b"), work("c", fail=True), return_exceptions=True)

    def run():
        first, second, third = asyncio.run(both())
        assert (first, second, third.args) == ("a", "b", ("c",))

    assert inspect.iscoroutinefunction(work)
    trace = capture(run)
    seen = rows(trace)
    assert seen.count(("coroutine", None)) == 6
    assert all(parent == "coroutine" for name, parent in seen if name != "coroutine")
    assert trace.diagnostics.misplaced_end_count == 0


def test_cancelled_coroutines(profiler):
    log = []

    @sw.profile_zone("cancelled")
    async def wait():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    async def cancel():
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return task.cancelled()

    def run():
        assert asyncio.run(cancel())

    assert names(capture(run)) == ["cancelled"] * 2 and log == ["cancelled"]


def test_async_generators(profiler):
    log = []

    def make(decorate):
        @decorate
        async def generate(n):
            try:
                for number in range(n):
                    await asyncio.sleep(0)
                    try:
                        log.append((yield number))
                    except Boom as error:
                        log.append(error.args)
            finally:
                log.append("closed")

        return generate

    async def use(function):
        log.clear()
        seen = [number async for number in function(3)]
        generator = function(5)
        seen += [await generator.asend(None), await generator.asend("sent"), await generator.athrow(Boom("thrown"))]
        await generator.aclose()
        with pytest.raises(StopAsyncIteration):
            await generator.__anext__()
        return seen, list(log)

    decorated = make(sw.profile_zone("asynchronous"))
    assert inspect.isasyncgenfunction(decorated)
    expected = asyncio.run(use(make(lambda function: function)))
    results = []
    trace = capture(lambda: results.append(asyncio.run(use(decorated))))
    assert results == [expected]
    assert set(names(trace)) == {"asynchronous"} and len(names(trace)) >= 2 * 3
    assert trace.diagnostics.misplaced_end_count == 0


def test_exit_stacks(profiler):
    zone = sw.profile_zone("entered later")

    def run():
        with contextlib.ExitStack() as stack:
            stack.enter_context(sw.profile_zone("stacked"))
            stack.enter_context(zone)

    trace = capture(run)
    assert rows(trace) == [("stacked", None), ("entered later", "stacked")]
    assert {os.path.abspath(site.file) for site in trace.sites} == {FILE}


def test_made_before_there_is_a_profiler():
    def run():
        with contextlib.ExitStack() as stack:
            zone = sw.profile_zone("early")
            profiler = stack.enter_context(sw.ZoneProfiler())
            profiler.start_capture()
            with contextlib.ExitStack() as inner:
                inner.enter_context(zone)
            (site,) = profiler.stop_capture().sites
            assert (site.name, os.path.abspath(site.file)) == ("early", FILE)

    in_thread(run)
