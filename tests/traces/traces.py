# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads traces: the JSON forms by itself, and any form with Perfetto's own importer where that is there."""
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
KNOWN_FILES = ("trace_processor.wasm", "engine_bundle.node.js")


def engine_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("STRIDEWEAVE_TRACE_PROCESSOR") or pathlib.Path(cache) / "strideweave-trace-query")


def why_no_importer():
    """None where traces can be imported."""
    if shutil.which("node") is None:
        return "node is not installed, which runs Perfetto's trace processor"
    if not all((engine_folder() / name).is_file() for name in KNOWN_FILES):
        return f"no trace processor in {engine_folder()}; tests/traces/fetch-trace-processor puts it there"
    return None


def ask(traces, queries):
    """What the importer answers: for each trace a list of rows for each query, or the text of its error."""
    # It takes its time over each: the same bytes are given to it once.
    digests = [hashlib.sha256(pathlib.Path(trace).read_bytes()).digest() for trace in traces]
    distinct = dict(zip(digests, traces))
    answers = dict(zip(distinct, ask_each(list(distinct.values()), queries)))
    return [answers[digest] for digest in digests]


def ask_each(traces, queries):
    with tempfile.TemporaryDirectory() as folder:
        request, answer = pathlib.Path(folder) / "request.json", pathlib.Path(folder) / "answer.json"
        request.write_text(json.dumps({
            "engine": str(engine_folder()), "traces": [str(trace) for trace in traces], "queries": queries}))
        # Not for a program that is no part of the library.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run(["node", HERE / "trace-query.cjs", request, answer], check=True, env=environment)
        return [found.get("rows", found.get("error")) for found in json.loads(answer.read_text())]


TROUBLE = """
select name, value from stats where value > 0 and (severity in ('error', 'data_loss')
  or name glob '*skipped*' or name glob '*parser_errors' or name glob '*tokenizer_errors' or name glob 'flow_*without*'
  or name glob 'flow_duplicate*' or name glob 'misplaced*' or name = 'track_hierarchy_missing_uuid')
union all select 'unclosed slices', count(*) from slice where dur < 0 having count(*) > 0
"""

SLICES = """
select s.id, s.name, s.ts, s.dur, s.depth, s.category, s.arg_set_id, coalesce(thread.name, track.name) as lane,
  thread.tid, coalesce(process.pid, owner.pid) as pid, coalesce(process.name, owner.name) as process
from slice s
left join track on s.track_id = track.id
left join thread_track on thread_track.id = track.id
left join thread using (utid)
left join process using (upid)
left join process_track on process_track.id = track.id
left join process as owner on owner.upid = process_track.upid
order by s.ts, s.id
"""

ARGS = """
select arg_set_id, key, coalesce(string_value, cast(int_value as text), cast(real_value as text)) as value, value_type
from args where arg_set_id in (select arg_set_id from slice) order by arg_set_id, key
"""

COUNTERS = """
select t.name, c.ts, c.value, t.unit from counter c join counter_track t on c.track_id = t.id order by t.name, c.ts
"""

FLOWS = """
select a.name as source, a.ts as source_ts, b.name as target, b.ts as target_ts
from flow join slice a on slice_out = a.id join slice b on slice_in = b.id order by 2, 4, 1, 3
"""

METADATA = "select name, coalesce(str_value, cast(int_value as text)) as value from metadata"
THREADS = "select tid, thread.name, pid from thread left join process using (upid) where tid > 0"
QUERIES = {"trouble": TROUBLE, "slices": SLICES, "args": ARGS, "counters": COUNTERS, "flows": FLOWS, "metadata": METADATA,
           "threads": THREADS}


@functools.cache
def imported(traces, names=tuple(QUERIES)):
    """A dictionary of rows by query for each of a tuple of paths."""
    answers = ask(traces, [QUERIES[name] for name in names])
    return [answer if isinstance(answer, str) else dict(zip(names, answer)) for answer in answers]


def strict_json(text):
    """No NaN, no key twice."""
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f"a key comes twice in {keys}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def chrome(path):
    return strict_json(pathlib.Path(path).read_bytes().decode("utf-8", errors="strict"))


def jsonl(path):
    text = pathlib.Path(path).read_bytes().decode("utf-8", errors="strict")
    assert text.endswith("\n")
    return [strict_json(line) for line in text[:-1].split("\n")]


def nanoseconds(microseconds):
    """Of a number with three decimals, as the file has it."""
    whole, _, decimals = str(microseconds).partition(".")
    return int(whole) * 1000 + int(decimals.ljust(3, "0"))
