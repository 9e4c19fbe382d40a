# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several collectors at once, those of other tools, and flows."""
import ctypes
import os
import struct
import subprocess
import sys
import threading

import pytest
import strideweave as sw
from strideweave import CompositeCollector, CuptiCollector, IttCollector, MemoryCollector, SysprofCollector, TraceContext


class Own(sw.Collector):
    """Keeps names, and raises what it is told to."""

    def __init__(self, failure=None):
        super().__init__()
        self.failure = failure
        self.names = []

    def do_emit(self, event):
        if self.failure is not None:
            raise self.failure
        self.names.append(event.name)


def test_each_gets_each():
    memory, own = MemoryCollector(10), Own()
    composite = CompositeCollector([memory, CompositeCollector([own])])
    context = TraceContext(composite)
    with context.span("span"):
        context.instant("instant")
    context.flush()
    assert own.names == [event.name for event in memory.events()] == ["instant", "span"]
    assert composite.collectors[0] is memory and len(composite.collectors) == 2
    assert composite.event_count == 2 and composite.dropped_count == 0
    composite.close()
    assert own.is_closed and memory.is_closed and context.collector is None


def test_exception_of_one_comes_out_as_itself():
    failure = KeyError("mine")
    failing, memory = Own(failure), MemoryCollector(10)
    context = TraceContext(CompositeCollector([failing, memory]))
    for _ in range(3):
        context.instant("instant")
    with pytest.raises(KeyError) as caught:
        context.flush()
    assert caught.value is failure
    assert memory.event_count == 3 and failing.dropped_count == 3
    context.flush()


def test_exceptions_of_several_are_all_told():
    context = TraceContext(CompositeCollector([Own(KeyError("first")), Own(OSError("second")), MemoryCollector(1)]))
    context.instant("instant")
    with pytest.raises(RuntimeError, match=r"2 of 3 collectors failed: .*KeyError: 'first'.*; .*OSError: second"):
        context.collector.close()


def test_threads_that_emit_and_flush_do_not_wait_for_each_other():
    own, memory = Own(), MemoryCollector(100000)
    composite = CompositeCollector([own, memory])
    contexts = [TraceContext(composite), TraceContext(memory)]

    def emit(context):
        for _ in range(500):
            with context.span("span"):
                pass
        context.flush()

    threads = [threading.Thread(target=emit, args=(contexts[number % 2],)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        composite.flush()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert len(own.names) == 1000 and memory.event_count == 2000


@pytest.mark.parametrize("collectors, error, text", [
    (lambda memory: 3, TypeError, "collectors must be a list of Collectors, not int"),
    (lambda memory: [memory, None], TypeError, r"collectors\[1\] must be a Collector"),
    (lambda memory: [], ValueError, "collectors is empty"),
    (lambda memory: [memory, memory], ValueError, r"collectors\[1\] is a .* that would get each event twice"),
])
def test_bad_lists(collectors, error, text):
    with pytest.raises(error, match=text):
        CompositeCollector(collectors(MemoryCollector(1)))


def test_a_collector_in_python_is_closed_when_python_ends():
    program = """
import strideweave as sw

class Last(sw.Collector):
    seen = 0
    def do_emit(self, event):
        self.seen += 1
    def do_close(self):
        print("closed after", self.seen)

context = sw.TraceContext(Last())
for _ in range(3):
    context.instant("seen")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed after 3\n", "")


def test_files_of_a_composite_are_complete_when_python_ends(tmp_path):
    program = """
import strideweave as sw

class Own(sw.Collector):
    def do_emit(self, event):
        print(event.name)

context = sw.TraceContext(sw.CompositeCollector([Own(), sw.FileCollector("trace.jsonl", sw.TraceFormat.JSONL)]))
with context.span("span"):
    pass
"""
    answer = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert answer.stdout == "span\n" and answer.stderr == ""
    lines = (tmp_path / "trace.jsonl").read_text().splitlines()
    assert '"name":"span"' in "".join(lines) and '"type":"summary"' in lines[-1]


def test_flows_are_in_events():
    memory = MemoryCollector(10)
    context = TraceContext(memory)
    with context.span("send"):
        flow = context.flow_start()

    def receive():
        with context.span("receive"):
            context.flow_step(flow)
            context.flow_end(flow)

    thread = threading.Thread(target=receive)
    thread.start()
    thread.join()
    steps = {event.name: [(number, step) for number, _, step in event.flows] for event in memory.events()}
    assert steps == {"send": [(flow, "start")], "receive": [(flow, "step"), (flow, "end")]}
    with pytest.raises(RuntimeError, match="is a flow that has ended"):
        context.flow_step(flow)
    with pytest.raises(RuntimeError, match="which no flow ever had"):
        context.flow_end(2**62)
    with pytest.raises(ValueError, match="flow is -1"):
        context.flow_end(-1)
    with pytest.raises(TypeError):
        context.flow_step("flow")
    assert context.stray_flow_count == 2


def test_sysprof(tmp_path, monkeypatch):
    monkeypatch.delenv("SYSPROF_TRACE_FD", raising=False)
    if not SysprofCollector.is_available():
        with pytest.raises(NotImplementedError, match="libsysprof-capture-4"):
            SysprofCollector(tmp_path / "trace.syscap")
        pytest.skip("the library was built without libsysprof-capture-4")
    collector = SysprofCollector(tmp_path / "trace.syscap")
    with TraceContext(collector).span("span"):
        pass
    collector.close()
    assert collector.event_count == 1 and (tmp_path / "trace.syscap").stat().st_mode & 0o777 == 0o600
    with pytest.raises(NotImplementedError, match="SYSPROF_TRACE_FD"):
        SysprofCollector()
    with pytest.raises(OSError, match="/no/such"):
        SysprofCollector("/no/such/trace.syscap")


def test_itt_without_a_tool(monkeypatch):
    for bits in 32, 64:
        monkeypatch.delenv(f"INTEL_LIBITTNOTIFY{bits}", raising=False)
    assert not IttCollector.is_available()
    with pytest.raises(NotImplementedError, match="INTEL_LIBITTNOTIFY.. is not set"):
        IttCollector()
    for bits in 32, 64:
        monkeypatch.setenv(f"INTEL_LIBITTNOTIFY{bits}", "/nowhere/libtool.so")
    with pytest.raises(NotImplementedError, match="/nowhere/libtool.so"):
        IttCollector()
    with pytest.raises(TypeError):
        IttCollector("/nowhere/libtool.so")


def kernel(fake, name, start, duration, correlation):
    """As CUDA 13 records it, into the buffer of the library that stands for CUPTI."""
    record = struct.pack("=IBBHIIQQQIII3i3iiiIIIqQ", 10, 0, 0, 32, 0, 0, start, start + duration, 0, 0, 1, 7, 64, 1, 1, 256, 1, 1,
                         0, 0, 0, 0, correlation, 0, ctypes.cast(name, ctypes.c_void_p).value).ljust(216, b"\xff")
    fake.fake_cupti_put(record, ctypes.c_size_t(len(record)))


def test_cupti_without_one(monkeypatch):
    monkeypatch.setenv("STRIDEWEAVE_CUPTI", "/nowhere/libcupti.so")
    assert not CuptiCollector.is_available()
    with pytest.raises(NotImplementedError, match="STRIDEWEAVE_CUPTI names '/nowhere/libcupti.so'"):
        CuptiCollector(MemoryCollector(1))
    for target in None, 1, "path":
        with pytest.raises(TypeError, match="target"):
            CuptiCollector(target)


@pytest.fixture
def fake(monkeypatch):
    path = os.path.join(os.environ["SW_FAKE_CUPTI"], "libfake-cupti.so")
    monkeypatch.setenv("STRIDEWEAVE_CUPTI", path)
    fake = ctypes.CDLL(path)
    fake.fake_cupti_now.restype = ctypes.c_uint64
    fake.fake_cupti_reset()
    return fake


def test_cupti(fake, tmp_path):
    name = ctypes.c_char_p(b"saxpy")
    memory = MemoryCollector(100)
    assert CuptiCollector.is_available()
    collector = CuptiCollector(memory)
    assert collector.target is memory
    with pytest.raises(RuntimeError, match="one at a time"):
        CuptiCollector(MemoryCollector(1))
    context = TraceContext(collector)
    with context.span("train"):
        now = fake.fake_cupti_now() + 100_000_000
        fake.fake_cupti_correlate(7)
        kernel(fake, name, now, 1000, 7)
    kernel(fake, name, now + 2000, 1000, 8)
    collector.flush()
    span, first, second = memory.events()
    assert span.name == "train" and {first.name, second.name} == {"saxpy"}
    assert {first.kind, second.kind} == {sw.TraceEventKind.GPU_SPAN}
    assert first.thread_name == "GPU 0 · stream 7" and first.thread_id == 0 and first.lane_id == second.lane_id
    assert first.arguments["grid"] == "(64, 1, 1)" and first.arguments["correlation"] == 7
    assert [(flow, step) for flow, _, step in first.flows] == [(span.flows[0][0], "step")]
    assert second.flows == [] and collector.unlinked_count == 1
    assert (collector.gpu_event_count, collector.event_count) == (2, 3)
    assert (collector.gpu_dropped_count, collector.malformed_count, collector.untimed_count, collector.unknown_count,
            collector.late_count, collector.dropped_count) == (0,) * 6
    collector.close()
    assert memory.is_closed and context.collector is None
    memory.write_trace(tmp_path / "trace.json", sw.TraceFormat.CHROME_JSON)
    assert "GPU 0 · stream 7" in (tmp_path / "trace.json").read_text()


def test_cupti_with_a_target_in_python(fake):
    """Which may do as it likes with the collector that just calls it."""
    name = ctypes.c_char_p(b"saxpy")

    class Target(Own):
        def do_emit(self, event):
            super().do_emit(event)
            collector.flush()
            if len(self.names) == 4:
                raise KeyError(event.name)

    target = Target()
    collector = CuptiCollector(target)
    with TraceContext(collector).span("span"):
        pass
    for i in range(3):
        kernel(fake, name, fake.fake_cupti_now() + 1000 * i, 500, 0)
    with pytest.raises(KeyError, match="saxpy"):
        for _ in range(2):
            collector.flush()
    collector.close()
    assert target.names == ["span", "saxpy", "saxpy", "saxpy"]
    assert collector.event_count == 3 and collector.dropped_count == 1
