// SPDX-License-Identifier: LGPL-2.1-or-later
// What both views share: texts, colors, the search, the canvas.
"use strict";
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
