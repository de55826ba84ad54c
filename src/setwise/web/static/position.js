// The board: a position, what is switched on, and why.

import { Board } from "./board.js";
import { completing } from "./complete.js";
import { $, ask, catalogue, h, plural, replace, s, tell } from "./dom.js";
import { SQUARES, pieceName, shape, squareOf, squaresOf } from "./draw.js";
import { address, change, state } from "./state.js";

const LETTERS = "KQRBNPkqrbnp";
const BARE = { fen: "", c960: "", on: [], side: "white", about: "", step: "" };
const EXAMPLES = [
  ["A fork that wins the queen: Karpov – Kasparov, 1985", {
    fen: "2r1r3/5pk1/6bp/8/Np1qnRP1/1P1Q2P1/6BP/1N1R3K b - - 0 34",
    on: ["black_safe_royal_fork_squares", "black:knight.attacks"], about: "black_safe_royal_fork_squares",
  }],
  ["A fill, step by step: where the king can walk", {
    fen: "7k/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3/8 w - - 0 1", on: ["white:fills.flood"], about: "white:fills.flood", step: "0",
  }],
  ["Pawns that nobody stops: the rule of the square", {
    fen: "8/8/8/1P4k1/8/8/5K2/8 w - - 0 1", on: ["white_unstoppable_passers", "white:race.catchable"], about: "white_unstoppable_passers",
  }],
  ["Islands, passed pawns and holes", {
    fen: "r4rk1/pp3ppp/2n5/3p4/8/4B3/P4PPP/R4RK1 w - - 0 1", on: ["white_pawn_islands", "black_pawn_islands", "black_passed_pawns", "white_isolated_pawns", "black_holes"], about: "white_pawn_islands",
  }],
];
let shown = null; // what the server said last,
let answered = null; // and to what
let told = { place: null, marks: new Map() }; // all marks that are known of that position, by their switches
let chosen = null; // the square that a click has taken up
let brush = null; // the piece that a click puts down
let editing = false;
let asked = 0;
let last = null;
let known = null;

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

const most = () => known?.most ?? 6;
const position = () => ({ fen: state.fen, chess960: state.c960 === "1" });

export async function show() {
  const number = ++asked;
  const place = JSON.stringify([state.fen, state.c960]);
  const wanted = place + JSON.stringify(state.on);
  try {
    if (wanted !== answered) {
      const marks = place === told.place ? told.marks : new Map();
      const unknown = state.on.filter((on) => !marks.has(on));
      if (place !== told.place || unknown.length) {
        const answer = await ask("board", { ...position(), on: unknown });
        if (number !== asked) return;
        shown = answer;
        told = { place, marks };
        for (const mark of [...answer.ready, ...answer.marks]) marks.set(mark.on, mark);
      }
      shown = { ...shown, marks: state.on.filter((on) => marks.has(on)).slice(0, most()).map((on) => marks.get(on)) };
      answered = wanted;
    }
    tell($("fault"), "");
    if (document.activeElement !== $("fen")) $("fen").value = shown.fen;
  } catch (error) {
    if (number !== asked) return;
    tell($("fault"), error.message);
    if (!shown) $("fen").value = state.fen;
  }
  draw();
  explain();
  steps();
}

function draw() {
  if (!shown) return;
  const marks = shown.marks.map((mark) => mark.word);
  const step = stepping?.list[stepping.at];
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
  legend();
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

// ------------------------------------------------------------------------------------------------------- switches

export function toggle(on, name) {
  const there = state.on.includes(on);
  if (!there && state.on.length >= most()) {
    tell($("fault"), `One board shows ${most()} of them at the most: switch another one off.`);
    return;
  }
  change({ on: there ? state.on.filter((it) => it !== on) : [...state.on, on], about: name ?? state.about, step: "" });
}

function legend() {
  const items = shown.marks.map((mark, number) => {
    const squares = mark.word ? squaresOf(mark.word).map((square) => SQUARES[square]) : null;
    const told = mark.error ? h("span", { className: "fault" }, mark.error)
      : squares ? h("span", { className: "squares" }, squares.length > 12 ? `${squares.slice(0, 12).join(" ")} …` : squares.join(" ") || "no square")
      : h("strong", {}, mark.value === null ? "nothing" : String(mark.value));
    return h("li", {},
      squares ? shape(number) : h("span", { className: "shape none", "aria-hidden": "true" }, "="),
      h("div", {},
        h("button", { type: "button", className: "link", onclick: () => change({ about: mark.on, step: "" }) }, mark.name),
        squares && h("span", { className: "count" }, String(mark.count)),
        told),
      h("button", { type: "button", className: "off", "aria-label": `Switch off ${mark.name}`, onclick: () => toggle(mark.on) }, "✕"));
  });
  replace($("legend"), ...(items.length ? items : [h("li", { className: "quiet" }, "Switch on a pattern, and its squares are marked here and on the board.")]));
}

/** The switches say what is on. */
function mirror() {
  for (const button of $("switches").querySelectorAll("button[data-on]")) {
    button.ariaPressed = String(state.on.includes(button.dataset.on));
  }
}

async function list() {
  try {
    known = await catalogue();
  } catch (error) {
    tell($("fault"), error.message);
    return;
  }
  const topics = known.topics.map((topic) =>
    h("details", { open: topic.name === "features" },
      h("summary", {}, topic.name === "features" ? "Features of a position" : topic.name, h("span", { className: "quiet" }, topic.name === "features" ? "" : topic.title)),
      h("ul", {}, topic.items.map((item) => {
        const row = h("li", { title: item.about },
          h("button", { type: "button", className: "link", onclick: () => change({ about: item.name, step: "" }) }, item.name),
          ...["White", "Black"].map((side, at) => {
            const button = h("button", {
              type: "button", className: `side ${side.toLowerCase()}`, "aria-pressed": "false", "aria-label": `${item.name} for ${side}`,
              onclick: () => toggle(item.on[at], item.on[at]),
            }, side[0]);
            button.dataset.on = item.on[at];
            return button;
          }));
        row.dataset.words = `${item.name} ${item.about}`.toLowerCase().replaceAll("_", " ");
        return row;
      }))));
  $("switches").replaceChildren(...topics);
  mirror();
  if ($("filter").value) filter(); // it was typed before there was a list
}

function filter() {
  const words = $("filter").value.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  for (const topic of $("switches").children) {
    let any = false;
    for (const row of topic.querySelectorAll("li")) {
      row.hidden = !words.every((word) => row.dataset.words.includes(word));
      any ||= !row.hidden;
    }
    topic.hidden = !any;
    topic.open = words.length ? any : topic === $("switches").firstElementChild;
  }
}

$("filter").addEventListener("input", filter);

$("add").onsubmit = (event) => {
  event.preventDefault();
  const text = $("expression").value.trim();
  if (!text) return;
  $("expression").value = "";
  if (!state.on.includes(text)) toggle(text);
};
completing($("expression"));

// ------------------------------------------------------------------------------------------------------- reasons

let explained = null;

async function explain() {
  const name = state.about;
  if (name === explained) return;
  explained = name;
  const place = $("about");
  if (!name) {
    place.replaceChildren(
      h("h2", {}, "What it means"),
      h("p", { className: "quiet" }, "Choose a pattern: here stand its meaning, its formula and why it works."),
      h("h3", {}, "To begin with"),
      h("ul", { className: "try" }, EXAMPLES.map(([name, shows]) => {
        const link = h("a", { href: address({ ...BARE, ...shows }) }, name);
        link.dataset.view = "board";
        link.dataset.state = JSON.stringify({ ...BARE, ...shows });
        return h("li", {}, link);
      })));
    return;
  }
  let page;
  try {
    page = await ask("page", { name });
  } catch {
    const about = state.on.includes(name) ? [h("p", {}, "An expression of your own."), h("pre", {}, h("code", {}, name))] : [];
    place.replaceChildren(h("h2", {}, "What it means"), ...about);
    return;
  }
  if (name !== state.about) return;
  const part = (title, ...content) => [h("h3", {}, title), ...content];
  const expression = shown?.marks.find((mark) => mark.on === name)?.expression;
  place.replaceChildren(
    h("h2", {}, h("code", {}, page.name)),
    h("p", { className: "summary" }, page.summary),
    ...(page.definition ? prose(page.definition) : []),
    ...(page.formula ? part("Formula", code(page.formula, "Formula")) : []),
    ...(page.why ? part("Why it works", ...prose(page.why)) : []),
    ...page.forms.flatMap((form) => part(form.title, code(form.code, form.title))),
    ...(page.arguments.length ? part("Arguments", h("dl", {}, page.arguments.flatMap((it) => [h("dt", {}, it.name), h("dd", {}, it.meaning)]))) : []),
    ...(expression && expression !== name ? part("Asked of this position", code(expression, "Expression")) : []),
    ...(page.columns.length ? part("In conditions", h("p", {}, ...page.columns.flatMap((it) => [h("code", {}, it), " "]))) : []),
    ...(page.traps ? part("Traps", ...prose(page.traps)) : []),
    ...(page.slips ? part("Where the source errs", ...prose(page.slips)) : []),
    ...(page.names.length ? part("Others call it", h("p", {}, page.names.join(", "))) : []),
    ...(page.source ? part("Source", ...prose(page.source)) : []),
  );
  steps();
}

const code = (text, label) => h("pre", { tabIndex: 0, role: "region", "aria-label": label }, h("code", {}, text));

/** Paragraphs, with `code` in backticks. */
function prose(text) {
  return text.split(/\n\s*\n/).map((paragraph) =>
    h("p", {}, ...paragraph.split(/(`+[^`]+`+)/).map((part) => (part.startsWith("`") ? h("code", {}, part.replaceAll("`", "")) : part))));
}

// ------------------------------------------------------------------------------------------------------- steps

let stepping = null;
let stepped = "";

async function steps() {
  const wanted = `${state.about} ${state.fen} ${state.c960}`;
  if (wanted !== stepped) {
    stepped = wanted;
    stepping = null;
    if (/:|^(white|black)_/.test(state.about)) {
      try {
        const answer = await ask("steps", { ...position(), on: state.about });
        if (wanted !== stepped) return;
        if (answer.steps.length) stepping = { list: answer.steps, at: null };
      } catch {
        stepping = null;
      }
    }
  }
  if (stepping) {
    const at = state.step === "" ? null : Math.min(Number(state.step) || 0, stepping.list.length - 1);
    if (at !== stepping.at) {
      stepping.at = at;
      draw();
    }
  }
  replace($("steps-place"), ...(stepping ? player() : []));
}

let playing;

function player() {
  const { list, at } = stepping;
  const go = (to) => {
    clearInterval(playing);
    change({ step: to === null ? "" : String(Math.max(0, Math.min(list.length - 1, to))) });
  };
  const play = () => {
    let now = 0;
    go(0);
    playing = setInterval(() => {
      now += 1;
      if (now >= list.length || list !== stepping?.list || state.view !== "board") clearInterval(playing);
      else change({ step: String(now) });
    }, 1100);
  };
  const items = list.map((step, number) =>
    h("li", { className: number === at ? "now" : "" },
      h("button", { type: "button", className: "link", "aria-current": number === at ? "step" : undefined, onclick: () => go(number) }, step.caption || `Step ${number + 1}`),
      h("span", { className: "count" }, String(step.count))));
  return [
    h("div", { className: "bar", id: "steps", role: "group", "aria-label": "Steps" },
      h("button", { type: "button", onclick: play }, "Play the steps"),
      h("button", { type: "button", "aria-label": "A step back", onclick: () => go((at ?? 1) - 1) }, "◀"),
      h("button", { type: "button", "aria-label": "A step on", onclick: () => go(at === null ? 0 : at + 1) }, "▶"),
      h("button", { type: "button", disabled: at === null, onclick: () => go(null) }, "All marks")),
    h("ol", { className: "step-list" }, items),
  ];
}

list();
