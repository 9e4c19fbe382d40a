# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes the examples of a guide out of it, as one program.

Usage: extract-examples.py GUIDE OUTPUT
"""
import pathlib
import re
import sys


def main() -> int:
    guide, output = map(pathlib.Path, sys.argv[1:])
    blocks = re.findall(r"^```vala\n(.*?)^```$", guide.read_text(), re.M | re.S)
    if not blocks:
        print(f"{guide} has no example")
        return 1
    output.write_text("\n".join(blocks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
