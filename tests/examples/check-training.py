# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains the network of the digits example afresh and checks what comes out: check-training.py TRAINER DATA"""
import pathlib
import re
import subprocess
import sys
import tempfile

TRAINER, DATA = sys.argv[1:]
SIZES = {"hidden-weight": (64, 48), "hidden-bias": (1, 48), "output-weight": (48, 10), "output-bias": (1, 10)}

with tempfile.TemporaryDirectory() as folder:
    command = [sys.executable, TRAINER, "--data", DATA, "--output", folder]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name, (rows, columns) in SIZES.items():
        lines = pathlib.Path(folder, f"{name}.csv").read_text().splitlines()
        assert [line.count(",") + 1 for line in lines] == [columns] * rows, name
accuracy = float(re.search(r"held out: ([\d.]+)%", text)[1])
assert accuracy >= 97, text
print(text, end="")
