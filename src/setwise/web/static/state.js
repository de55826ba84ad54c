// The state of the page, which its address contains: a link shows the same.

const PATHS = { games: "/", board: "/board", bitboards: "/bitboards", search: "/search", solve: "/solve" };
const USUAL = {
  view: "games", fen: "", c960: "", on: [], side: "", about: "", step: "", x: "squares('d4 e4 d5 e5')", map: "a1b1",
  name: "SQUARES", q: "", src: "", file: "", game: "", line: "", hit: "", form: "", per: "", order: "", tab: "games", tree: "", tree_by: "", tree_who: "", tree_side: "", tree_where: "", t: "", sort: "", who: "", solver: "", motif: "",
};

function read() {
  const values = { ...USUAL, on: [] };
  values.view = Object.keys(PATHS).find((view) => PATHS[view] === location.pathname) || "games";
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name === "on") values.on.push(value);
    else if (name in USUAL && name !== "view") values[name] = value;
  }
  return values;
}

export const state = read();

/** A game at a ply, as the address has it; `of` is the source that it had in an index or a scan of several, else 0. */
export const placeOf = ({ source, game, ply, of }) => [source, game, ply, ...(of ? [of] : [])].join(".");

/** The versions of the files of the last search, from the source number `first` on: files may change later. */
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

/** Change the state; with `push` the browser's back button returns to the state before. */
export function change(changes, { push = false } = {}) {
  const before = { ...state };
  Object.assign(state, changes);
  const url = address();
  if (url !== location.pathname + location.search) history[push ? "pushState" : "replaceState"](push ? { isInside: true } : history.state, "", url);
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
