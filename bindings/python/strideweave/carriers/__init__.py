# SPDX-License-Identifier: LGPL-2.1-or-later
"""Carriers: what holds the values of tensors and executes operations on them."""
from .._namespace import Strideweave
from . import operation_policy

CPU = Strideweave.CPU
Carrier = Strideweave.Carrier
Evictable = Strideweave.Evictable
FileBacked = Strideweave.FileBacked
Generic = Strideweave.Generic

__all__ = ["CPU", "Carrier", "Evictable", "FileBacked", "Generic", "operation_policy"]
