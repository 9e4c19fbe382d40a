# SPDX-License-Identifier: LGPL-2.1-or-later
"""The override is active, and the package is nothing but the namespace."""
import pathlib
import subprocess
import sys

import pytest

import strideweave as sw
from gi.repository import GLib, Strideweave  # isort: skip

CLASSES = (
    "CPU Carrier DType Evictable ExecutionOptions FileBacked Generic Layout Operation Profiler ProfilerAggregate "
    "ProfilerEvent Shape Stride Tensor"
).split()


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_those_of_the_namespace(name):
    assert getattr(sw, name) is getattr(Strideweave, name)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - {"DType", "ExecutionOptions"}))
def test_override_is_active(name):
    cls = getattr(Strideweave, name)
    assert cls.__module__ == "strideweave"
    assert cls.__gtype__.pytype is cls
    assert cls.__doc__


def test_functions_are_those_of_the_namespace():
    for name in sw.operation.__all__:
        assert getattr(sw, name) is getattr(sw.operation, name) is getattr(Strideweave, name)


def test_stars_import_all():
    for module in (sw, sw.operation, sw.carriers, sw.carriers.operation_policy):
        for name in module.__all__:
            assert hasattr(module, name)
        assert len(set(module.__all__)) == len(module.__all__)


def test_namespace_alone_is_enough():
    program = (
        "import gi, sys; gi.require_version('Strideweave', '1'); from gi.repository import Strideweave as s;"
        "assert 'strideweave' not in sys.modules;"
        "assert s.Generic([1.0])[0] == 1.0;"
        "assert isinstance(s.Generic([1.0]), s.Carrier);"
        "assert s.relu(s.Tensor(s.Generic([-1.0]), 0, s.Layout(s.Shape(1), s.Stride(1))))[0] == 0.0;"
        "import strideweave; assert strideweave.Generic is s.Generic;"
        "assert strideweave.GenericReLUOperation is s.GenericReLUOperation"
    )
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", program], check=True)


def test_folders_stay_open_for_others():
    root = pathlib.Path(sw.__file__).parent.parent
    assert not (root / "gi" / "__init__.py").exists()
    assert not (root / "gi" / "overrides" / "__init__.py").exists()
    assert (root / "strideweave" / "py.typed").exists()


def test_every_module_has_a_stub():
    package = pathlib.Path(sw.__file__).parent
    for module in package.rglob("*.py"):
        if not module.name.startswith("_") or module.name == "__init__.py":
            assert module.with_suffix(".pyi").exists(), module


def test_stubs_name_what_there_is():
    import ast

    package = pathlib.Path(sw.__file__).parent
    for stub, module in (
        ("__init__.pyi", sw),
        ("operation.pyi", sw.operation),
        ("carriers/__init__.pyi", sw.carriers),
        ("carriers/operation_policy.pyi", sw.carriers.operation_policy),
    ):
        tree = ast.parse((package / stub).read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name != "__getattr__":
                assert callable(getattr(module, node.name)), node.name
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                cls = getattr(module, node.name)
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        assert hasattr(cls, member.name), (node.name, member.name)
                if hasattr(cls, "_fields"):
                    fields = [member.target.id for member in node.body if isinstance(member, ast.AnnAssign)]
                    assert tuple(fields) == cls._fields


def test_no_other_operation_class():
    assert sw.CPUReLUOperation is Strideweave.CPUReLUOperation
    for name in ("NoSuchOperation", "nothing", "_Operation"):
        with pytest.raises(AttributeError):
            getattr(sw, name)
        with pytest.raises(AttributeError):
            getattr(sw.operation, name)


def test_errors_are_both():
    for raises, builtin in (
        (lambda: sw.Layout(sw.Shape(2), sw.Stride(1, 2)), ValueError),
        (lambda: sw.Generic([1.0]).dispatch_op("nothing"), NotImplementedError),
        (lambda: sw.Generic([1.0])[1], IndexError),
        (lambda: sw.profile().events(), RuntimeError),
        (lambda: sw.FileBacked("x" * 1000), OSError),
    ):
        with pytest.raises(builtin) as caught:
            raises()
        error = caught.value
        assert isinstance(error, GLib.Error) and isinstance(error, sw.StrideweaveError)
        assert error.domain == "sw-error-quark"
        assert str(error) == error.message and not error.message.startswith(error.domain)
        assert GLib.Error.matches(error, GLib.quark_from_string("sw-error-quark"), error.code)


def test_dtypes():
    names = "Float32 Float64 Int32 Int64 Bool Floating Any".split()
    for name in names:
        dtype = getattr(sw.DType, name)
        assert dtype is getattr(sw.DType, name) and isinstance(dtype, sw.DType)
        assert dtype.value == dtype.name == name and repr(dtype) == f"DType.{name}"
    assert len({getattr(sw.DType, name) for name in names}) == len(names)
    assert sw.CPU(1, dtype=sw.DType.Int32).dtype() is sw.DType.Int32
    for wrong in (1, "Float32", None, True, float, Strideweave.DType.INVALID):
        with pytest.raises(TypeError, match="dtype"):
            sw.CPU(1, dtype=wrong)
