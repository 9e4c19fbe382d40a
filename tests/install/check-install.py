# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs into a scratch folder and runs programs in each language against what is there.

Usage: check-install.py --meson M --python P --staged BUILD     (meson install --destdir, in the prefix of BUILD)
       check-install.py --meson M --python P --prefix SOURCE    (a build of its own, in a prefix of its own)
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent


class Tree:
    """An installed tree: where its parts are, and the environment that makes programs find them."""

    def __init__(self, top, options, python):
        self.prefix = top / options["prefix"].lstrip("/")
        self.library = self.prefix / options["libdir"]
        self.data = self.prefix / options["datadir"]
        self.package = next(self.prefix.rglob("strideweave/__init__.py")).parent.parent
        self.real_package = "/" / self.package.relative_to(top)
        self.python = python
        self.environment = {name: value for name, value in os.environ.items() if name not in FORGET}

    def found_by_hand(self):
        """For a tree that lies elsewhere than it says of itself."""
        return self.environment | {
            "LD_LIBRARY_PATH": str(self.library),
            "GI_TYPELIB_PATH": str(self.library / "girepository-1.0"),
            "PKG_CONFIG_PATH": str(self.library / "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": "",
            "PYTHONPATH": str(self.package),
            "XDG_DATA_DIRS": f"{self.data}:/usr/share",
        }


# Whatever warns is wrong, but for what PyGObject 3.42 does to the import system of Python 3.11.
STRICT = ["-Werror", "-Wignore::ImportWarning"]

# What would lead a program back into the build tree.
FORGET = {
    "GI_TYPELIB_PATH", "GJS_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PKG_CONFIG_PATH", "PYTHONPATH", "XDG_DATA_DIRS",
}


def run(command, environment):
    print("$", *command, flush=True)
    subprocess.run(list(map(str, command)), env=environment, check=True)


def options_of(meson, build):
    listed = json.loads(subprocess.check_output([meson, "introspect", "--buildoptions", build]))
    return {option["name"]: option["value"] for option in listed}


def check_python_directory(tree):
    """The prefix says where Python files go; Python must look there by itself, except in a prefix of one's own."""
    searched = subprocess.check_output([tree.python, "-c", "import site; print(*site.getsitepackages(), sep='\\n')"])
    assert str(tree.real_package) in searched.decode().split(), f"{tree.python} does not look into {tree.real_package}"


def check_programs(tree, environment, wrapper=()):
    run([*wrapper, tree.python, *STRICT, HERE / "program.py", tree.package], environment)
    if shutil.which("gjs"):
        run([*wrapper, "gjs", "-m", HERE / "program.js"], environment)
    run([*wrapper, "sh", HERE / "compile-c.sh", tree.prefix], environment)
    if shutil.which("valac"):
        run([*wrapper, "sh", HERE / "compile-vala.sh", tree.prefix], environment)


def check_command(tree, environment, wrapper=()):
    """The command, with what is said of it, and the shells' files, where they look for them."""
    program = tree.prefix / "bin" / "sw-profiler"
    run([*wrapper, program, "--version"], environment)
    told = subprocess.check_output([*wrapper, program, "help"], env=environment, text=True)
    commands = re.findall(r"^  ([a-z]+) +", told, re.MULTILINE)
    assert "summary" in commands
    for page in ["sw-profiler", *(f"sw-profiler-{command}" for command in commands)]:
        assert list((tree.data / "man" / "man1").glob(f"{page}.1*")), f"{page} has no manual page"
    for file in ["bash-completion/completions/sw-profiler", "zsh/site-functions/_sw-profiler", "fish/vendor_completions.d/sw-profiler.fish"]:
        assert (tree.data / file).is_file(), f"{file} is missing"


def check_staged(arguments, scratch):
    options = options_of(arguments.meson, arguments.staged)
    run([arguments.meson, "install", "-C", arguments.staged, "--no-rebuild", "--quiet", "--destdir", scratch], None)
    tree = Tree(scratch, options, arguments.python)
    check_python_directory(tree)
    # The .pc file names the final prefix; a staged copy says where it lies now.
    for file in (tree.library / "pkgconfig").glob("*.pc"):
        file.write_text(file.read_text().replace(f"prefix={options['prefix']}", f"prefix={tree.prefix}", 1))
    check_programs(tree, tree.found_by_hand())
    check_command(tree, tree.found_by_hand())


def check_prefix(arguments, scratch):
    build, prefix = scratch / "build", scratch / "prefix"
    run([arguments.meson, "setup", build, arguments.prefix, f"--prefix={prefix}", "-Dtests=false", "-Doptimization=0", "-Ddebug=false",
         f"-Dpython={arguments.python}"], None)
    run([arguments.meson, "install", "-C", build, "--quiet"], None)
    tree = Tree(pathlib.Path("/"), options_of(arguments.meson, build), arguments.python)
    check_programs(tree, tree.environment, wrapper=[prefix / "bin" / "strideweave-env"])
    check_command(tree, tree.environment, wrapper=[prefix / "bin" / "strideweave-env"])
    # The package alone finds its typelib and library.
    run([arguments.python, *STRICT, HERE / "program.py", tree.package], tree.environment | {"PYTHONPATH": str(tree.package)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meson", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--staged")
    parser.add_argument("--prefix")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strideweave-install-") as scratch:
        if arguments.staged:
            check_staged(arguments, pathlib.Path(scratch))
        else:
            check_prefix(arguments, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
