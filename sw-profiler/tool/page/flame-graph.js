// SPDX-License-Identifier: LGPL-2.1-or-later
// The flame graph: a node for each path of names, its length its part of the time

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
