// A board to work on: 64 buttons over a drawing. Squares are clicked, dragged, and walked with the arrow keys.

import { h } from "./dom.js";
import { SQUARES, corner, drawing, pieceName } from "./draw.js";

const STEPS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
const FAR = 5;

export class Board {
  /**
   * `click(square)`, `drag(from, to)` with `to` null outside the board, `key(event, square)`; `grabs(square)` says
   * whether a piece can be dragged from there.
   */
  constructor(host, { label, click, drag, key, grabs, toggles = false }) {
    Object.assign(this, { host, click, drag, key, grabs, toggles, shown: {}, at: 0 });
    this.picture = drawing({});
    this.cells = new Map();
    this.grid = h("div", { className: "cells", role: "grid", "aria-label": label });
    host.append(this.picture, this.grid);
    this.turn(false);
    this.grid.addEventListener("keydown", (event) => this.#walk(event));
    this.grid.addEventListener("click", (event) => {
      const square = this.#squareOf(event.target);
      if (square !== undefined && !this.dragged) this.click?.(square);
      this.dragged = false;
    });
    this.grid.addEventListener("pointerdown", (event) => this.#grab(event));
    this.grid.addEventListener("focusin", () => { this.byPointer = this.pressed; });
  }

  turn(turned) {
    if (this.turned === turned) return;
    this.turned = turned;
    const held = this.#squareOf(document.activeElement);
    this.cells.clear();
    const rows = Array.from({ length: 8 }, (_, row) =>
      h("div", { role: "row" }, Array.from({ length: 8 }, (_, column) => {
        const square = turned ? 8 * row + 7 - column : 8 * (7 - row) + column;
        const button = h("button", { type: "button", tabIndex: -1 });
        button.dataset.square = SQUARES[square];
        this.cells.set(square, button);
        return h("div", { role: "gridcell" }, button);
      })));
    this.grid.replaceChildren(...rows);
    this.cells.get(this.at).tabIndex = 0;
    if (held !== undefined) this.focus(held);
  }

  /** Draw; `labels(square)` adds to what a screen reader reads. */
  draw(shown) {
    this.shown = shown;
    this.turn(Boolean(shown.turned));
    const picture = drawing(shown);
    this.picture.replaceWith(picture);
    this.picture = picture;
    for (const [square, button] of this.cells) {
      const letter = shown.pieces?.[square] ?? ".";
      const more = shown.says?.(square);
      button.ariaLabel = [SQUARES[square], letter === "." ? "" : pieceName(letter), more].filter(Boolean).join(", ");
      button.classList.toggle("grab", letter !== ".");
      button.classList.toggle("chosen", square === shown.chosen);
      button.classList.toggle("target", Boolean(shown.targets?.has(square)));
      if (this.toggles) button.ariaPressed = String(Boolean(shown.pressed?.has(square)));
    }
  }

  #squareOf(element) {
    const button = element?.closest?.("button[data-square]");
    return button && this.grid.contains(button) ? SQUARES.indexOf(button.dataset.square) : undefined;
  }

  #walk(event) {
    const square = this.#squareOf(event.target);
    if (square === undefined) return;
    const step = STEPS[event.key];
    if (step && this.byPointer) return; // after a click the arrow keys walk through the moves, not over the squares
    if (!step) {
      this.key?.(event, square);
      return;
    }
    event.preventDefault();
    const way = this.turned ? -1 : 1;
    const file = (square & 7) + way * step[0], rank = (square >> 3) + way * step[1];
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return;
    this.focus(8 * rank + file);
  }

  focus(square) {
    this.cells.get(this.at).tabIndex = -1;
    this.at = square;
    this.cells.get(square).tabIndex = 0;
    this.cells.get(square).focus();
  }

  /** The square at a point of the window; null outside the board. */
  squareAt(x, y) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor((8 * (x - box.left)) / box.width), row = Math.floor((8 * (y - box.top)) / box.height);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.turned ? 8 * row + 7 - column : 8 * (7 - row) + column;
  }

  #grab(event) {
    this.dragged = false;
    this.pressed = this.byPointer = true;
    setTimeout(() => { this.pressed = false; });
    const from = this.#squareOf(event.target);
    if (from === undefined || event.button !== 0) return;
    this.cells.get(this.at).tabIndex = -1;
    this.at = from;
    this.cells.get(from).tabIndex = 0;
    if (!this.drag || !this.grabs?.(from)) return;
    this.carry(event, from);
  }

  /** Let a piece follow the pointer from a square, or from outside the board. */
  carry(event, from, letter) {
    const start = [event.clientX, event.clientY];
    const piece = letter
      ? null
      : [...this.picture.querySelectorAll(".pieces use")].find((use) => {
          const [x, y] = corner(from, this.turned);
          return Number(use.getAttribute("x")) === x && Number(use.getAttribute("y")) === y;
        });
    const moved = (now) => {
      if (!this.dragged && Math.hypot(now.clientX - start[0], now.clientY - start[1]) < FAR) return;
      this.dragged = true;
      if (!piece) return;
      const scale = 800 / this.grid.getBoundingClientRect().width;
      piece.parentNode.append(piece);
      piece.setAttribute("transform", `translate(${(now.clientX - start[0]) * scale} ${(now.clientY - start[1]) * scale})`);
    };
    const ended = (now) => {
      removeEventListener("pointermove", moved);
      removeEventListener("pointerup", ended);
      removeEventListener("pointercancel", ended);
      piece?.removeAttribute("transform");
      if (now.type === "pointerup" && this.dragged) {
        const to = this.squareAt(now.clientX, now.clientY);
        if (to !== from) this.drag(from, to, letter);
      }
      setTimeout(() => { this.dragged = false; });
    };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", ended);
    addEventListener("pointercancel", ended);
  }
}
