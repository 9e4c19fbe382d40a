# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results as structured NumPy arrays over the memory of C. Needs NumPy."""
from types import MappingProxyType

import numpy as np

from .errors import call, raw
from .trees import tree_of

_FORMATS = {
    int(raw.ColumnKind.BOOL): "?",
    int(raw.ColumnKind.INT32): "i4",
    int(raw.ColumnKind.LABEL): "i4",
    int(raw.ColumnKind.INT64): "i8",
    int(raw.ColumnKind.UINT64): "u8",
    int(raw.ColumnKind.DOUBLE): "f8",
}


class ProfilerArray(np.ndarray):
    """A structured array whose columns of texts and shapes hold numbers, and that knows what the numbers stand for.

    `labels["name"]` is the tuple of names: `array.labels["name"][array["name"][0]]` is the first row's. -1 stands for
    none. `array.labelled("name")` has all rows' at once.
    """

    labels = MappingProxyType({})

    def __array_finalize__(self, base):
        self.labels = getattr(base, "labels", ProfilerArray.labels)

    def labelled(self, field):
        """The column with what its numbers stand for: an array of objects, None where there is none."""
        labels = np.empty(len(self.labels[field]) + 1, dtype=object)
        for number, label in enumerate(self.labels[field]):
            labels[number] = label
        return labels[np.asarray(self[field])]

    def __reduce__(self):
        function, arguments, state = super().__reduce__()
        return function, arguments, (state, dict(self.labels))

    def __setstate__(self, state):
        super().__setstate__(state[0])
        self.labels = MappingProxyType(state[1])


class _Memory:
    """The values of columns, which it keeps, as plain bytes for NumPy."""

    def __init__(self, columns, size):
        self.columns = columns
        self.__array_interface__ = {
            "version": 3,
            "shape": (columns.get_n_rows(),),
            "typestr": f"|V{size}",
            "data": (columns.get_address(), True),
        }


def _labels(columns, name):
    texts = tuple(call(raw.ProfilerColumns.dup_labels, columns, name))
    if name != "input_shapes":
        return texts
    return tuple(tree_of(columns.get_input_shapes(label).dup_tokens()) for label in range(len(texts)))


def array_of(columns):
    """An array of columns that lie by row, read-only, without copying them."""
    places = range(columns.get_n_columns())
    names = [columns.get_name(place) for place in places]
    kinds = [columns.get_kind(place) for place in places]
    size = columns.get_stride(0)
    dtype = np.dtype(
        {
            "names": names,
            "formats": [_FORMATS[int(kind)] for kind in kinds],
            "offsets": [columns.get_offset(place) for place in places],
            "itemsize": size,
        }
    )
    array = np.asarray(_Memory(columns, size)).view(dtype).view(ProfilerArray)
    array.labels = MappingProxyType(
        {name: _labels(columns, name) for name, kind in zip(names, kinds) if kind == raw.ColumnKind.LABEL}
    )
    return array
