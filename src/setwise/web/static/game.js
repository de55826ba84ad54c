// A game, opened at a ply: its moves, marks, clocks and evaluations, one step after the other.

import { Board } from "./board.js";
import { $, h, lines, s } from "./dom.js";
import { SQUARES, shape, squaresOf } from "./draw.js";
import { address, change, searchedFiles, state } from "./state.js";

let opened = null; // the game that the page shows, with its place
let loading = null;

const board = new Board($("game-board"), { label: "Position in the game" });
const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** A game at a ply, as the address has it; `of` is the source that it had in an index or a scan of several, else 0. */
export const place = ({ source, game, ply, of }) => [source, game, ply, ...(of ? [of] : [])].join(".");

export async function show() {
  const dialog = $("game");
  if (!state.game) {
    if (dialog.open) dialog.close();
    return;
  }
  const [source, number, ply, of = 0] = state.game.split(".").map(Number);
  const asked = state.view === "search" ? state.q : "";
  const key = JSON.stringify([source, number, of, asked, state.src, state.file]);
  if (opened?.key !== key) {
    if (loading === key) return;
    loading = key;
    opened = null;
    $("game-title").textContent = "Opening the game …";
    for (const place of ["game-place", "game-status"]) $(place).textContent = "";
    for (const place of ["game-chart", "game-moves", "game-steps", "game-legend"]) $(place).replaceChildren();
    board.draw({});
    if (!dialog.open) dialog.showModal();
    try {
      const where = /^\s*(select|with|from)\b/i.test(asked) ? "" : asked;
      const stamp = searchedFiles.stamps[source - searchedFiles.first] ?? "";
      const file = state.file ? { file: state.file } : {};
      for await (const line of lines("game", { ...file, source, game: number, of, where, stamp })) {
        if (line.type === "error") throw new Error(line.error);
        if (line.type === "game") opened = { key, ...line };
      }
    } catch (error) {
      $("game-title").textContent = "This game cannot be opened";
      $("game-place").textContent = error.message;
    }
    loading = null;
    if (!opened) return;
    head();
  }
  if (!dialog.open) dialog.showModal();
  at(ply);
}

const clock = (seconds) => {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return `${Number(parts[0])}:${parts[1]}:${parts[2]}`;
};
export const evaluation = (value) =>
  Math.abs(value) > 31000 ? `#${value > 0 ? "" : "−"}${32000 - Math.abs(value)}` : (value >= 0 ? "+" : "−") + (Math.abs(value) / 100).toFixed(2);

function head() {
  const tags = opened.tags;
  const player = (name, elo) => (name && name !== "?" ? name + (elo ? ` (${elo})` : "") : "?");
  $("game-title").textContent = tags.White || tags.Black
    ? `${player(tags.White, tags.WhiteElo)} – ${player(tags.Black, tags.BlackElo)}  ${opened.result === "*" ? "" : opened.result.replace("1/2-1/2", "½–½")}`
    : "A position";
  $("game-place").textContent = [tags.Event, tags.Site, tags.Date, tags.ECO].filter((it) => it && it !== "?" && !it.startsWith("????")).join(", ");
  $("game-moves").replaceChildren(...movesOf(opened));
  const button = (sign, label, to) => h("button", { type: "button", "aria-label": label, onclick: () => go(to()) }, sign);
  const count = opened.pieces.length - 1;
  const ply = () => Number(state.game.split(".")[2]);
  const next = () => opened.matches.find((it) => it > ply()) ?? opened.matches[0] ?? ply();
  $("game-steps").replaceChildren(
    button("|◀", "To the start", () => 0), button("◀", "A move back", () => ply() - 1),
    button("▶", "A move on", () => ply() + 1), button("▶|", "To the end", () => count),
    ...(opened.matches.length ? [h("button", { type: "button", onclick: () => go(next()) }, "Next match")] : []),
    h("button", { type: "button", onclick: () => change({ side: state.side === "black" ? "white" : "black" }) }, "Flip"),
  );
  chart();
}

/** The moves of the game, each followed by what is said about it and by the lines that replace it. */
function movesOf(game) {
  const matches = new Set(game.matches);
  const items = game.moves.map((move, index) => [
    h("li", { className: "move" },
      numberOf(game, index),
      h("button", {
        type: "button", className: `link${matches.has(index + 1) ? " hit" : ""}`,
        "aria-label": matches.has(index + 1) ? `${move.san}, a match` : undefined,
        onclick: () => go(index + 1),
      }, withSigns(move))),
    ...said(move.comment),
  ]);
  for (const line of game.lines) items[Math.min(line.ply, items.length - 1)]?.push(lineOf(line));
  return [...said(game.comment), ...items.flat()];
}

function lineOf(line) {
  return h("li", { className: "line", style: `--depth: ${line.depth}` },
    "(", ...said(line.comment, "span"),
    ...line.moves.flatMap((move, index) => [
      numberOf(line, index),
      h("button", { type: "button", className: "link", onclick: (event) => inLine(move, event.currentTarget) }, withSigns(move)),
      ...said(move.comment, "span"),
    ]), ")");
}

/** The number before a move, where there is one: before White's moves, and before the first of a line. */
function numberOf(line, index) {
  const half = index + (line.white ? 0 : 1);
  if (half % 2 && index) return null;
  return h("span", { className: "number" }, `${line.first + Math.floor(half / 2)}${half % 2 ? "…" : "."}`);
}

const withSigns = (move) => move.san + move.nags.map((nag) => NAGS[nag] ?? "").join("");
/** A comment without what programs have written into it, such as clocks. */
const plain = (comment) => comment.replace(/\[%\w+ [^\]]*\]/g, "").trim();
const said = (comment, tag = "li") => (plain(comment) ? [h(tag, { className: "said" }, plain(comment))] : []);

/** Show the position after a move of a variation. */
function inLine(move, button) {
  board.draw({ pieces: move.pieces, last: move.uci, turned: state.side === "black" });
  $("game-status").textContent = `After ${move.san}, in a variation`;
  $("game-legend").replaceChildren();
  mark(button);
  openFrom(move.fen, []);
}

/** Mark a move as the one that is shown. */
function mark(shown) {
  for (const button of $("game-moves").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
  shown?.setAttribute("aria-current", "step");
}

/** Let the link below the moves open a position, with sets marked. */
function openFrom(fen, sets) {
  const link = $("game-open");
  link.dataset.state = JSON.stringify({ fen, game: "", on: sets.slice(0, 6) });
  link.href = address({ view: "board", ...JSON.parse(link.dataset.state) });
}

function go(ply) {
  const [source, game, , of = 0] = state.game.split(".").map(Number);
  change({ game: place({ source, game, of, ply: Math.max(0, Math.min(opened.pieces.length - 1, ply)) }) });
}

function at(wanted) {
  const ply = Math.max(0, Math.min(opened.pieces.length - 1, wanted || 0));
  const marks = opened.marks.map(([, words]) => words[ply]);
  const played = opened.moves[ply - 1];
  const following = opened.matches.includes(ply) ? opened.moves[ply] : undefined;
  const [missed, sentence] = opened.missed[ply] ?? [];
  board.draw({
    pieces: opened.pieces[ply], marks, last: played?.uci, move: following?.uci, missed, turned: state.side === "black",
  });
  const status = [
    played ? `After ${played.san}` : "The start",
    played?.clock != null && `clock ${clock(played.clock)}`,
    played?.evaluation != null && `evaluation ${evaluation(played.evaluation)}`,
    opened.matches.includes(ply) && (sentence || "a match"),
  ].filter(Boolean).join(" · ");
  const comment = plain(played?.comment ?? "");
  $("game-status").textContent = comment ? `${status}. ${comment}` : status;
  $("game-legend").replaceChildren(...opened.marks.map(([name, words], number) =>
    h("li", {}, shape(number), h("div", {}, h("span", {}, name), h("span", { className: "squares" }, squaresOf(words[ply]).map((it) => SQUARES[it]).join(" ") || "no square")))));
  const item = $("game-moves").querySelectorAll("li.move")[ply - 1];
  mark(item?.querySelector("button"));
  if (item) {
    const list = $("game-moves");
    list.scrollTop = Math.max(0, item.offsetTop - list.offsetTop - list.clientHeight / 2);
  }
  $("game-chart").querySelector(".now")?.setAttribute("transform", `translate(${ply} 0)`);
  openFrom(opened.fens[ply], opened.marks.map(([name]) => name));
}

/** Evaluations over the game, as bars of at most five pawns; clocks as two lines. */
function chart() {
  const count = opened.moves.length;
  const parts = [];
  const values = opened.moves.map((move) => move.evaluation);
  if (values.some((value) => value !== null)) {
    parts.push(s("g", { class: "evaluations" }, values.map((value, index) => {
      if (value === null) return null;
      const tall = Math.max(-20, Math.min(20, value / 25));
      return s("rect", { x: index + 0.55, width: 0.9, y: tall > 0 ? 20 - tall : 20, height: Math.max(0.3, Math.abs(tall)), class: tall > 0 ? "white" : "black" });
    })));
  }
  const clocks = opened.moves.map((move) => move.clock);
  const most = Math.max(...clocks.filter((value) => value !== null), 1);
  for (const side of [0, 1]) {
    const points = clocks.map((value, index) => (value === null || index % 2 !== side ? null : `${index + 1},${40 - (38 * value) / most}`)).filter(Boolean);
    if (points.length > 1) parts.push(s("polyline", { points: points.join(" "), class: side ? "clock black" : "clock white", "vector-effect": "non-scaling-stroke" }));
  }
  if (!parts.length) return $("game-chart").replaceChildren();
  const what = [values.some((value) => value !== null) && "evaluations", clocks.some((value) => value !== null) && "clocks"].filter(Boolean).join(" and ");
  const svg = s("svg", { viewBox: `0 0 ${count + 1} 40`, preserveAspectRatio: "none", role: "img", "aria-label": `The ${what} of the game` },
    s("path", { class: "zero", d: `M0 20H${count + 1}`, "vector-effect": "non-scaling-stroke" }), parts,
    s("path", { class: "now", d: "M0 0V40", "vector-effect": "non-scaling-stroke" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * (count + 1)));
  });
  $("game-chart").replaceChildren(h("figure", { className: "chart" }, svg, h("figcaption", {}, what[0].toUpperCase() + what.slice(1))));
}

$("game-close").onclick = () => $("game").close();
$("game").addEventListener("close", () => state.game && change({ game: "" }));
$("game").addEventListener("keydown", (event) => {
  if (!opened || event.target.closest(".cells")) return;
  const ply = Number(state.game.split(".")[2]);
  const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: opened.pieces.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
});
