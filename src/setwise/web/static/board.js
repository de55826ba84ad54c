// A board to work on: 64 buttons over a drawing. Squares are clicked, dragged, and walked with the arrow keys.

import { $, h } from "./dom.js";
import { SQUARES, corner, drawing, isWhite, pieceName, squareOf } from "./draw.js";

const STEPS = /** @type {Record<string, [number, number]>} */ ({ ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] });
const FAR = 5;

export class Board {
  shown = /** @type {Shown} */ ({});
  cells = /** @type {Map<number, HTMLButtonElement>} */ (new Map());
  chosen = /** @type {number | null} */ (null); // the square of the piece to move, after one click
  at = 0;
  turned = /** @type {boolean | undefined} */ (undefined);
  #isDragged = false;
  #isPressed = false;
  #isByPointer = false;
  #picture = drawing({});

  constructor(/** @type {HTMLElement} */ host, /** @type {Plays} */ does) {
    this.does = does;
    this.grid = h("div", { className: "cells", role: "grid", "aria-label": does.label });
    host.append(this.#picture, this.grid);
    this.turn(false);
    this.grid.addEventListener("keydown", (event) => this.#walk(event));
    this.grid.addEventListener("click", (event) => {
      const square = this.#squareOf(event.target);
      if (square !== undefined && !this.#isDragged) this.#tap(square);
      this.#isDragged = false;
    });
    this.grid.addEventListener("pointerdown", (event) => this.#grab(event));
    this.grid.addEventListener("focusin", () => { this.#isByPointer = this.#isPressed; });
  }

  turn(/** @type {boolean} */ turned) {
    if (this.turned === turned) return;
    this.turned = turned;
    const held = this.#squareOf(document.activeElement);
    const rows = Array.from({ length: 8 }, (_, row) =>
      h("div", { role: "row" }, Array.from({ length: 8 }, (_, column) => {
        const square = turned ? 8 * row + 7 - column : 8 * (7 - row) + column;
        const button = h("button", { type: "button", tabIndex: square === this.at ? 0 : -1 });
        button.dataset.square = SQUARES[square];
        this.cells.set(square, button);
        return h("div", { role: "gridcell" }, button);
      })));
    this.grid.replaceChildren(...rows);
    if (held !== undefined) this.focus(held);
  }

  /** Draw; `says(square)` adds to what a screen reader reads. */
  draw(/** @type {Shown} */ shown) {
    if (shown.pieces !== this.shown.pieces) this.chosen = null;
    this.shown = shown;
    this.turn(Boolean(shown.turned));
    const picture = drawing(shown);
    this.#picture.replaceWith(picture);
    this.#picture = picture;
    const targets = (this.chosen === null ? [] : shown.moves ?? []).filter(([uci]) => squareOf(uci) === this.chosen).map(([uci]) => squareOf(uci.slice(2)));
    for (const [square, button] of this.cells) {
      const letter = shown.pieces?.[square] ?? ".";
      button.ariaLabel = [SQUARES[square], letter === "." ? "" : pieceName(letter), shown.says?.(square)].filter(Boolean).join(", ");
      button.classList.toggle("grab", letter !== ".");
      button.classList.toggle("chosen", square === this.chosen);
      button.classList.toggle("target", targets.includes(square));
      if (this.does.toggles) button.ariaPressed = String(Boolean(shown.pressed?.has(square)));
    }
  }

  choose(/** @type {number | null} */ square) {
    this.chosen = square;
    this.draw(this.shown);
  }

  #squareOf(/** @type {any} */ element) {
    const button = element?.closest?.("button[data-square]");
    return button && this.grid.contains(button) ? SQUARES.indexOf(button.dataset.square) : undefined;
  }

  /** Choose a piece, or move the chosen one. */
  #tap(/** @type {number} */ square) {
    if (this.does.click?.(square) || !this.does.play) return;
    const { pieces = "", white, moves } = this.shown, letter = pieces[square] ?? ".";
    const isOwn = letter !== "." && isWhite(letter) === white && !this.does.free?.();
    const isMove = moves?.some(([uci]) => squareOf(uci) === this.chosen && squareOf(uci.slice(2)) === square);
    if (this.chosen !== null && this.chosen !== square && (isMove || !isOwn)) this.#move(this.chosen, square);
    else this.choose(this.chosen === square || letter === "." ? null : square);
  }

  async #move(/** @type {number | null} */ from, /** @type {number | null} */ to, /** @type {string | undefined} */ letter = undefined) {
    this.chosen = null;
    if (this.does.free?.() || from === null) return this.does.put?.(from, to, letter);
    if (to === null) return;
    const uci = SQUARES[from] + SQUARES[to], { shown } = this;
    const isPromotion = shown.moves?.some(([it]) => it.length === 5 && it.startsWith(uci));
    const piece = isPromotion ? await promotion() : "";
    if ((isPromotion && !piece) || shown.pieces !== this.shown.pieces) this.draw(this.shown); // nothing was chosen, or for another position
    else this.does.play?.(uci + piece);
  }

  #walk(/** @type {KeyboardEvent} */ event) {
    const square = this.#squareOf(event.target), step = STEPS[event.key];
    if (square === undefined || (step && this.#isByPointer)) return; // after a click the arrow keys walk through the moves
    if (!step) return this.does.key?.(event, square);
    event.preventDefault();
    const way = this.turned ? -1 : 1;
    const file = (square & 7) + way * step[0], rank = (square >> 3) + way * step[1];
    if (file >= 0 && file < 8 && rank >= 0 && rank < 8) this.focus(8 * rank + file);
  }

  #here(/** @type {number} */ square) {
    /** @type {HTMLElement} */ (this.cells.get(this.at)).tabIndex = -1;
    this.at = square;
    const button = /** @type {HTMLElement} */ (this.cells.get(square));
    button.tabIndex = 0;
    return button;
  }

  focus(/** @type {number} */ square) {
    this.#here(square).focus();
  }

  /** The square at a point of the window; null outside the board. */
  squareAt(/** @type {number} */ x, /** @type {number} */ y) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor((8 * (x - box.left)) / box.width), row = Math.floor((8 * (y - box.top)) / box.height);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.turned ? 8 * row + 7 - column : 8 * (7 - row) + column;
  }

  #grab(/** @type {PointerEvent} */ event) {
    this.#isDragged = false;
    this.#isPressed = this.#isByPointer = true;
    setTimeout(() => { this.#isPressed = false; });
    const from = this.#squareOf(event.target);
    if (from === undefined || event.button !== 0) return;
    this.#here(from);
    if (this.does.play && (this.shown.pieces?.[from] ?? ".") !== ".") this.carry(event, from);
  }

  /** Let a piece follow the pointer from a square, or from outside the board. */
  carry(/** @type {PointerEvent} */ event, /** @type {number | null} */ from, /** @type {string | undefined} */ letter = undefined) {
    const place = from === null ? [] : corner(from, this.turned);
    const uses = /** @type {NodeListOf<SVGUseElement>} */ (this.#picture.querySelectorAll(".pieces use"));
    const piece = [...uses].find((use) => use.x.baseVal.value === place[0] && use.y.baseVal.value === place[1]);
    const moved = (/** @type {PointerEvent} */ now) => {
      const x = now.clientX - event.clientX, y = now.clientY - event.clientY;
      if (!this.#isDragged && Math.hypot(x, y) < FAR) return;
      this.#isDragged = true;
      const scale = 800 / this.grid.getBoundingClientRect().width;
      piece?.parentNode?.append(piece);
      piece?.setAttribute("transform", `translate(${x * scale} ${y * scale})`);
    };
    const ended = (/** @type {PointerEvent} */ now) => {
      listening.abort();
      piece?.removeAttribute("transform");
      if (now.type === "pointerup" && this.#isDragged) {
        const to = this.squareAt(now.clientX, now.clientY);
        if (to !== from) this.#move(from, to, letter);
      }
      setTimeout(() => { this.#isDragged = false; });
    };
    const listening = new AbortController();
    addEventListener("pointermove", moved, listening);
    addEventListener("pointerup", ended, listening);
    addEventListener("pointercancel", ended, listening);
  }
}

/** The letter of the piece that a pawn becomes; an empty text if the dialog is left. */
function promotion() {
  const dialog = $("promote");
  dialog.returnValue = "";
  dialog.showModal();
  return /** @type {Promise<string>} */ (new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true })));
}
