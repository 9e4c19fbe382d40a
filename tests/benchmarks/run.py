#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the benchmarks and prints their medians as ratios to floors measured in the same run.

Usage: run.py --build DIR [--rounds N] [--json FILE] [--only core|export|read|python|kernels|products|growth]
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

PARTS = ["core", "zones", "traces", "zone-results", "export", "read", "python", "gjs", "kernels", "products", "growth"]
HERE = pathlib.Path(__file__).resolve().parent

# (measurement, what it is compared with, the goal: at most this ratio or, without a floor, this figure)
CORE_ROWS = [
    ("empty loop", None, None),
    ("two TSC reads", None, None),
    ("two clock_gettime", None, None),
    ("two ticks", None, None),
    ("one GObject", None, None),
    ("boundary, gate closed", "empty loop", None),
    ("event", "two ticks", 1.6),
    ("event with shapes", "two ticks", 2.2),
    ("event filtered out", "event", 1.0),
    ("relu of 1 element", None, 1300),
    ("relu of 1 element, recorded", "relu of 1 element", None),
    ("bytes an event while recording, 100k events", None, 64),
    ("bytes an event while recording, 1M events", None, 64),
    ("bytes an event after exit, 100k events", None, 64),
    ("bytes an event after exit, 1M events", None, 64),
    ("exit, ns an event, 100k events", None, 20),
    ("exit, ns an event, 1M events", None, 20),
    ("dup_key_averages, ns an event, 100k events", None, 60),
    ("dup_key_averages, ns an event, 1M events", None, 60),
    ("dup_key_averages by shape, ns an event, 100k events", None, 60),
    ("dup_key_averages by shape, ns an event, 1M events", None, 60),
    ("dup_key_statistics, ns an event, 100k events", "dup_key_averages, ns an event, 100k events", None),
    ("dup_key_statistics, ns an event, 1M events", "dup_key_averages, ns an event, 1M events", None),
    ("dup_table, ns an event, 100k events", None, None),
    ("dup_table, ns an event, 1M events", None, None),
    ("dup_events, ns an event, 100k events", None, None),
    ("dup_events, ns an event, 1M events", None, None),
]
OPERATION_ROWS = [
    ("loop over 64 values", None, None),
    ("malloc () and free ()", None, None),
    ("one GObject", None, None),
    ("add of 64, fresh result", "one GObject", None),
    ("add of 64, fresh result", None, 900),
    ("add of 64 into a tensor", "one GObject", None),
    ("add of 64 into a tensor", None, 350),
]
EXPORT_ROWS = [
    row
    for format, size in (("Chrome JSON", None), ("JSONL", None), ("Perfetto", 32))
    for row in (
        (f"write () of the same bytes, {format}, ns a zone", None, None),
        (f"{format}, ns a zone", f"write () of the same bytes, {format}, ns a zone", None),
        (f"{format}, bytes a zone", None, size),
    )
]
READ_ROWS = [
    row
    for format in ("Chrome JSON", "JSONL", "Perfetto", "Chrome JSON with gzip")
    for row in (
        (f"counting the lines of {format}, ns a zone", None, None),
        (f"reading {format}, ns a zone", f"counting the lines of {format}, ns a zone", None),
        (f"summarising {format}, ns a zone", f"reading {format}, ns a zone", None),
    )
]
PROTO_ROWS = [
    ("decoding by hand, ns a packet", None, None),
    ("decoding with protobuf-c and an arena, ns a packet", "decoding by hand, ns a packet", None),
    ("decoding with protobuf-c, ns a packet", "decoding by hand, ns a packet", None),
    ("reading, ns a packet", "decoding by hand, ns a packet", None),
]
ZONE_ROWS = [
    ("empty loop", None, None),
    ("zone, nothing enabled", "empty loop", 1.2),
    ("zone, disabled", "empty loop, again", 1.2),
    ("two ticks and two stores of 16 bytes", None, None),
    ("zone", "two ticks and two stores of 16 bytes", 1.15),
    ("zone by token", "two ticks and two stores of 16 bytes", None),
    ("two ticks and two stores, on each of two threads", "two ticks and two stores of 16 bytes", None),
    ("zone, on each of two threads", "two ticks and two stores, on each of two threads", 1.15),
]
TRACE_ROWS = [
    ("empty loop", None, None),
    ("span, nothing enabled", "empty loop", 1.5),
    ("instant, nothing enabled", "empty loop", 1.5),
    ("counter, nothing enabled", "empty loop", 1.5),
    ("empty loop, again", None, None),
    ("span above the verbosity", "empty loop, again", 1.5),
    ("instant above the verbosity", "empty loop, again", 1.5),
    ("counter above the verbosity", "empty loop, again", 1.5),
    ("two ticks and two stores", None, None),
    ("span", "two ticks and two stores", None),
    ("span with an argument", "two ticks and two stores", None),
    ("instant", "two ticks and two stores", None),
    ("counter", "two ticks and two stores", None),
    ("drained to the file, ns a span", None, 500),
    ("bytes a span", None, 32),
]
ZONE_RESULT_ROWS = [
    ("floor: read 5M site ids", None, None),
    ("query 5M zones: a name that is not there", "floor: read 5M site ids", None),
    ("query 5M zones: a rare name", "floor: read 5M site ids", None),
    ("query 5M zones: one name of 64", "floor: read 5M site ids", 3),
    ("query 5M zones: a name in 10 of 125 frames", "floor: read 5M site ids", None),
    ("query 5M zones: all", "floor: read 5M site ids", None),
    ("floor: copy 1M durations", None, None),
    ("peer: qsort of 1M durations", None, None),
    ("statistics of 1M zones", "peer: qsort of 1M durations", 1),
    ("histogram of 1M zones", "peer: qsort of 1M durations", None),
    ("slowest 100 of 1M zones", "floor: copy 1M durations", None),
    ("floor: write as many bytes as Chrome JSON", None, None),
    ("Chrome JSON of 1M zones", "floor: write as many bytes as Chrome JSON", None),
    ("JSONL of 1M zones", "floor: write as many bytes as Chrome JSON", None),
    ("Perfetto of 1M zones", "floor: write as many bytes as Chrome JSON", None),
    ("CSV of 1M zones", "floor: write as many bytes as Chrome JSON", None),
    ("freeze 120 frames of 200 entries", None, None),
    ("snapshot of 120 frames of 200 entries", None, 2),
    ("text of 200 entries", None, None),
    ("build a trace of 1M zones", None, None),
]
PYTHON_ROWS = [
    ("Python: a call of no arguments", None, None),
    ("Python: a call of an empty function of C", None, None),
    ("Python: numpy.maximum (1 element, 0)", None, None),
    ("Python: relu of 1 element", "Python: numpy.maximum (1 element, 0)", None),
    ("Python: relu of 1 element, recorded", "Python: relu of 1 element", None),
    ("Python: numpy.add (1 element)", None, None),
    ("Python: add of 1 element", "Python: numpy.add (1 element)", None),
    ("Python: numpy.multiply (1 element, 2)", None, None),
    ("Python: mul by 2.0", "Python: numpy.multiply (1 element, 2)", None),
    ("Python: mul by 2", "Python: numpy.multiply (1 element, 2)", None),
    ("Python: 100k objects of 6 slots, ns an object", None, None),
    ("Python: events () of 100k, ns an event", "Python: 100k objects of 6 slots, ns an object", 1),
    ("Python: events () of 1M, ns an event", "Python: 1M objects of 6 slots, ns an object", 1),
    ("Python: attribute of a SimpleNamespace", None, None),
    ("Python: attribute of an event", "Python: attribute of a SimpleNamespace", None),
    ("Python: with nullcontext ()", None, None),
    ("Python: zone, recorded", "Python: with nullcontext ()", 1.2),
    ("Python: zone without a profiler", "Python: with nullcontext ()", 0.5),
    ("Python: zone while disabled", "Python: with nullcontext ()", 0.5),
    ("Python: span, recorded", "Python: with nullcontext ()", None),
    ("Python: span with 2 arguments, recorded", "Python: with nullcontext ()", None),
    ("Python: instant, recorded", "Python: a call of an empty function of C", None),
    ("Python: counter, recorded", "Python: a call of an empty function of C", None),
    ("Python: a traced function, recorded", "Python: a call of no arguments", None),
    ("Python: span above the verbosity", "Python: with nullcontext ()", None),
    ("Python: span with 2 arguments above the verbosity", "Python: with nullcontext ()", None),
    ("Python: a traced function above the verbosity", "Python: a call of no arguments", None),
    ("Python: span while disabled", "Python: with nullcontext ()", None),
    ("Python: key_averages () of 100k, ns an event", None, None),
    ("Python: key_averages () of 1M, ns an event", None, 60),
    ("Python: table () of 1M, ns an event", None, None),
]

GJS_ROWS = [
    ("GJS: a call of a fresh function", None, None),
    ("GJS: two calls of no arguments into C", None, None),
    ("GJS: zone, disabled", "GJS: two calls of no arguments into C", None),
    ("GJS: profiled function, disabled", "GJS: two calls of no arguments into C", None),
    ("GJS: zone", None, 6000),
    ("GJS: zone of 2000 characters", "GJS: zone", None),
    ("GJS: zone, 50 calls deep", "GJS: zone", None),
    ("GJS: profiled function", "GJS: two calls of no arguments into C", None),
]


def run_json(command, cwd=None):
    """Runs a program in a session, and so a scheduler group, of its own."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, start_new_session=True, cwd=cwd)
    return json.loads(done.stdout)


def summarize(samples):
    return {name: statistics.median(values) for name, values in samples.items()}


def format_row(name, figures, floor, goal):
    value = figures[name]
    ratio = value / figures[floor] if floor in figures else None
    judged = ratio if ratio is not None else value
    mark = "" if goal is None else ("ok" if judged <= goal else "OVER")
    return (
        f"{name:56} {value:12.2f} "
        f"{f'{ratio:8.2f} x {floor}' if ratio is not None else '':34} "
        f"{'' if goal is None else f'<= {goal:g}':>8} {mark}"
    ).rstrip()


def print_rows(title, rows, figures):
    print(f"\n{title}")
    for name, floor, goal in rows:
        if name in figures:
            print(format_row(name, figures, floor, goal))


def print_kernels(measured):
    """Each kernel beside its peers: the medians of the rounds' own ratios, since all ran in turn; more is faster."""
    peers = ("NumPy", "torch", "memcpy", "sgemm", "im2col+sgemm")
    absent = "" if measured["torch"] else "; torch is not there"
    print(f"\nCPU kernels, float32, threads: {measured['threads']}; peer's time / ours, more is faster{absent}")
    print(f"{'':32} {'ns':>12} " + " ".join(f"{peer:>12}" for peer in peers))
    for name, samples in measured["cases"].items():
        ours = samples["ours"]
        ratios = [
            f"{statistics.median(theirs / own for theirs, own in zip(samples[peer], ours)):12.2f}" if peer in samples else " " * 12
            for peer in peers
        ]
        print(f"{name:32} {statistics.median(ours):12.0f} {' '.join(ratios)}".rstrip())


def print_products(samples, n_threads):
    """Each product beside what lies underneath: the medians of the rounds' own ratios; more is faster."""
    peers = ("sgemm", "im2col + sgemm", "oneDNN as the values lie", "oneDNN, order brought about", "oneDNN in its own order")
    print(f"\nProducts, from C, threads: {n_threads}; peer's time / ours, more is faster")
    print(f"{'':32} {'ns':>12} " + " ".join(f"{peer:>{max(9, len(peer))}}" for peer in peers))
    for name, ours in samples.items():
        if "," in name:
            continue
        ratios = []
        for peer in peers:
            width = max(9, len(peer))
            theirs = samples.get(f"{name}, {peer}")
            ratios.append(f"{statistics.median(a / b for a, b in zip(theirs, ours)):{width}.2f}" if theirs else " " * width)
        print(f"{name:32} {statistics.median(ours):12.0f} {' '.join(ratios)}".rstrip())


def print_growth(measured):
    """How the time for a value changes from each size to the next; the larger ones leave the caches of level 1, 2 and 3."""
    print(f"\nTime for a value, from size to size, threads: {measured['threads']}")
    times = {name: statistics.median(samples["ours"]) for name, samples in measured["cases"].items()}
    for name in times:
        if not name.endswith(" 4k"):
            continue
        operation = name[: -len(" 4k")]
        growth = [times[f"{operation} {size}"] / n for size, n in (("4k", 1 << 12), ("256k", 1 << 18), ("4M", 1 << 22))]
        print(f"{operation:32} {growth[0]:9.3f} ns  256k / 4k {growth[1] / growth[0]:6.2f}   4M / 256k {growth[2] / growth[1]:6.2f}")


def grows_as_memory(measured, n_before, n_after, ratio):
    """Whether memcpy () of as many bytes, give or take half a doubling, becomes slower as well."""
    copy = measured["cases"]["memcpy ()"]
    costs = {size * copy["bytes"]: min(rounds) for size, rounds in zip(measured["sizes"], copy["ns"])}
    below = [cost for n, cost in costs.items() if n <= n_before * 1.1 and n * 2 >= n_before]
    above = [cost for n, cost in costs.items() if n >= n_after / 1.1 and n <= n_after * 2]
    return bool(below and above) and ratio <= 1.15 * max(above) / min(below)


def find_cliffs(measured, case):
    """(size, ratio, reason or None): where a value costs over 15 % more than with the size before.

    A cache is left where all operands together grow from half of it to twice its size; beyond, memory may be slower by the
    reach of the TLB, or by what others leave of a cache that is shared, and memcpy () in the same run tells that."""
    sizes, bytes_of_value = measured["sizes"], measured["cases"][case]["bytes"]
    # The quickest round: others are those in which something else had the caches.
    costs = [min(rounds) for rounds in measured["cases"][case]["ns"]]
    for before, size, cost_before, cost in zip(sizes, sizes[1:], costs, costs[1:]):
        ratio, n_before, n_after = cost / cost_before, before * bytes_of_value, size * bytes_of_value
        if ratio <= 1.15:
            continue
        left = [name for name, limit in measured["caches"].items() if limit and n_after >= limit / 2 and n_before <= limit * 2]
        if left:
            yield size, ratio, f"leaves {left[0]}"
        else:
            yield size, ratio, "as memcpy () of as many bytes" if grows_as_memory(measured, n_before, n_after, ratio) else None


def print_line(measured, n_threads):
    """What a value costs, size by size, and where that jumps."""
    shown = [i for i, size in enumerate(measured["sizes"]) if size & (size - 1) == 0]
    caches = ", ".join(f"{name} {limit >> 10} KiB" for name, limit in measured["caches"].items() if limit)
    print(f"\nTime for a value in ps, by the number of values, threads: {n_threads}; caches: {caches or 'not known'}")
    print(f"{'':26} " + " ".join(f"{measured['sizes'][i] >> 10:>6}k" for i in shown))
    for case, what in measured["cases"].items():
        print(f"{case:26} " + " ".join(f"{1000 * min(what['ns'][i]):7.0f}" for i in shown))
        for size, ratio, reason in find_cliffs(measured, case):
            print(f"{'':26} {ratio:.2f} times as much at {size} as before: {reason or 'A CLIFF'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    parts = [arguments.only] if arguments.only else PARTS
    output = {"rounds": arguments.rounds, "cpu_count": os.cpu_count()}
    rounds = str(arguments.rounds)

    if "core" in parts:
        program = arguments.build / "tests" / "benchmarks" / "bench-profiler"
        output["core"] = run_json([program, rounds])
        print_rows("Recording, from C: ns, medians of alternating rounds", CORE_ROWS, summarize(output["core"]))
        output["operations"] = run_json([arguments.build / "tests" / "benchmarks" / "bench-operations", rounds])
        print_rows("Operations on small tensors, from C: ns, medians of alternating rounds", OPERATION_ROWS,
                   summarize(output["operations"]))
    if "zones" in parts:
        output["zones"] = run_json([arguments.build / "tests" / "benchmarks" / "bench-zone", rounds])
        print_rows("Zones, from C: ns, medians of alternating rounds", ZONE_ROWS, summarize(output["zones"]))
        sustained = run_json([arguments.build / "tests" / "benchmarks" / "bench-zone", "sustained", "10"])
        output["zones sustained"] = sustained
        print("\nTwo threads that record without a pause for 10 s")
        print("\n".join(f"{name:56} {value:12}" for name, value in sustained.items()))
    if "traces" in parts:
        program = arguments.build / "tests" / "benchmarks" / "bench-trace"
        output["traces"] = run_json([program, rounds])
        print_rows("Tracing into a file, from C: ns, medians of alternating rounds", TRACE_ROWS, summarize(output["traces"]))
        output["traces sustained"] = run_json([program, "sustained", "2", "50"])
        print("\n50 million spans of one thread, two million a second")
        print("\n".join(f"{name:56} {value:12}" for name, value in output["traces sustained"].items()))
    if "zone-results" in parts:
        output["zone results"] = run_json([arguments.build / "tests" / "benchmarks" / "bench-zone-results", rounds])
        print_rows("Results of the zone profiler, from C: ms, medians of alternating rounds", ZONE_RESULT_ROWS,
                   summarize(output["zone results"]))
    if "export" in parts:
        output["export"] = run_json([arguments.build / "tests" / "benchmarks" / "bench-export", rounds])
        print_rows("Writing a trace of a million zones: medians", EXPORT_ROWS, summarize(output["export"]))
    if "read" in parts:
        output["read"] = run_json([arguments.build / "tests" / "benchmarks" / "bench-read", rounds])
        print_rows("Reading and summarising a trace of a million zones: medians of alternating rounds", READ_ROWS,
                   summarize(output["read"]))
        # It is built where protobuf-c is there.
        proto = arguments.build / "tests" / "benchmarks" / "bench-proto"
        if proto.exists():
            output["proto"] = run_json([proto, rounds])
            print_rows("Decoding Perfetto's packets: processor time, medians of alternating rounds", PROTO_ROWS, summarize(output["proto"]))
    if "python" in parts:
        output["python"] = run_json([sys.executable, HERE / "bench_python.py", rounds])
        print_rows("From Python: ns", PYTHON_ROWS, summarize(output["python"]))
    if "gjs" in parts and shutil.which("gjs"):
        output["gjs"] = run_json(["gjs", "-m", HERE / "bench_gjs.js", rounds])
        print_rows("Zones, from GJS: ns of the thread's own time", GJS_ROWS, summarize(output["gjs"]))
    if "kernels" in parts:
        for n_threads in (1, 2):
            measured = run_json([sys.executable, HERE / "bench_kernels.py", rounds, str(n_threads)])
            output[f"kernels, threads: {n_threads}"] = measured
            print_kernels(measured)
            print_growth(measured)

    if "products" in parts:
        for n_threads in (1, 2):
            os.environ.update(OPENBLAS_NUM_THREADS=str(n_threads), OMP_NUM_THREADS=str(n_threads))
            measured = run_json([arguments.build / "tests" / "benchmarks" / "bench-products", rounds, str(n_threads)])
            output[f"products, threads: {n_threads}"] = measured
            print_products(measured, n_threads)

    if "growth" in parts:
        for n_threads in (1, 2):
            measured = run_json([arguments.build / "tests" / "benchmarks" / "bench-growth", rounds, str(n_threads)])
            output[f"growth, threads: {n_threads}"] = measured
            print_line(measured, n_threads)

    target = arguments.json or arguments.build / "benchmarks.json"
    target.write_text(json.dumps(output, indent=1))
    print(f"\nAll samples: {target}")


if __name__ == "__main__":
    main()
