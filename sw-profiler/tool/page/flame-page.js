// SPDX-License-Identifier: LGPL-2.1-or-later
// What the user does

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
