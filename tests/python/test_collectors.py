# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several collectors at once, those of other tools, and flows."""
import subprocess
import sys
import threading

import pytest
import strideweave as sw
from strideweave import CompositeCollector, IttCollector, MemoryCollector, SysprofCollector, TraceContext


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
