# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manual pages say what the program has, and no more."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolbox import run  # noqa: E402

FOLDER = pathlib.Path(__file__).parent.parent.parent / "docs" / "man"
PAGES = sorted(path.name.removesuffix(".1") for path in FOLDER.glob("*.1"))
COMMANDS = re.findall(r"^  ([a-z]+) +", run("--help")[0], re.MULTILINE)


def source(page):
    return (FOLDER / f"{page}.1").read_text()


def section(page, name):
    return re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", source(page), re.MULTILINE | re.DOTALL)[1].replace("\\-", "-")


def test_each_command_has_a_page():
    assert len(COMMANDS) >= 5
    assert {f"sw-profiler-{command}" for command in COMMANDS} - set(PAGES) == set()
    assert [f"sw-profiler-{command}" for command in COMMANDS
            if f".BR sw-profiler-{command} (1)" not in section("sw-profiler", "COMMANDS")] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_those_of_the_program(command):
    told = {(short, long, value) for short, long, value
            in re.findall(r"^  (?:(-\w), )?(--[\w-]+)(?:=(\S+))? +\S", run(command, "--help")[0], re.MULTILINE)}
    written = {(short, long, value) for short, long, value in re.findall(
        r"^\.TP\n(?:\\fB(-\w)\\fR, )?\\fB(--[\w-]+)\\fR(?:=\\fI(.*?)\\fR)?$",
        section(f"sw-profiler-{command}", "OPTIONS"), re.MULTILINE)}
    assert len(told) > 1 and written == told


@pytest.mark.parametrize("command", COMMANDS)
def test_statuses_are_those_of_the_program(command):
    text = section(f"sw-profiler-{command}", "EXIT STATUS")
    written = set(re.findall(r"^\.B ([\w +]+)$", text, re.MULTILINE))
    if command == "run":
        assert written == {"128 + N", "2", "126", "127"}
    else:
        told = run(command, "--help")[0].split("Exit status:")[1]
        assert written == set(re.findall(r"\b(\d) ", told))


@pytest.mark.parametrize("page", PAGES)
def test_examples_use_what_there_is(page):
    known = {name: set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", run(name, "--help")[0])) for name in COMMANDS}
    lines = [line for line in section(page, "EXAMPLES").splitlines() if "sw-profiler " in line]
    assert lines
    for line in lines:
        command, *words = line.split("sw-profiler ")[1].split()
        if command not in COMMANDS:
            pytest.skip(f"this program has no command {command}")
        own = [word.split("=")[0] for word in words[:words.index("--")] if word.startswith("-")] if "--" in words else [
            word.split("=")[0] for word in words if word.startswith("-") and word != "-"]
        assert set(own) - known[command] == set()


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_well_formed(page):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed, which formats manual pages")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", FOLDER / f"{page}.1"], capture_output=True, text=True,
                          env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}, check=True)
    assert done.stderr == ""
    if shutil.which("mandoc"):
        subprocess.run(["mandoc", "-Tlint", "-Wwarning", FOLDER / f"{page}.1"], check=True)
    assert source(page).startswith('.\\" SPDX') and [n for n, line in enumerate(source(page).splitlines()) if line.endswith(" ")] == []
