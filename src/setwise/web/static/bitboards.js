// A set as a board, and as the numbers and texts of programs.

import { Board } from "./board.js";
import { completing } from "./complete.js";
import { $, ask, catalogue, copier, h, later, plural, tell } from "./dom.js";
import { SQUARES, squaresOf, wordOf } from "./draw.js";
import { position } from "./position.js";
import { change, state } from "./state.js";

let shown = null;
let bits = null; // the number of each square in the mapping
let asked = 0;

const board = new Board($("bits"), {
  label: "Set of squares",
  toggles: true,
  click: (square) => {
    const squares = new Set(shown ? squaresOf(shown.word) : []);
    squares.has(square) ? squares.delete(square) : squares.add(square);
    if (shown) shown = { ...shown, word: wordOf(squares) }; // the next click may come before the answer
    write(squares);
  },
});

const write = (squares) =>
  change({ x: `squares('${[...squares].sort((a, b) => a - b).map((square) => SQUARES[square]).join(" ")}')` }, { push: true });

export async function show() {
  const number = ++asked;
  if (document.activeElement !== $("text")) $("text").value = state.x;
  $("mapping").value = state.map;
  if (document.activeElement !== $("constant")) $("constant").value = state.name;
  try {
    const answer = await ask("desk", {
      text: state.x, ...position(), mapping: state.map, name: state.name,
    });
    if (number !== asked) return;
    tell($("desk-fault"), "");
    if (answer.word === undefined) value(answer.value);
    else shown = answer;
    bits = answer.bits ?? bits;
    if (answer.word !== undefined) draw();
  } catch (error) {
    if (number === asked) tell($("desk-fault"), error.message);
  }
}

function value(number) {
  $("bits-status").textContent = `= ${number === null ? "nothing" : number}, which is not a set of squares`;
}

function draw() {
  const squares = new Set(squaresOf(shown.word));
  board.draw({ marks: [shown.word], pressed: squares, numbers: bits, says: (square) => (squares.has(square) ? "in the set" : "") });
  $("bits-status").textContent = `${plural(squares.size, "square", "squares")}${squares.size && squares.size <= 16 ? `: ${shown.names.join(" ")}` : ""}`;
  const rows = [
    ["Hex", shown.hex], ["Decimal", shown.number],
    ...(shown.signed === shown.number ? [] : [["Signed", shown.signed]]), ["Binary", shown.binary], ["Squares", shown.names.join(" ") || "none"],
  ];
  fill($("numbers"), rows);
  fill($("sources"), Object.entries(shown.sources).map(([language, text]) => [LANGUAGES[language] ?? language, text]));
}

const LANGUAGES = { c: "C", cpp: "C++", rust: "Rust", go: "Go", zig: "Zig", csharp: "C#", swift: "Swift", java: "Java", javascript: "JavaScript", python: "Python" };

function fill(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, text]) => [
    h("dt", {}, name), h("dd", {}, h("code", {}, text), copier(() => text, name)),
  ]));
}

$("text").addEventListener("input", later(200, () => change({ x: $("text").value })));
$("desk-form").onsubmit = (event) => event.preventDefault();
$("mapping").onchange = () => change({ map: $("mapping").value });
$("constant").addEventListener("input", later(200, () => change({ name: $("constant").value })));
completing($("text"));

// ------------------------------------------------------------------------------------------------------- shifts, flips

const ROSE = [
  ["north_west", "↖", "north west"], ["north", "↑", "north"], ["north_east", "↗", "north east"],
  ["west", "←", "west"], null, ["east", "→", "east"],
  ["south_west", "↙", "south west"], ["south", "↓", "south"], ["south_east", "↘", "south east"],
];
const FLIPS = [
  ["flip_vertical", "Flip up and down"], ["mirror_horizontal", "Mirror left and right"], ["rotate_180", "Turn around"],
  ["rotate_90_clockwise", "Turn right"], ["rotate_90_anticlockwise", "Turn left"], ["flip_diagonal", "Flip at a1–h8"],
  ["flip_antidiagonal", "Flip at a8–h1"],
];

/** The text as an expression: numbers and names of squares are converted. */
const expression = () => (/^\s*(-?[0-9]|([a-h][1-8][\s,]*)*$)/.test(state.x) || state.x.includes("\n") ? `squares('${shown.names.join(" ")}')` : state.x.trim());
const wrap = (text) => shown && change({ x: text(expression()) }, { push: true });

$("rose").append(...ROSE.map((way) =>
  way ? h("button", { type: "button", "aria-label": `Shift ${way[2]}`, title: `compass.${way[0]}`, onclick: () => wrap((x) => `compass.${way[0]}(${x})`) }, way[1]) : h("span")));
$("flips").append(
  ...FLIPS.map(([name, label]) => h("button", { type: "button", title: `compass.${name}`, onclick: () => wrap((x) => `compass.${name}(${x})`) }, label)),
  h("button", { type: "button", title: "~", onclick: () => wrap((x) => `~${/^[\w.]+\(.*\)$|^\w+$/.test(x) ? x : `(${x})`}`) }, "Complement"),
  h("button", { type: "button", onclick: () => change({ x: "squares('')" }, { push: true }) }, "Clear"),
  h("button", { type: "button", onclick: () => history.back() }, "Back"),
);

catalogue().then((known) => {
  $("mapping").replaceChildren(...known.mappings.map((it) => h("option", { value: it.name }, `${it.name}: ${it.text}`)));
  $("mapping").value = state.map;
}).catch((error) => tell($("desk-fault"), error.message));
