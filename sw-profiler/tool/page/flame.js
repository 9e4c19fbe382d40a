// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const view = byId("view");
  const canvas = byId("canvas");
  const surface = byId("surface");
  const context = canvas.getContext("2d");
  const tip = byId("tip");
  const ROW = 20;
  const GAP = 10;
  const RULER = 22;
  const MIN_TEXT = 22;

  // ---- Numbers and texts

  function formatNs(ns) {
    const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
    for (const [size, unit] of units)
      if (Math.abs(ns) >= size)
        return `${(ns / size).toPrecision(4)} ${unit}`;
    return `${Math.round(ns)} ns`;
  }

  function formatCount(n) {
    return n.toLocaleString("en");
  }

  function formatShare(part, whole) {
    return whole > 0 ? `${(100 * part / whole).toFixed(2)} %` : "–";
  }

  // What has no shape of its own is shown by its code; line breaks would tear a label.
  function visible(text) {
    const shown = text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return shown.length > 400 ? `${shown.slice(0, 200)}…${shown.slice(-150)}` : shown;
  }

  const names = data.names.map(visible);
  const hues = names.map((name) => {
    let hash = 2166136261;
    for (let i = 0; i < name.length; i++)
      hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
    return hash;
  });
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function colorOf(name) {
    const hue = 8 + hues[name] % 48;
    const light = dark.matches ? 34 + (hues[name] >>> 8) % 10 : 66 + (hues[name] >>> 8) % 14;
    return `hsl(${hue} 70% ${light}%)`;
  }

  const colors = { paper: "", ink: "", faint: "", line: "", match: "", other: "" };

  function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const key of ["paper", "ink", "faint", "line"])
      colors[key] = style.getPropertyValue(`--${key}`).trim();
    colors.match = dark.matches ? "#b03fd0" : "#e58cff";
    colors.other = dark.matches ? "#33343b" : "#e4e4ea";
  }

  // ---- Search

  const search = { text: "", hits: null, count: 0 };

  function compilePattern(text) {
    const parts = /^\/(.*)\/(i?)$/.exec(text);
    if (parts !== null)
      return new RegExp(parts[1], parts[2] + "u");
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
  }

  function isHit(name) {
    return search.hits !== null && search.hits[name] === 1;
  }

  function setSearch(text) {
    search.text = text;
    byId("search").classList.remove("wrong");
    search.hits = null;
    if (text !== "") {
      try {
        const pattern = compilePattern(text);
        search.hits = Uint8Array.from(data.names, (name) => pattern.test(name) ? 1 : 0);
      } catch (error) {
        byId("search").classList.add("wrong");
        byId("matches").value = "no regular expression";
        return draw();
      }
    }
    current.searched();
    draw();
  }

  // ---- Drawing

  let width = 0;
  let height = 0;

  function resize() {
    const ratio = window.devicePixelRatio || 1;
    width = view.clientWidth;
    height = view.clientHeight;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  }

  // As much of a text as fits: most are far too long or far too short.
  function drawText(text, x, y, room) {
    const most = Math.floor(room / 5);
    let shown = text.length > most ? text.slice(0, most) : text;
    if (context.measureText(shown).width > room) {
      let low = 0;
      let high = shown.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (context.measureText(`${shown.slice(0, middle)}…`).width <= room)
          low = middle;
        else
          high = middle - 1;
      }
      shown = low === 0 ? "" : `${shown.slice(0, low)}…`;
    }
    context.fillText(shown, x, y);
  }

  // The part of it that is on the canvas: far outside, coordinates lose their precision.
  function drawBox(left, right, y, name, text, isFaded) {
    const x = Math.max(left, -1);
    const w = Math.min(right, width + 1) - x;
    context.globalAlpha = isFaded ? 0.45 : 1;
    context.fillStyle = isHit(name) ? colors.match : search.hits !== null ? colors.other : colorOf(name);
    context.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), 0.6), ROW - 1);
    context.globalAlpha = 1;
    if (w < MIN_TEXT)
      return;
    context.fillStyle = colors.ink;
    drawText(text, Math.max(x, 0) + 4, y + ROW / 2, w - 8 - (Math.max(x, 0) - x));
  }

  let pending = false;

  function draw() {
    if (pending)
      return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      surface.style.height = `${Math.max(current.contentHeight(), view.clientHeight)}px`;
      context.clearRect(0, 0, width, height);
      context.font = "12px system-ui, sans-serif";
      context.textBaseline = "middle";
      current.draw(view.scrollTop);
    });
  }

  function drawEmpty(text) {
    context.fillStyle = colors.faint;
    context.fillText(text, 12, 24);
  }

  // ---- The flame graph: a node for each path of names, its length its part of the time

  const flame = (() => {
    const STRIDE = 5;
    const count = data.nodes.length / STRIDE;
    const depth = new Uint32Array(count);
    const name = new Uint32Array(count);
    const calls = new Float64Array(count);
    const total = new Float64Array(count);
    const self = new Float64Array(count);
    const parent = new Int32Array(count);
    const start = new Float64Array(count);
    const end = new Uint32Array(count); // after what is below it
    let deepest = 0;
    let focus = 0;
    let at = -1; // which match is next
    let drawn = [];

    const open = [];
    const filled = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      depth[i] = data.nodes[STRIDE * i];
      name[i] = data.nodes[STRIDE * i + 1];
      calls[i] = data.nodes[STRIDE * i + 2];
      total[i] = data.nodes[STRIDE * i + 3];
      self[i] = data.nodes[STRIDE * i + 4];
      while (open.length > depth[i])
        end[open.pop()] = i;
      parent[i] = open.length > 0 ? open[open.length - 1] : -1;
      if (parent[i] >= 0) {
        start[i] = start[parent[i]] + filled[parent[i]];
        filled[parent[i]] += total[i];
      }
      deepest = Math.max(deepest, depth[i]);
      open.push(i);
    }
    for (const i of open)
      end[i] = count;

    const inFocus = (i) => i >= focus && i < end[focus];
    const isAbove = (i) => i <= focus && focus < end[i];

    function label(i) {
      return i === 0 ? "all" : names[name[i]];
    }

    function matchTime() {
      let sum = 0;
      let n = 0;
      for (let i = focus; i < end[focus];) {
        if (i > 0 && isHit(name[i])) {
          sum += total[i];
          for (let j = i; j < end[i]; j++)
            n += isHit(name[j]) ? 1 : 0;
          i = end[i];
        } else {
          i++;
        }
      }
      return [n, sum];
    }

    function showPath() {
      const path = byId("path");
      path.replaceChildren();
      if (focus === 0)
        return;
      const nodes = [];
      for (let i = focus; i >= 0; i = parent[i])
        nodes.unshift(i);
      for (const i of nodes) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label(i);
        button.addEventListener("click", () => zoom(i));
        path.append(i === 0 ? "" : " › ", button);
      }
    }

    function zoom(i) {
      focus = i;
      showPath();
      self_.searched();
      resize();
      const top = depth[i] * ROW;
      if (top < view.scrollTop || top > view.scrollTop + height - ROW)
        view.scrollTop = Math.max(0, top - 2 * ROW);
      describe(i);
    }

    function describe(i) {
      byId("details").textContent = i < 0 ? "" :
        `${label(i)} — total ${formatNs(total[i])} (${formatShare(total[i], total[0])}), self ${formatNs(self[i])}, ` +
        `${formatCount(calls[i])} calls`;
    }

    function nodeAt(x, y) {
      const row = Math.floor(y / ROW);
      return drawn.find((box) => box[3] === row && x >= box[1] && x < Math.max(box[2], box[1] + 1));
    }

    const self_ = {
      contentHeight: () => (deepest + 1) * ROW + GAP,
      draw(top) {
        drawn = [];
        if (count === 0 || total[0] <= 0)
          return drawEmpty("No slice takes any time.");
        const scale = width / Math.max(total[focus], 1);
        const left = start[focus];
        for (let i = 0; i < count;) {
          const above = isAbove(i) && i !== focus;
          if (!above && !inFocus(i)) {
            i = end[i];
            continue;
          }
          const x0 = above ? 0 : (start[i] - left) * scale;
          const x1 = above ? width : x0 + total[i] * scale;
          if (x1 - x0 < 0.3) {
            i = end[i];
            continue;
          }
          const y = depth[i] * ROW - top;
          if (y > -ROW && y < height) {
            drawBox(x0, x1, y, name[i], label(i), above);
            drawn.push([i, x0, x1, depth[i]]);
          }
          i++;
        }
      },
      searched() {
        at = -1;
        if (search.hits === null)
          return void (byId("matches").value = "");
        const [n, sum] = matchTime();
        byId("matches").value = `${formatCount(n)} ${n === 1 ? "match" : "matches"}, ${formatShare(sum, total[focus])}`;
      },
      step(direction) {
        const hits = [];
        for (let i = 1; i < count; i++)
          if (isHit(name[i]))
            hits.push(i);
        if (hits.length === 0)
          return;
        const next = at < 0 ? (direction > 0 ? 0 : hits.length - 1) : (at + direction + hits.length) % hits.length;
        zoom(hits[next]);
        at = next;
      },
      click(x, y) {
        const box = nodeAt(x, y);
        if (box !== undefined)
          zoom(box[0]);
      },
      tip(x, y) {
        const box = nodeAt(x, y);
        if (box === undefined)
          return null;
        const i = box[0];
        describe(i);
        return `${label(i)}\ntotal ${formatNs(total[i])} (${formatShare(total[i], total[0])})\n` +
          `self ${formatNs(self[i])} (${formatShare(self[i], total[0])})\n${formatCount(calls[i])} calls` +
          (calls[i] > 1 ? `, ${formatNs(total[i] / calls[i])} each` : "");
      },
      zoomBy(factor) {
        if (factor > 1) {
          let widest = -1;
          for (let i = focus + 1; i < end[focus]; i = end[i])
            if (widest < 0 || total[i] > total[widest])
              widest = i;
          if (widest >= 0)
            zoom(widest);
        } else if (parent[focus] >= 0) {
          zoom(parent[focus]);
        }
      },
      pan(direction) {
        const above = parent[focus];
        if (above < 0)
          return;
        let previous = -1;
        for (let i = above + 1; i < end[above]; i = end[i]) {
          if (direction < 0 && i === focus && previous >= 0)
            return zoom(previous);
          if (direction > 0 && previous === focus)
            return zoom(i);
          previous = i;
        }
      },
      reset: () => count > 0 && zoom(0),
      shown: () => { showPath(); self_.searched(); },
      state: () => ({ focus, label: count > 0 ? label(focus) : "", drawn: drawn.map((box) => [label(box[0]), box[1], box[2], box[3]]) }),
      wheel: () => false,
      drag: () => false,
    };
    return self_;
  })();

  // ---- The timeline: a band for each track, rows of slices

  const timeline = (() => {
    const STRIDE = 4;
    const whole = [0, Math.max(data.duration_ns, 1)];
    let range = whole.slice();
    let drawn = [];
    let hits = null; // [start, track, row, index] of each match
    let at = -1;
    let total = GAP;

    // Where slices of a track may overlap, each takes the first row that is free.
    function rowOf(track, start, end, depth) {
      if (!track.may_overlap)
        return depth;
      let row = track.ends.findIndex((e) => e <= start);
      if (row < 0)
        row = track.ends.length;
      track.ends[row] = end;
      return row;
    }

    const tracks = data.tracks.map((source) => {
      const track = { name: visible(source.name), may_overlap: source.may_overlap, ends: [], rows: [], top: total };
      for (let i = 0; i < source.slices.length; i += STRIDE) {
        const start = source.slices[i];
        const duration = source.slices[i + 1];
        const row = rowOf(track, start, start + duration, source.slices[i + 2]);
        while (track.rows.length <= row)
          track.rows.push([]);
        track.rows[row].push(start, start + duration, source.slices[i + 3]);
      }
      track.rows = track.rows.map((row) => Float64Array.from(row));
      total += ROW * (track.rows.length + 1) + GAP;
      return track;
    });

    const toX = (ns) => (ns - range[0]) / (range[1] - range[0]) * width;
    const toNs = (x) => range[0] + x / Math.max(width, 1) * (range[1] - range[0]);

    function setRange(from, to) {
      const span = Math.min(Math.max(to - from, 10), whole[1] - whole[0]);
      const start = Math.min(Math.max((from + to - span) / 2, whole[0]), whole[1] - span);
      range = [start, start + span];
      draw();
    }

    function zoomAt(x, factor) {
      const ns = toNs(x);
      setRange(ns - (ns - range[0]) / factor, ns + (range[1] - ns) / factor);
    }

    // The first slice of a row that ends after a time; those of a row follow each other.
    function firstAfter(row, ns) {
      let low = 0;
      let high = row.length / 3;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (row[3 * middle + 1] <= ns)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    }

    function ticks() {
      const span = range[1] - range[0];
      let step = 10 ** Math.floor(Math.log10(span / Math.max(width / 110, 1)));
      for (const factor of [2, 2.5, 2])
        if (width * step / span < 80)
          step *= factor;
      return [Math.ceil(range[0] / step) * step, step];
    }

    // Two neighbours never look the same, however far from the origin.
    function formatTick(ns, step) {
      const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([s]) => range[1] >= s) ?? [1, "ns"];
      return `${(ns / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9) + (step / size < 1 ? 1 : 0)))} ${unit}`;
    }

    function drawGrid() {
      const [first, step] = ticks();
      context.strokeStyle = colors.line;
      context.beginPath();
      for (let ns = first; ns <= range[1]; ns += step) {
        const x = Math.round(toX(ns)) + 0.5;
        context.moveTo(x, 0);
        context.lineTo(x, height);
      }
      context.stroke();
    }

    function drawRuler() {
      const [first, step] = ticks();
      context.fillStyle = colors.paper;
      context.fillRect(0, 0, width, RULER);
      context.fillStyle = colors.faint;
      for (let ns = first; ns <= range[1]; ns += step)
        context.fillText(formatTick(ns, step), Math.round(toX(ns)) + 3, RULER / 2);
    }

    function drawRow(track, number, y) {
      const row = track.rows[number];
      let painted = -1; // up to which pixel there is a thin slice already
      for (let i = firstAfter(row, range[0]); 3 * i < row.length && row[3 * i] <= range[1]; i++) {
        const x0 = toX(row[3 * i]);
        const x1 = toX(row[3 * i + 1]);
        const name = row[3 * i + 2];
        if (x1 - x0 < 0.6) {
          const pixel = Math.floor(x0);
          if (pixel === painted && !isHit(name))
            continue;
          painted = pixel;
        }
        drawBox(x0, Math.max(x1, x0 + 0.6), y, name, names[name], false);
        drawn.push([track, number, i, x0, Math.max(x1, x0 + 1), y]);
      }
    }

    function sliceAt(x, y) {
      return drawn.findLast((box) => x >= box[3] && x < box[4] && y >= box[5] && y < box[5] + ROW);
    }

    function textOf(track, row, i) {
      const slices = track.rows[row];
      return [names[slices[3 * i + 2]], slices[3 * i], slices[3 * i + 1] - slices[3 * i]];
    }

    function describe(track, row, i) {
      const [name, start, duration] = textOf(track, row, i);
      byId("details").textContent = `${name} — ${formatNs(duration)}, from ${formatNs(start)} on, on ${track.name}`;
    }

    function findHits() {
      if (hits !== null || search.hits === null)
        return hits ?? [];
      hits = [];
      for (const track of tracks)
        track.rows.forEach((row, number) => {
          for (let i = 0; 3 * i < row.length; i++)
            if (isHit(row[3 * i + 2]))
              hits.push([row[3 * i], track, number, i]);
        });
      hits.sort((a, b) => a[0] - b[0]);
      return hits;
    }

    function zoomTo(track, row, i) {
      const slices = track.rows[row];
      const start = slices[3 * i];
      const end = slices[3 * i + 1];
      const margin = Math.max((end - start) * 0.1, 5);
      setRange(start - margin, end + margin);
      const y = track.top + ROW * (row + 1) + RULER;
      if (y < view.scrollTop + RULER || y > view.scrollTop + height - ROW)
        view.scrollTop = Math.max(0, y - height / 2);
      describe(track, row, i);
    }

    return {
      contentHeight: () => total + RULER,
      draw(top) {
        drawn = [];
        if (tracks.length === 0)
          return drawEmpty("There are no slices.");
        drawGrid();
        for (const track of tracks) {
          const y = track.top - top + RULER;
          if (y > height || y + ROW * (track.rows.length + 1) < 0)
            continue;
          context.fillStyle = colors.faint;
          drawText(track.name, 4, y + ROW / 2, width - 8);
          for (let row = 0; row < track.rows.length; row++) {
            const rowY = y + ROW * (row + 1);
            if (rowY > -ROW && rowY < height)
              drawRow(track, row, rowY);
          }
        }
        drawRuler();
      },
      searched() {
        hits = null;
        at = -1;
        const n = findHits().length;
        byId("matches").value = search.hits === null ? "" : `${formatCount(n)} ${n === 1 ? "match" : "matches"}`;
      },
      step(direction) {
        const all = findHits();
        if (all.length === 0)
          return;
        at = at < 0 ? (direction > 0 ? 0 : all.length - 1) : (at + direction + all.length) % all.length;
        zoomTo(all[at][1], all[at][2], all[at][3]);
        byId("matches").value = `${formatCount(at + 1)} of ${formatCount(all.length)}`;
      },
      click(x, y) {
        const box = y < RULER ? undefined : sliceAt(x, y - view.scrollTop);
        if (box !== undefined)
          zoomTo(box[0], box[1], box[2]);
      },
      tip(x, y) {
        const box = sliceAt(x, y - view.scrollTop);
        if (box === undefined)
          return null;
        const [name, start, duration] = textOf(box[0], box[1], box[2]);
        describe(box[0], box[1], box[2]);
        return `${name}\n${formatNs(duration)}\nfrom ${formatNs(start)} on\n${box[0].name}`;
      },
      zoomBy: (factor) => zoomAt(width / 2, factor),
      pan(direction) {
        const step = direction * (range[1] - range[0]) / 5;
        setRange(range[0] + step, range[1] + step);
      },
      reset: () => setRange(whole[0], whole[1]),
      shown() {
        byId("path").replaceChildren();
        this.searched();
      },
      state: () => ({ range: range.slice(), drawn: drawn.map((box) => [textOf(box[0], box[1], box[2])[0], box[3], box[4], box[5]]) }),
      wheel(event, x) {
        if (event.ctrlKey || event.metaKey)
          zoomAt(x, Math.exp(-event.deltaY / 200));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
          setRange(...range.map((ns) => ns + (event.deltaX || event.deltaY) / width * (range[1] - range[0])));
        else
          return false;
        return true;
      },
      drag(dx) {
        const moved = dx / Math.max(width, 1) * (range[1] - range[0]);
        setRange(range[0] - moved, range[1] - moved);
        return true;
      },
    };
  })();

  // ---- What the user does

  let current = flame;

  function show(next) {
    current = next;
    for (const [tab, shown] of [["tab-flame", flame], ["tab-timeline", timeline]])
      byId(tab).setAttribute("aria-selected", String(shown === next));
    view.setAttribute("aria-label", next === flame ? "Flame graph" : "Timeline");
    byId("details").textContent = "";
    view.scrollTop = 0;
    tip.hidden = true;
    current.shown();
    resize();
  }

  function position(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top + view.scrollTop];
  }

  function showTip(event) {
    const text = current.tip(...position(event));
    tip.hidden = text === null;
    if (text === null)
      return void (byId("details").textContent = "");
    tip.textContent = text;
    const right = event.clientX + 14 + tip.offsetWidth > window.innerWidth;
    const low = event.clientY + 14 + tip.offsetHeight > window.innerHeight;
    tip.style.left = `${Math.max(0, right ? event.clientX - tip.offsetWidth - 8 : event.clientX + 14)}px`;
    tip.style.top = `${Math.max(0, low ? event.clientY - tip.offsetHeight - 8 : event.clientY + 14)}px`;
  }

  let dragged = null; // the place of the pointer, and whether it has moved

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0)
      dragged = { x: event.clientX, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (dragged === null || event.buttons === 0) {
      dragged = null;
      return event.target === canvas ? showTip(event) : void (tip.hidden = true);
    }
    const dx = event.clientX - dragged.x;
    if (!dragged.moved && Math.abs(dx) < 4)
      return undefined;
    if (current.drag(dx)) {
      dragged = { x: event.clientX, moved: true };
      tip.hidden = true;
    }
    return undefined;
  });
  canvas.addEventListener("click", (event) => {
    const moved = dragged !== null && dragged.moved;
    dragged = null;
    if (!moved)
      current.click(...position(event));
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  view.addEventListener("wheel", (event) => {
    if (current.wheel(event, position(event)[0]))
      event.preventDefault();
  }, { passive: false });
  view.addEventListener("scroll", draw);
  new ResizeObserver(resize).observe(view);
  dark.addEventListener("change", () => { readColors(); draw(); });

  byId("tab-flame").addEventListener("click", () => show(flame));
  byId("tab-timeline").addEventListener("click", () => show(timeline));
  byId("zoom-in").addEventListener("click", () => current.zoomBy(2));
  byId("zoom-out").addEventListener("click", () => current.zoomBy(0.5));
  byId("reset").addEventListener("click", () => current.reset());
  byId("search").addEventListener("input", (event) => setSearch(event.target.value));
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    current.step(1);
  });
  byId("previous").addEventListener("click", () => current.step(-1));
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      current.step(-1);
    } else if (event.key === "Escape") {
      event.target.value = "";
      setSearch("");
    }
  });

  const keys = {
    w: () => current.zoomBy(2),
    s: () => current.zoomBy(0.5),
    a: () => current.pan(-1),
    d: () => current.pan(1),
    Escape: () => current.reset(),
    "/": () => byId("search").focus(),
  };
  window.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (event.target === byId("search") || event.ctrlKey || event.metaKey || event.altKey || action === undefined)
      return;
    event.preventDefault();
    action();
  });

  for (const note of data.notes) {
    const item = document.createElement("li");
    item.textContent = note;
    byId("notes").append(item);
  }
  // For whoever drives the page with a program.
  window.strideweave = { state: () => current.state() };
  readColors();
  show(flame);
})();
