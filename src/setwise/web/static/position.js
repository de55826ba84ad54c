// The analysis board: a game, a match or a position, played on with variations, or set up.

import { Board } from "./board.js";
import { $, ask, copier, h, latest, lines, plural, replace, s, tell } from "./dom.js";
import { pieceName, squaresOf } from "./draw.js";
import * as engine from "./engine.js";
import { isStatement, search } from "./field.js";
import { chart, clock, evaluation, list, mark } from "./game.js";
import { Line, plain } from "./line.js";
import { explain, legend, most } from "./patterns.js";
import { change, placeOf, searchedFiles, state } from "./state.js";
import { currentStep, steps } from "./steps.js";
import * as tree from "./tree.js";

const LETTERS = "KQRBNPkqrbnp";
let line = new Line("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
let opened = ""; // what the line was opened for
let node = line.root; // the position that is shown,
let shown = /** @type {Position | null} */ (null); // and the answer of the server about it
let fetched = { place: "", marks: /** @type {Map<string, Mark>} */ (new Map()) }; // the marks of one position, by their switches
let undoing = /** @type {(() => void)[]} */ ([]); // what takes back the changes to the line, the last one first
let brush = ""; // the piece that a click sets up
let editing = false;
const { run } = latest($("fault"));

const board = new Board($("position"), {
  label: "Position",
  free: () => editing,
  click: (square) => editing && brush && (setUp({ [square]: shown?.pieces[square] === brush ? "." : brush }), true),
  put: (from, to, letter = shown?.pieces[from ?? 0]) => setUp({ ...(from === null ? {} : { [from]: "." }), ...(to === null ? {} : { [to]: letter }) }),
  play,
  key: (event, square) => {
    const letter = event.key === "Delete" || event.key === "Backspace" ? "." : event.key;
    if (!editing || event.ctrlKey || event.metaKey || event.altKey || !`${LETTERS}.`.includes(letter)) return;
    event.stopPropagation();
    event.preventDefault();
    setUp({ [square]: letter });
  },
});

export function key(/** @type {KeyboardEvent} */ event) {
  const sibling = (/** @type {number} */ way) => node.parent?.children[node.parent.children.indexOf(node) + way];
  const to = /** @type {Record<string, () => Place | null | undefined>} */ ({
    ArrowLeft: () => node.parent, ArrowRight: () => node.children[0], Home: () => line.root, End: () => line.main().at(-1),
    ArrowUp: () => sibling(-1), ArrowDown: () => sibling(1),
  })[event.key];
  if (to) {
    event.preventDefault();
    go(to());
  } else if (event.key === "f") flip();
  else if (event.key === "e") edit(!editing);
  else if (event.key === "Escape" && state.game) leave();
}

/** The position that is shown, as questions about it name it. */
export const position = () => ({ fen: opened ? node.fen : state.fen, chess960: state.c960 === "1" });

// ------------------------------------------------------------------------------------------------ what is shown

export async function show() {
  const isLast = await run(async (signal) => {
    const wanted = JSON.stringify(state.game ? [state.game.split(".").filter((_, at) => at !== 2), state.file, state.src, state.hit && state.q] : [state.fen, state.c960]);
    try {
      if (wanted !== opened) {
        line = await (state.game ? openGame(signal) : openPosition(signal));
        [opened, undoing] = [wanted, []];
        list(line, go);
        chart(line, go);
        if (state.on.length || state.about) $("patterns").open = true;
      }
      node = await walked(signal);
      await look(node.fen, signal);
    } catch (error) {
      if (!shown) $("fen").value = state.fen;
      if (state.game) opened = "";
      throw error;
    }
  });
  if (!isLast) return;
  draw();
  explain(shown?.marks ?? []);
  steps(position(), draw);
  tree.show(shown?.fen ?? "", play);
}

async function openPosition(/** @type {AbortSignal} */ signal) {
  const { fen, opening } = await look(state.fen, signal);
  return new Line(fen, opening);
}

async function openGame(/** @type {AbortSignal} */ signal) {
  const [source, number, , of = 0] = state.game.split(".").map(Number);
  $("game-title").textContent = "Opening the game …";
  const where = state.hit && !isStatement(state.q) ? state.q : "";
  const stamp = searchedFiles.stamps[source - searchedFiles.first] ?? "";
  for await (const answer of lines("game", { ...(state.file ? { file: state.file } : {}), source, game: number, of, where, stamp }, signal)) {
    if (answer.type === "game") return Object.assign(Line.of(answer), { side: await sideOfUser(answer.tags) });
  }
  throw new Error("This game cannot be opened.");
}

/** The side of the user in a game; an empty text if it is not one of the user's. */
async function sideOfUser(/** @type {Record<string, string>} */ tags) {
  const { player } = await ask("progress").catch(() => ({ player: "" }));
  const words = player.toLowerCase().split(/[\s,]+/).filter(Boolean);
  return ["White", "Black"].find((it) => words.length && words.every((word) => tags[it]?.toLowerCase().includes(word)))?.toLowerCase() ?? "";
}

const isTurned = () => (state.side || line.side) === "black";

/** The node that the address names; moves of the address that the line lacks are added. */
async function walked(/** @type {AbortSignal} */ signal) {
  const main = line.main();
  let at = state.game ? main[Math.min(main.length - 1, Number(state.game.split(".")[2]) || 0)] : line.root;
  for (const uci of state.line.split(".").filter(Boolean))
    at = at.children.find((it) => it.uci === uci) ?? grown(at, await ask("play", { fen: at.fen, chess960: state.c960 === "1", move: uci }, signal));
  return at;
}

/** Add a move that was played on the board to the line. */
function grown(/** @type {Place} */ parent, /** @type {Answers["play"]} */ { last, san, fen, opening }) {
  const known = parent.children.length;
  const added = line.add(parent, { uci: last, san, fen, opening });
  if (parent.children.length > known) undoing.push(() => {
    line.remove(added);
    list(line, go);
    go(added.parent);
  });
  list(line, go);
  return added;
}

/** Have the legal moves of a position, and the marks that are switched on. */
async function look(/** @type {string} */ fen, /** @type {AbortSignal} */ signal) {
  const placed = (/** @type {string} */ it) => JSON.stringify([it, state.c960]);
  const isHere = placed(fen) === fetched.place, marks = isHere ? fetched.marks : new Map();
  const unknown = state.on.filter((on) => !marks.has(on));
  if (!shown || !isHere || unknown.length) {
    const answer = await ask("board", { fen, chess960: state.c960 === "1", on: unknown }, signal);
    shown = answer;
    fetched = { place: placed(shown.fen), marks };
    for (const it of [...answer.ready, ...answer.marks]) marks.set(it.on, it);
  }
  shown = { ...shown, marks: state.on.filter((on) => marks.has(on)).slice(0, most).map((on) => marks.get(on)) };
  return shown;
}

/** Show a node of the line: the address names it. */
function go(/** @type {Place | null | undefined} */ to) {
  const { ply, moves } = line.wayTo(to ?? node);
  const [source, game, , of = 0] = state.game.split(".").map(Number);
  change({ line: moves.join("."), ...(state.game ? { game: placeOf({ source, game, of, ply }) } : {}) });
}

function leave() {
  if (history.state?.isInside) history.back();
  else change({ view: state.hit ? "search" : "games", game: "", line: "", hit: "" });
}

function draw() {
  if (!shown) return;
  const step = currentStep(), { marks, white } = shown;
  const sets = step ? [step.word] : marks.map((it) => it.word);
  const held = sets.map((word) => new Set(word ? squaresOf(word) : []));
  const isPlayed = line.isGame && line.main()[node.ply] === node; // and no variation
  const isMatch = isPlayed && line.matches.includes(node.ply);
  const [missed, sentence] = (isPlayed && line.missed[node.ply]) || [];
  board.draw({
    pieces: shown.pieces, moves: shown.moves, white, marks: sets, last: node.fen === shown.fen ? node.uci : undefined, turned: isTurned(),
    move: missed || isMatch ? node.children[0]?.uci : undefined, missed, arrows: engine.best ? [[engine.best, "best"]] : [],
    says: (square) => marks.filter((_, number) => held[number]?.has(square)).map((it) => it.name).join(", "),
  });
  const side = white ? "White" : "Black";
  const states = { check: `${side} is in check`, checkmate: `${side} is mated`, stalemate: "Stalemate", "": `${side} to move` };
  const fault = shown.faults.length ? ` No game reaches this: ${shown.faults.join("; ")}.` : "";
  const moves = shown.moves ? plural(shown.moves.length, "legal move", "legal moves") : "moves mean nothing here";
  const value = node.evaluation ?? null;
  $("status").textContent = [states[shown.state], moves, value !== null && `evaluation ${evaluation(value)}`].filter(Boolean).join(" · ") + fault;
  tell($("said"), [sentence || (isMatch ? "This position is a match." : ""), plain(node.comment)].filter(Boolean).join(" "));
  $("turn").textContent = `${side} to move`;
  $("chess960").checked = shown.chess960;
  if (document.activeElement !== $("fen")) $("fen").value = shown.fen;
  $("undo").disabled = !undoing.length;
  $("opening").textContent = line.openingAt(node);
  head(white);
  mark(node);
  legend(marks);
  engine.think(shown.moves?.length ? shown.fen : "", draw);
}

/** The title of a game, and the players with ratings and clocks above and below the board. */
function head(/** @type {boolean} */ isWhite) {
  const { tags, game } = line, clocks = line.clocksAt(node);
  const seats = ["White", "Black"].map((side, at) => {
    const left = clocks[at];
    return [
      h("span", { className: `dot ${side.toLowerCase()}`, role: "img", "aria-label": side }),
      h("strong", {}, tags[side] && tags[side] !== "?" ? tags[side] : side), h("span", { className: "quiet" }, tags[`${side}Elo`]),
      h("span", { className: `clock ${isWhite === (at === 0) ? "on" : ""}` }, left !== null && clock(left)),
    ];
  });
  replace($("seat-below"), seats[isTurned() ? 1 : 0]);
  replace($("seat-above"), seats[isTurned() ? 0 : 1]);
  $("game-head").hidden = !state.game;
  $("seat-above").hidden = $("seat-below").hidden = !game;
  $("next-match").hidden = !line.matches.length;
  $("next-missed").hidden = !Object.keys(line.missed).length;
  if (!game) return;
  const score = game.result === "*" ? "" : `  ${game.result.replace("1/2-1/2", "½–½").replace("-", "–")}`;
  $("game-title").textContent = tags.White || tags.Black ? game.title + score : "A position";
  replace($("game-place"), game.place, game.site && [game.place && " · ", h("a", { href: game.site, rel: "noreferrer" }, "the game on its server")]);
}

/** Play a move in UCI from the position that is shown. */
function play(/** @type {string} */ uci) {
  const before = node;
  return run(async (signal) => {
    try {
      go(grown(before, await ask("play", { ...position(), move: uci }, signal)));
    } catch (error) {
      draw();
      throw error;
    }
  });
}

// ------------------------------------------------------------------------------------------------------- setting up

/** Begin a new line in a position. */
const begin = (/** @type {string} */ fen, c960 = "") => change({ fen, c960, line: "", game: "", hit: "" }, { push: true });

/** Put pieces on squares, or give the turn to the other side; the next click may come before the answer. */
function setUp(/** @type {Record<number, string | undefined>} */ pieces, turns = false) {
  if (!shown) return;
  const placed = [...shown.pieces].map((letter, square) => pieces[square] ?? letter), [, , castling, , , full = 1] = shown.fen.split(" ");
  const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => placed.slice(8 * rank, 8 * rank + 8).join("").replace(/\.+/g, (empty) => String(empty.length)));
  const white = shown.white !== turns, fen = `${ranks.join("/")} ${white ? "w" : "b"} ${castling} - 0 ${full}`;
  shown = { ...shown, pieces: placed.join(""), fen, white };
  begin(fen, state.c960);
}

function edit(/** @type {boolean} */ on) {
  editing = on;
  brush = "";
  $("mode-edit").ariaPressed = String(on);
  $("palette").hidden = !on;
  for (const button of $("palette").children) button.ariaPressed = "false";
  board.choose(null);
}

$("palette").append(...[...LETTERS, "."].map((letter) => {
  const isEmpty = letter === ".", name = isEmpty ? "Empty square" : pieceName(letter).replace(/^./, (first) => first.toUpperCase());
  return h("button", {
    type: "button", "aria-pressed": "false", "aria-label": name, title: name,
    onclick: (/** @type {any} */ { currentTarget: it }) => {
      brush = brush === letter ? "" : letter;
      for (const other of $("palette").children) other.ariaPressed = String(other === it && brush !== "");
    },
    onpointerdown: (/** @type {PointerEvent} */ event) => isEmpty || board.carry(event, null, letter),
  }, isEmpty ? "✕" : s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, s("use", { href: `#piece-${letter}` })));
}));

const flip = () => change({ side: isTurned() ? "white" : "black" });
/** Go to the next of some plies of the main line, after the last to the first. */
const next = (/** @type {number[]} */ plies) => go(line.main()[plies.find((it) => it > node.ply) ?? plies[0] ?? node.ply]);

const clicks = /** @type {Record<string, () => unknown>} */ ({
  first: () => go(line.root), before: () => go(node.parent), after: () => go(node.children[0]), last: () => go(line.main().at(-1)),
  "next-match": () => next(line.matches), "next-missed": () => next(Object.keys(line.missed).map(Number)), undo: () => undoing.pop()?.(), flip,
  "game-close": leave, "mode-edit": () => edit(!editing), start: () => begin(""), turn: () => setUp({}, true),
  clear: () => {
    edit(true);
    begin("8/8/8/8/8/8/8/8 w - - 0 1");
  },
  start960: () => run(async (signal) => begin((await ask("start960", { number: Math.floor(960 * Math.random()) }, signal)).fen, "1")),
});
for (const [id, click] of Object.entries(clicks)) $(id).onclick = click;
$("chess960").onchange = () => begin(node.fen, $("chess960").checked ? "1" : "");
$("fen-form").onsubmit = (event) => {
  event.preventDefault();
  $("fen").blur();
  begin($("fen").value.trim());
};
$("like-form").onsubmit = (event) => {
  event.preventDefault();
  run(async (signal) => {
    const { where } = await ask("like", { fen: node.fen, what: $("like").value, either_colour: $("like-colour").checked, either_wing: $("like-wing").checked }, signal);
    await search([`where:${where}`]);
  });
};
let wheeled = 0; // how far the wheel was turned since the last move
$("position").addEventListener("wheel", (event) => {
  if (event.ctrlKey || (line.root.children.length === 0 && !node.parent)) return; // no moves: the page scrolls
  event.preventDefault();
  wheeled += event.deltaY;
  if (Math.abs(wheeled) < 40) return;
  go(wheeled > 0 ? node.children[0] : node.parent);
  wheeled = 0;
}, { passive: false });
$("share").append(...[copier(() => line.pgn(), "PGN", "Copy PGN"), copier(() => node.fen, "FEN", "Copy FEN"), copier(() => location.href, "link", "Copy link")]);
