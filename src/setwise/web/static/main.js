// The views and the way between them.

import "./anything.js";
import * as bitboards from "./bitboards.js";
import { $ } from "./dom.js";
import * as games from "./games.js";
import "./likeness.js";
import * as position from "./position.js";
import * as search from "./search.js";
import * as solve from "./solve.js";
import { address, change, onChange, state } from "./state.js";

const VIEWS = { games, board: position, solve, search, bitboards };
const TITLES = { games: "Games", board: "Board", solve: "Solve", search: "Search", bitboards: "Bitboards" };

const left = {}; // the control of each view that had the focus when the view was left

function show(before) {
  const isNew = before && before.view !== state.view;
  if (isNew) left[before.view] = document.activeElement;
  for (const view of Object.keys(VIEWS)) $(`view-${view}`).hidden = view !== state.view;
  for (const link of document.querySelectorAll("a[data-view]")) {
    link.href = address({ view: link.dataset.view, ...(link.dataset.state ? JSON.parse(link.dataset.state) : {}) });
    if (link.closest("nav")) {
      if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  document.title = `${TITLES[state.view]} · setwise`;
  VIEWS[state.view].show();
  if (!isNew) return;
  if (left[state.view]?.isConnected) left[state.view].focus();
  else {
    scrollTo(0, 0);
    $("main").focus({ preventScroll: true });
  }
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-view]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  change({ ...(link.dataset.state ? JSON.parse(link.dataset.state) : {}), view: link.dataset.view }, { push: true });
});

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog[open]")) return;
  const views = { 1: "games", 2: "board", 3: "solve", 4: "search", 5: "bitboards" };
  if (event.key in views) change({ view: views[event.key] }, { push: true });
  else if (event.key === "/") {
    event.preventDefault();
    $("anything").focus();
  }
  else VIEWS[state.view].key?.(event);
});

onChange(show);
show();
