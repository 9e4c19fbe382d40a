# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a Python program does with an installed Strideweave; the argument is the folder it must come from."""
import pathlib
import sys

import strideweave
from gi.overrides import Strideweave as override

folder = pathlib.Path(sys.argv[1]).resolve()
for module in strideweave, override:
    assert folder in pathlib.Path(module.__file__).resolve().parents, module.__file__

tensor = strideweave.Tensor(
    strideweave.Generic([-1.0, 2.5]), 0, strideweave.Layout(strideweave.Shape(2), strideweave.Stride(1))
)
with strideweave.profile() as profiler:
    result = strideweave.relu(tensor)
assert [result[0], result[1]] == [0.0, 2.5]
# What the override adds: events are a tuple of values that compare and cannot be changed.
events = profiler.events()
assert isinstance(events, tuple) and [event.name for event in events] == ["relu"]
print("python: the override is active,", strideweave.__name__, "from", folder)
