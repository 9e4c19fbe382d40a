# SPDX-License-Identifier: LGPL-2.1-or-later
from .. import DType, Tensor
from ..operation import ExecutionOptions

def operation_execution_options(name: str, *, accumulator_dtype: DType | None = None, out: Tensor | None = None) -> ExecutionOptions: ...
