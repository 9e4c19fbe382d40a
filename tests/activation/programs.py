# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs programs as the environment asks to record them, and reads what they wrote."""
import gzip
import json
import os
import signal
import subprocess
import time

PROGRAM = os.environ["SW_ACTIVATION_PROGRAM"]
STATIC_PROGRAM = os.environ["SW_ACTIVATION_STATIC_PROGRAM"]
PATIENCE = 60

# Whoever starts the tests in the background may ignore these, and programs would inherit that.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def environment(trace=None, profile=None):
    """What a program gets: nothing of what this one was perhaps given."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("STRIDEWEAVE_TRACE", "STRIDEWEAVE_PROFILE"))}
    if trace is not None:
        own["STRIDEWEAVE_TRACE"] = str(trace)
    if profile is not None:
        own["STRIDEWEAVE_PROFILE"] = str(profile)
    return own


def run(*command, trace=None, profile=None, **options):
    """A completed process with its output as text; of the C program where no other is named."""
    if not os.sep in str(command[0]):
        command = (PROGRAM, *command)
    return subprocess.run([str(part) for part in command], env=environment(trace, profile), capture_output=True,
                          text=True, timeout=PATIENCE, **options)


def start(*command, trace=None, profile=None):
    """A process that has said that it is ready."""
    if not os.sep in str(command[0]):
        command = (PROGRAM, *command)
    process = subprocess.Popen([str(part) for part in command], env=environment(trace, profile), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def wait_until(condition):
    """What the condition returned at last, unless it never held."""
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.01)
    return result


def lines(path):
    """The objects of a JSONL trace, of which an unfinished last line is none."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def slices(path):
    return [line for line in lines(path) if line["type"] == "slice"]


def is_complete(path):
    """Whether the trace has its end, and nothing that did not get there."""
    found = lines(path)
    return bool(found) and found[-1]["type"] == "summary" and found[-1]["dropped"]["not_recorded"] == 0


def pid_of(path):
    return lines(path)[0]["pid"]


def table_rows(text):
    """Of each table in a text: {operation: calls}."""
    tables = []
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["Name", "Carrier"]:
            tables.append({})
        elif len(words) >= 8 and words[2].isdigit():
            tables[-1][words[0]] = int(words[2])
    return tables
