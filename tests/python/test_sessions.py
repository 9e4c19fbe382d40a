# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profilers by schedule, and for all threads of the process."""
import gc
import itertools
import threading
import weakref

import pytest
from gi.overrides._strideweave import errors
from helpers import Boom, boom, evictable, in_thread, step, stepping_class, vector

import strideweave as sw

Numbered = stepping_class("Numbered")


def formula(skip_first, wait, warmup, active, repeat, n_ended):
    """The steps of each cycle, and whether the last of them has ended."""
    length = wait + warmup + active
    cycles = []
    for number in itertools.count():
        first = skip_first + number * length + wait + warmup
        if first >= n_ended or (repeat and number >= repeat):
            return cycles
        last = min(first + active, n_ended)
        cycles.append((number, list(range(first, last)), last < first + active))


def run_schedule(n_steps, **options):
    seen = []
    kinds = [stepping_class(f"Step{number}") for number in range(n_steps)]
    with sw.ProfilerSchedule(on_cycle=seen.append, **options) as schedule:
        for number in range(n_steps):
            assert schedule.current_step == number
            step(kinds[number])
            schedule.step()
    return [(cycle, [kinds.index(event.carrier_type) for event in cycle.events()]) for cycle in seen]


def test_recorded_steps_match_the_formula():
    for counts in itertools.product(range(2), range(2), range(2), range(1, 3), range(3)):
        options = dict(zip(("skip_first", "wait", "warmup", "active", "repeat"), counts))
        for n_steps in (0, 5, 6):
            recorded = run_schedule(n_steps, **options)
            described = [(cycle.number, list(cycle.steps), cycle.partial) for cycle, _ in recorded]
            assert described == formula(*counts, n_steps), options
            assert [steps for _, steps in recorded] == [steps for _, steps, _ in described]


def test_labels():
    ((cycle, recorded),) = run_schedule(6, wait=1, warmup=2, active=3)
    assert recorded == [3, 4, 5] and cycle.steps == range(3, 6) and not cycle.partial
    assert [cycle.step_of(event) for event in cycle.events()] == [3, 4, 5]
    assert cycle.events(4) == cycle.events()[1:2]
    assert repr(cycle) == "<ProfilerCycle 0: steps 3 to 5>"
    for wrong in (lambda: cycle.step_of(3), lambda: cycle.step_of(-1), lambda: cycle.events(6), lambda: cycle.events(2**70)):
        with pytest.raises(IndexError):
            wrong()
    for wrong in (lambda: cycle.step_of("x"), lambda: cycle.events(1.5), lambda: sw.ProfilerCycle()):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("name", ["skip_first", "wait", "warmup", "active", "repeat"])
def test_bad_counts(name):
    with pytest.raises(ValueError, match=f"{name} is -1"):
        sw.ProfilerSchedule(**{name: -1})
    with pytest.raises(ValueError, match=name):
        sw.ProfilerSchedule(**{name: 2**64})
    for wrong in (True, 1.0, "1", None):
        with pytest.raises(TypeError, match=name):
            sw.ProfilerSchedule(**{name: wrong})


def test_other_bad_arguments():
    with pytest.raises(ValueError, match="active is 0"):
        sw.ProfilerSchedule(active=0)
    with pytest.raises(TypeError, match="on_cycle"):
        sw.ProfilerSchedule(on_cycle=3)
    with pytest.raises(TypeError, match="carriers"):
        sw.ProfilerSchedule(carriers=3)
    with pytest.raises(TypeError, match="closed"):
        type("Mine", (sw.ProfilerSchedule,), {})


def test_options_reach_each_cycle():
    cycles = []
    with sw.ProfilerSchedule(on_cycle=cycles.append, carriers=[sw.Generic], record_shapes=True) as schedule:
        for _ in range(2):
            sw.relu(evictable([1.0, 2.0]))
            schedule.step()
    assert [[event.input_shapes for event in cycle.events()] for cycle in cycles] == [[((2,),)], [((2,),)]]


def test_exception_of_the_function_comes_out_whole():
    error = Boom("once")
    numbers = []

    def on_cycle(cycle):
        numbers.append(cycle.number)
        if cycle.number == 1:
            raise error

    with sw.ProfilerSchedule(on_cycle=on_cycle) as schedule:
        step(Numbered)
        schedule.step()
        with pytest.raises(Boom) as info:
            schedule.step()
        assert info.value is error
        assert schedule.current_step == 2
        step(Numbered)
        schedule.step()
    assert numbers == [0, 1, 2]
    assert not errors.pending


def test_exception_of_the_function_at_the_end():
    with pytest.raises(Boom):
        with sw.ProfilerSchedule(on_cycle=boom):
            step(Numbered)
    with sw.profile():
        pass


def test_exception_of_the_block():
    cycles = []
    with pytest.raises(Boom):
        with sw.ProfilerSchedule(active=2, on_cycle=cycles.append):
            step(Numbered)
            boom()
    assert [(list(cycle.steps), cycle.partial) for cycle in cycles] == [([0], True)]


def test_wrong_calls():
    schedule = sw.ProfilerSchedule(on_cycle=lambda cycle: schedule.step())
    with pytest.raises(RuntimeError, match="not entered"):
        schedule.step()
    with schedule:
        with pytest.raises(RuntimeError, match="single-use"):
            schedule.__enter__()
        with pytest.raises(RuntimeError, match="thread"):
            in_thread(schedule.step)
        with pytest.raises(RuntimeError, match="cannot go on"):
            schedule.step()
        assert schedule.current_step == 1
    with pytest.raises(RuntimeError, match="exited already"):
        schedule.step()
    with pytest.raises(RuntimeError, match="single-use"):
        schedule.__enter__()


def test_other_profiler_on_the_thread():
    with sw.profile():
        with pytest.raises(RuntimeError, match="already active"):
            sw.ProfilerSchedule(on_cycle=boom).__enter__()


def test_no_more_than_one_cycle_is_kept():
    last = []

    def on_cycle(cycle):
        assert not last or last[-1]() is None
        last.append(weakref.ref(cycle.profiler))

    gc.disable()
    try:
        with sw.ProfilerSchedule(on_cycle=on_cycle) as schedule:
            for _ in range(20):
                step(Numbered)
                schedule.step()
    finally:
        gc.enable()
    assert len(last) == 20


def test_cycles_add_up():
    cycles = []
    with sw.ProfilerSchedule(active=2, on_cycle=cycles.append) as schedule:
        for _ in range(6):
            sw.relu(evictable([1.0]))
            schedule.step()
    profilers = [cycle.profiler for cycle in cycles]
    merged = sw.merged_key_averages(profilers)
    for place, row in enumerate(merged):
        parts = [profiler.key_averages()[place] for profiler in profilers]
        assert row.count == sum(part.count for part in parts) == 6
        assert row.total_time_ns == sum(part.total_time_ns for part in parts)
    assert "Evictable" in sw.merged_table(profilers, row_limit=2)
    with pytest.raises(RuntimeError, match=r"profilers\[1\]"):
        sw.merged_key_averages([profilers[0], sw.profile()])
    with pytest.raises(TypeError, match=r"profilers\[0\]"):
        sw.merged_table([3])
    with pytest.raises(ValueError, match="sort_by"):
        sw.merged_table(profilers, sort_by="size")


def test_group_records_all_threads():
    kinds = [stepping_class(f"Thread{number}") for number in range(8)]
    go = threading.Barrier(len(kinds) + 1)

    def work(kind):
        go.wait()
        for _ in range(5):
            step(kind)
        go.wait()
        go.wait()

    threads = [threading.Thread(target=work, args=(kind,), name=f"worker of {kind.__name__}") for kind in kinds]
    for thread in threads:
        thread.start()
    with sw.ProfilerGroup() as group:
        step(Numbered)
        go.wait()
        go.wait()
    go.wait()
    for thread in threads:
        thread.join()

    own, *others = group.threads()
    assert own.native_id == threading.main_thread().native_id and own.thread_id == threading.get_ident()
    assert own.name == threading.current_thread().name
    assert {thread.name for thread in others} == {thread.name for thread in threads}
    for thread in others:
        assert {f"worker of {event.carrier_type.__name__}" for event in thread.events()} == {thread.name}
        assert {event.thread_id for event in thread.events()} == {thread.thread_id}
        assert len(thread.events()) == 5 and thread.profiler.events() == thread.events()
    assert len(group.events()) == 41 and group.n_lost_threads == 0
    assert sum(row.count for row in group.key_averages()) == 41
    assert group.threads() is group.threads()
    text = group.table(by_thread=True)
    assert sum(line.startswith("Thread ") for line in text.splitlines()) == 9 and "Thread worker of Thread3 (" in text
    assert len(group.table(row_limit=3).splitlines()) == 5


def test_group_keeps_events_of_ended_threads():
    with sw.ProfilerGroup(record_shapes=True) as group:
        for size in (1, 2, 3):
            in_thread(lambda: sw.relu(vector([1.0] * size)))
    assert [[event.input_shapes for event in thread.events()] for thread in group.threads()] == [
        [((1,),)],
        [((2,),)],
        [((3,),)],
    ]
    assert len(group.key_averages(group_by_input_shape=True)) == 3


def test_group_and_own_profilers_both_record():
    with sw.profile() as before:
        with sw.ProfilerGroup() as group:
            step(Numbered)
            in_thread(lambda: step(Numbered))
        step(Numbered)
    assert len(before.events()) == 2 and len(group.events()) == 2


def test_group_wrong_calls():
    group = sw.ProfilerGroup()
    with pytest.raises(RuntimeError, match="only after context exit"):
        group.threads()
    with group:
        with pytest.raises(RuntimeError, match="already active in this process"):
            sw.ProfilerGroup().__enter__()
        with pytest.raises(RuntimeError, match="on the thread that entered it"):
            in_thread(group.__exit__)
        with pytest.raises(RuntimeError, match="still active"):
            group.table()
    with pytest.raises(RuntimeError, match="single-use"):
        group.__enter__()
    with pytest.raises(RuntimeError, match="not active"):
        group.__exit__()
    for wrong in (lambda: group.table(by_thread=1), lambda: sw.ProfilerThread(), lambda: sw.ProfilerGroup(carriers=1)):
        with pytest.raises(TypeError):
            wrong()
    assert group.events() == () and group.key_averages() == ()


def test_counts_are_integers_of_64_bits():
    import numpy as np

    for argument in ("skip_first", "wait", "warmup", "active", "repeat"):
        assert sw.ProfilerSchedule(**{argument: np.int32(1)}).current_step == 0
        for value, described in ((2**63, str(2**63)), (10**5000, "of 16610 bits")):
            with pytest.raises(ValueError, match=f"{argument} is {described}, which does not fit into 64 bits"):
                sw.ProfilerSchedule(**{argument: value})
        for value in (None, True, 1.0, "1"):
            with pytest.raises(TypeError, match=f"{argument} must be an int, not {type(value).__name__}"):
                sw.ProfilerSchedule(**{argument: value})


def test_cycles_outlive_functions_that_fail():
    kept = []

    def fail(cycle):
        kept.append(cycle)
        raise Boom

    with sw.ProfilerSchedule(on_cycle=fail) as schedule:
        for _ in range(3):
            step(Numbered)
            with pytest.raises(Boom):
                schedule.step()
    gc.collect()
    again = [sw.Layout(4) for _ in range(1000)]  # takes the memory of what was freed too early
    assert [(cycle.number, len(cycle.profiler), cycle.step_of(0)) for cycle in kept] == [(0, 1, 0), (1, 1, 1), (2, 1, 2)]
    del again


def test_statistics_of_groups_and_of_several_profilers():
    import numpy as np

    cycles = []
    with sw.ProfilerGroup() as group:
        with sw.ProfilerSchedule(active=2, repeat=2, on_cycle=cycles.append) as schedule:
            for _ in range(4):
                step(Numbered)
                schedule.step()
        in_thread(lambda: step(Numbered))
    profilers = [cycle.profiler for cycle in cycles]
    columns = ["p99_time_ns", "total_percent"]
    for events, rows, array, table in (
        (
            group.events(),
            group.key_averages(statistics=True),
            group.aggregate_columns(),
            group.table(columns=columns, sort_by="p99_time_ns"),
        ),
        (
            [event for profiler in profilers for event in profiler.events()],
            sw.merged_key_averages(profilers, statistics=True),
            sw.merged_aggregate_columns(profilers),
            sw.merged_table(profilers, columns=columns, sort_by="p99_time_ns"),
        ),
    ):
        (row,) = rows
        durations = [event.duration_ns for event in events]
        assert row.count == len(events) == array["count"][0]
        assert row.p50_time_ns == np.percentile(durations, 50) == array["p50_time_ns"][0]
        assert row.stddev_time_ns == pytest.approx(np.std(durations)) and row.total_percent == pytest.approx(100)
        assert table.splitlines()[0].split()[-4:] == ["p99", "(ns)", "Total", "%"], table
    assert len(group.events()) == 5
    by_thread = group.table(columns=columns, by_thread=True)
    assert by_thread.count("p99 (ns)") == 2
    assert "p50_time_ns" not in group.aggregate_columns(statistics=False).dtype.names
    for wrong, error in (({"columns": "p99_time_ns"}, TypeError), ({"columns": ["p99"]}, ValueError), ({"sort_by": "p99_time_ns"}, ValueError)):
        for table in (group.table, lambda **options: sw.merged_table(profilers, **options)):
            with pytest.raises(error):
                table(**wrong)
