# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coroutines that take turns on one thread, and its profiler: right parents or a clear error."""
import asyncio

import pytest
from helpers import Boom, Inner, Middle, Outer, names, recorded, step

import strideweave as sw


def parents(profiler):
    return [(event.carrier_type, event.parent_id, event.succeeded) for event in profiler.events()]


def test_second_task_is_refused():
    """Both would like a profiler of their own: the second one hears of it, and the first one goes on unharmed."""
    profilers = sw.profile(), sw.profile()

    async def task(profiler, cls):
        with profiler:
            step(cls)
            await asyncio.sleep(0)
            step(cls)

    async def main():
        return await asyncio.gather(task(profilers[0], Outer), task(profilers[1], Inner), return_exceptions=True)

    first, second = asyncio.run(main())
    assert first is None
    assert isinstance(second, RuntimeError) and "already active on this thread" in str(second)
    assert parents(profilers[0]) == [(Outer, None, True)] * 2
    with pytest.raises(RuntimeError, match="could not be entered"):
        profilers[1].events()


def test_other_tasks_are_recorded_without_parent():
    async def recorder(profiler):
        with profiler:
            step(Outer)
            await asyncio.sleep(0)
            step(Outer, lambda _: step(Middle))

    async def other():
        step(Inner)
        await asyncio.sleep(0)

    async def main(profiler):
        await asyncio.gather(recorder(profiler), other())

    profiler = sw.profile()
    asyncio.run(main(profiler))
    assert parents(profiler) == [(Outer, None, True), (Inner, None, True), (Outer, None, True), (Middle, 2, True)]


def test_task_leaves_what_another_one_entered():
    """The thread is the same, so the results are good; the task that entered hears of it at its own exit."""
    profiler = sw.profile()

    async def owner(entered, left):
        with profiler:
            step(Outer)
            entered.set()
            await left.wait()
            step(Inner)

    async def thief(entered, left):
        await entered.wait()
        profiler.__exit__()
        left.set()

    async def main():
        entered, left = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(owner(entered, left), thief(entered, left), return_exceptions=True)

    outcome, _ = asyncio.run(main())
    assert isinstance(outcome, RuntimeError) and "not active" in str(outcome)
    assert parents(profiler) == [(Outer, None, True)]
    assert names(recorded()) == ["relu"]


def test_sessions_after_each_other():
    async def task(cls):
        await asyncio.sleep(0)
        with sw.profile() as profiler:
            step(cls)
        await asyncio.sleep(0)
        return parents(profiler)

    async def main():
        return await asyncio.gather(*(task(cls) for cls in (Outer, Inner, Middle)))

    assert asyncio.run(main()) == [[(cls, None, True)] for cls in (Outer, Inner, Middle)]


def test_cancelled_task_leaves_its_profiler():
    profiler = sw.profile()

    async def task():
        with profiler:
            step(Outer)
            await asyncio.sleep(60)

    async def main():
        running = asyncio.ensure_future(task())
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with sw.profile() as following:
            step(Inner)
        return following

    assert parents(asyncio.run(main())) == [(Inner, None, True)]
    assert parents(profiler) == [(Outer, None, True)]


def test_generator_that_is_dropped_leaves_its_profiler():
    profiler = sw.profile()

    def steps():
        with profiler:
            while True:
                yield step(Outer)

    generator = steps()
    next(generator)
    generator.close()
    assert parents(profiler) == [(Outer, None, True)]
    assert names(recorded()) == ["relu"]


@pytest.mark.parametrize("hook", ["coroutine", "generator"])
def test_hook_that_waits_fails(hook):
    """An operation computes on the C stack: it cannot wait for others. What it started has no parent later."""
    waiting = []

    async def work():
        return step(Inner)

    def generate():
        yield step(Inner)

    def start(_):
        waiting.append(work() if hook == "coroutine" else generate())
        return waiting[0]

    with sw.profile() as profiler:
        with pytest.raises(TypeError, match="Tensor"):
            step(Outer, start)
        if hook == "coroutine":
            asyncio.run(asyncio.wait_for(waiting.pop(), 60))
        else:
            next(waiting.pop())
    assert parents(profiler) == [(Outer, None, False), (Inner, None, True)]


def test_loop_inside_of_an_operation_nests():
    async def work():
        step(Inner)
        await asyncio.sleep(0)
        step(Inner)

    def compute(tensor):
        asyncio.run(work())
        return tensor

    with sw.profile() as profiler:
        step(Outer, compute)
    assert parents(profiler) == [(Outer, None, True), (Inner, 0, True), (Inner, 0, True)]


def test_await_that_goes_on_in_another_thread():
    """An executor's thread is another one: not recorded here, and recorded by a group."""

    async def main():
        step(Outer)
        await asyncio.get_running_loop().run_in_executor(None, step, Inner)
        step(Outer)

    profiler = sw.profile()
    with sw.ProfilerGroup() as group:
        with profiler:
            asyncio.run(main())
    assert parents(profiler) == [(Outer, None, True)] * 2
    assert sorted(len(thread.events()) for thread in group.threads()) == [1, 2]


def test_schedule_shared_by_tasks():
    """Whoever steps ends the step of all: the thread's operations are those of the step they began in."""
    cycles = []

    async def worker(cls, schedule):
        for _ in range(2):
            step(cls)
            await asyncio.sleep(0)
            schedule.step()

    async def main():
        with sw.ProfilerSchedule(on_cycle=cycles.append) as schedule:
            await asyncio.gather(worker(Outer, schedule), worker(Inner, schedule))

    asyncio.run(main())
    assert [cycle.number for cycle in cycles] == [0, 1, 2, 3]
    assert sum(len(cycle.events()) for cycle in cycles) == 4


def test_exception_of_a_task_comes_out_whole():
    error = Boom()

    def fail(_):
        raise error

    async def task(profiler):
        with profiler:
            await asyncio.sleep(0)
            step(Outer, fail)

    async def main(profiler):
        await asyncio.gather(task(profiler))

    profiler = sw.profile()
    with pytest.raises(Boom) as info:
        asyncio.run(main(profiler))
    assert info.value is error
    assert not profiler.events()[0].succeeded
