// A set as a board, and as the numbers and texts of programs.

import { Board } from "./board.js";
import { completing } from "./complete.js";
import { $, ask, copier, h, latest, plural } from "./dom.js";
import { SQUARES, squaresOf, wordOf } from "./draw.js";
import { position } from "./position.js";
import { change, state } from "./state.js";

let shown = /** @type {Desk | null} */ (null);
let bits = /** @type {number[] | null} */ (null); // the number of each square in the mapping
const { run } = latest($("desk-fault"));

const board = new Board($("bits"), {
  label: "Set of squares",
  toggles: true,
  click: (square) => {
    const squares = new Set(squaresOf(shown?.word ?? ""));
    if (!squares.delete(square)) squares.add(square);
    if (shown) shown = { ...shown, word: wordOf(squares) }; // the next click may come before the answer
    return push(`squares('${[...squares].sort((a, b) => a - b).map((it) => SQUARES[it]).join(" ")}')`);
  },
});

const push = (/** @type {string} */ x) => {
  change({ x }, { push: true });
  return true;
};

export const show = () => run(async (signal) => {
  const answer = await ask("desk", { text: state.x, ...position(), mapping: state.map, name: state.name }, signal);
  if (answer.word === undefined) {
    $("bits-status").textContent = `= ${answer.value ?? "nothing"}, which is not a set of squares`;
    return;
  }
  shown = answer;
  bits = answer.bits ?? bits;
  const squares = new Set(squaresOf(answer.word));
  board.draw({ marks: [answer.word], pressed: squares, numbers: bits, says: (square) => (squares.has(square) ? "in the set" : "") });
  $("bits-status").textContent = `${plural(squares.size, "square", "squares")}${squares.size && squares.size <= 16 ? `: ${answer.names.join(" ")}` : ""}`;
  const signed = /** @type {[string, string][]} */ (answer.signed === answer.number ? [] : [["Signed", answer.signed]]);
  fill($("numbers"), [
    ["Hex", answer.hex], ["Decimal", answer.number], ...signed, ["Binary", answer.binary], ["Squares", answer.names.join(" ") || "none"],
  ]);
  fill($("sources"), answer.sources);
});

/** @param {HTMLElement} list  @param {[string, string][]} rows */
function fill(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, text]) => [
    h("dt", {}, name), h("dd", {}, h("code", {}, text), copier(() => text, name)),
  ]));
}

completing($("text"));

/** The text as an expression: numbers and names of squares are converted. */
const expression = () => (/^\s*(-?[0-9]|([a-h][1-8][\s,]*)*$)/.test(state.x) || state.x.includes("\n") ? `squares('${shown?.names.join(" ")}')` : state.x.trim());

// Each button has a formula, in which % stands for the expression.
for (const button of document.querySelectorAll("#view-bitboards button[data-formula]"))
  button.addEventListener("click", () => {
    const formula = button.getAttribute("data-formula") ?? "", x = expression();
    push(formula.replace("%", formula !== "~%" || /^[\w.]+\(.*\)$|^\w+$/.test(x) ? x : `(${x})`));
  });
$("desk-back").onclick = () => history.back();
