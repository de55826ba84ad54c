// All that the page shows, as it stands in the address: a link shows the same.

const PATHS = { board: "/", bitboards: "/bitboards", search: "/search" };
const USUAL = {
  view: "board", fen: "", c960: "", on: [], side: "white", about: "", step: "", x: "squares('d4 e4 d5 e5')", map: "a1b1",
  name: "SQUARES", q: "", src: "", file: "", game: "",
};

function read() {
  const found = { ...USUAL, on: [] };
  found.view = Object.keys(PATHS).find((view) => PATHS[view] === location.pathname) || "board";
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name === "on") found.on.push(value);
    else if (name in USUAL && name !== "view") found[name] = value;
  }
  return found;
}

export const state = read();

/** What the files of the last search were like, from the source with the number `first` on: they may change meanwhile. */
export const searchedFiles = { first: 0, stamps: [] };
const listeners = [];

export const address = (changes = {}) => {
  const shown = { ...state, ...changes };
  const query = new URLSearchParams();
  for (const [name, usual] of Object.entries(USUAL)) {
    if (name === "view") continue;
    if (name === "on") shown.on.forEach((it) => query.append("on", it));
    else if (shown[name] !== usual) query.set(name, shown[name]);
  }
  const text = query.toString();
  return PATHS[shown.view] + (text ? `?${text}` : "");
};

/** Change what is shown; with `push` the browser's way back leads to what was there before. */
export function change(changes, { push = false } = {}) {
  const before = { ...state };
  Object.assign(state, changes);
  const url = address();
  if (url !== location.pathname + location.search) history[push ? "pushState" : "replaceState"](null, "", url);
  listeners.forEach((listener) => listener(before));
}

export function onChange(listener) {
  listeners.push(listener);
}

addEventListener("popstate", () => {
  const before = { ...state };
  Object.assign(state, read());
  listeners.forEach((listener) => listener(before));
});
