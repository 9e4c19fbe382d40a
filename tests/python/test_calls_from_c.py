# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hooks of Python that C calls by itself: from threads that Python did not make, and very often."""
import gc
import os
import resource
import threading

import gi
import pytest

gi.require_version("Fixture", "1")

import strideweave as sw  # noqa: E402
from gi.repository import Fixture, GLib  # noqa: E402
from helpers import Boom, Inner, Listed, Outer, Step, boom, names, recorded, step, vector  # noqa: E402

# It keeps freed memory for a while, on purpose.
ADDRESS_SANITIZER = "libasan" in os.environ.get("LD_PRELOAD", "")


class Nesting(Step):
    """Notes the thread, and executes something else inside."""

    threads = []

    def _forward(self, tensor):
        self.threads.append(threading.get_ident())
        step(Inner)
        return tensor


class OnThread(Listed):
    operations = {"nest": Nesting, "boom": type("Failing", (Step,), {"_forward": lambda self, tensor: boom()})}


def test_operations_on_a_thread_of_c():
    tensor = vector([1.0], OnThread)
    Nesting.threads.clear()
    with sw.profile() as profiler:
        sw.relu(vector([1.0]))
        for _ in range(20):
            result, n_events = Fixture.call_in_thread("nest", tensor)
            assert (result.carrier, n_events) == (tensor.carrier, 2)
        sw.neg(vector([1.0]))
    assert len(Nesting.threads) == 20 and threading.get_ident() not in Nesting.threads
    assert names(profiler) == ["relu", "neg"]


def test_exceptions_on_a_thread_of_c_fail_the_call():
    """They were raised on another thread, whose exceptions are not for this one to have; the error says what they said."""
    tensor = vector([1.0], OnThread)
    for _ in range(20):
        with pytest.raises((Boom, GLib.Error), match="boom"):
            Fixture.call_in_thread("boom", tensor)
    assert names(recorded()) == ["relu"]


def test_threads_of_both_kinds_at_once():
    """Threads of Python and of C, each with a profiler, whose hooks are Python's."""
    found, failures = [], []

    def run():
        try:
            with sw.profile() as profiler:
                for _ in range(30):
                    result, n_events = Fixture.call_in_thread("nest", vector([1.0], OnThread))
                    assert n_events == 2
                    step(Outer)
            found.append(names(profiler))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert found == [["step"] * 30] * 6


class Counting(sw.Carrier):
    """As little as C can ask for."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def size(self):
        self.calls += 1
        return 1

    def dtype(self):
        self.calls += 1
        return sw.DType.Float64

    def get_value(self, index):
        self.calls += 1
        return 1.0


def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


@pytest.mark.skipif(ADDRESS_SANITIZER, reason="the sanitizer keeps freed memory")
def test_a_million_calls_leave_memory_flat():
    carrier = Counting()
    Fixture.read_often(carrier, 50_000)
    gc.collect()
    objects, memory, calls = len(gc.get_objects()), resident_kib(), carrier.calls
    while carrier.calls - calls < 1_000_000:
        Fixture.read_often(carrier, 50_000)
    gc.collect()
    assert len(gc.get_objects()) - objects < 50
    # The smallest leak of each call would be 16,000 KiB.
    assert resident_kib() - memory < 2000


def test_a_failure_among_many_calls():
    carrier = Counting()
    failure = Boom("the very one")

    class Failing(Counting):
        def get_value(self, index):
            if self.calls > 1000:
                raise failure
            return super().get_value(index)

    carrier = Failing()
    with pytest.raises((Boom, GLib.Error), match="the very one"):
        Fixture.read_often(carrier, 100_000)
    assert carrier.calls < 2000
    assert names(recorded()) == ["relu"]


def test_names_made_at_run_time():
    """They go right after the call; an equal text from elsewhere is the same operation."""
    carrier = type("AnyName", (Listed,), {"_dispatch_op": lambda self, name: Step()})([1.0])
    tensor = sw.Tensor(carrier, 0, sw.Layout(1))
    with sw.profile() as profiler:
        for number in range(200):
            carrier.dispatch_op("".join(["name-", str(number % 100)])).forward(tensor)
        carrier.dispatch_op("ü" * 2048 + "x").forward(tensor)
        carrier.dispatch_op("ü" * 2048 + "y").forward(tensor)
    gc.collect()
    assert names(profiler)[:200] == [f"name-{number % 100}" for number in range(200)]
    rows = profiler.key_averages()
    assert len(rows) == 102
    assert {row.count for row in rows if row.name.startswith("name-")} == {2}
    assert [row.name[-1] for row in rows[-2:]] == ["x", "y"] and len(rows[-1].name) == 2049
