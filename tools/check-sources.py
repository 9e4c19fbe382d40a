# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the rules of the house that can be read off the sources: licence lines, layers, sizes, headers.

Usage: check-sources.py      (in any folder; it checks the tree that it lies in)
"""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
# What holds no copyrightable text of its own, or cannot hold a comment.
NO_LICENCE_LINE = {".gz", ".csv", ".md", ".bin", ".json", ".toml", ".wrap", ".expected", ".supp", ".png", ".svg", ".typed"}
NO_LICENCE_LINE_NAMES = {"LICENSE", ".clang-format", ".editorconfig", ".gitignore", "meson_options.txt"}

# Each folder may include only itself and those before it.
LAYERS = ["sw/base", "sw/shape", "sw/tensor", "sw/operations", "sw/carriers",
          "sw-profiler", "sw-profiler/read", "sw-profiler/analysis", "sw-profiler/tool"]
LONGEST_FUNCTION = 80
LONGEST_FILE = 600
LONGEST_TEST_FILE = 700


def tracked_files() -> list[pathlib.Path]:
    """What git lists; nothing where there is no git, or no repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def sources() -> list[pathlib.Path]:
    files = tracked_files() or [
        f
        for f in ROOT.rglob("*")
        if not f.relative_to(ROOT).parts[0].startswith(("_build", ".")) and "__pycache__" not in f.parts
    ]
    return sorted(f for f in files if f.is_file() and not f.is_symlink())


def check_licence(file: pathlib.Path, text: str):
    if file.suffix in NO_LICENCE_LINE or file.name in NO_LICENCE_LINE_NAMES or "corpus" in file.parts:
        return
    if SPDX not in "\n".join(text.splitlines()[:3]):
        yield 1, f"no line with {SPDX}"


def check_size(file: pathlib.Path, text: str):
    lines = text.splitlines()
    longest = LONGEST_TEST_FILE if file.relative_to(ROOT).parts[0] == "tests" else LONGEST_FILE
    if file.suffix in {".c", ".h", ".py", ".js", ".vala"} and len(lines) > longest:
        yield 1, f"{len(lines)} lines; {longest} is the most"
    if file.suffix in {".c", ".cc"}:
        spans = c_functions(lines)
    elif file.suffix == ".py":
        spans = python_functions(text)
    else:
        spans = []
    for start, end in spans:
        if end - start + 1 > LONGEST_FUNCTION:
            yield start, f"a function of {end - start + 1} lines; {LONGEST_FUNCTION} is the most"


def c_functions(lines: list[str]):
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield start, number
            start = None


def python_functions(text: str):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno


def layer_of(name: str) -> int | None:
    layers = [number for number, layer in enumerate(LAYERS) if name.startswith(layer + "/")]
    return max(layers, default=None)


def check_includes(file: pathlib.Path, text: str):
    name = str(file.relative_to(ROOT))
    own = layer_of(name)
    if own is None or file.suffix not in {".c", ".h"}:
        return
    includes = [(number, match[1]) for number, line in enumerate(text.splitlines(), 1)
                if (match := re.match(r'#include ["<](\S+)[">]', line))]
    for number, included in includes:
        other = layer_of(included)
        if other is not None and other > own:
            yield number, f"{LAYERS[own]} may not include {included}"
        if file.suffix == ".h" and not is_private(file) and is_private(pathlib.Path(included)):
            yield number, f"a public header may not include {included}"
    if file.suffix == ".c" and includes and includes[0][1] != "config.h":
        yield includes[0][0], "config.h must be included first"


def is_private(header: pathlib.Path) -> bool:
    return header.stem.endswith(("-private", "-testing"))


def is_template(text: str) -> bool:
    return "#pragma once" not in text and re.search(r"no include guard", text) is not None


def check_atomics(file: pathlib.Path, text: str):
    """Each atomic access needs a comment, in its function or right above it, that says what it orders."""
    if layer_of(str(file.relative_to(ROOT))) is None or file.suffix not in {".c", ".h"}:
        return
    has_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        if line == "}":
            has_comment = False
        elif "/*" in line:
            has_comment = has_comment or "/**" not in line
        if "__atomic_" in line and not has_comment:
            yield number, "an atomic access without a comment that says what it orders"
        if "g_atomic_" in line:
            yield number, "GLib's atomics say no memory order; use __atomic_*"


def check_header(file: pathlib.Path, text: str):
    if file.suffix != ".h" or layer_of(str(file.relative_to(ROOT))) is None or is_template(text):
        return
    if "#pragma once" not in text:
        yield 1, "no #pragma once"
    if ("G_BEGIN_DECLS" in text) != ("G_END_DECLS" in text):
        yield 1, "G_BEGIN_DECLS and G_END_DECLS do not match"
    if is_private(file) and "SW_AVAILABLE_IN" in text:
        yield 1, "a private header exports something"


def check_umbrella(files: list[pathlib.Path]):
    umbrella = ROOT / "strideweave.h"
    included = set(re.findall(r"#include <(\S+)>", umbrella.read_text()))
    for file in files:
        name = str(file.relative_to(ROOT))
        if file.suffix == ".h" and layer_of(name) is not None and not is_private(file) \
                and not is_template(file.read_text()) and name not in included:
            yield umbrella, 1, f"{name} is missing"


CHECKS = [check_licence, check_size, check_includes, check_atomics, check_header]


def main() -> int:
    files = sources()
    problems = list(check_umbrella(files))
    for file in files:
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        for check in CHECKS:
            problems += [(file, number, problem) for number, problem in check(file, text)]
    for file, number, problem in problems:
        print(f"{file.relative_to(ROOT)}:{number}: {problem}")
    if not problems:
        print(f"{len(files)} files keep the rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
