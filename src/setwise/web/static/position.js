// The board: a position that is played on or set up.

import { Board } from "./board.js";
import { $, ask, h, plural, s, tell } from "./dom.js";
import { SQUARES, pieceName, squareOf, squaresOf } from "./draw.js";
import { explain } from "./explanation.js";
import { change, state } from "./state.js";
import { currentStep, steps } from "./steps.js";
import { legend, mirror, most } from "./switches.js";
import * as tree from "./tree.js";

const LETTERS = "KQRBNPkqrbnp";
let shown = null; // the last answer of the server,
let answered = null; // and its question
let fetched = { place: null, marks: new Map() }; // the marks of one position, by their switches
let chosen = null; // the square of the piece to move, after one click
let brush = null; // the piece that a click sets up
let editing = false;
let requests = 0;
let last = null;

const board = new Board($("position"), {
  label: "Position",
  grabs: (square) => shown && shown.pieces[square] !== ".",
  click: (square) => (editing ? paint(square) : take(square)),
  drag: (from, to, letter) => (editing || letter ? place(from, to, letter) : to !== null && move(from, to)),
  key: pressed,
});

export function key(event) {
  if (event.key === "f") flip();
  else if (event.key === "/") {
    event.preventDefault();
    $("filter").focus();
  } else if (event.key === "e") edit(!editing);
}

const position = () => ({ fen: state.fen, chess960: state.c960 === "1" });

export async function show() {
  const number = ++requests;
  const place = JSON.stringify([state.fen, state.c960]);
  const wanted = place + JSON.stringify(state.on);
  try {
    if (wanted !== answered) {
      const marks = place === fetched.place ? fetched.marks : new Map();
      const unknown = state.on.filter((on) => !marks.has(on));
      if (place !== fetched.place || unknown.length) {
        const answer = await ask("board", { ...position(), on: unknown });
        if (number !== requests) return;
        shown = answer;
        fetched = { place, marks };
        for (const mark of [...answer.ready, ...answer.marks]) marks.set(mark.on, mark);
      }
      shown = { ...shown, marks: state.on.filter((on) => marks.has(on)).slice(0, most()).map((on) => marks.get(on)) };
      answered = wanted;
    }
    tell($("fault"), "");
    if (document.activeElement !== $("fen")) $("fen").value = shown.fen;
  } catch (error) {
    if (number !== requests) return;
    tell($("fault"), error.message);
    if (!shown) $("fen").value = state.fen;
  }
  draw();
  explain(shown?.marks ?? []);
  steps(position(), draw);
  tree.show(shown?.fen);
}

function draw() {
  if (!shown) return;
  const marks = shown.marks.map((mark) => mark.word);
  const step = currentStep();
  const sets = step ? [step.word] : marks;
  const held = sets.map((word) => (word ? new Set(squaresOf(word)) : new Set()));
  const turned = state.side === "black";
  const targets = new Set();
  if (chosen !== null && shown.moves)
    for (const [uci] of shown.moves) if (squareOf(uci) === chosen) targets.add(squareOf(uci.slice(2)));
  board.draw({
    pieces: shown.pieces, marks: sets, last: last?.fen === shown.fen ? last.move : undefined, turned, chosen, targets,
    says: (square) => shown.marks.filter((_, number) => held[number]?.has(square)).map((mark) => mark.name).join(", "),
  });
  const white = shown.white ? "White" : "Black";
  const states = { check: `${white} is in check`, checkmate: `${white} is mated`, stalemate: "Stalemate" };
  const fault = shown.faults.length ? `No game reaches this: ${shown.faults.join("; ")}.` : "";
  const moves = shown.moves ? plural(shown.moves.length, "legal move", "legal moves") : "moves mean nothing here";
  $("status").textContent = [states[shown.state] || `${white} to move`, moves].join(" · ") + (fault ? `. ${fault}` : "");
  $("turn").textContent = `${white} to move`;
  $("chess960").checked = shown.chess960;
  legend(shown.marks);
  mirror();
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
  const promotes = shown.moves?.some(([uci]) => uci.length === 5 && squareOf(uci) === from && squareOf(uci.slice(2)) === to);
  const before = position();
  const piece = promotes ? await promotion() : "";
  if (promotes && (!piece || before.fen !== state.fen)) return draw(); // nothing was chosen, or for another position
  try {
    const answer = await ask("play", { ...before, move: SQUARES[from] + SQUARES[to] + piece });
    last = { fen: answer.fen, move: answer.last };
    change({ fen: answer.fen, c960: answer.chess960 ? "1" : "" }, { push: true });
  } catch (error) {
    tell($("fault"), error.message);
    draw();
  }
}

/** The letter of the piece that a pawn shall become; nothing where the dialog is left. */
function promotion() {
  return new Promise((done) => {
    const dialog = h("dialog", { className: "choose", "aria-label": "Promote to" });
    const buttons = [["q", "Queen"], ["r", "Rook"], ["b", "Bishop"], ["n", "Knight"]].map(([letter, name]) =>
      h("button", { type: "button", onclick: () => dialog.close(letter) }, name));
    dialog.append(...buttons);
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue);
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

function setUp(pieces, fields = {}) {
  const [, turn, castling, , , full] = shown.fen.split(" ");
  const now = { turn, castling, ...fields };
  const fen = `${pieces} ${now.turn} ${now.castling} - 0 ${full || 1}`;
  shown = { ...shown, fen, white: now.turn === "w" }; // the next click may come before the answer
  change({ fen }, { push: true });
}

function place(from, to, letter) {
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
    place(from, square);
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
  $("mode-play").ariaPressed = String(!on);
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
  change({ side: state.side === "black" ? "white" : "black" });
}

$("mode-play").onclick = () => edit(false);
$("mode-edit").onclick = () => edit(true);
$("flip").onclick = flip;
$("back").onclick = () => history.back();
$("start").onclick = () => change({ fen: "", c960: "" }, { push: true });
$("clear").onclick = () => {
  edit(true);
  change({ fen: "8/8/8/8/8/8/8/8 w - - 0 1", c960: "" }, { push: true });
};
$("turn").onclick = () => setUp(shown.fen.split(" ")[0], { turn: shown.white ? "b" : "w" });
$("start960").onclick = async () => {
  try {
    const answer = await ask("start960", { number: Math.floor(960 * Math.random()) });
    change({ fen: answer.fen, c960: "1" }, { push: true });
  } catch (error) {
    tell($("fault"), error.message);
  }
};
$("chess960").onchange = (event) => change({ c960: event.target.checked ? "1" : "" });
$("fen-form").onsubmit = (event) => {
  event.preventDefault();
  $("fen").blur();
  change({ fen: $("fen").value.trim(), c960: "" }, { push: true });
};
