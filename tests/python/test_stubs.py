# SPDX-License-Identifier: LGPL-2.1-or-later
"""The stubs (.pyi) say what is there when the package runs: the same names, kinds and parameters."""
import ast
import functools
import importlib
import inspect
import pathlib
from types import FunctionType

import pytest

import strideweave

STUBS = {
    "strideweave": "__init__.pyi",
    "strideweave.operation": "operation.pyi",
    "strideweave.tracing": "tracing.pyi",
    "strideweave.zones": "zones.pyi",
    "strideweave.carriers": "carriers/__init__.pyi",
    "strideweave.carriers.operation_policy": "carriers/operation_policy.pyi",
}
FOLDER = pathlib.Path(strideweave.__file__).parent
MEMBERS = property, functools.cached_property, staticmethod, FunctionType


def parse(module):
    return ast.parse((FOLDER / STUBS[module]).read_text()).body


def is_public(name):
    return not name.startswith("_")


def stubbed_names(module):
    names = {"__version__"} if module == "strideweave" else set()
    for node in parse(module):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and is_public(node.name):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and is_public(node.target.id):
            names.add(node.target.id)
    return names


def stubbed(kind):
    return [
        pytest.param(getattr(importlib.import_module(module), node.name), node, id=f"{module}.{node.name}")
        for module in STUBS
        for node in parse(module)
        if isinstance(node, kind) and is_public(node.name)
    ]


def stub_parameters(node):
    arguments = node.args
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    variable = arguments.vararg and arguments.vararg.arg
    optional = len(arguments.defaults)
    keywords = {
        argument.arg: default is None for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
    }
    return positional, variable, optional, keywords


def parameters(function):
    by_kind = {}
    for parameter in inspect.signature(function).parameters.values():
        by_kind.setdefault(parameter.kind, []).append(parameter)
    positional = by_kind.get(inspect.Parameter.POSITIONAL_OR_KEYWORD, [])
    variable = [parameter.name for parameter in by_kind.get(inspect.Parameter.VAR_POSITIONAL, [])]
    keywords = by_kind.get(inspect.Parameter.KEYWORD_ONLY, [])
    return (
        [parameter.name for parameter in positional],
        variable[0] if variable else None,
        sum(parameter.default is not parameter.empty for parameter in positional),
        {parameter.name: parameter.default is parameter.empty for parameter in keywords},
    )


@pytest.mark.parametrize("module", STUBS)
def test_names(module):
    listed = set(importlib.import_module(module).__all__)
    stub = stubbed_names(module)
    submodules = {"carriers", "operation", "tracing", "zones", "__version__"} if module == "strideweave" else set()
    assert stub - submodules == listed - submodules
    for name in stub:
        assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("function, node", stubbed(ast.FunctionDef))
def test_functions(function, node):
    assert parameters(function) == stub_parameters(node)


def constructor(cls):
    fields = getattr(cls, "_fields", None)
    if fields is not None:
        return ["self", *fields], None, 0, {}
    positional, variable, optional, keywords = parameters(cls.__new__)
    return ["self", *positional[1:]], variable, optional, keywords


@pytest.mark.parametrize("cls, node", stubbed(ast.ClassDef))
def test_members(cls, node):
    for member in node.body:
        if isinstance(member, ast.AnnAssign):
            assert member.target.id in [*dir(cls), *getattr(cls, "_fields", ())] or issubclass(cls, Exception)
        elif isinstance(member, ast.Assign):
            assert isinstance(getattr(cls, member.targets[0].id), cls)
        elif isinstance(member, ast.FunctionDef):
            check_method(cls, member)


def check_method(cls, node):
    attribute = inspect.getattr_static(cls, node.name)
    is_property = any(getattr(decorator, "id", None) == "property" for decorator in node.decorator_list)
    assert is_property == isinstance(attribute, (property, functools.cached_property)), node.name
    if is_property or not inspect.isroutine(getattr(cls, node.name)):
        return
    if node.name == "__init__":
        if cls not in (strideweave.Carrier, strideweave.Collector, strideweave.Operation):
            assert constructor(cls) == stub_parameters(node)
    elif inspect.isfunction(getattr(cls, node.name)):
        assert parameters(getattr(cls, node.name)) == stub_parameters(node), node.name


def private_bases(node):
    """What a stub says in a class of its own, for several that have it in common."""
    named = {base.id for base in node.bases if isinstance(base, ast.Name) and not is_public(base.id)}
    return [
        other for module in STUBS for other in parse(module) if isinstance(other, ast.ClassDef) and other.name in named
    ]


@pytest.mark.parametrize("cls, node", stubbed(ast.ClassDef))
def test_no_member_is_missing(cls, node):
    bodies = [node.body, *(base.body for base in private_bases(node))]
    names = {member.name for body in bodies for member in body if isinstance(member, ast.FunctionDef)}
    names |= {member.target.id for body in bodies for member in body if isinstance(member, ast.AnnAssign)}
    written = {name for name, value in vars(cls).items() if is_public(name) and isinstance(value, MEMBERS)}
    # DType is the introspected enumeration, with C's names for it beside Python's.
    if not issubclass(cls, int):
        assert written <= names
