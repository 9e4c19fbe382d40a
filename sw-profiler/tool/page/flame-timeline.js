// SPDX-License-Identifier: LGPL-2.1-or-later
// The timeline: a band for each track, rows of slices

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
