// The views and the way between them; links, buttons and fields that change the state.

import * as bitboards from "./bitboards.js";
import { $, later } from "./dom.js";
import "./engine.js";
import * as games from "./games.js";
import * as position from "./position.js";
import * as search from "./search.js";
import * as solve from "./solve.js";
import { address, change, onChange, state } from "./state.js";

const VIEWS = /** @type {Record<string, View>} */ ({ games, board: position, solve, search, bitboards });
const left = /** @type {Record<string, Element | null>} */ ({}); // the control of each view that had the focus when the view was left
const stateOf = (/** @type {Element} */ it) => /** @type {Changes} */ (JSON.parse(it.getAttribute("data-state") ?? ""));
const bound = () => /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-bind]"));
const nameOf = (/** @type {Element} */ it) => /** @type {"t"} */ (it.getAttribute("data-bind"));

function show(/** @type {State | undefined} */ before) {
  const isNew = before && before.view !== state.view;
  if (isNew) left[before.view] = document.activeElement;
  for (const view of Object.keys(VIEWS)) $(`view-${view}`).hidden = view !== state.view;
  for (const link of document.querySelectorAll("a[data-state]")) link.setAttribute("href", address(stateOf(link)));
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = stateOf(link).view === state.view;
    link.ariaCurrent = isHere ? "page" : "false";
    if (isHere) document.title = `${link.textContent} · setwise`;
  }
  for (const it of bound()) {
    if (it.type === "checkbox") it.checked = it.value === state[nameOf(it)];
    else if (it !== document.activeElement) it.value = state[nameOf(it)];
  }
  VIEWS[state.view].show();
  if (!isNew) return;
  const last = /** @type {HTMLElement | null} */ (left[state.view]);
  if (last?.isConnected) return last.focus();
  scrollTo(0, 0);
  $("main").focus({ preventScroll: true });
}

addEventListener("click", (event) => {
  const it = /** @type {Element} */ (event.target).closest?.("[data-state]");
  if (!it || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  change(stateOf(it), { push: it.matches("a") });
});

/** The value of a bound field; a box that is not ticked has none. */
const take = (/** @type {HTMLInputElement} */ it) => change({ [nameOf(it)]: it.type !== "checkbox" ? it.value : it.checked ? it.value : "" });
for (const it of bound()) {
  it.addEventListener("change", () => take(it));
  if (it.matches("input:not([type=checkbox], [data-late]), textarea")) it.addEventListener("input", later(200, () => take(it)));
  it.form?.addEventListener("submit", (event) => event.preventDefault());
}

addEventListener("keydown", (event) => {
  const isTyped = /** @type {Element} */ (event.target).closest("input, textarea, select, dialog[open]");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyped) return;
  const view = ["games", "board", "solve", "search", "bitboards"][Number(event.key) - 1];
  if (view) change({ view }, { push: true });
  else if (event.key === "/") {
    event.preventDefault();
    $("anything").focus();
  } else VIEWS[state.view].key?.(event);
});

onChange(show);
show(undefined);
