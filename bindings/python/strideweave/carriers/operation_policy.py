# SPDX-License-Identifier: LGPL-2.1-or-later
"""How an operation is to be executed: typed options, validated when they are made."""
from .._namespace import Strideweave

operation_execution_options = Strideweave.operation_execution_options

__all__ = ["operation_execution_options"]
