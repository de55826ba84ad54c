// Searches: matches as small boards, answers as a chart and a table, files, searches that are kept.

import { completing } from "./complete.js";
import { $, catalogue, command, copier, h, latest, lines, plural, replace, tell } from "./dom.js";
import { drawing, shape } from "./draw.js";
import { dropped, isStatement, search, strangers, title } from "./field.js";
import { change, goes, place, placeOf, searchedFiles, state } from "./state.js";
import { chart, rowsOf, scores, table } from "./tables.js";

const PAGE = 60, MOST_BARS = 40;
let searched = ""; // the query whose answer the page shows
let listed = 0;
let written = ""; // the condition of the address, as it was written into the field last
const { run, stop } = latest($("search-fault"));

const wanted = () => JSON.stringify([state.q, state.src, state.file, state.per, state.order]);
/** How many matches of a game, and what comes first; a statement has neither. */
const chosen = () => (isStatement(state.q) ? {} : { ...(state.per ? { per_game: Number(state.per) } : {}), ...(state.order ? { order_by: state.order } : {}) });

export function show() {
  if (state.q !== written) $("question").value = written = state.q; // what is being typed stays
  sources().catch((error) => tell($("search-fault"), error.message));
  $("save-form").hidden = !state.q;
  $("saved").open ||= !state.q && saved().length > 0;
  if (state.q && wanted() !== searched) start();
  if (state.q || !searched) return;
  stop();
  searched = "";
  for (const id of ["matches", "answer", "search-status"]) replace($(id));
  $("downloads").hidden = $("more").hidden = true;
  $("browse").open = true;
}

async function sources() {
  const { sources: known } = await catalogue(), one = known.length === 1;
  const options = [
    ...(one ? [] : [["", known.length ? `All ${known.length} sources` : "No source yet"]]),
    ...known.map((name, number) => [one ? "" : String(number), name.split(/[\\/]/).pop()]),
    ...(state.file || dropped.file ? [[`file ${state.file || dropped.file}`, dropped.name]] : []),
  ];
  replace($("source"), options.map(([value, name]) => h("option", { value }, name)));
  $("source").value = state.file ? `file ${state.file}` : one ? "" : state.src;
}

$("source").onchange = () => {
  const { value } = $("source"), isFile = value.startsWith("file ");
  change({ file: isFile ? value.slice(5) : "", src: isFile ? "" : value });
};
$("search-form").onsubmit = (event) => {
  event.preventDefault();
  const text = $("question").value.trim();
  if (!text) return tell($("search-fault"), "Type a word into the field at the top, choose one below, or write a condition.");
  searched = written = "";
  if (text === state.q) change({}); // the same again
  else search([`where:${text}`]);
};
$("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  $("search-form").requestSubmit();
});
completing($("question"));
$("stop").onclick = () => {
  stop();
  $("search-status").textContent += " · stopped";
  $("stop").hidden = $("progress").hidden = true;
};
$("more").onclick = () => seek("find", { where: state.q, ...chosen(), skip: listed, limit: PAGE, stamps: searchedFiles.stamps });

function start() {
  searchedFiles.stamps = [];
  searched = wanted();
  listed = 0;
  replace($("matches"));
  replace($("answer"));
  $("downloads").hidden = true;
  $("browse").open = $("saved").open = false; // what is found stands where they stood
  if (state.chip.length) $("by-condition").open = false; // the chips say it
  if (isStatement(state.q)) seek("sql", { statement: state.q });
  else seek("find", { where: state.q, ...chosen(), limit: PAGE });
}

async function seek(/** @type {string} */ task, /** @type {Record<string, unknown>} */ given) {
  const status = $("search-status");
  $("more").hidden = true;
  $("stop").hidden = $("progress").hidden = false;
  status.textContent = "Searching …";
  $("progress").removeAttribute("value");
  let last = /** @type {Found | undefined} */ (undefined);
  const isLast = await run(async (signal) => {
    for await (const line of lines(task, { ...given, ...place() }, signal)) {
      last = line;
      if (line.type === "start") Object.assign(searchedFiles, { first: place().source ?? 0, stamps: line.stamps });
      else if (line.type === "match") add(line);
      else if (line.type === "answer") answered(line);
      else if (line.type === "waiting") status.textContent = "Other searches are running: this one waits for its turn …";
      else if (line.type === "compiling") status.textContent = "Compiling for this machine, once …";
      else if (line.type === "progress" || line.type === "done") counted(line);
    }
    if (last?.type !== "done" && last?.type !== "answer") throw new Error("The search broke off.");
    $("more").hidden = last.type === "answer" || last.matches <= listed;
    await files(last.type === "done" && last.games > 0);
    if (last.type === "done" && !last.matches) await loosen();
  });
  if (isLast) $("stop").hidden = $("progress").hidden = true;
  if (isLast && !$("search-fault").hidden) status.textContent = "";
}

function counted(/** @type {Count} */ line) {
  const games = (/** @type {string} */ word, /** @type {number} */ count) => (line.games ? ` ${word} ${plural(count, "game", "games")}` : ""); // lists of positions have none
  const counts = line.matches ? `${plural(line.matches, "match", "matches")}${games("in", line.matched_games)}` : "no match";
  const read = `${plural(line.positions, "position", "positions")}${games("of", line.games)} read in ${line.seconds.toFixed(1)} s`;
  const faults = line.faults ? ` · ${plural(line.faults, "game breaks", "games break")} off` : "";
  $("search-status").textContent = `${line.type === "done" ? "" : "… "}${counts} · ${read}${faults}${(line.hints ?? []).map((hint) => ` · ${hint}`).join("")}`;
  if (line.share !== null) $("progress").value = line.share;
}

/** Where nothing was found, say what is not there. */
async function loosen() {
  const players = state.chip.filter((chip) => chip.startsWith("player:")).map((chip) => chip.slice(7));
  const unknown = await Promise.all(players.map(strangers));
  replace($("answer"), unknown, state.chip.length > 1 && h("p", {}, "Nothing has all of this: take one of the chips away."));
}

function add(/** @type {Match} */ match) {
  listed += 1;
  const turned = Boolean(match.missed) && !match.white; // the side that misses a chance is below
  const shows = /** @type {Changes} */ ({
    view: "board", game: placeOf(match), line: "", hit: "1", on: match.marks.slice(0, 6).map(([name]) => name), side: !match.missed ? "" : turned ? "black" : "white",
  });
  $("matches").append(h("article", { className: "match" },
    h("button", { type: "button", "aria-label": `${match.players}, ${match.next}: open the game`, onclick: () => change(shows, { push: true }) },
      drawing({ pieces: match.pieces, marks: match.marks.map(([, , word]) => word), last: match.last, move: match.move, missed: match.missed, turned })),
    h("h2", {}, match.players),
    h("p", { className: "next" }, match.next, match.values.map(([name, value]) => h("span", { className: "quiet" }, ` · ${name} ${value ?? "unknown"}`))),
    match.marks.length > 0 && h("ul", { className: "legend small" }, match.marks.map(([, title], number) => h("li", {}, shape(number), h("span", {}, title)))),
    h("p", { className: "quiet" }, match.place)));
}

function answered(/** @type {Answer} */ { columns, rows, scores: found, all, seconds, hints }) {
  $("search-status").textContent = `${plural(all, "row", "rows")} in ${seconds.toFixed(1)} s${all > rows.length ? `, the first ${rows.length} of them shown` : ""}${hints.map((hint) => ` · ${hint}`).join("")}`;
  const room = $("answer").clientWidth;
  /** @type {(value: Value, at: number) => Child}  A cell: a position leads to its board. */
  const cell = (value, at) => (columns[at].name === "fen" && value ? h("a", goes({ view: "board", fen: String(value), c960: "", game: "", line: "" }), String(value)) : shown(value));
  replace($("answer"), found ? scores(found, "Score, with 95 % intervals", room) : bars(columns, rows, room), table(columns, rowsOf(columns, rows.map((row) => row.map(cell))), { label: "Rows of the answer" }));
}

const shown = (/** @type {Value} */ value) => (value === null ? "" : typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4).replace(/\.?0+$/, "") : String(value));

/** One bar per row: the last column of numbers, labelled by the other columns; shares near a half begin at a half. */
function bars(/** @type {Column[]} */ columns, /** @type {Row[]} */ rows, /** @type {number} */ room) {
  const at = columns.map((column) => column.number).lastIndexOf(true);
  const some = rows.slice(0, MOST_BARS).filter((row) => row[at] !== null && Number.isFinite(Number(row[at])));
  const values = some.map((row) => Number(row[at])), [least, most] = [Math.min(...values), Math.max(...values)];
  const base = least > 0.25 && most < 0.75 ? 0.5 : 0;
  if (at < 0 || columns.length < 2 || rows.length < 2 || !some.length || Math.max(base, most) === Math.min(base, least)) return null;
  const isLabel = (/** @type {number} */ column) => !columns[column].number || columns.length === 2 || column === 0;
  const heading = columns[at].title + (base ? ", bars from a half" : "") + (rows.length > some.length ? ` (the first ${some.length} rows)` : "");
  return chart(some.map((row) => ({
    label: row.filter((_, column) => column !== at && isLabel(column)).map(shown).join(" · ") || "none", value: Number(row[at]), text: shown(row[at]),
    note: row.flatMap((value, column) => (column === at || isLabel(column) ? [] : [`${columns[column].title} ${shown(value)}`])).join(", "),
  })), { title: heading, room, base });
}

/** Offer files of what was found; games are needed for exercises. */
async function files(/** @type {boolean} */ hasGames) {
  const { bench, downloads, exercises, sources: names } = await catalogue();
  const isOfRows = isStatement(state.q), given = { ...chosen(), ...place(), bench }, text = await title();
  const link = (/** @type {string} */ name, /** @type {any} */ query) => (/** @type {Kind} */ { suffix, title: label }) =>
    h("a", { href: `/api/file/${name}${suffix}?${new URLSearchParams({ ...query, ...given })}`, download: `${name}${suffix}` }, label);
  const sheets = () => exercises.map(link("exercises", { where: state.q, title: text, n: $("many").value }));
  const options = [...(state.per && !isOfRows ? ["--per-game", state.per] : []), ...(state.order && !isOfRows ? ["--order-by", state.order] : [])];
  replace($("as-files"), downloads.filter((kind) => kind.rows || !isOfRows).map(link("setwise", { [isOfRows ? "statement" : "where"]: state.q })),
    copier(() => command(isOfRows ? "sql" : "find", state.q, ...names, ...options), "the command", "Copy as command"));
  replace($("sheets"), sheets());
  $("many").oninput = () => $("many").checkValidity() && $("many").value && replace($("sheets"), sheets());
  $("to-solve").hidden = isOfRows || !hasGames || !listed;
  $("downloads").hidden = !isOfRows && !listed;
}

// ----------------------------------------------------------------------------------------------- searches that are kept

/** @type {() => [string, Changes][]}  Names and addresses, the newest first; the browser keeps them. */
const saved = () => JSON.parse(localStorage.getItem("searches") ?? "[]");

function keep(/** @type {[string, Changes][]} */ searches) {
  localStorage.setItem("searches", JSON.stringify(searches));
  listSaved();
}

function listSaved() {
  replace($("saved-list"), !saved().length && h("li", { className: "quiet" }, "A search that you save is listed here."), saved().map(([name, shows]) => h("li", {}, h("a", goes(shows), name),
    h("button", { type: "button", className: "off", "aria-label": `Delete ${name}`, onclick: () => keep(saved().filter(([it]) => it !== name)) }, "✕"))));
}

$("save-form").onsubmit = async (event) => {
  event.preventDefault();
  const name = $("save-name").value.trim() || (await title());
  const { q, chip, per, order, src } = state;
  keep([[name, { view: "search", q, chip, per, order, src }], ...saved().filter(([it]) => it !== name)]);
  $("save-name").value = "";
};
listSaved();
$("options").open = matchMedia("(min-width: 52rem)").matches;
