// What is in the sources: a table of games, the players, the games of the user. The server sorts, filters and pages.

import { $, ask, catalogue, h, latest, lines, plural, replace } from "./dom.js";
import * as mine from "./mine.js";
import { change, place, placeOf, searchedFiles, state } from "./state.js";
import { arrows, rowsOf, table } from "./tables.js";

const PAGE = 100;

let loaded = /** @type {(Table & { place: string }) | null} */ (null); // the place whose games are here, and what is known of them
let loading = "";
let shown = ""; // what the page shows
const reading = latest($("games-fault")), paging = latest($("games-fault"));

const where = () => JSON.stringify([state.file, state.src]);
/** The table of games of the place that is shown; empty while it is read. */
export const gameTable = () => (loaded?.place === where() ? loaded.table : "");

export async function show() {
  const isMine = state.tab === "mine";
  for (const tab of ["games", "players", "mine"]) $(`tab-${tab}`).ariaPressed = String(state.tab === tab);
  $("mine").hidden = !isMine;
  $("all-games").hidden = $("games-form").hidden = isMine;
  if (isMine) mine.show();
  else mine.stop();
  await ready();
  if (loaded?.place === where() && JSON.stringify([loaded.table, state.tab, state.t, state.sort]) !== shown && !isMine) refresh(loaded.table);
}

/** Have the table of games read, once for each place. */
export const ready = async () => loaded?.place === where() || loading === where() || load(where());

async function load(/** @type {string} */ wanted) {
  loading = wanted;
  $("games-status").textContent = "Reading the games …";
  replace($("games-table"));
  $("games-more").hidden = true;
  $("games-count").textContent = shown = "";
  const isLast = await reading.run(async (signal) => {
    for await (const line of lines("games", place(), signal)) {
      if (line.type === "progress") early(line);
      if (line.type === "games") {
        loaded = { place: wanted, ...line };
        Object.assign(searchedFiles, { first: place().source ?? 0, stamps: line.stamps });
        await summary(line);
      }
    }
  });
  if (!isLast) return;
  loading = "";
  if (loaded?.place === wanted) return;
  $("games-status").textContent = "";
  replace($("games-table")); // those of another file
}

/** Show the first rows while the others are read: those of the file's beginning, if no others are wanted. */
function early(/** @type {Count} */ { games, columns = [], rows = [] }) {
  $("games-status").textContent = `Reading … ${plural(games, "game", "games")}`;
  if (state.tab !== "games" || state.t || state.sort) return replace($("games-table"));
  const body = $("games-table").querySelector("tbody");
  if (body) return body.append(...listed(columns, rows));
  replace($("games-table"), table(columns, listed(columns, rows), { className: "all", sort }));
  $("games-table").querySelector("tbody")?.classList.add("early");
}

async function summary(/** @type {Table} */ { games, players, years, at_most }) {
  const { sources } = await catalogue();
  const names = state.file ? "the file that you dropped" : state.src !== "" ? sources[Number(state.src)] : sources.length > 2 ? `${sources.length} sources` : sources.join(" and ");
  $("games-status").textContent = [
    `${games === at_most ? "the first " : ""}${plural(games, "game", "games")}`, plural(players, "player", "players"),
    years && (years[0] === years[1] ? years[0] : `${years[0]} to ${years[1]}`),
  ].filter(Boolean).join(" · ") + ` in ${names}`;
}

/** Show the first rows of what the address says, or append more to them. */
const refresh = (/** @type {string} */ of, before = 0) => paging.run(async (signal) => {
  shown = JSON.stringify([of, state.tab, state.t, state.sort]);
  const order = state.sort ? { sort: state.sort.replace(/^-/, ""), descending: state.sort.startsWith("-") } : {};
  const question = state.tab === "players" ? "players" : "games";
  const { columns, rows, all } = await ask(question, { table: of, text: state.t, ...order, offset: before, limit: PAGE }, signal);
  const body = $("games-table").querySelector("tbody"), found = listed(columns, rows);
  if (before) body?.append(...found);
  else replace($("games-table"), rows.length > 0 ? table(columns, found, { className: "all", sorted: state.sort, sort }) : h("p", { className: "quiet" }, `No ${question.slice(0, -1)} has these words.`));
  if (before) found[0]?.querySelector("button")?.focus();
  const count = before + rows.length, named = plural(all, question.slice(0, -1), question);
  $("games-count").textContent = all > count ? `${count} of ${named}` : named;
  $("games-more").hidden = all <= count;
});

/** A click on a heading sorts one way, then the other, then not at all; numbers first from the top. */
function sort(/** @type {string} */ name, /** @type {number} */ _, /** @type {any} */ event) {
  const isNumber = event.target.closest("th").className === "number";
  const ways = isNumber ? [`-${name}`, name, ""] : [name, `-${name}`, ""];
  change({ sort: ways[(ways.indexOf(state.sort) + 1) % 3] }); // another click may come before the rows
}

function listed(/** @type {Column[]} */ columns, /** @type {Row[]} */ rows) {
  const isOfGames = columns[0].name === "white_name", skip = isOfGames ? 3 : 0; // a game begins with its place
  const open = (/** @type {number} */ at) => {
    const [source, game, of] = /** @type {number[]} */ (rows[at]);
    if (isOfGames) change({ view: "board", game: placeOf({ source, game, ply: 0, of }), line: "", hit: "", on: [], side: "" }, { push: true });
    else change({ tab: "games", t: String(rows[at][0]), sort: "" }, { push: true });
  };
  const button = (/** @type {Row} */ row) => h("button", { type: "button", className: "link", "aria-label": isOfGames ? `Open ${row[3] ?? "?"} – ${row[5] ?? "?"}` : undefined }, String(row[skip] || "?"));
  return rowsOf(columns, rows.map((row) => [button(row), .../** @type {Child[]} */ (row.slice(skip + 1))]), open);
}

$("games-more").onclick = () => refresh(gameTable(), $("games-table").querySelectorAll("tbody tr").length);
arrows($("games-table"));
