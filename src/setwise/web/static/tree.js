// The opening tree beside the board: what was played from its position, shown while the games are counted.

import { $, h, latest, lines, percent, plural, replace } from "./dom.js";
import { arrows, rowsOf, table } from "./tables.js";
import { change, onChange, place, state } from "./state.js";

let counted = ""; // what is counted
let playing = /** @type {(uci: string) => unknown} */ (() => {}); // plays a move in UCI on the board
const { run, stop } = latest($("tree-fault"));
const leave = () => {
  stop();
  counted = "";
};

/** Show the tree of a position, if it is open; `play` makes a move in UCI on the board. */
export async function show(/** @type {string} */ fen, /** @type {typeof playing} */ play) {
  playing = play;
  $("tree").open = state.tree === "1";
  $("tree-side").disabled = !state.tree_who; // everybody plays either side
  const given = { fen, by: state.tree_by || "move", player: state.tree_who, side: state.tree_who && state.tree_side, where: state.tree_where.trim() };
  const wanted = JSON.stringify([given, place()]);
  if (state.tree !== "1") return leave();
  if (!fen || wanted === counted) return;
  counted = wanted;
  $("tree-status").textContent = "Counting …";
  $("tree-moves").ariaBusy = "true"; // the rows before stay until there are others, and so does the focus
  let isDone = false;
  const isLast = await run(async (signal) => {
    for await (const line of lines("tree", { ...given, ...place() }, signal)) {
      if (line.type === "waiting") $("tree-status").textContent = "Other searches are running: this one waits for its turn …";
      if (line.type === "progress" || line.type === "done") draw(line, fen);
    }
    isDone = true;
  });
  if (!isLast || isDone) return;
  $("tree-status").textContent = counted = "";
  replace($("tree-moves"));
}

function draw(/** @type {Count} */ { type, columns = [], rows = [], games, seconds, share, stored, hints = [] }, /** @type {string} */ fen) {
  const read = stored ? `from the index in ${seconds.toFixed(2)} s` : `${plural(games, "game", "games")} read in ${seconds.toFixed(1)} s`;
  $("tree-status").textContent = type !== "done" ? `… ${share === null ? "" : `${percent(share)}, `}${read}`
    : rows.length ? read[0].toUpperCase() + read.slice(1) : `No game has this position; ${read}.${hints.map((hint) => ` ${hint}.`).join("")}`;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement), had = focused?.closest("#tree-moves tbody") && focused.dataset.move;
  const isNew = $("tree-moves").dataset.fen !== fen;
  $("tree-moves").dataset.fen = fen;
  $("tree-moves").ariaBusy = "false";
  const kept = columns.map((_, at) => at < 3 || rows.some((row) => row[at + 3] !== null));
  const some = columns.filter((_, at) => kept[at]), all = rows.map((row) => cells(row).filter((_, at) => kept[at]));
  replace($("tree-moves"), rows.length > 0 && table(some, rowsOf(some, all), { className: "tree", label: "Moves played" }));
  if (!had) return;
  const same = isNew ? null : $("tree-moves").querySelector(`button[data-move="${had}"]`);
  /** @type {HTMLElement} */ (same ?? $("tree-moves").querySelector("tbody button") ?? $("tree").querySelector("summary")).focus();
}

function cells(/** @type {any} */ [san, uci, games, white, drawn, black, ...rest]) {
  const ended = white + drawn + black;
  const said = ended ? `White won ${percent(white / ended)}, drawn ${percent(drawn / ended)}, Black won ${percent(black / ended)}` : "no results";
  const part = (/** @type {string} */ className, /** @type {number} */ value) => h("span", { className, style: `flex-grow:${value}` }, value / ended > 0.22 ? percent(value / ended) : "");
  return [
    h("button", { type: "button", className: "link", "data-move": uci, "aria-label": `Play ${san}`, onclick: () => $("tree-moves").ariaBusy !== "true" && playing(uci) }, san),
    games.toLocaleString("en"),
    h("div", { className: "shares", role: "img", "aria-label": said, title: said }, ended > 0 && [part("white", white), part("drawn", drawn), part("black", black)]),
    ...rest,
  ];
}

arrows($("tree-moves"));
onChange(() => state.view === "board" || leave());
$("tree").addEventListener("toggle", () => $("tree").open === (state.tree === "1") || change({ tree: $("tree").open ? "1" : "" }));
