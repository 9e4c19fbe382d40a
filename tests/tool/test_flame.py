# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages that sw-profiler flame writes, as files and in a browser."""
import collections
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import pytest

import browser
import toolbox

needs_browser = pytest.mark.skipif(browser.find() is None, reason="chromium is not installed, so nobody looks at the page")
SVG = "{http://www.w3.org/2000/svg}"

# Two threads: step (100 µs) with two matmuls (60 µs in all), and another matmul (50 µs).
STEPS = [
    toolbox.slice_record("step", 0, 100_000),
    toolbox.slice_record("matmul", 10_000, 30_000),
    toolbox.slice_record("matmul", 50_000, 30_000),
    toolbox.slice_record("relu", 55_000, 5_000),
    toolbox.slice_record("matmul", 20_000, 50_000, tid=2),
]


def page_data(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(text)


def nodes_of(data):
    """path -> calls, total, self"""
    found, path = {}, []
    flat = data["nodes"]
    for depth, name, calls, total, own in zip(*[iter(flat)] * 5, strict=True):
        path[depth:] = [data["names"][name]]
        found[tuple(path[1:])] = (calls, total, own)
    return found


def make_page(tmp_path, records, *arguments, status=0):
    trace = toolbox.write_chrome(tmp_path / "trace.json", records)
    toolbox.run("flame", trace, "--output", tmp_path / "page.html", *arguments, status=status)
    return (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_page_holds_what_the_tree_says(tmp_path):
    data = page_data(make_page(tmp_path, toolbox.forest(7, 400)))
    tree = json.loads(toolbox.run("tree", "--json", tmp_path / "trace.json")[0])["nodes"]
    paths = {0: ()}
    expected = {(): None}
    for node in tree:
        paths[node["id"]] = paths[node["parent"]] + (node["name"],)
        expected[paths[node["id"]]] = (node["calls"], node["total_ns"], node["self_ns"])
    found = nodes_of(data)
    expected[()] = found[()]
    assert found == expected
    assert found[()][1] == sum(total for path, (_, total, _) in found.items() if len(path) == 1)


def test_the_timeline_holds_every_slice(tmp_path):
    records = toolbox.forest(8, 300)
    data = page_data(make_page(tmp_path, records))
    origin = min(record["ts"] for record in records)
    found = [(data["names"][name], start, duration) for track in data["tracks"]
             for start, duration, _, name in zip(*[iter(track["slices"])] * 4, strict=True)]
    assert sorted(found) == sorted((r["name"], r["ts"] - origin, r["dur"]) for r in records)
    assert data["duration_ns"] == max(r["ts"] + r["dur"] for r in records) - origin
    assert data["notes"] == []


def test_what_is_left_out_is_said(tmp_path):
    page = page_data(make_page(tmp_path, STEPS, "--min-duration", "20us"))
    assert ("threads", "step", "matmul", "relu") not in nodes_of(page)
    assert any("leaves out 1 paths" in note for note in page["notes"])


def test_a_large_trace_is_thinned_by_length(tmp_path):
    with open(tmp_path / "large.json", "w") as file:
        file.write("[")
        file.write(",\n".join(f'{{"ph":"X","pid":1,"tid":1,"name":"s{i % 50}","ts":{10 * i},"dur":{1 + i % 9}.{i % 1000:03}}}'
                              for i in range(250_000)))
        file.write("]")
    toolbox.run("flame", tmp_path / "large.json", "--output", tmp_path / "large.html")
    data = page_data((tmp_path / "large.html").read_text())
    shown = sum(len(track["slices"]) // 4 for track in data["tracks"])
    assert 100_000 < shown <= 200_000
    assert any(f"leaves out {250_000 - shown} of 250000 slices" in note for note in data["notes"])
    assert nodes_of(data)[()][0] == 250_000


def test_names_stay_texts(tmp_path):
    hostile = ["</script><script>alert(1)</script>", "<!--", "]]>", "@DATA@", "a\nb", '"\\', "\u202eabc", "\u2028", "&amp;<b>", "名前 🔥"]
    records = [toolbox.slice_record(name, 100 * i, 50) for i, name in enumerate(hostile)]
    data = page_data(make_page(tmp_path, records, "--title", "<i>&@DATA@"))
    assert set(hostile) <= set(data["names"])
    toolbox.run("flame", tmp_path / "trace.json", "--output", tmp_path / "page.svg", "--title", "<i>&@PICTURE@")
    root = ElementTree.parse(tmp_path / "page.svg").getroot()
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles[0].startswith("<i>&")
    assert any(title.startswith("</script><script>alert(1)</script>\n") for title in titles)


def test_the_picture_is_as_wide_as_the_times(tmp_path):
    trace = toolbox.write_chrome(tmp_path / "trace.json", STEPS)
    toolbox.run("flame", trace, "--output", tmp_path / "page.svg")
    root = ElementTree.parse(tmp_path / "page.svg").getroot()
    widths = collections.defaultdict(list)
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "node":
            name = group.find(f"{SVG}title").text.split("\n")[0]
            widths[name].append(float(group.find(f"{SVG}rect").get("width")))
    assert widths["all"] == [1200]
    assert widths["step"] == [pytest.approx(800, abs=0.01)]
    assert sorted(widths["matmul"]) == [pytest.approx(400, abs=0.01), pytest.approx(480, abs=0.01)]


@pytest.mark.parametrize("records", [[], [{"ph": "i", "pid": 1, "tid": 1, "name": "x", "ts": 5}],
                                     [toolbox.slice_record("no time", 5, 0)]])
def test_nothing_to_show_is_no_failure(tmp_path, records):
    for ending in ("html", "svg"):
        trace = toolbox.write_chrome(tmp_path / "trace.json", records)
        toolbox.run("flame", trace, "--output", tmp_path / f"page.{ending}")
        assert os.stat(tmp_path / f"page.{ending}").st_size > 1000


def test_cut_short_is_shown_and_said(tmp_path):
    trace = toolbox.write_chrome(tmp_path / "trace.json", STEPS)
    trace.write_bytes(trace.read_bytes()[:-40])
    toolbox.run("flame", trace, "--output", tmp_path / "page.html", status=3)
    assert page_data((tmp_path / "page.html").read_text())["notes"] != []


def test_wrong_use(tmp_path):
    trace = toolbox.write_chrome(tmp_path / "trace.json", STEPS)
    assert "--output is missing" in toolbox.run("flame", trace, status=2)[1]
    assert "ends neither in .html nor in .svg" in toolbox.run("flame", trace, "-o", "x.png", status=2)[1]
    assert "one file is needed" in toolbox.run("flame", "-o", "x.svg", status=2)[1]
    assert "--min-duration is fast" in toolbox.run("flame", trace, "-o", "x.svg", "--min-duration", "fast", status=2)[1]
    assert toolbox.run("flame", trace, "-o", tmp_path / "no" / "x.svg", status=1)[1] != ""
    assert toolbox.run("flame", tmp_path / "none.json", "-o", tmp_path / "x.svg", status=1)[1] != ""
    assert toolbox.run("flame", trace, "-o", "-")[0].startswith("<!DOCTYPE html>")
    assert toolbox.run("flame", "-", "-o", "-", stdin=trace.read_bytes())[0].count("standard input") == 2


def test_the_output_is_not_the_input(tmp_path):
    (tmp_path / "page.html").symlink_to(tmp_path / "elsewhere")
    trace = toolbox.write_chrome(tmp_path / "trace.json", STEPS)
    toolbox.run("flame", trace, "-o", tmp_path / "page.html", status=1)
    assert not (tmp_path / "elsewhere").exists()


@needs_browser
def test_flame_graph_in_a_browser(tmp_path):
    make_page(tmp_path, STEPS)
    with browser.Page(tmp_path / "page.html") as page:
        drawn = {tuple(box[0:1]) + (box[3],): box for box in page.state()["drawn"]}
        assert drawn[("all", 0)][2] == 1200
        assert drawn[("step", 2)][2] - drawn[("step", 2)][1] == pytest.approx(800)
        assert page.evaluate("document.querySelector('#canvas').getContext('2d').getImageData(20, 10, 1, 1).data[3]") == 255

        # Search: the topmost matches count.
        page.click_on("#search")
        page.type("matmul")
        assert page.evaluate("document.querySelector('#matches').value") == "2 matches, 73.33 %"
        page.press("Enter", 13)
        state = page.state()
        assert state["label"] == "matmul" and page.text("#path").endswith("› matmul")
        page.click_on("#reset")
        assert page.state()["label"] == "all"
        page.evaluate("document.querySelector('#search').select()")
        page.type("/[/")
        assert page.evaluate("document.querySelector('#matches').value") == "no regular expression"

        # A click zooms; the path leads back; so do the keys.
        page.evaluate("document.querySelector('#search').value = ''; document.querySelector('#search').blur()")
        page.click(300, page.evaluate("document.querySelector('#canvas').getBoundingClientRect().top") + 2 * 20 + 10)
        state = page.state()
        assert state["label"] == "step"
        assert [box for box in state["drawn"] if box[0] == "step"] == [["step", 0, 1200, 2]]
        assert "total 100.0 µs (66.67 %), self 40.00 µs, 1 calls" in page.text("#details")
        page.press("Escape", 27)
        assert page.state()["label"] == "all"
        page.mouse("mouseMoved", 300, page.evaluate("document.querySelector('#canvas').getBoundingClientRect().top") + 2 * 20 + 10)
        page.settle()
        assert page.text("#tip").startswith("step\ntotal 100.0 µs")
        assert page.complaints == []


@needs_browser
def test_timeline_in_a_browser(tmp_path):
    make_page(tmp_path, STEPS)
    with browser.Page(tmp_path / "page.html") as page:
        page.click_on("#tab-timeline")
        state = page.state()
        assert state["range"] == [0, 100_000]
        assert sorted(box[0] for box in state["drawn"]) == ["matmul", "matmul", "matmul", "relu", "step"]
        assert next(box for box in state["drawn"] if box[0] == "step")[1:3] == [0, 1200]

        # A click on a slice shows it from edge to edge, and a bit around it.
        relu = next(box for box in state["drawn"] if box[0] == "relu")
        top = page.evaluate("document.querySelector('#canvas').getBoundingClientRect().top")
        page.click((relu[1] + relu[2]) / 2, top + relu[3] + 10)
        assert page.state()["range"] == [54_500, 60_500]
        assert page.text("#details").startswith("relu — 5.000 µs, from 55.00 µs on")

        # The wheel zooms at the pointer; a drag moves.
        page.press("Escape", 27)
        page.mouse("mouseWheel", 600, top + 200, deltaX=0, deltaY=-400, modifiers=2)
        page.settle()
        low, high = page.state()["range"]
        assert (low + high) / 2 == pytest.approx(50_000, rel=0.01) and high - low < 20_000
        page.mouse("mousePressed", 600, top + 300, button="left", buttons=1, clickCount=1)
        page.mouse("mouseMoved", 500, top + 300, button="left", buttons=1)
        page.mouse("mouseReleased", 500, top + 300, button="left", buttons=0, clickCount=1)
        assert page.state()["range"][0] > low

        # Matches one after the other, in time.
        page.click_on("#search")
        page.type("MATMUL")
        assert page.evaluate("document.querySelector('#matches').value") == "3 matches"
        starts = []
        for _ in range(4):
            page.press("Enter", 13)
            starts.append(page.text("#details").split("from ")[1].split(" on")[0])
        assert starts == ["10.00 µs", "20.00 µs", "50.00 µs", "10.00 µs"]
        assert page.complaints == []


@needs_browser
def test_picture_in_a_browser(tmp_path):
    trace = toolbox.write_chrome(tmp_path / "trace.json", STEPS)
    toolbox.run("flame", trace, "--output", tmp_path / "page.svg")
    with browser.Page(tmp_path / "page.svg") as page:
        page.evaluate("window.strideweave.search('matmul')")
        assert page.text("#details") == "matmul: 73.33 % of the time"
        box = page.evaluate("(() => { const b = document.querySelectorAll('.node rect')[2].getBoundingClientRect();"
                            " return [b.left + 5, b.top + 5]; })()")
        page.click(*box)
        assert page.evaluate("document.querySelectorAll('.node:not(.hidden)').length") == 5
        assert page.evaluate("document.querySelectorAll('.node rect')[2].getAttribute('width')") == "1200"
        page.click_on("#reset")
        assert page.evaluate("document.querySelectorAll('.node.hidden').length") == 0
        assert page.complaints == []


@needs_browser
def test_hostile_names_in_a_browser(tmp_path):
    names = ["</script><script>window.broken = 1</script>", "<img src=x onerror='window.broken = 1'>", "\u202eabc", "x" * 100_000]
    make_page(tmp_path, [toolbox.slice_record(name, 1000 * i, 900) for i, name in enumerate(names)])
    with browser.Page(tmp_path / "page.html") as page:
        for x in (100, 400, 700, 1000):
            page.mouse("mouseMoved", x, 110)
            page.settle()
        page.click_on("#tab-timeline")
        assert len(page.state()["drawn"]) == 4
        assert page.evaluate("window.broken") is None
        assert page.complaints == []
