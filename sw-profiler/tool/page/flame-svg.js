// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
(() => {
  const WIDTH = 1200;
  const LETTER = 6.6;
  const byId = (id) => document.getElementById(id);
  const details = byId("details");
  const nodes = Array.from(document.querySelectorAll(".node"), (group) => {
    const rect = group.querySelector("rect");
    const title = group.querySelector("title").textContent;
    const cut = title.lastIndexOf("\n");
    return {
      group, rect, text: group.querySelector("text"), name: title.slice(0, cut), about: title.slice(cut + 1),
      x: Number(rect.getAttribute("x")), width: Number(rect.getAttribute("width")), y: Number(rect.getAttribute("y")),
      color: rect.getAttribute("fill"),
    };
  });
  let pattern = null;

  function place(node, x, width) {
    const letters = Math.floor((width - 6) / LETTER);
    node.rect.setAttribute("x", x);
    node.rect.setAttribute("width", Math.max(width, 0.1));
    node.text.setAttribute("x", x + 3);
    node.text.textContent = letters < 3 ? "" : node.name.length <= letters ? node.name : `${node.name.slice(0, letters - 1)}…`;
  }

  function zoom(focus) {
    const scale = WIDTH / focus.width;
    const nearly = 1e-2;
    for (const node of nodes) {
      const isAbove = node.y < focus.y && node.x <= focus.x + nearly && node.x + node.width >= focus.x + focus.width - nearly;
      const isInside = node.y >= focus.y && node.x >= focus.x - nearly && node.x + node.width <= focus.x + focus.width + nearly;
      node.group.classList.toggle("hidden", !isAbove && !isInside);
      node.group.classList.toggle("faded", isAbove);
      if (isAbove)
        place(node, 0, WIDTH);
      else if (isInside)
        place(node, (node.x - focus.x) * scale, node.width * scale);
    }
    byId("reset").classList.toggle("hidden", focus === nodes[0]);
  }

  function search(text) {
    let end = -1;
    let sum = 0;
    pattern = null;
    try {
      pattern = text ? new RegExp(text, "iu") : null;
    } catch (error) {
      details.textContent = `${text} is no regular expression`;
      return;
    }
    // In the file, parents come before children, and those before siblings to the right.
    for (const node of nodes) {
      const isHit = pattern !== null && pattern.test(node.name);
      node.rect.setAttribute("fill", isHit ? "#e58cff" : node.color);
      if (isHit && node.x + 1e-3 >= end) {
        sum += node.width;
        end = node.x + node.width;
      }
    }
    byId("search").textContent = pattern === null ? "Search" : "Clear search";
    details.textContent = pattern === null ? "" : `${text}: ${(100 * sum / WIDTH).toFixed(2)} % of the time`;
  }

  function toggleSearch() {
    const text = pattern === null ? window.prompt("Search for a regular expression") : "";
    if (text !== null)
      search(text);
  }

  function onPress(element, action) {
    element.addEventListener("click", action);
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        action();
      }
    });
  }

  for (const node of nodes) {
    node.rect.addEventListener("click", () => zoom(node));
    node.rect.addEventListener("mouseover", () => { details.textContent = `${node.name} — ${node.about}`; });
    node.rect.addEventListener("mouseout", () => { details.textContent = ""; });
    place(node, node.x, node.width);
  }
  onPress(byId("search"), toggleSearch);
  onPress(byId("reset"), () => nodes.length > 0 && zoom(nodes[0]));
  window.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f") {
      event.preventDefault();
      toggleSearch();
    } else if (event.key === "Escape" && nodes.length > 0) {
      zoom(nodes[0]);
    }
  });
  window.strideweave = { search, zoom: (i) => zoom(nodes[i]) };
})();
