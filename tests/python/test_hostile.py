# SPDX-License-Identifier: LGPL-2.1-or-later
"""What careless and hostile users do: each mistake is an error that names it, and nothing is lost or left behind."""
import ast
import gc
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from gi.overrides._strideweave import errors
from gi.repository import GObject, Strideweave
from helpers import Inner, Listed, Outer, Step, cpu, in_thread, recorded, step, vector

import strideweave as sw

NONSENSE = [None, "x", b"x", 1.5, [], {}, object(), sw.CPU, 1j, np.array([1, 2])]


def ids(value):
    return type(value).__name__


def raw(name, *args):
    return errors.call(getattr(errors.raw.Carrier, name), *args)


# Arguments


@pytest.mark.parametrize("value", [b"x", {}, object(), 2**63, -(2**70), 10**5000], ids=ids)
def test_errors_describe_objects(value):
    """C sees an address only; the message has what the user wrote."""
    name = type(value).__name__
    with pytest.raises(TypeError, match=rf"value <{name}.*> is not a Float32") as caught:
        cpu([1.0])[0] = value
    assert "0x" not in str(caught.value)
    with pytest.raises(TypeError, match=rf"rhs must be a Tensor or a number, not {name}"):
        sw.add(cpu([1.0]), value)
    if value == 2**63:
        assert "9223372036854775808" in str(caught.value)


def test_very_long_integers_are_named():
    with pytest.raises(ValueError, match="size is of 16610 bits, which does not fit into 64 bits"):
        sw.CPU(10**5000)
    with pytest.raises(TypeError, match="order must be a list of integers"):
        sw.call_operation("permute", cpu([1.0]), [2**70])


@pytest.mark.parametrize("value", [None, 5, 1.5, object()], ids=ids)
def test_values_that_cannot_be_iterated(value):
    for make in (sw.Generic, sw.CPU(1).new_like):
        with pytest.raises(TypeError, match=f"values must be an iterable, not {type(value).__name__}"):
            make(value)


def test_an_iterator_that_fails_fails_itself():
    def numbers():
        yield 1.0
        raise TypeError("my own")

    with pytest.raises(TypeError, match="my own"):
        sw.Generic(numbers())


@pytest.mark.parametrize("value", [1.5, 5, True, [], sw.CPU], ids=ids)
def test_paths_that_are_none(value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="filename must be a str, not"):
        sw.FileBacked(value)
    with pytest.raises(TypeError, match="path must be a path, not"):
        recorded().save_json(value)
    with pytest.raises(TypeError, match="path must be a path, not NoneType"):
        recorded().save_json(None)
    assert os.listdir(tmp_path) == []


def test_paths_of_any_kind(tmp_path):
    profiler = recorded()
    for path in (tmp_path / "a", os.fsencode(tmp_path / "b"), str(tmp_path / "c\udcff")):
        profiler.save_json(path)
    assert sorted(os.listdir(os.fsencode(tmp_path))) == [b"a", b"b", b"c\xff"]
    for path in (str(tmp_path / "d\0e"), b"d\0e"):
        with pytest.raises(ValueError, match="path is .* which holds a NUL"):
            profiler.save_json(path)
    with pytest.raises(ValueError, match="filename is .* which holds a NUL"):
        sw.FileBacked("a\0b")


@pytest.mark.parametrize("name", ["relu\0", "relu\0x", "\udcff"])
def test_names_that_c_cannot_have(name):
    tensor = cpu([1.0])
    for use in (
        tensor.carrier.dispatch_op,
        lambda name: sw.call_operation(name, tensor),
        sw.carriers.operation_policy.operation_execution_options,
    ):
        with pytest.raises(ValueError, match="name is .* which C cannot have"):
            use(name)


@pytest.mark.parametrize("text", ["a\0b", "\udcff", "", "é☃"])
def test_texts_are_kept_whole(text):
    assert list(sw.Generic([text, 1], dtype=sw.DType.Any)) == [text, 1]


# Classes


def test_an_object_of_c_is_of_one_kind():
    for bases in itertools.permutations((sw.Carrier, sw.Operation)):
        with pytest.raises(TypeError, match="but an object of C is of one kind only"):
            type("Both", bases, {})
    with pytest.raises(TypeError, match="Own derives from Other, too"):
        type("Own", (sw.Carrier, type("Other", (GObject.Object,), {})), {})
    with pytest.raises(TypeError, match="Profiler is closed"):
        type("Own", (sw.Profiler,), {})

    class Mixin:
        def size(self):
            return 3

    assert sw.Tensor(type("Own", (Mixin, sw.Carrier), {})(), 0, sw.Layout(3, 1)).size() == 3


@pytest.mark.parametrize("name", ["size", "_is_mutable", "do_size", "_dispatch_op"])
@pytest.mark.parametrize("value", [7, property(lambda self: 3), "x"], ids=ids)
def test_hooks_are_methods(name, value):
    with pytest.raises(TypeError, match=rf"Own\.{name} must be a method, not a"):
        type("Own", (sw.Carrier,), {name: value})


@pytest.mark.parametrize("name", ["_forward", "_compute", "do_compute"])
def test_operation_hooks_are_methods(name):
    with pytest.raises(TypeError, match=rf"Own\.{name} must be a method, not an int"):
        type("Own", (sw.Operation,), {name: 5})


# Carriers that no constructor made


@pytest.mark.parametrize("cls", [sw.CPU, sw.Generic, sw.FileBacked, sw.Evictable], ids=lambda cls: cls.__name__)
def test_unfinished_carriers(cls):
    carrier = GObject.new(cls.__gtype__)
    unfinished = pytest.raises(sw.StrideweaveError, match=f"carrier is an unfinished {cls.__name__}")
    assert carrier.size() == 0 and not carrier.is_mutable()
    assert not carrier.supports_storage_dtype(sw.DType.Float32)
    for use in (
        carrier.dtype,
        lambda: carrier.new_like([1.0]),
        lambda: carrier.allocate_like(1),
        lambda: carrier.dispatch_op("relu"),
        lambda: sw.Evictable(carrier, sw.CPU(1)),
    ):
        with unfinished:
            use()
    for use in (
        lambda: carrier[0],
        lambda: carrier.__setitem__(0, 1.0),
        lambda: sw.Tensor(carrier, 0, sw.Layout(1, 1)),
        lambda: sw.move(cpu([1.0]), carrier),
    ):
        with pytest.raises(sw.StrideweaveError):
            use()
    if cls is sw.Evictable:
        assert not carrier.is_evicted() and carrier.primary is None
        for use in (carrier.evict, carrier.promote):
            with unfinished:
                use()
    carrier.release()


# What hooks return

WRONG = {
    "size": [None, "x", 1.5, True, [], 2**63, 2**70],
    "dtype": [None, 1, "Float32", sw.DType, sw.CPU],
    "_is_mutable": [None, 1, "no", [], np.array([1, 2])],
    "new_like": [None, 1, "x", sw.CPU],
    "allocate_like": [None, 1, "x", sw.CPU],
    "_dispatch_op": [None, 1, "x", Step],
}
USES = {
    "size": lambda carrier: raw("size", carrier),
    "dtype": lambda carrier: raw("dtype", carrier),
    "_is_mutable": lambda carrier: raw("is_mutable", carrier),
    "new_like": lambda carrier: raw("new_like", carrier, errors.raw.ValueList.new([]), True, 0),
    "allocate_like": lambda carrier: raw("allocate_like", carrier, 1, True, 0, False),
    "_dispatch_op": lambda carrier: carrier.dispatch_op("x"),
}


@pytest.mark.parametrize("form", ["python", "c"])
@pytest.mark.parametrize("hook, value", [(hook, value) for hook in WRONG for value in WRONG[hook]])
def test_hooks_that_return_nonsense(hook, value, form, capfd):
    name = hook if form == "python" else "do_" + hook.lstrip("_")
    carrier = type("Own", (Listed,), {name: lambda self, *args, **options: value})([1.0])
    with pytest.raises((TypeError, ValueError), match=rf"Own\.{name}\(\) (must|is)"):
        USES[hook](carrier)
    assert not errors.pending
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("hook", ["do_set_value", "do_scatter"])
def test_hooks_that_return_nothing_are_done(hook):
    carrier = type("Own", (Listed,), {hook: lambda self, *args: None})([1.0])
    carrier[0] = 2.0
    raw("scatter", carrier, vector([1.0]), sw.Tensor(carrier, 0, sw.Layout(1, 1)), sw.Layout(1, 1), 0)
    carrier = type("Own", (Listed,), {"do_set_value": lambda self, *args: 5})([1.0])
    with pytest.raises(TypeError, match=r"Own.do_set_value\(\) must return a bool, not int"):
        carrier[0] = 2.0


def test_numpy_booleans_are_booleans():
    carrier = type("Own", (Listed,), {"_is_mutable": lambda self: np.bool_(True)})([1.0])
    assert raw("is_mutable", carrier) is True


def test_texts_for_people_leave_no_exception_behind():
    def fail(self):
        raise KeyError("mine")

    carrier = type("Own", (Listed,), {"dtype": fail})([1.0])
    assert "Invalid" in str(sw.Tensor(carrier, 0, sw.Layout(1, 1)))
    assert not carrier.supports_storage_dtype(sw.DType.Float32)
    assert not errors.pending


# Exceptions that are hard to bring out


def test_endless_recursion():
    def endless(_=None):
        return step(Outer, endless)

    def from_depth(depth):
        return from_depth(depth - 1) if depth else endless()

    # Wherever the limit is met: the exception of an inner hook cannot always be made into one of PyGObject's.
    for depth in range(40):
        with pytest.raises(RecursionError):
            from_depth(depth)
        assert not errors.pending
    with sw.profile() as profiler:
        with pytest.raises(RecursionError):
            endless()
    assert {event.succeeded for event in profiler.events()} == {False}


class Interrupted(KeyboardInterrupt):
    pass


def test_interrupts_are_not_lost(capfd):
    """One comes up before the first line of a hook, where nothing can catch it, or after the last."""

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    other = []
    try:
        for microseconds in range(50, 1050):
            try:
                signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
                while True:
                    step(Outer, lambda _: step(Inner))
            except Interrupted:
                pass
            except Exception as exception:
                other.append(exception)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert other == []
    step(Outer)
    assert not errors.pending and errors.of_thread.depth == 0
    capfd.readouterr()


def test_an_interrupt_after_enter_leaves_nothing_active(monkeypatch):
    profiler = sw.profile()
    call = errors.call

    def interrupted(function, *args):
        call(function, *args)
        if function == errors.raw.Profiler.enter:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["gi.overrides._strideweave.profilers"], "call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        profiler.__enter__()
    monkeypatch.undo()
    assert len(recorded().events()) == 1


AT_EXIT = """
import sys
sys.path.insert(0, {path!r})
from helpers import Outer, step, vector
import strideweave as sw
first, second = Outer([1.0]), vector([1.0], Outer)

def generator():
    try:
        yield
    finally:
        try:
            print(first.dispatch_op("step"), flush=True)
        except RuntimeError as error:
            print(error, flush=True)

class Deleted:
    def __del__(self):
        try:
            sw.relu(second)
        except RuntimeError as error:
            print(error, flush=True)

running = generator()
next(running)
deleted = Deleted()
deleted.itself = deleted
sys.modules["deleted"] = deleted
profiler = sw.profile()
profiler.__enter__()
capsule = vector([1.0]).__dlpack__()
"""


def test_hooks_of_a_dying_interpreter():
    """PyGObject does not call them and returns what is in a register, so nobody may come so far."""
    program = AT_EXIT.format(path=os.path.dirname(__file__))
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Python is shutting down" in result.stdout


# Profilers


def test_a_forked_child_profiles_on_its_own():
    with sw.profile() as profiler:
        step(Outer)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with sw.profile() as own:
                    step(Outer)
                    step(Outer)
                code = 0 if len(own.events()) == 2 and not _can_exit(profiler) else 2
            finally:
                os._exit(code)
        step(Inner)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [event.carrier_type for event in profiler.events()] == [Outer, Inner]


def _can_exit(profiler):
    try:
        profiler.__exit__()
    except RuntimeError:
        return False
    return True


def test_a_forked_child_goes_on_with_the_profiler():
    with sw.profile() as profiler:
        step(Outer)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                step(Inner)
                profiler.__exit__()
                code = 0 if len(profiler.events()) == 2 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(profiler.events()) == 1


ODD = [None, [], object(), float("nan"), 2**70, "x\0y", "\udcff", (((1,),),), sw.CPU]


@pytest.mark.parametrize("value", ODD, ids=ids)
def test_events_of_odd_values(value):
    event = sw.ProfilerEvent(*[value] * 11)
    assert all(getattr(event, field) is value for field in sw.ProfilerEvent._fields)
    row = sw.ProfilerAggregate(*[value] * 9)
    assert all(getattr(row, field) is value for field in sw.ProfilerAggregate._fields)
    assert event == sw.ProfilerEvent(*[value] * 11) and row == sw.ProfilerAggregate(*[value] * 9)
    if value is None or isinstance(value, (str, tuple, int)):
        assert hash(event) == hash(sw.ProfilerEvent(*[value] * 11))
        assert pickle.loads(pickle.dumps(event)) == event
    assert "ProfilerEvent(id=" in repr(event)


def test_classes_of_hostile_names():
    class Own(Listed):
        operations = {"step": Step}

    Own.__qualname__ = "a\nb\t\x1b[31m|"
    Own.__module__ = "m\0\udcff"
    profiler = recorded(lambda: step(Own))
    assert len(profiler.table().splitlines()) == 3
    assert profiler.key_averages()[0].carrier_type is Own


# Arrays


class Producer:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def test_a_capsule_that_is_refused_is_freed():
    """It dies while the exception of who refused it is on its way."""
    many = sw.Tensor(sw.CPU(1), 0, sw.Layout(tuple([1] * 40), tuple([0] * 40)))
    with pytest.raises(RuntimeError, match="maxdims"):
        np.from_dlpack(many)
    carrier = many.carrier
    finalized = []
    carrier.weak_ref(finalized.append, True)
    del many, carrier
    gc.collect()
    assert finalized == [True]


def test_a_capsule_is_taken_once():
    tensor = cpu([1.0, 5.0])
    producer = Producer(tensor.__dlpack__())
    taken = np.from_dlpack(producer)
    with pytest.raises((ValueError, BufferError)):
        np.from_dlpack(producer)
    tensor.carrier.release()
    del producer, tensor
    gc.collect()
    assert taken.tolist() == [1.0, 5.0]


# Files


def test_a_pipe_in_the_place_of_a_file_blocks_nobody():
    carrier = sw.FileBacked("pipe")
    sw.move(cpu([1.0]), carrier)
    os.unlink(carrier.path)
    os.mkfifo(carrier.path)
    for use in (lambda: carrier[0], lambda: carrier.__setitem__(0, 2.0)):
        with pytest.raises(OSError, match="cannot"):
            use()


def test_the_directory_is_made_again():
    """As after the cleaning of old temporary files."""
    carrier = sw.FileBacked("cleaned")
    sw.move(cpu([1.0]), carrier)
    hierarchy = sw.Evictable(sw.CPU(2), sw.FileBacked())
    directory = os.path.dirname(carrier.path)
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))
    os.rmdir(directory)
    with pytest.raises(OSError, match="No such file"):
        carrier[0]
    fresh = sw.FileBacked("cleaned-2")
    sw.move(cpu([2.0]), fresh)
    assert fresh[0] == 2.0 and os.stat(directory).st_mode & 0o777 == 0o700
    hierarchy.evict()
    hierarchy.promote()
    assert hierarchy[1] == 0.0


KEPT = """
import os, sys
import strideweave as sw
carrier = sw.FileBacked("kept")
print(os.listdir(os.environ["TMPDIR"]), flush=True)
sys.stdin.readline()
"""


def test_killed_processes_leave_nothing(tmp_path):
    """Whoever makes a directory next removes theirs, and leaves those of living processes."""

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", KEPT],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return process, set(ast.literal_eval(process.stdout.readline()))

    def stop(process):
        process.communicate("\n", timeout=60)

    (tmp_path / ".strideweave-abcde").mkdir()
    (tmp_path / ".strideweave-abcdef").touch()
    (tmp_path / ".strideweave-ABCDEF").symlink_to("/")
    mine = set(os.listdir(tmp_path))

    living, first = start()
    killed, second = start()
    assert len(first - mine) == 1 and len(second - first) == 1 and second > first > mine
    killed.kill()
    killed.communicate()
    assert set(os.listdir(tmp_path)) == second
    third, names = start()
    assert names > first and not names & (second - first)
    stop(living)
    stop(third)
    assert set(os.listdir(tmp_path)) == mine


# Memory

SHORT_OF_MEMORY = """
import resource
import strideweave as sw
left = sw.Tensor(sw.CPU(90000), 0, sw.Layout((300, 300)))
for index in range(300):
    left[index, index] = 2.0
    left[0, index] = index + 1.0
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + (40 << 20)
resource.setrlimit(resource.RLIMIT_AS, (size, size))
product = sw.matmul(left, left)
print(product[0, 2], product[299, 299])
try:
    sw.CPU(20 << 20)
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif("lib" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer needs all addresses")
def test_little_memory_makes_nobody_wait():
    """OpenBLAS would try for ever to get a buffer."""
    command = [sys.executable, "-c", SHORT_OF_MEMORY]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.splitlines() == [
        "9.0 4.0",
        "size is 20971520, and there is no memory for so many values of Float32",
    ]


# Moves


class Tier(Listed):
    def allocate_like(self, size, *, mutable=True, dtype=None, empty=False):
        return Tier([0.0] * size)


def test_a_move_that_loses_values_fails():
    def move(source, destination):
        if losing[0]:
            moved = sw.Tensor(destination, source.offset, source.layout)
            del destination.values[1:]
            return moved
        for index in range(source.carrier.size()):
            destination[index] = source.carrier[index]
        return sw.Tensor(destination, source.offset, source.layout)

    losing = [False]
    sw.operation.register_move(Tier, Tier, move)
    hierarchy = sw.Evictable(Tier([1.0, 2.0, 3.0]), Tier([0.0] * 3))
    for change in (hierarchy.evict, hierarchy.promote):
        losing[0] = True
        with pytest.raises(ValueError, match="the move from Tier to Tier left 1 of 3 values on its destination"):
            change()
        losing[0] = False
        change()
    assert list(hierarchy) == [1.0, 2.0, 3.0]
    losing[0] = True
    source = vector([1.0, 2.0], Tier)
    with pytest.raises(ValueError, match="left 1 of 2 values"):
        sw.move(source, Tier([0.0] * 2))
    assert list(source) == [1.0, 2.0]


# Threads


def test_an_operation_of_several_threads_mixes_nothing_up():
    """Each thread gets its own result, even where it should have made an operation of its own."""

    class Slow(sw.Operation):
        def _forward(self, tensor):
            return tensor

    operation = Slow()
    wrong = []

    def run(number):
        mine = vector([number])
        for _ in range(300):
            if operation.forward(mine).carrier is not mine.carrier:
                wrong.append(number)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=run, args=(float(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert wrong == []


def test_reading_meets_eviction():
    hierarchy = sw.Evictable(sw.CPU(1000), sw.CPU(1000))
    hierarchy[7] = 42.0
    unexpected = []
    stopped = threading.Event()

    def read():
        while not stopped.is_set():
            try:
                assert hierarchy[7] == 42.0
            except Exception as exception:
                if not {"evicted", "moving"} & set(str(exception).replace(";", "").split()):
                    unexpected.append(exception)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(500):
        hierarchy.evict()
        hierarchy.promote()
    stopped.set()
    for reader in readers:
        reader.join()
    assert unexpected == []
