# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler diff: what it calls a change, and its exit status."""
import csv
import io
import json
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import toolbox  # noqa: E402
from toolbox import run, slice_record, write_chrome  # noqa: E402


def trace(path, seed=0, n=200, **factors):
    """n calls of each name, one after the other; a factor for the durations of each."""
    maker = random.Random(seed)
    records, at = [], 0
    for _ in range(n):
        for name, factor in factors.items():
            duration = int(maker.gauss(100_000, 5_000) * factor)
            records.append(slice_record(name, at, duration))
            at += duration + 1000
    return write_chrome(path, records)


def diff(*arguments, status=0):
    found = json.loads(run("diff", "--json", *arguments, status=status)[0])
    return found, {row["name"]: row for row in found["rows"]}


def test_chance_is_no_change(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, a=1, b=1, c=1), trace(tmp_path / "b.json", 2, a=1, b=1, c=1)
    found, rows = diff("--fail-over", "0%", base, new)
    assert {row["verdict"] for row in rows.values()} == {"same"} and found["regressions"] == 0


def test_slower_and_faster(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, a=1, b=1, c=1), trace(tmp_path / "b.json", 2, a=1.1, b=0.8, c=1)
    found, rows = diff("--fail-over", "5%", base, new, status=4)
    assert {name: row["verdict"] for name, row in rows.items()} == {"a": "slower", "b": "faster", "c": "same"}
    assert rows["a"]["regression"] and found["regressions"] == 1
    assert rows["a"]["change"] == pytest.approx(0.1, abs=0.02) and rows["a"]["p"] < 1e-6
    assert rows["a"]["superiority"] > 0.8 > 0.2 > rows["b"]["superiority"]
    assert not rows["a"]["exact"]
    diff("--fail-over", "20", base, new)
    diff(base, new)
    text = run("diff", "--fail-over", "5", base, new, status=4)[0]
    assert "slower (!)" in text and "Significantly worse by more than 5.0 %: 1" in text


def test_few_calls_tell_nothing(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, n=2, a=1), trace(tmp_path / "b.json", 2, n=2, a=2)
    _, rows = diff("--fail-over", "5%", base, new)
    assert rows["a"]["p"] == pytest.approx(1 / 3) and rows["a"]["exact"] and rows["a"]["verdict"] == "same"


@pytest.mark.parametrize("place", range(5))
def test_times_of_more_than_32_bits(tmp_path, place):
    """Wherever they come among shorter ones: none is cut, and none of those before."""
    short = [2**32 - 1, 1000, 2**32 - 2, 3000]
    durations = {"base": short + [2000], "new": short[:place] + [2**32 + 5] + short[place:]}
    for side, times in durations.items():
        write_chrome(tmp_path / f"{side}.json", [slice_record("a", 10**10 * i, time) for i, time in enumerate(times)])
    _, rows = diff("--by", "median", tmp_path / "base.json", tmp_path / "new.json")
    row = rows["a"]
    assert [row[side]["sample_median_ns"] for side in durations] == [3000, 2**32 - 2]
    assert row["superiority"] == sum((a < b) + (a == b) / 2 for a in durations["base"] for b in durations["new"]) / 25


def test_many_names_are_tested_at_once(tmp_path):
    """Of 400 equal names some have p below 0.05; none of them is a change."""
    names = {f"n{i}": 1 for i in range(400)}
    base, new = trace(tmp_path / "a.json", 1, n=10, **names), trace(tmp_path / "b.json", 2, n=10, **names)
    found, rows = diff("--fail-over", "0", base, new)
    assert found["regressions"] == 0 and all(row["p"] > 0.05 for row in rows.values())


def test_appeared_and_vanished(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, a=1, old=1), trace(tmp_path / "b.json", 2, a=1, young=1)
    _, rows = diff("--fail-over", "1%", base, new)
    assert (rows["old"]["verdict"], rows["young"]["verdict"]) == ("vanished", "appeared")
    assert rows["old"]["p"] is None and rows["old"]["change"] is None and rows["old"]["new"]["calls"] == 0


@pytest.mark.parametrize("by", ["self", "total", "mean", "median"])
def test_what_is_compared(tmp_path, by):
    base = write_chrome(tmp_path / "a.json", [slice_record("outer", 1000 * i, 100 + i % 7) for i in range(60)])
    new = write_chrome(tmp_path / "b.json", [slice_record("outer", 1000 * i, 200 + i % 7) for i in range(60)]
                       + [slice_record("inner", 1000 * i + 1, 100) for i in range(60)])
    _, rows = diff("--by", by, base, new)
    side = rows["outer"]
    expected = {"self": ("self_ns", "same"), "total": ("total_ns", "slower"), "mean": ("mean_ns", "slower"),
                "median": ("sample_median_ns", "slower")}[by]
    assert side["base"]["value_ns"] == side["base"][expected[0]]
    assert side["verdict"] == expected[1]


def test_more_calls_are_a_larger_sum(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, n=100, a=1), trace(tmp_path / "b.json", 2, n=150, a=1)
    assert diff("--by", "total", "--fail-over", "5%", base, new, status=4)[1]["a"]["verdict"] == "more calls"
    assert diff("--by", "median", "--fail-over", "5%", base, new)[1]["a"]["verdict"] == "same"
    assert diff("--by", "total", "--fail-over", "60%", base, new)[1]["a"]["verdict"] == "same"
    assert diff("--by", "total", "--fail-over", "5%", new, base)[1]["a"]["verdict"] == "fewer calls"


def test_several_runs(tmp_path):
    bases = [trace(tmp_path / f"a{i}.json", i, n=100, a=1) for i in range(3)]
    new = trace(tmp_path / "b.json", 9, n=100, a=1)
    found, rows = diff("--by", "total", "--base", bases[1], "--base", bases[2], bases[0], new)
    assert (found["base_files"], found["new_files"]) == (3, 1)
    assert rows["a"]["base"]["calls"] == 300
    assert rows["a"]["base"]["value_ns"] == pytest.approx(rows["a"]["base"]["total_ns"] / 3)
    assert rows["a"]["verdict"] == "same"


def test_same_file(tmp_path):
    path = trace(tmp_path / "a.json", 1, a=1, b=2)
    _, rows = diff("--fail-over", "0", path, path)
    assert all(row["change"] == 0 and row["p"] == 1 and row["verdict"] == "same" for row in rows.values())


def test_forms(tmp_path):
    base, new = trace(tmp_path / "a.json", 1, **{"a|b`": 1, 'q"': 1}), trace(tmp_path / "b.json", 2, **{"a|b`": 1.5, 'q"': 1})
    markdown = run("diff", "--markdown", base, new)[0]
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(table) == 4 and len({line.replace("\\|", "").count("|") for line in table}) == 1
    lines = list(csv.DictReader(io.StringIO(run("diff", "--csv", base, new)[0], newline="")))
    assert [line["name"] for line in lines] == ["a|b`", 'q"']
    assert (lines[0]["verdict"], lines[0]["regression"]) == ("slower", "false")
    assert float(lines[0]["change"]) == pytest.approx(0.5, abs=0.05)


def test_broken_files(tmp_path):
    path = trace(tmp_path / "a.json", 1, a=1)
    (tmp_path / "cut.json").write_text(pathlib.Path(path).read_text()[:-30])
    found, _ = diff(path, tmp_path / "cut.json", status=3)
    assert any("cut short" in note for note in found["notes"])
    assert "missing" in run("diff", path, tmp_path / "missing", status=1)[1]


@pytest.mark.parametrize("arguments, words", [
    (["x"], ["two files", "not 1"]),
    (["--fail-over", "much", "x", "y"], ["--fail-over", "much"]),
    (["--fail-over", "-5%", "x", "y"], ["--fail-over", "-5%"]),
    (["--alpha", "2", "x", "y"], ["--alpha", "2"]),
    (["--by", "luck", "x", "y"], ["--by", "luck"]),
    (["--json", "--markdown", "x", "y"], ["--markdown"]),
])
def test_wrong_options(arguments, words):
    complaint = run("diff", *arguments, status=2)[1]
    assert all(word in complaint for word in words), complaint
