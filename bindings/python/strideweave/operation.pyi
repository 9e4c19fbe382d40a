# SPDX-License-Identifier: LGPL-2.1-or-later
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Literal, final

from . import Shape, Tensor
from .carriers import Carrier

_Order = int | Iterable[int]
_Shape = Shape | int | tuple[Any, ...] | list[Any]
_InputShapes = tuple[tuple[Any, ...] | None, ...]
_SortField = Literal[
    "name",
    "carrier_type",
    "input_shapes",
    "count",
    "total_time_ns",
    "self_total_time_ns",
    "mean_time_ns",
    "min_time_ns",
    "max_time_ns",
]
_Statistic = Literal[
    "p50_time_ns",
    "p90_time_ns",
    "p99_time_ns",
    "stddev_time_ns",
    "total_percent",
    "self_total_percent",
]

class ExecutionOptions:
    def get_operation_name(self) -> str: ...

class Operation:
    options: ExecutionOptions | None
    def __init__(self) -> None: ...
    def forward(self, *inputs: Any, options: ExecutionOptions | None = None) -> Tensor: ...
    def lower(self, *inputs: Any, options: ExecutionOptions | None = None) -> Tensor: ...
    @property
    def dispatch_name(self) -> str | None: ...
    @property
    def carrier_type(self) -> type[Carrier] | None: ...

def relu(tensor: Tensor) -> Tensor: ...
def neg(tensor: Tensor) -> Tensor: ...
def exp(tensor: Tensor) -> Tensor: ...
def add(lhs: Tensor, rhs: Tensor | float) -> Tensor: ...
def sub(lhs: Tensor, rhs: Tensor | float) -> Tensor: ...
def mul(lhs: Tensor, rhs: Tensor | float) -> Tensor: ...
def elementwise_mul(lhs: Tensor, rhs: Tensor) -> Tensor: ...
def div(lhs: Tensor, rhs: Tensor | float) -> Tensor: ...
def maximum(lhs: Tensor, rhs: Tensor | float) -> Tensor: ...
def matmul(lhs: Tensor, rhs: Tensor, options: ExecutionOptions | None = None) -> Tensor: ...
def reduce_sum(
    tensor: Tensor, modes: _Order | None = None, options: ExecutionOptions | None = None
) -> Tensor: ...
def reduce_max(tensor: Tensor, modes: _Order | None = None) -> Tensor: ...
def argmax(tensor: Tensor, mode: int | None = None) -> Tensor: ...
def broadcast_to(tensor: Tensor, shape: _Shape) -> Tensor: ...
def permute(tensor: Tensor, *order: _Order) -> Tensor: ...
def reshape(tensor: Tensor, shape: _Shape) -> Tensor: ...
def move(tensor: Tensor, destination: Carrier) -> Tensor: ...
def register_move(
    source_type: type[Carrier], destination_type: type[Carrier], function: Callable[[Tensor, Carrier], Tensor]
) -> None: ...
def call_operation(name: str, *inputs: Any, options: ExecutionOptions | None = None) -> Tensor: ...
@final
class ProfilerEvent:
    id: int
    parent_id: int | None
    name: str
    carrier_type: type[Carrier]
    implementation_type: type[Operation]
    input_shapes: _InputShapes | None
    start_time_ns: int
    duration_ns: int
    self_time_ns: int
    thread_id: int
    succeeded: bool
    def __init__(
        self,
        id: int,
        parent_id: int | None,
        name: str,
        carrier_type: type[Carrier],
        implementation_type: type[Operation],
        input_shapes: _InputShapes | None,
        start_time_ns: int,
        duration_ns: int,
        self_time_ns: int,
        thread_id: int,
        succeeded: bool,
    ) -> None: ...
    @property
    def carrier_name(self) -> str: ...
    @property
    def implementation_name(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ProfilerAggregate:
    name: str
    carrier_type: type[Carrier]
    input_shapes: _InputShapes | None
    count: int
    total_time_ns: int
    self_total_time_ns: int
    mean_time_ns: float
    min_time_ns: int
    max_time_ns: int
    def __init__(
        self,
        name: str,
        carrier_type: type[Carrier],
        input_shapes: _InputShapes | None,
        count: int,
        total_time_ns: int,
        self_total_time_ns: int,
        mean_time_ns: float,
        min_time_ns: int,
        max_time_ns: int,
    ) -> None: ...
    @property
    def carrier_name(self) -> str: ...
    @property
    def p50_time_ns(self) -> float | None: ...
    @property
    def p90_time_ns(self) -> float | None: ...
    @property
    def p99_time_ns(self) -> float | None: ...
    @property
    def stddev_time_ns(self) -> float | None: ...
    @property
    def total_percent(self) -> float | None: ...
    @property
    def self_total_percent(self) -> float | None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Profiler:
    def __init__(self, *, carriers: Iterable[type[Carrier]] | None = None, record_shapes: bool = False) -> None: ...
    def __enter__(self) -> Profiler: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None = None,
        exception: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> Literal[False]: ...
    def events(self) -> tuple[ProfilerEvent, ...]: ...
    def key_averages(
        self, *, group_by_input_shape: bool = False, statistics: bool = False
    ) -> tuple[ProfilerAggregate, ...]: ...
    def table(
        self,
        *,
        sort_by: _SortField | _Statistic = "self_total_time_ns",
        descending: bool = True,
        group_by_input_shape: bool = False,
        row_limit: int | None = None,
        columns: Iterable[_Statistic] = (),
    ) -> str: ...
    def save_json(self, path: str) -> None: ...
    @staticmethod
    def get_type_name(cls: type[Carrier] | type[Operation]) -> str: ...
    @staticmethod
    def set_type_name(cls: type[Carrier] | type[Operation], qualified_name: str | None) -> None: ...

@final
class ProfilerCycle:
    @property
    def profiler(self) -> Profiler: ...
    @property
    def number(self) -> int: ...
    @property
    def steps(self) -> range: ...
    @property
    def partial(self) -> bool: ...
    def step_of(self, event: ProfilerEvent | int) -> int: ...
    def events(self, step: int | None = None) -> tuple[ProfilerEvent, ...]: ...

@final
class ProfilerSchedule:
    def __init__(
        self,
        skip_first: int = 0,
        wait: int = 0,
        warmup: int = 0,
        active: int = 1,
        repeat: int = 0,
        on_cycle: Callable[[ProfilerCycle], object] | None = None,
        *,
        carriers: Iterable[type[Carrier]] | None = None,
        record_shapes: bool = False,
    ) -> None: ...
    def __enter__(self) -> ProfilerSchedule: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None = None,
        exception: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> Literal[False]: ...
    def step(self) -> None: ...
    @property
    def current_step(self) -> int: ...

@final
class ProfilerThread:
    @property
    def profiler(self) -> Profiler: ...
    @property
    def name(self) -> str: ...
    @property
    def native_id(self) -> int: ...
    @property
    def thread_id(self) -> int: ...
    def events(self) -> tuple[ProfilerEvent, ...]: ...

@final
class ProfilerGroup:
    def __init__(self, *, carriers: Iterable[type[Carrier]] | None = None, record_shapes: bool = False) -> None: ...
    def __enter__(self) -> ProfilerGroup: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None = None,
        exception: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> Literal[False]: ...
    @property
    def n_lost_threads(self) -> int: ...
    def threads(self) -> tuple[ProfilerThread, ...]: ...
    def events(self) -> tuple[ProfilerEvent, ...]: ...
    def key_averages(self, *, group_by_input_shape: bool = False) -> tuple[ProfilerAggregate, ...]: ...
    def table(
        self,
        *,
        sort_by: _SortField = "self_total_time_ns",
        descending: bool = True,
        group_by_input_shape: bool = False,
        row_limit: int | None = None,
        by_thread: bool = False,
    ) -> str: ...

def merged_key_averages(
    profilers: Iterable[Profiler], *, group_by_input_shape: bool = False
) -> tuple[ProfilerAggregate, ...]: ...
def merged_table(
    profilers: Iterable[Profiler],
    *,
    sort_by: _SortField = "self_total_time_ns",
    descending: bool = True,
    group_by_input_shape: bool = False,
    row_limit: int | None = None,
) -> str: ...
def profile(*, carriers: Iterable[type[Carrier]] | None = None, record_shapes: bool = False) -> Profiler: ...
def __getattr__(name: str) -> type[Operation]: ...
