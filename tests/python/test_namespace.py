# SPDX-License-Identifier: LGPL-2.1-or-later
"""The namespace as PyGObject sees it, before any override."""
import re

import gi
import pytest

gi.require_version("Strideweave", "1")
from gi.repository import GLib, GObject, Strideweave  # noqa: E402


def test_version_matches_its_constants():
    numbers = Strideweave.MAJOR_VERSION, Strideweave.MINOR_VERSION, Strideweave.MICRO_VERSION
    assert Strideweave.version() == "%d.%d.%d" % numbers


def test_error_domain_is_the_enumeration():
    assert Strideweave.Error.quark() == GLib.quark_from_string("sw-error-quark")
    assert Strideweave.Error.TYPE.value_nick == "type"


@pytest.mark.parametrize("name", ["Carrier", "Operation"])
def test_open_classes_are_abstract(name):
    assert GObject.type_test_flags(getattr(Strideweave, name), GObject.TypeFlags.ABSTRACT)


@pytest.mark.parametrize("carrier", ["Generic", "CPU"])
@pytest.mark.parametrize("stem", ["ReLU", "Matmul", "ReduceSum", "ElementwiseMul"])
def test_generated_operation_classes_are_there(carrier, stem):
    operation = getattr(Strideweave, f"{carrier}{stem}Operation")
    assert issubclass(operation, Strideweave.Operation)


@pytest.mark.parametrize(
    "name", ["Tree", "LayoutLeaf", "Implementation", "Call", "Thread", "ClockAnchor", "Operand"]
)
def test_internals_are_absent(name):
    assert not hasattr(Strideweave, name)


def test_no_internal_function_leaks():
    internal = re.compile(r"^(clock|gate|thread|tree|testing|operand|boundary)_")
    assert [name for name in dir(Strideweave) if internal.match(name)] == []
