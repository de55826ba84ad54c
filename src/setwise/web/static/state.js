// The state of the page, which its address contains: a link shows the same.

const PATHS = /** @type {Record<string, string>} */ ({ games: "/", board: "/board", bitboards: "/bitboards", search: "/search", solve: "/solve" });
const USUAL = /** @type {State} */ ({
  view: "games", fen: "", c960: "", on: [], side: "", about: "", step: "", x: "squares('d4 e4 d5 e5')", map: "a1b1", name: "SQUARES",
  q: "", chip: [], src: "", file: "", game: "", line: "", hit: "", per: "", order: "", tab: "games", t: "", sort: "",
  tree: "", tree_by: "", tree_who: "", tree_side: "", tree_where: "", who: "", solver: "", motif: "",
});
const usual = /** @type {[keyof State, string | string[]][]} */ (Object.entries(USUAL));

function read() {
  const query = new URLSearchParams(location.search);
  const values = usual.map(([name, value]) => [name, Array.isArray(value) ? query.getAll(name) : query.get(name) ?? value]);
  const view = Object.keys(PATHS).find((it) => PATHS[it] === location.pathname) || "games";
  return /** @type {State} */ ({ ...Object.fromEntries(values), view });
}

export const state = read();

/** A game at a ply, as the address has it; `of` is the source that it had in an index or a scan of several, else 0. */
export const placeOf = (/** @type {{ source: number, game: number, ply: number, of?: number }} */ { source, game, ply, of }) => [source, game, ply, ...(of ? [of] : [])].join(".");

/** What is searched, as searches name it: an uploaded file, one source, or all. */
export const place = () => (state.file ? { file: state.file } : state.src === "" ? {} : { source: Number(state.src) });

/** The versions of the files of the last search, from the source number `first` on: files may change later. */
export const searchedFiles = { first: 0, stamps: /** @type {string[]} */ ([]) };
const listeners = /** @type {((before: State) => void)[]} */ ([]);

/** The address after some changes. */
export function address(/** @type {Changes} */ changes = {}) {
  const shown = { ...state, ...changes };
  const query = new URLSearchParams();
  for (const [name, value] of usual) {
    const it = shown[name];
    if (Array.isArray(it)) it.forEach((one) => query.append(name, one));
    else if (name !== "view" && it !== value) query.set(name, it);
  }
  const text = query.toString();
  return PATHS[shown.view] + (text ? `?${text}` : "");
}

/** The attributes of a link or a button that changes the state. */
export const goes = (/** @type {Changes} */ changes) => ({ href: address(changes), "data-state": JSON.stringify(changes) });

/** Change the state; with `push` the browser's back button returns to the state before. */
export function change(/** @type {Changes} */ changes, { push = false } = {}) {
  const before = { ...state };
  Object.assign(state, changes);
  const url = address();
  if (url !== location.pathname + location.search) history[push ? "pushState" : "replaceState"](push ? { isInside: true } : history.state, "", url);
  listeners.forEach((listener) => listener(before));
}

export const onChange = (/** @type {(before: State) => void} */ listener) => listeners.push(listener);

addEventListener("popstate", () => {
  const before = { ...state };
  Object.assign(state, read());
  listeners.forEach((listener) => listener(before));
});
