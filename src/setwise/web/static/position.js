// The analysis board: a game, a match or a position, played on with variations, or set up.

import { Board } from "./board.js";
import { $, ask, copier, h, lines, plural, s, tell } from "./dom.js";
import { pieceName, squareOf, squaresOf, SQUARES } from "./draw.js";
import { explain } from "./explanation.js";
import { chart, clock, evaluation, list, mark } from "./game.js";
import { Line, plain } from "./line.js";
import { change, placeOf, searchedFiles, state } from "./state.js";
import { currentStep, steps } from "./steps.js";
import { legend, mirror, most } from "./switches.js";
import * as tree from "./tree.js";

const LETTERS = "KQRBNPkqrbnp";
let line = new Line("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
let opened = null; // what the line was opened for
let node = line.root; // the position that is shown,
let shown = null; // the last answer of the server,
let answered = null; // and its question
let fetched = { place: null, marks: new Map() }; // the marks of one position, by their switches
let undoing = []; // what takes back the changes to the line, the last one first
let chosen = null; // the square of the piece to move, after one click
let brush = null; // the piece that a click sets up
let editing = false;
let requests = 0;

const board = new Board($("position"), {
  label: "Position",
  grabs: (square) => shown && shown.pieces[square] !== ".",
  click: (square) => (editing ? paint(square) : take(square)),
  drag: (from, to, letter) => (editing || letter ? put(from, to, letter) : to !== null && move(from, to)),
  key: pressed,
});

export function key(event) {
  const sibling = (way) => node.parent?.children[node.parent.children.indexOf(node) + way];
  const to = {
    ArrowLeft: () => node.parent, ArrowRight: () => node.children[0], Home: () => line.root, End: () => line.main().at(-1),
    ArrowUp: () => sibling(-1), ArrowDown: () => sibling(1),
  }[event.key];
  if (to) {
    event.preventDefault();
    go(to() ?? node);
  } else if (event.key === "f") flip();
  else if (event.key === "e") edit(!editing);
  else if (event.key === "Escape" && state.game) leave();
}

/** The position that is shown, as questions about it name it. */
export const position = () => ({ fen: opened === null ? state.fen : node.fen, chess960: state.c960 === "1" });

// ------------------------------------------------------------------------------------------------ what is shown

export async function show() {
  const number = ++requests;
  try {
    const wanted = JSON.stringify(state.game ? [state.game.split(".").filter((_, at) => at !== 2), state.file, state.src, state.hit && state.q] : [state.fen, state.c960]);
    if (wanted !== opened) {
      const found = await (state.game ? openGame() : openPosition(number));
      if (number !== requests) return;
      [line, opened, undoing] = [found, wanted, []];
      list(line, go);
      chart(line, go);
      if (state.on.length || state.about) $("patterns").open = true;
    }
    const reached = await walked();
    if (number !== requests) return;
    node = reached;
    await look(node.fen, number);
    if (number !== requests) return;
    tell($("fault"), "");
  } catch (error) {
    if (number !== requests) return;
    tell($("fault"), error.message);
    if (!shown) $("fen").value = state.fen;
    if (state.game) opened = null;
  }
  draw();
  explain(shown?.marks ?? []);
  steps(position(), draw);
  tree.show(shown?.fen, play);
}

async function openPosition(number) {
  await look(state.fen, number);
  return new Line(shown.fen, shown.opening);
}

async function openGame() {
  const [source, number, , of = 0] = state.game.split(".").map(Number);
  $("game-title").textContent = "Opening the game …";
  const where = state.hit && !/^\s*(select|with|from)\b/i.test(state.q) ? state.q : "";
  const stamp = searchedFiles.stamps[source - searchedFiles.first] ?? "";
  for await (const answer of lines("game", { ...(state.file ? { file: state.file } : {}), source, game: number, of, where, stamp })) {
    if (answer.type === "error") throw new Error(answer.error);
    if (answer.type === "game") return Object.assign(Line.of(answer), { side: await sideOfUser(answer.tags) });
  }
  throw new Error("This game cannot be opened.");
}

/** The side of the user in a game; an empty text if it is not one of the user's. */
async function sideOfUser(tags) {
  const { player } = await ask("progress").catch(() => ({ player: "" }));
  const words = player.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const side = ["White", "Black"].find((it) => words.length && words.every((word) => tags[it]?.toLowerCase().includes(word)));
  return side?.toLowerCase() ?? "";
}

const isTurned = () => (state.side || line.side) === "black";

/** The node that the address names; moves of the address that the line lacks are added. */
async function walked() {
  const main = line.main();
  let at = state.game ? main[Math.min(main.length - 1, Number(state.game.split(".")[2]) || 0)] : line.root;
  const count = undoing.length;
  for (const uci of state.line.split(".").filter(Boolean)) {
    at = at.children.find((it) => it.uci === uci) ?? grown(at, await ask("play", { fen: at.fen, chess960: state.c960 === "1", move: uci }));
  }
  if (undoing.length > count) list(line, go);
  return at;
}

/** Add a move that was played on the board to the line. */
function grown(parent, answer) {
  const known = parent.children.length;
  const added = line.add(parent, { uci: answer.last, san: answer.san, fen: answer.fen, opening: answer.opening });
  if (parent.children.length > known) undoing.push(() => {
    line.remove(added);
    list(line, go);
    go(added.parent);
  });
  return added;
}

/** Have the legal moves of the position, and the marks that are switched on. */
async function look(fen, number) {
  const place = (it) => JSON.stringify([it, state.c960]);
  const at = place(fen), wanted = at + JSON.stringify(state.on);
  if (wanted === answered) return;
  const marks = at === fetched.place ? fetched.marks : new Map();
  const unknown = state.on.filter((on) => !marks.has(on));
  if (at !== fetched.place || unknown.length) {
    const answer = await ask("board", { fen, chess960: state.c960 === "1", on: unknown });
    if (number !== requests) return;
    shown = answer;
    fetched = { place: place(shown.fen), marks };
    for (const it of [...answer.ready, ...answer.marks]) marks.set(it.on, it);
  }
  shown = { ...shown, marks: state.on.filter((on) => marks.has(on)).slice(0, most()).map((on) => marks.get(on)) };
  answered = wanted;
}

/** Show a node of the line: the address names it. */
function go(to) {
  const { ply, moves } = line.wayTo(to);
  const [source, game, , of = 0] = state.game.split(".").map(Number);
  change({ line: moves.join("."), ...(state.game ? { game: placeOf({ source, game, of, ply }) } : {}) });
}

function leave() {
  if (history.state?.isInside) history.back();
  else change({ view: state.hit ? "search" : "games", game: "", line: "", hit: "" });
}

function draw() {
  if (!shown) return;
  const step = currentStep();
  const sets = step ? [step.word] : shown.marks.map((it) => it.word);
  const held = sets.map((word) => (word ? new Set(squaresOf(word)) : new Set()));
  const turned = isTurned();
  const targets = new Set();
  if (chosen !== null && shown.moves)
    for (const [uci] of shown.moves) if (squareOf(uci) === chosen) targets.add(squareOf(uci.slice(2)));
  const isPlayed = line.isGame && line.main()[node.ply] === node; // and no variation
  const isMatch = isPlayed && line.matches.includes(node.ply);
  const [missed, sentence] = (isPlayed && line.missed[node.ply]) || [];
  board.draw({
    pieces: shown.pieces, marks: sets, last: node.fen === shown.fen ? node.uci : undefined, turned, chosen, targets,
    move: missed || isMatch ? node.children[0]?.uci : undefined, missed,
    says: (square) => shown.marks.filter((_, number) => held[number]?.has(square)).map((it) => it.name).join(", "),
  });
  const white = shown.white ? "White" : "Black";
  const states = { check: `${white} is in check`, checkmate: `${white} is mated`, stalemate: "Stalemate" };
  const fault = shown.faults.length ? ` No game reaches this: ${shown.faults.join("; ")}.` : "";
  const moves = shown.moves ? plural(shown.moves.length, "legal move", "legal moves") : "moves mean nothing here";
  const value = node.evaluation ?? null;
  $("status").textContent = [states[shown.state] || `${white} to move`, moves, value !== null && `evaluation ${evaluation(value)}`].filter(Boolean).join(" · ") + fault;
  tell($("said"), [sentence || (isMatch ? "This position is a match." : ""), plain(node.comment)].filter(Boolean).join(" "));
  $("turn").textContent = `${white} to move`;
  $("chess960").checked = shown.chess960;
  if (document.activeElement !== $("fen")) $("fen").value = shown.fen;
  $("undo").disabled = !undoing.length;
  $("opening").textContent = line.openingAt(node);
  head(turned);
  mark(node);
  legend(shown.marks);
  mirror();
}

/** The title of a game, and the players with ratings and clocks above and below the board. */
function head(turned) {
  const { tags, result } = line;
  const clocks = line.clocksAt(node);
  const seats = ["White", "Black"].map((side, at) => [
    h("span", { className: `dot ${side.toLowerCase()}`, role: "img", "aria-label": side }),
    h("strong", {}, tags[side] && tags[side] !== "?" ? tags[side] : side), h("span", { className: "quiet" }, tags[`${side}Elo`] ?? ""),
    h("span", { className: `clock ${shown.white === (at === 0) ? "on" : ""}` }, clocks[at] === null ? "" : clock(clocks[at])),
  ]);
  $("seat-below").replaceChildren(...seats[turned ? 1 : 0]);
  $("seat-above").replaceChildren(...seats[turned ? 0 : 1]);
  $("game-head").hidden = !state.game;
  $("seat-above").hidden = $("seat-below").hidden = !line.isGame;
  for (const [id, plies] of [["next-match", line.matches], ["next-missed", Object.keys(line.missed)]]) $(id).hidden = !plies.length;
  if (!line.isGame) return;
  const name = (side) => (tags[side] && tags[side] !== "?" ? tags[side] : "?") + (tags[`${side}Elo`] ? ` (${tags[`${side}Elo`]})` : "");
  const score = result === "*" ? "" : `  ${result.replace("1/2-1/2", "½–½").replace("-", "–")}`;
  $("game-title").textContent = tags.White || tags.Black ? `${name("White")} – ${name("Black")}${score}` : "A position";
  const [scheme, , host] = (tags.Site ?? "").split("/");
  const site = scheme.startsWith("https") && /^(www\.)?(lichess\.org|chess\.com)$/.test(host ?? "");
  const parts = [tags.Event, site ? "" : tags.Site, tags.Date, tags.ECO].filter((it) => it && it !== "?" && !it.startsWith("????"));
  $("game-place").replaceChildren(parts.join(", "), ...(site ? [" · ", h("a", { href: tags.Site, rel: "noreferrer" }, "the game on its server")] : []));
}

// ------------------------------------------------------------------------------------------------------- playing

function take(square) {
  const mine = shown.pieces[square] !== "." && (shown.pieces[square] === shown.pieces[square].toUpperCase()) === shown.white;
  if (chosen !== null && chosen !== square && !(mine && !canGo(chosen, square))) return move(chosen, square);
  chosen = chosen === square || shown.pieces[square] === "." ? null : square;
  draw();
}

const canGo = (from, to) => shown.moves?.some(([uci]) => squareOf(uci) === from && squareOf(uci.slice(2)) === to);

async function move(from, to) {
  chosen = null;
  const before = node;
  const piece = await promoted(shown.moves, from, to);
  if (piece === null || before !== node) return draw(); // nothing was chosen, or for another position
  play(SQUARES[from] + SQUARES[to] + piece);
}

/** Play a move in UCI from the position that is shown. */
async function play(uci) {
  const before = node, number = requests;
  try {
    const answer = await ask("play", { ...position(), move: uci });
    if (number !== requests) return;
    const added = grown(before, answer);
    list(line, go);
    go(added);
  } catch (error) {
    tell($("fault"), error.message);
    draw();
  }
}

/** The letter of the piece that a pawn becomes: an empty text if no pawn does, null if the dialog is left. */
export async function promoted(moves, from, to) {
  if (!moves?.some(([uci]) => uci.length === 5 && squareOf(uci) === from && squareOf(uci.slice(2)) === to)) return "";
  return new Promise((done) => {
    const dialog = h("dialog", { className: "choose", "aria-label": "Promote to" });
    const buttons = [["q", "Queen"], ["r", "Rook"], ["b", "Bishop"], ["n", "Knight"]].map(([letter, name]) =>
      h("button", { type: "button", onclick: () => dialog.close(letter) }, name));
    dialog.append(...buttons);
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// ------------------------------------------------------------------------------------------------------- setting up

function placed(change) {
  const pieces = [...shown.pieces];
  change(pieces);
  shown = { ...shown, pieces: pieces.join("") };
  let text = "";
  for (let rank = 7; rank >= 0; rank--) {
    text += pieces.slice(8 * rank, 8 * rank + 8).join("").replace(/\.+/g, (empty) => empty.length) + (rank ? "/" : "");
  }
  return text;
}

/** Begin a new line in a position. */
const begin = (fen, c960 = "") => change({ fen, c960, line: "", game: "", hit: "" }, { push: true });

function setUp(pieces, fields = {}) {
  const [, turn, castling, , , full] = shown.fen.split(" ");
  const now = { turn, castling, ...fields };
  const fen = `${pieces} ${now.turn} ${now.castling} - 0 ${full || 1}`;
  shown = { ...shown, fen, white: now.turn === "w" }; // the next click may come before the answer
  begin(fen, state.c960);
}

function put(from, to, letter) {
  setUp(placed((pieces) => {
    const piece = letter ?? pieces[from];
    if (!letter) pieces[from] = ".";
    if (to !== null) pieces[to] = piece;
  }));
}

function paint(square) {
  if (brush) setUp(placed((pieces) => { pieces[square] = pieces[square] === brush || brush === "." ? "." : brush; }));
  else if (chosen !== null && chosen !== square) {
    const from = chosen;
    chosen = null;
    put(from, square);
  } else {
    chosen = chosen === square || shown.pieces[square] === "." ? null : square;
    draw();
  }
}

function pressed(event, square) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!editing) return;
  if (event.key === "Delete" || event.key === "Backspace") setUp(placed((pieces) => { pieces[square] = "."; }));
  else if (event.key.length === 1 && LETTERS.includes(event.key)) {
    event.stopPropagation();
    setUp(placed((pieces) => { pieces[square] = event.key; }));
  } else return;
  event.preventDefault();
}

function edit(on) {
  editing = on;
  brush = chosen = null;
  $("mode-edit").ariaPressed = String(on);
  $("palette").hidden = !on;
  if (on && !$("palette").children.length) {
    $("palette").append(...[...LETTERS, "."].map((letter) => {
      const name = letter === "." ? "Empty square" : pieceName(letter).replace(/^./, (first) => first.toUpperCase());
      const button = h("button", { type: "button", "aria-pressed": "false", "aria-label": name, title: name });
      button.append(letter === "." ? "✕" : icon(letter));
      button.addEventListener("click", () => {
        brush = brush === letter ? null : letter;
        for (const other of $("palette").children) other.ariaPressed = String(other === button && brush !== null);
      });
      button.addEventListener("pointerdown", (event) => letter !== "." && board.carry(event, null, letter));
      return button;
    }));
  }
  for (const button of $("palette").children) button.ariaPressed = "false";
  draw();
}

const icon = (letter) => s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, s("use", { href: `#piece-${letter}` }));

function flip() {
  change({ side: isTurned() ? "white" : "black" });
}

/** Go to the next of some plies of the main line, after the last to the first. */
const next = (plies) => go(line.main()[plies.find((it) => it > node.ply) ?? plies[0] ?? node.ply]);

$("first").onclick = () => go(line.root);
$("before").onclick = () => go(node.parent ?? node);
$("after").onclick = () => go(node.children[0] ?? node);
$("last").onclick = () => go(line.main().at(-1));
$("next-match").onclick = () => next(line.matches);
$("next-missed").onclick = () => next(Object.keys(line.missed).map(Number));
$("undo").onclick = () => undoing.pop()?.();
$("flip").onclick = flip;
$("game-close").onclick = leave;
$("mode-edit").onclick = () => edit(!editing);
$("start").onclick = () => begin("");
$("clear").onclick = () => {
  edit(true);
  begin("8/8/8/8/8/8/8/8 w - - 0 1");
};
$("turn").onclick = () => setUp(shown.fen.split(" ")[0], { turn: shown.white ? "b" : "w" });
$("start960").onclick = async () => {
  try {
    const answer = await ask("start960", { number: Math.floor(960 * Math.random()) });
    begin(answer.fen, "1");
  } catch (error) {
    tell($("fault"), error.message);
  }
};
$("chess960").onchange = (event) => begin(node.fen, event.target.checked ? "1" : "");
$("fen-form").onsubmit = (event) => {
  event.preventDefault();
  $("fen").blur();
  begin($("fen").value.trim());
};
$("share").append(...[["PGN", () => line.pgn()], ["FEN", () => node.fen], ["link", () => location.href]].map(([what, text]) => copier(text, what, `Copy ${what}`)));
