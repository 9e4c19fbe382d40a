# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensor: a carrier, an offset into it, and a layout."""
from functools import cached_property

from .arrays import array_interface, dlpack_capsule, dlpack_device, tensor_from_numpy
from .dtypes import TYPE_STRINGS, DType
from .errors import call, check_instance, raw
from .extension import use_tensors
from .layouts import _Immutable, Shape, key_tokens
from .operators import Operators, assign, is_slicing, sliced
from .registry import register
from .trees import integer
from .values import from_value, to_value


def _objects_text(tensor):
    """What NumPy prints of values that are any objects, each in Python's own words."""
    if tensor.dtype() != DType.ANY:
        return None
    try:
        import numpy
    except ImportError:
        return None
    return str(numpy.asarray(tensor))


@register
class Tensor(_Immutable, Operators, raw.Tensor):
    """Values of a carrier, arranged by a layout. Operations make new tensors; indexing reads and writes values.

    A key is a coordinate, or an ordinal; with a slice, None or an ellipsis in it, it means a Tensor over the same carrier.
    """

    def __new__(cls, carrier, offset, layout):
        check_instance("carrier", carrier, raw.Carrier)
        check_instance("layout", layout, raw.Layout)
        return call(raw.Tensor.new, carrier, integer(offset, "offset"), layout)

    @staticmethod
    def from_numpy(array):
        """A Tensor over the array's own memory, which it keeps alive; over a copy where no layout describes that.

        A read-only array makes an immutable carrier.
        """
        return tensor_from_numpy(array)

    @property
    def carrier(self):
        return self.get_carrier()

    @property
    def offset(self):
        """Where in the carrier the layout's index 0 is."""
        return self.get_offset()

    @cached_property
    def layout(self):
        return self.get_layout()

    @cached_property
    def shape(self):
        """The layout's Shape."""
        return self.get_shape()

    def size(self):
        """How many values there are."""
        return self.get_size()

    def dtype(self):
        """What each value is."""
        return call(self.carrier.dtype)

    def __getitem__(self, key):
        if is_slicing(key):
            return sliced(self, key)
        return from_value(call(raw.Tensor.get_value, self, key_tokens(key)))

    def __setitem__(self, key, value):
        if is_slicing(key):
            assign(self, key, value)
        else:
            call(raw.Tensor.set_value, self, key_tokens(key), to_value(value))

    def __iter__(self):
        """The values by ordinal, first mode fastest."""
        return (self[ordinal] for ordinal in range(self.size()))

    @property
    def __array_interface__(self):
        try:
            return array_interface(self)
        except BufferError as error:
            if isinstance(self.carrier, raw.Evictable):
                # Its values are in memory, but not to stay: a copy would hide that.
                raise
            # NumPy asks for __array__ () then.
            raise AttributeError(str(error)) from None

    def __array__(self, dtype=None, copy=None):
        """What NumPy asks when there is no memory to look at: the values, copied one by one."""
        import numpy

        kind = object if self.dtype() == DType.ANY else dtype
        if kind is None and self.size() == 0:
            kind = TYPE_STRINGS[self.dtype()]
        return numpy.array(list(self), dtype=kind).reshape(self.shape.leaves, order="F")

    def __dlpack__(self, stream=None):
        return dlpack_capsule(self)

    def __dlpack_device__(self):
        return dlpack_device(self)

    def __deepcopy__(self, memo):
        carrier = self.carrier
        copied = carrier.new_like(list(carrier), mutable=carrier.is_mutable())
        return Tensor(copied, self.offset, self.layout)

    def __reduce__(self):
        raise TypeError("a Tensor cannot be pickled: its carrier may be anything")

    def __repr__(self):
        """The values, and then shape, dtype and carrier; where values cannot be read, why."""
        return call(raw.Tensor.to_string, self)

    def __str__(self):
        """The values as NumPy prints them; where they cannot be read, the same as repr () has."""
        try:
            return _objects_text(self) or call(raw.Tensor.dup_values_text, self)
        except Exception:  # of a carrier that cannot say: text for people does not fail
            return call(raw.Tensor.to_string, self)


use_tensors(Tensor, Shape(3))
