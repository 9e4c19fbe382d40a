# SPDX-License-Identifier: LGPL-2.1-or-later
"""sw-profiler tree: paths against a plain model."""
import collections
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import toolbox  # noqa: E402
from toolbox import run, slice_record, write_chrome  # noqa: E402


def tree(*arguments, status=0):
    return json.loads(run("tree", "--json", *arguments, status=status)[0])


def by_path(found):
    """Path of names, the group first -> (calls, total, self)."""
    paths, known = {}, {0: ()}
    for node in found["nodes"]:
        known[node["id"]] = path = (*known[node["parent"]], node["name"])
        assert node["depth"] == len(path) and path not in paths
        paths[path] = (node["calls"], node["total_ns"], node["self_ns"])
    return paths


def expected_paths(records):
    paths = collections.defaultdict(lambda: [0, 0, 0])
    for record, own in zip(records, toolbox.self_times(records)):
        around = [other for other in records if other is not record and other["tid"] == record["tid"]
                  and other["ts"] <= record["ts"] and record["ts"] + record["dur"] <= other["ts"] + other["dur"]]
        around.sort(key=lambda other: -other["dur"])
        values = paths["threads", *(other["name"] for other in around), record["name"]]
        values[0] += 1
        values[1] += record["dur"]
        values[2] += own
    return {path: tuple(values) for path, values in paths.items()}


@pytest.mark.parametrize("seed", range(4))
def test_paths_are_those_of_the_model(tmp_path, seed):
    records = toolbox.forest(seed, 150)
    found = by_path(tree(write_chrome(tmp_path / "t.json", records)))
    group = found.pop(("threads",))
    expected = expected_paths(records)
    assert found == expected
    outermost = [values for path, values in expected.items() if len(path) == 2]
    assert group == (sum(values[0] for values in outermost), sum(values[1] for values in outermost), 0)


def test_parents_are_their_children_and_themselves(tmp_path):
    records = toolbox.forest(7, 200) + [slice_record("over", 10_000, 10**10), slice_record("lapping", 20_000, 10**11)]
    nodes = tree(write_chrome(tmp_path / "t.json", records))["nodes"]
    for node in nodes:
        assert node["total_ns"] == node["self_ns"] + sum(child["total_ns"] for child in nodes if child["parent"] == node["id"])
        assert node["self_ns"] >= 0


@pytest.fixture
def plain(tmp_path):
    return write_chrome(tmp_path / "plain.json", [slice_record("step", 0, 1000), slice_record("add", 100, 600), slice_record("deep", 200, 10),
                                                  slice_record("load", 0, 500, tid=2)])


def test_what_is_shown(plain):
    text = run("tree", plain)[0]
    assert [line.split("  ")[-1].strip() for line in text.splitlines()[2:]] == ["threads", "step", "add", "deep", "load"]
    assert set(by_path(tree("--depth", "1", plain))) == {("threads",), ("threads", "step"), ("threads", "load")}
    assert set(by_path(tree("--min-share", "20%", plain))) == {("threads",), ("threads", "step"), ("threads", "step", "add"), ("threads", "load")}
    assert "and 1 more" in run("tree", "--depth", "1", plain)[0]
    assert tree("--depth", "1", plain)["hidden"] == 1


def test_per_thread(plain):
    found = by_path(tree("--per-thread", plain))
    assert [path for path in found if len(path) == 2] == [("1", "step"), ("2", "load")]
    assert set(by_path(tree("--thread", "2", plain))) == {("threads",), ("threads", "load")}


def test_a_very_deep_one(tmp_path):
    n = 30_000
    path = write_chrome(tmp_path / "t.json", [slice_record("deep", i, 2 * (n - i)) for i in range(n)])
    nodes = tree(path)["nodes"]
    assert len(nodes) == n + 1 and nodes[-1]["depth"] == n + 1
    assert len(run("tree", path)[0].splitlines()) == n + 3


def test_nothing_to_show(tmp_path):
    (tmp_path / "t.json").write_text("[]")
    assert "no slices" in run("tree", tmp_path / "t.json")[0]


@pytest.mark.parametrize("arguments, words", [
    ([], ["one file", "not 0"]),
    (["a", "b"], ["not 2"]),
    (["--depth", "-2", "x"], ["--depth", "-2"]),
    (["--min-share", "200%", "x"], ["--min-share", "200%"]),
    (["--min-share", "some", "x"], ["some"]),
])
def test_wrong_options(arguments, words):
    complaint = run("tree", *arguments, status=2)[1]
    assert all(word in complaint for word in words), complaint


def test_cut_short(tmp_path, plain):
    (tmp_path / "cut.json").write_text(pathlib.Path(plain).read_text()[:-20])
    assert "cut short" in run("tree", tmp_path / "cut.json", status=3)[0]
