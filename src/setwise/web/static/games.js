// What is in the sources: a table of games, the players, the games of the user. The server sorts, filters and pages.

import { $, arrows, ask, catalogue, h, later, lines, plural, replace, tell } from "./dom.js";
import * as mine from "./mine.js";
import { place } from "./search.js";
import { change, placeOf, searchedFiles, state } from "./state.js";

const PAGE = 100;
const TITLES = {
  white_name: "White", white_elo: "Rating", black_name: "Black", black_elo: "Rating", result: "Result", date: "Date", eco: "ECO",
  event: "Event", plies: "Plies", name: "Player", games: "Games", won: "Won", drawn: "Drawn", lost: "Lost", score: "Score",
  elo: "Best rating", last: "Last year",
};
const NUMBERS = new Set(["white_elo", "black_elo", "plies", "games", "won", "drawn", "lost", "score", "elo", "last"]);
const EMPTY = { games: "No game has these words.", players: "No player has this name." };

let loaded = null; // the place whose games are here, and what is known of them
let loading = null;
let requests = 0;
let shown = ""; // what the page shows

/** The table of games of the place that is shown; empty while it is read. */
export const gameTable = () => (loaded?.place === where() ? loaded.table : "");
const where = () => JSON.stringify([state.file, state.src]);

export async function show() {
  for (const tab of ["games", "players", "mine"]) $(`tab-${tab}`).ariaPressed = String(state.tab === tab);
  $("mine").hidden = state.tab !== "mine";
  $("all-games").hidden = $("games-form").hidden = state.tab === "mine";
  if (state.tab === "mine") mine.show();
  else mine.stop();
  if (document.activeElement !== $("game-filter")) $("game-filter").value = state.t;
  if ((await load()) && JSON.stringify([loaded.table, state.tab, state.t, state.sort]) !== shown) refresh();
}

/** Have the table of games read, once for each place. */
export async function load() {
  const wanted = where();
  if (loaded?.place === wanted) return true;
  if (loading === wanted) return false;
  loading = wanted;
  tell($("games-fault"), "");
  try {
    $("games-status").textContent = "Reading the games …";
    $("games-table").replaceChildren();
    $("games-more").hidden = true;
    $("games-count").textContent = shown = "";
    for await (const line of lines("games", place())) {
      if (where() !== wanted) return false; // another file is shown now, and this one is read no further
      if (line.type === "error") throw new Error(line.error);
      if (line.type === "progress") early(line);
      if (line.type === "games") {
        loaded = { place: wanted, ...line };
        Object.assign(searchedFiles, { first: place().source ?? 0, stamps: line.stamps });
      }
    }
    await summary();
  } catch (error) {
    if (where() !== wanted) return false;
    tell($("games-fault"), error.message);
    $("games-status").textContent = $("games-count").textContent = shown = "";
    $("games-table").replaceChildren(); // those of another file
  } finally {
    if (loading === wanted) loading = null;
  }
  return loaded?.place === wanted;
}

/** Show the first rows while the others are read: those of the file's beginning, if no others are wanted. */
function early({ games, columns, rows }) {
  $("games-status").textContent = `Reading … ${plural(games, "game", "games")}`;
  if (state.tab !== "games" || state.t || state.sort) return $("games-table").replaceChildren();
  if (!$("games-table").querySelector("tbody.early")) $("games-table").replaceChildren(listed(columns, h("tbody", { className: "early" })));
  $("games-table").querySelector("tbody").append(...rows.map(line));
}

async function summary() {
  const { sources } = await catalogue();
  const names = state.file ? "the file that you dropped" : state.src !== "" ? sources[Number(state.src)] : sources.length > 2 ? `${sources.length} sources` : sources.join(" and ");
  const { games, players, years } = loaded;
  const most = games === loaded.at_most ? "the first " : "";
  $("games-status").textContent = [
    `${most}${plural(games, "game", "games")}`, plural(players, "player", "players"),
    years && (years[0] === years[1] ? years[0] : `${years[0]} to ${years[1]}`),
  ].filter(Boolean).join(" · ") + ` in ${names}`;
}

/** Show the first rows of what the address says. */
async function refresh() {
  const number = ++requests;
  shown = JSON.stringify([loaded.table, state.tab, state.t, state.sort]);
  tell($("games-fault"), "");
  try {
    if (state.tab === "mine") return;
    const answer = await rows(0);
    if (number !== requests) return;
    replace($("games-table"), listed(answer.columns, h("tbody", {}, answer.rows.map(line))));
    counted(answer, answer.rows.length);
    if (!answer.rows.length) $("games-table").replaceChildren(h("p", { className: "quiet" }, EMPTY[state.tab]));
  } catch (error) {
    if (number === requests) tell($("games-fault"), error.message);
  }
}

const listed = (columns, body) =>
  h("div", { className: "rows all", tabIndex: 0, role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map(heading))), body));

function rows(offset) {
  const sort = state.sort.replace(/^-/, "");
  const order = sort ? { sort, descending: state.sort.startsWith("-") } : {};
  return ask(state.tab, { table: loaded.table, text: state.t, ...order, offset, limit: PAGE });
}

function counted(answer, count) {
  const [one, many] = state.tab === "games" ? ["game", "games"] : ["player", "players"];
  $("games-count").textContent = answer.all > count ? `${count} of ${plural(answer.all, one, many)}` : plural(answer.all, one, many);
  $("games-more").hidden = answer.all <= count;
}

$("games-more").onclick = async () => {
  const body = $("games-table").querySelector("tbody");
  const before = body.rows.length;
  try {
    const answer = await rows(before);
    if (!body.isConnected) return;
    body.append(...answer.rows.map(line));
    counted(answer, body.rows.length);
    body.rows[before]?.querySelector("button")?.focus();
  } catch (error) {
    tell($("games-fault"), error.message);
  }
};

/** What a click on a heading sorts by: one way, then the other, then not at all. */
function next(name) {
  const ways = NUMBERS.has(name) ? [`-${name}`, name, ""] : [name, `-${name}`, ""];
  return ways[(ways.indexOf(state.sort) + 1) % 3]; // another click may come before the rows
}

const heading = (name) =>
  head(name, state.sort === `-${name}` ? true : state.sort === name ? false : null, () => change({ sort: next(name) }));

const head = (name, falls, sort) =>
  h("th", { scope: "col", className: NUMBERS.has(name) ? "number" : "", "aria-sort": falls === null ? undefined : falls ? "descending" : "ascending" },
    h("button", { type: "button", className: "link", onclick: sort }, TITLES[name], falls === null ? "" : falls ? " ▾" : " ▴"));

const shownResult = (text) => (text === "1/2-1/2" ? "½–½" : text === "*" ? "" : text?.replace("-", "–") ?? "");

/** A row that a click anywhere on it opens; the keyboard uses the button in it. A text that is selected opens nothing. */
function opening(open, ...cells) {
  const row = h("tr", { className: "opens", onclick: () => {
    const selected = getSelection();
    if (selected.isCollapsed || !row.contains(selected.anchorNode)) open();
  } }, ...cells);
  return row;
}

function line(row) {
  if (state.tab === "players") {
    const [name, ...rest] = row;
    rest[4] = rest[4] === null ? "" : `${(rest[4] / 10).toFixed(1)} %`;
    const open = () => change({ tab: "games", t: name, sort: "" }, { push: true });
    return opening(open, h("td", {}, h("button", { type: "button", className: "link" }, name)),
      rest.map((value) => h("td", { className: "number" }, value ?? "")));
  }
  const [source, number, of, white, whiteElo, black, blackElo, result, date, eco, event, plies] = row;
  const open = () => change({ view: "board", game: placeOf({ source, game: number, ply: 0, of }), line: "", hit: "", on: [], side: "" }, { push: true });
  const button = h("button", { type: "button", className: "link", "aria-label": `Open ${white ?? "?"} – ${black ?? "?"}` }, white || "?");
  const texts = [whiteElo, black || "?", blackElo, shownResult(result), date?.replace(/[.?]+$/, "").replace(/\.\?\?/g, ""), eco, event?.replace(/\s*https?:\/\/\S+/g, ""), plies];
  const names = ["white_elo", "black_name", "black_elo", "result", "date", "eco", "event", "plies"];
  return opening(open, h("td", {}, button), texts.map((text, at) => h("td", { className: NUMBERS.has(names[at]) ? "number" : "" }, text ?? "")));
}

arrows($("games-table"));
for (const tab of ["games", "players", "mine"])
  $(`tab-${tab}`).onclick = () => change({ tab, sort: "", t: $("game-filter").value });
$("game-filter").addEventListener("input", later(120, () => change({ t: $("game-filter").value })));
$("games-form").onsubmit = (event) => event.preventDefault();
