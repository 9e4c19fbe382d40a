#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the program of each language prints the same, to the byte, and what workload.expected says.

check-agreement.py [--update] LIBRARIES SCRIPT EXPECTED LANGUAGE COMMAND... [-- LANGUAGE COMMAND...]...

LIBRARIES is the folder of the build whose clock can be set. A test runner puts others before it.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys


def split(words):
    commands, command = {}, []
    for word in [*words, "--"]:
        if word != "--":
            command.append(word)
            continue
        commands[command[0]] = command[1:]
        command = []
    return commands


def run(command, script, libraries):
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = f"{libraries}:{environment.get('LD_LIBRARY_PATH', '')}"
    if command[0].endswith(("-c", "-vala")):
        # Only an interpreter needs the sanitizer to be loaded first.
        environment.pop("LD_PRELOAD", None)
    result = subprocess.run([*command, script], stdout=subprocess.PIPE, env=environment)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} ends with {result.returncode}")
    return result.stdout


def show_difference(expected, actual, language):
    lines = difflib.unified_diff(
        expected.decode(errors="backslashreplace").splitlines(), actual.decode(errors="backslashreplace").splitlines(),
        "expected", language, lineterm="", n=2,
    )
    print("\n".join(list(lines)[:60]))


def check_contents(text):
    """That the script has not lost what it is for."""
    for pattern, at_least in {
        r"^event .* failed$": 10,
        r"^event .* parent=\d+ ": 40,
        r"^event .* shapes=\(\(2, \(3, 4\)\), None\)": 3,
        r"^row .* carrier=Evictable ": 3,
        r"^table (\w+)( descending)?( by shape)?$": 72,
        r"^profiler ": 12,
        r"^caught ": 9,
        r"^refused ": 2,
    }.items():
        found = len(re.findall(pattern, text, re.M))
        if found < at_least:
            sys.exit(f"only {found} lines of the form {pattern}")


def main():
    words = sys.argv[1:]
    update = words[0] == "--update"
    libraries, script, expected_path, *rest = words[update:]
    outputs = {language: run(command, script, libraries) for language, command in split(rest).items()}
    first = next(iter(outputs.values()))
    check_contents(first.decode())
    if update and all(output == first for output in outputs.values()):
        pathlib.Path(expected_path).write_bytes(first)
    expected = pathlib.Path(expected_path).read_bytes()
    wrong = [language for language, output in outputs.items() if output != expected]
    for language in wrong:
        show_difference(expected, outputs[language], language)
    if wrong:
        sys.exit(f"not as expected: {', '.join(wrong)}")
    print(f"{', '.join(outputs)} agree in {expected.count(10)} lines")


main()
