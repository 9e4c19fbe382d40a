# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion, by the shells themselves."""
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolbox import PROGRAM, run  # noqa: E402

FOLDER = pathlib.Path(__file__).parent.parent.parent / "completions"
BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")
COMMANDS = set(re.findall(r"^  ([a-z]+) +", run("--help")[0], re.MULTILINE))


def options(command):
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(command, "--help")[0], re.MULTILINE))


def environment():
    # A shell is not instrumented.
    found = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return found | {"PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def bash(line, folder):
    """Each word that bash offers for the last one."""
    words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith((" ", "=")) else [])
    script = (f"source {BASH_COMPLETION}; source {FOLDER}/sw-profiler; COMP_LINE={shlex.quote(line)}; COMP_POINT={len(line)}; "
              f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}; COMP_TYPE=9; COMP_KEY=9; compopt () {{ :; }}; "
              "_sw_profiler; printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=folder, env=environment(), timeout=60,
                          check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def fish(line, folder):
    done = subprocess.run(["fish", "--no-config", "-c", f"source {FOLDER}/sw-profiler.fish; complete -C {shlex.quote(line)}"],
                          capture_output=True, text=True, cwd=folder, env=environment() | {"HOME": str(folder)}, timeout=60, check=True)
    assert done.stderr == ""
    return {offer.split("\t")[0].split("=")[-1] if "=" in line else offer.split("\t")[0] for offer in done.stdout.splitlines()}


SHELLS = {
    "bash": (bash, lambda: BASH_COMPLETION.is_file() and shutil.which("bash"), "bash-completion is not installed"),
    "fish": (fish, lambda: shutil.which("fish"), "fish is not installed"),
}


@pytest.fixture(params=SHELLS)
def offers(request, tmp_path):
    ask, is_there, why_not = SHELLS[request.param]
    if not is_there():
        pytest.skip(why_not)
    (tmp_path / "trace one.json").write_text("[]")
    (tmp_path / "trace.pftrace").write_text("")
    return lambda line: ask(line, tmp_path)


def test_commands(offers):
    assert COMMANDS <= offers("sw-profiler ")
    assert offers("sw-profiler summ") == {"summary"}
    assert offers("sw-profiler help di") == {"diff"}
    assert "--version" in offers("sw-profiler --")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_options(offers, command):
    assert {offer.rstrip("=") for offer in offers(f"sw-profiler {command} --")} == options(command)


@pytest.mark.parametrize("line, expected", [
    ("sw-profiler summary --sort=", {"self", "total", "calls", "max", "name"}),
    ("sw-profiler summary --sort to", {"total"}),
    ("sw-profiler summary -b ", {"name", "category", "thread"}),
    ("sw-profiler diff --by=", {"median", "mean", "total", "self"}),
    ("sw-profiler tree --color ", {"auto", "always", "never"}),
    ("sw-profiler run --format=", {"chrome-json", "jsonl", "perfetto"}),
    ("sw-profiler run --verbosity f", {"full"}),
    ("sw-profiler run --gpu=", {"cupti"}),
])
def test_values(offers, line, expected):
    assert offers(line) == expected


def test_files(offers):
    assert "trace.pftrace" in offers("sw-profiler summary trace.")
    assert offers("sw-profiler flame --output tra") & {"trace.pftrace"}
    assert "trace.pftrace" in offers("sw-profiler summary --json trace.")


def test_what_is_run(offers):
    assert "fold" in offers("sw-profiler run fol")
    assert "trace.pftrace" in offers("sw-profiler run --trace x.json -- cat trace.")


class Zsh:
    """A shell at a terminal, which takes long to start."""

    def __init__(self, folder):
        self.master, slave = pty.openpty()
        self.shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
                                      env=environment() | {"HOME": str(folder), "ZDOTDIR": str(folder)})
        os.close(slave)
        self.seen = b""
        self.send(f"fpath=({shlex.quote(str(FOLDER))} $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e; "
                  "unsetopt zle_bracketed_paste; PS1=; print -r -- rea''dy\n".encode())
        self.take_until(b"ready\r\n")

    def send(self, keys):
        os.write(self.master, keys)

    def take_until(self, mark):
        end = time.monotonic() + 60
        while mark not in self.seen:
            assert time.monotonic() < end, self.seen
            if select.select([self.master], [], [], 1)[0]:
                self.seen += os.read(self.master, 65536)
        taken, self.seen = self.seen.split(mark, 1)
        return taken

    def complete(self, typed):
        """What becomes of a line when Tab is hit at its end: it is printed by putting print before it."""
        self.send(typed.encode() + b"\t\x01print -r -- be''gin \x05 e''nd\n")
        self.take_until(b"begin ")
        return self.take_until(b"end\r\n").decode().strip()

    def end(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.master)


@pytest.fixture(scope="module")
def zsh(tmp_path_factory):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    folder = tmp_path_factory.mktemp("zsh")
    (folder / "trace.pftrace").write_text("")
    shell = Zsh(folder)
    yield shell
    shell.end()


@pytest.mark.parametrize("typed, expected", [
    ("sw-profiler summ", "sw-profiler summary"),
    ("sw-profiler help fl", "sw-profiler help flame"),
    ("sw-profiler diff --mark", "sw-profiler diff --markdown"),
    ("sw-profiler summary --sort=to", "sw-profiler summary --sort=total"),
    ("sw-profiler run --verbosity=f", "sw-profiler run --verbosity=full"),
    ("sw-profiler tree trace.pf", "sw-profiler tree trace.pftrace"),
    ("sw-profiler flame trace.pftrace --output=trace.pf", "sw-profiler flame trace.pftrace --output=trace.pftrace"),
    ("sw-profiler run cat trace.pf", "sw-profiler run cat trace.pftrace"),
])
def test_zsh(zsh, typed, expected):
    assert zsh.complete(typed) == expected
