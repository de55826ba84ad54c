// Boards in SVG, of the shapes that the page defines once.

import { s } from "./dom.js";

export const SQUARES = Array.from({ length: 64 }, (_, at) => "abcdefgh"[at & 7] + "12345678"[at >> 3]);
export const squareOf = (/** @type {string} */ name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

const PIECES = /** @type {Record<string, string>} */ ({ k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" });
export const isWhite = (/** @type {string} */ letter) => letter === letter.toUpperCase();
export const pieceName = (/** @type {string} */ letter) => `${isWhite(letter) ? "white" : "black"} ${PIECES[letter.toLowerCase()]}`;

/** The squares of a set of 16 hex digits. */
export function squaresOf(/** @type {string} */ word) {
  const squares = [];
  for (let byte = 0; byte < 8; byte++) {
    const bits = parseInt(word.slice(14 - 2 * byte, 16 - 2 * byte), 16);
    for (let bit = 0; bit < 8; bit++) if ((bits >> bit) & 1) squares.push(8 * byte + bit);
  }
  return squares;
}

export function wordOf(/** @type {Iterable<number>} */ squares) {
  let word = 0n;
  for (const square of squares) word |= 1n << BigInt(square);
  return word.toString(16).padStart(16, "0");
}

export function corner(/** @type {number} */ square, /** @type {boolean | undefined} */ turned) {
  const x = 100 * (square & 7), y = 700 - 100 * (square >> 3);
  return turned ? [700 - x, 700 - y] : [x, y];
}

function arrow(/** @type {string} */ move, /** @type {boolean} */ turned, name = "") {
  const [x, y] = corner(squareOf(move), turned), [toX, toY] = corner(squareOf(move.slice(2)), turned);
  const length = Math.hypot(toX - x, toY - y), angle = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
  const shaft = length - 52, tip = length - 8;
  return s("path", {
    class: `arrow ${name}`, transform: `translate(${x + 50} ${y + 50}) rotate(${angle})`,
    d: `M30 -9 H${shaft} V-28 L${tip} 0 L${shaft} 28 V9 H30 Z`,
  });
}

/**
 * A board: `pieces` are 64 letters from a1, `marks` sets as hex words by their number, `last` and `move` moves in UCI;
 * `missed` is the move that was there where `move` was played; `arrows` are more moves, each with its class.
 */
export function drawing(/** @type {Drawn} */ { pieces = "", marks = [], last, move, missed, turned = false, numbers, label, arrows = [] }) {
  const moved = last ? [squareOf(last), squareOf(last.slice(2))] : [];
  const at = (/** @type {string} */ href, /** @type {number} */ square) => {
    const [x, y] = corner(square, turned);
    return s("use", { href, x, y });
  };
  return s("svg", { viewBox: "-44 -2 846 852", class: "drawn", ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }) },
    s("use", { href: "#board" }), s("use", { href: turned ? "#names-black" : "#names-white" }),
    s("g", { class: "last" }, moved.map((square) => s("path", { d: `M${corner(square, turned).join(" ")}h100v100h-100z` }))),
    marks.map((word, number) => word && s("g", {}, squaresOf(word).map((square) => at(`#mark-${number}`, square)))),
    s("g", { class: "pieces" }, [...pieces].map((letter, square) => letter !== "." && at(`#piece-${letter}`, square))),
    move && arrow(move, turned, missed ? "played" : ""), missed && arrow(missed, turned), arrows.map(([uci, name]) => arrow(uci, turned, name)),
    numbers && s("g", { class: "bit-numbers" }, numbers.map((bit, square) => {
      const [x, y] = corner(square, turned);
      return s("text", { x: x + 92, y: y + 26 }, String(bit));
    })));
}

/** The shape of a set beside its name. */
export const shape = (/** @type {number} */ number) =>
  s("svg", { viewBox: "-4 -4 108 108", class: "shape", "aria-hidden": "true" }, s("path", { class: "ground", d: "M0 0H100V100H0Z" }), s("use", { href: `#mark-${number}` }));
