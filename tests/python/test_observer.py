# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recorder changes nothing of what it records: the same threads run the same operations in the same order."""
import contextlib
import os
import threading

from helpers import cpu, vector

import strideweave as sw


class Workload:
    """Runs operations on two threads, and notes which threads there were and what came out."""

    def run(self):
        self.threads, self.results = [], []
        self.work()
        thread = threading.Thread(target=self.work, name="worker")
        thread.start()
        number = thread.native_id
        thread.join()
        # Who joins a thread may be told before the system has forgotten it.
        while os.path.exists(f"/proc/self/task/{number}"):
            os.sched_yield()
        return self.results

    def work(self):
        matrix = sw.Tensor(sw.CPU(64 * 64), 0, sw.Layout(sw.Shape(64, 64), sw.Stride(64, 1)))
        for operand in vector([1.0, -2.0]), cpu([3.0, -4.0]):
            for operation in sw.relu, sw.neg, sw.abs:
                result = operation(operand)
                self.results.append((operation.__name__, type(result.carrier), result[0]))
        self.results.append(("matmul", sw.CPU, sw.matmul(matrix, matrix)[0, 0]))
        self.threads += threads()


def threads():
    """The names that the system has for this process's threads, but for what changes from one to the next."""
    names = []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/comm") as file:
            names.append(file.read().strip())
    return sorted(names)


def test_profiler_adds_no_thread():
    plain, profiled = Workload(), Workload()
    results = plain.run()
    with sw.profile(record_shapes=True) as profiler:
        assert profiled.run() == results
    assert profiled.threads == plain.threads
    here = results[:len(results) // 2]
    assert [(event.name, event.carrier_type) for event in profiler.events()] == [result[:2] for result in here]


def test_group_adds_no_thread():
    plain, profiled = Workload(), Workload()
    results = plain.run()
    with sw.ProfilerGroup():
        assert profiled.run() == results
    assert profiled.threads == plain.threads


def test_zone_profiler_adds_its_worker_only():
    plain, profiled = Workload(), Workload()
    results = plain.run()
    profiler = sw.ZoneProfiler()
    with profiler:
        assert profiled.run() == results
    added = list(profiled.threads)
    for name in plain.threads:
        added.remove(name)
    assert len(added) == 2  # it is there in both halves
