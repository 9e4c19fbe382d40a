# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a module of all the examples in a guide, each in a function of its own.

Usage: extract-examples.py GUIDE MODULE
"""
import pathlib
import re
import sys

HEAD = """// Made of the examples in {guide}.
import GObject from 'gi://GObject';
import Strideweave from 'gi://Strideweave?version=1';

export const examples = [
"""


def function_of(example: str) -> str:
    """A function that runs the example with a given print (), and returns its variables."""
    variables = ", ".join(re.findall(r"^const (\w+) =", example, re.M))
    return f"(print, path) => {{\n{example}\nreturn {{{variables}}};\n}},\n"


def main() -> None:
    guide, module = map(pathlib.Path, sys.argv[1:])
    examples = re.findall(r"^```js\n(.*?)^```", guide.read_text(), re.M | re.S)
    module.write_text(HEAD.format(guide=guide.name) + "".join(map(function_of, examples)) + "];\n")


if __name__ == "__main__":
    main()
