# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the program that README.md begins with, and checks that README.md shows that one: check-readme.py PROGRAM README"""
import pathlib
import re
import subprocess
import sys

program, readme = map(pathlib.Path, sys.argv[1:])
output = subprocess.run([sys.executable, program], check=True, capture_output=True, text=True).stdout
header, _, *rows = output.splitlines()
assert "Input shapes" in header, header
assert sorted(row.split()[0] for row in rows) == ["add", "broadcast_to", "matmul", "relu"], output
shown = re.search(r"^```python\n(.*?)^```", readme.read_text(), re.M | re.S)
if shown:
    assert shown[1] == program.read_text().split("\n", 1)[1], f"{readme} shows another program than {program}"
print(output, end="")
