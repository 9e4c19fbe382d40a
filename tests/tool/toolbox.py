# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sw-profiler, and makes traces for it."""
import json
import os
import pathlib
import random
import subprocess

PROGRAM = os.environ["SW_PROFILER"]
# It was built to look for faults, and takes several times as long and as much memory.
SANITIZED = os.environ.get("SW_SANITIZED") == "1"


def run(*arguments, status=0, stdin=None, **environment):
    """What it prints, and what it complains of; its status must be the given one."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                          env={**os.environ, **environment}, timeout=120)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout.decode("utf-8", errors="strict"), done.stderr.decode("utf-8", errors="strict")


def summary(*arguments, status=0, stdin=None):
    """The one file's summary, as JSON."""
    (file,) = json.loads(run("summary", "--json", *arguments, status=status, stdin=stdin)[0])["files"]
    return file


def rows(file):
    found = {(row["kind"], row["name"]): row for row in file["rows"]}
    assert len(found) == len(file["rows"])
    return found


def microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03}"


def slice_record(name, start_ns, duration_ns, tid=1, category="", **further):
    return {"ph": "X", "pid": 1, "tid": tid, "name": name, "cat": category, "ts": start_ns, "dur": duration_ns, **further}


def write_chrome(path, records):
    """Times of the records are nanoseconds; in the file they have all their digits."""
    lines = []
    for record in records:
        record = dict(record)
        times = "".join(f', "{key}": {microseconds(record.pop(key))}' for key in ("ts", "dur") if key in record)
        lines.append(json.dumps(record)[:-1] + times + "}")
    pathlib.Path(path).write_text("[" + ",\n".join(lines) + "]\n")
    return path


def forest(seed, n, tids=(1, 2, 3), names=("a", "b", "c", "d/e", "f")):
    """Slices that nest, no two of which begin and end at the same times."""
    maker = random.Random(seed)
    made = []

    def grow(tid, start, end):
        while len(made) < n and end - start > 4:
            begin = maker.randrange(start + 1, end - 1)
            stop = maker.randrange(begin + 1, end)
            made.append(slice_record(maker.choice(names), begin, stop - begin, tid, maker.choice(["x", "y"])))
            grow(tid, begin, stop)
            start = stop
    while len(made) < n:
        tid = maker.choice(tids)
        begin = 10_000_000 * len(made)
        grow(tid, begin, begin + maker.randrange(10, 5_000_000))
    return made


def self_times(records):
    """By looking at each pair: a moment belongs to the innermost slice."""
    own = []
    for record in records:
        inner = [other for other in records if other is not record and other["tid"] == record["tid"]
                 and record["ts"] <= other["ts"] and other["ts"] + other["dur"] <= record["ts"] + record["dur"]]
        children = [other for other in inner
                    if not any(between is not other and between["ts"] <= other["ts"]
                               and other["ts"] + other["dur"] <= between["ts"] + between["dur"] for between in inner)]
        own.append(record["dur"] - sum(child["dur"] for child in children))
    return own
