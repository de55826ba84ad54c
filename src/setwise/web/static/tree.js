// The opening tree beside the board: what was played from its position, shown while the games are counted.

import { $, arrows, h, later, lines, plural, tell } from "./dom.js";
import { place } from "./search.js";
import { change, onChange, state } from "./state.js";

let running = null; // stops the count,
let counted = null; // and what is counted
let playing; // plays a move in UCI on the board
const percent = (part, all) => `${Math.round((100 * part) / all)} %`;

/** Show the tree of a position, if it is open; `play` makes a move in UCI on the board. */
export function show(fen, play) {
  playing = play;
  $("tree").open = state.tree === "1";
  $("tree-by").checked = state.tree_by === "position";
  if (document.activeElement !== $("tree-who")) $("tree-who").value = state.tree_who;
  if (document.activeElement !== $("tree-where")) $("tree-where").value = state.tree_where;
  $("tree-side").value = state.tree_side;
  $("tree-side").disabled = !state.tree_who; // everybody plays either side
  const wanted = JSON.stringify([fen, state.tree_by, state.tree_who, state.tree_side, state.tree_where, place()]);
  if (state.tree !== "1" || state.view !== "board") {
    running?.abort();
    counted = null;
  } else if (fen && wanted !== counted) {
    counted = wanted;
    count(fen);
  }
}

async function count(fen) {
  running?.abort();
  const mine = (running = new AbortController());
  tell($("tree-fault"), "");
  $("tree-status").textContent = "Counting …";
  $("tree-moves").ariaBusy = "true"; // the rows before stay until there are others, and so does the focus
  const given = { fen, ...place(), by: state.tree_by || "move", player: state.tree_who, side: state.tree_who && state.tree_side, where: state.tree_where };
  try {
    for await (const line of lines("tree", given, mine.signal)) {
      if (running !== mine) return;
      if (line.type === "error") throw new Error(line.error);
      if (line.type === "waiting") $("tree-status").textContent = "Other searches are running: this one waits for its turn …";
      if (line.rows) draw(line, fen);
    }
  } catch (error) {
    if (running !== mine || mine.signal.aborted) return;
    counted = null;
    $("tree-status").textContent = "";
    $("tree-moves").replaceChildren();
    tell($("tree-fault"), error.message);
  }
}

function draw({ type, rows, games, seconds, share, stored, hints = [] }, fen) {
  const read = stored ? `from the index in ${seconds.toFixed(2)} s` : `${plural(games, "game", "games")} read in ${seconds.toFixed(1)} s`;
  $("tree-status").textContent = type === "done"
    ? rows.length ? read[0].toUpperCase() + read.slice(1) : `No game has this position; ${read}.${hints.map((hint) => ` ${hint}.`).join("")}`
    : `… ${share === null ? "" : `${Math.round(100 * share)} %, `}${read}`;
  const had = document.activeElement?.closest?.("#tree-moves") ? document.activeElement.dataset.move : null;
  const isNew = $("tree-moves").dataset.fen !== fen;
  $("tree-moves").dataset.fen = fen;
  $("tree-moves").ariaBusy = "false";
  const some = [6, 7].map((column) => rows.some((row) => row[column] !== null));
  const heads = ["Move", "Games", "Results", ...["Elo", "Last"].filter((_, number) => some[number])];
  $("tree-moves").replaceChildren(...(rows.length ? [h("table", { className: "tree" },
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", className: head === "Move" || head === "Results" ? "" : "number" }, head)))),
    h("tbody", {}, rows.map((row) => line(row, fen, some))))] : []));
  if (!had) return;
  const same = isNew ? null : $("tree-moves").querySelector(`button[data-move="${had}"]`);
  (same ?? $("tree-moves").querySelector("button") ?? $("tree").querySelector("summary")).focus();
}

function line([san, uci, games, white, drawn, black, ...rest], fen, some) {
  const ended = white + drawn + black;
  const said = ended ? `White won ${percent(white, ended)}, drawn ${percent(drawn, ended)}, Black won ${percent(black, ended)}` : "no results";
  const part = (name, value) => h("span", { className: name, style: `flex-grow:${value}` }, value / ended > 0.22 ? percent(value, ended) : "");
  const bar = h("div", { className: "shares", role: "img", "aria-label": said, title: said }, ...(ended ? [part("white", white), part("drawn", drawn), part("black", black)] : []));
  const button = h("button", { type: "button", className: "link", "data-move": uci, "aria-label": `Play ${san}`, onclick: () => $("tree-moves").ariaBusy !== "true" && playing(uci) }, san);
  return h("tr", {}, h("td", {}, button), h("td", { className: "number" }, games.toLocaleString("en")), h("td", {}, bar),
    rest.filter((_, number) => some[number]).map((value) => h("td", { className: "number" }, value ?? "")));
}

arrows($("tree-moves"));
onChange(() => {
  if (state.view === "board") return;
  running?.abort();
  counted = null;
});
$("tree").addEventListener("toggle", () => {
  if ($("tree").open !== (state.tree === "1")) change({ tree: $("tree").open ? "1" : "" });
});
$("tree-form").onsubmit = (event) => event.preventDefault();
$("tree-by").onchange = () => change({ tree_by: $("tree-by").checked ? "position" : "" });
$("tree-side").onchange = () => change({ tree_side: $("tree-side").value });
$("tree-where").onchange = () => change({ tree_where: $("tree-where").value.trim() });
$("tree-who").addEventListener("input", later(400, () => change({ tree_who: $("tree-who").value.trim() })));
