// A figure that can be changed: clicks, drags, keys, and a bar with what to change, reset and copy.

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const MOST_STEPS = 24;
const TOOL_NAMES = { move: "Move pieces", remove: "Remove" };

class Board {
  constructor(figure, data, stepwise) {
    this.figure = figure;
    this.stepwise = stepwise;
    this.title = figure.querySelector("title").textContent;
    this.state = data.columns ? new FeaturesOf(data) : data.whole ? new WholeCall(data) : new Call(data);
    this.returns = data.returns;
    [this.tool] = this.state.tools;
    this.cursor = 28;
    this.from = null;
    this.picture = element("div", { className: "picture", tabIndex: 0 });
    this.picture.setAttribute("role", "application");
    this.picture.setAttribute("aria-label", `${this.title}: a board that you can change with arrow keys and Enter`);
    this.answer = element("output", { className: "answer" });
    this.bar = element("div", { className: "bar" });
    this.size = figure.querySelector("svg").getAttribute("width");
    this.link = figure.querySelector(".workbench");
  }

  async start() {
    this.functions = await loaded();
    this.figure.replaceChildren(this.picture, this.bar, this.answer);
    this.figure.classList.add("live");
    this.makeBar();
    this.picture.addEventListener("pointerdown", (event) => this.press(event));
    this.picture.addEventListener("pointerup", (event) => this.release(event));
    this.picture.addEventListener("pointercancel", () => (this.from = null));
    this.picture.addEventListener("keydown", (event) => this.key(event));
    this.show();
    this.picture.focus({ preventScroll: true });
  }

  makeBar() {
    const tools = this.state.tools.map((tool) => this.toolButton(tool));
    const chosen = tools.length > 1 ? [element("div", { className: "tools" }, tools)] : [];
    const typed = this.state.numbers.map((argument) => this.field(argument));
    const turn = "whiteToMove" in this.state ? [this.button("", () => this.turn(), "turn")] : [];
    const reset = this.button("Reset", () => this.reset());
    const copy = this.button("Copy as code", () => this.copy(copy));
    const actions = element("div", { className: "actions" }, [...turn, reset, copy, this.link]);
    this.bar.replaceChildren(...chosen, ...typed, actions);
  }

  toolButton(tool) {
    const button = this.button(TOOL_NAMES[tool] ?? tool, () => this.choose(tool));
    button.dataset.tool = tool;
    if (tool.length === 1) {
      button.innerHTML = `<svg viewBox="0 0 100 100" width="26" height="26" aria-hidden="true">${SHAPES.pieces[tool]}</svg>`;
      button.setAttribute("aria-label", `${WHITE.includes(tool) ? "white" : "black"} ${PIECE_NAMES[tool.toLowerCase()]}`);
    }
    return button;
  }

  button(text, act, name = "") {
    const made = element("button", { type: "button", textContent: text, className: name });
    made.addEventListener("click", act);
    return made;
  }

  /** The field of an argument that is a number or a flag. */
  field({ name, kind, largest }) {
    const input = element("input", kind === "flag" ? { type: "checkbox" } : { type: "number", min: 0, max: largest ?? "" });
    input.addEventListener("input", () => {
      const value = kind === "flag" ? Number(input.checked) : input.value;
      if (input.validity.valid && value !== "") this.change(() => this.state.type(name, value));
    });
    input.dataset.name = name;
    return element("label", {}, [`${name} `, input]);
  }

  choose(tool) {
    this.tool = tool;
    this.from = null;
    this.show();
  }

  turn() {
    this.change(() => (this.state.whiteToMove = !this.state.whiteToMove));
  }

  reset() {
    this.from = null;
    this.change(() => this.state.reset());
  }

  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.state.code);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => (button.textContent = "Copy as code"), 1500);
  }

  change(act) {
    act();
    this.show();
  }

  /** The square of the board at a place; where filesets are clicked, and not on the board, the file as a square. */
  squareAt(event) {
    const [board, rows] = this.isOnlyFiles ? [null, this.picture.firstElementChild] : this.picture.children;
    const point = (svg) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    if (board) {
      const [file, rank] = [Math.floor(point(board).x / 100), 7 - Math.floor(point(board).y / 100)];
      if (file >= 0 && file < 8 && rank >= 0 && rank < 8) return 8 * rank + file;
    }
    if (!rows || this.state.kindOf(this.tool) !== "fileset") return null;
    const { x, y } = point(rows);
    return x >= 0 && x < 800 && y >= 0 && y < rows.viewBox.baseVal.height ? Math.floor(x / 100) : null;
  }

  /** Whether there is no board, but only rows of files. */
  get isOnlyFiles() {
    return this.picture.firstElementChild.viewBox.baseVal.x === -2;
  }

  press(event) {
    const square = this.squareAt(event);
    if (square === null) return;
    this.cursor = square;
    this.pressed = square;
    if (this.tool === "move") this.picture.setPointerCapture(event.pointerId);
  }

  release(event) {
    const [square, pressed] = [this.squareAt(event), this.pressed];
    this.pressed = undefined;
    if (pressed === undefined) return;
    if (square === pressed) this.act(square);
    else if (this.tool === "move" && this.state.pieces[pressed] !== ".") this.moved(pressed, square);
  }

  /** A click, or Enter, on a square. */
  act(square) {
    if (this.tool !== "move") this.change(() => this.state.click(this.tool, square));
    else if (this.from !== null && this.from !== square) this.moved(this.from, square);
    else {
      this.from = this.from === null && this.state.pieces[square] !== "." ? square : null;
      this.show();
    }
  }

  moved(from, to) {
    this.from = null;
    this.change(() => this.state.move(from, to));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) {
      const [right, up] = KEYS[event.key];
      const [file, rank] = [(this.cursor % 8) + right, (this.cursor >> 3) + up];
      if (file >= 0 && file < 8 && rank >= 0 && rank < 8) this.cursor = 8 * rank + file;
      this.show(this.isOnlyFiles ? `the ${SQUARES[this.cursor][0]}-file` : SQUARES[this.cursor]);
    } else if (event.key === "Enter" || event.key === " ") this.act(this.cursor);
    else if (event.key === "Escape") this.choose(this.tool);
    else if (this.state.pieces && (PIECE_TOOLS.includes(event.key) || event.key === "Delete")) {
      this.change(() => this.state.click(event.key === "Delete" ? "remove" : event.key, this.cursor));
    } else return;
    event.preventDefault();
  }

  /** Draw everything anew: the board, its answer, the bar, the steps. */
  show(at = "") {
    const answers = this.state.answers(this.functions);
    const drawn = this.state.drawn(answers);
    this.picture.innerHTML = pictureOf(drawn, { size: this.size, coordinates: true, title: this.title });
    if (this.isOnlyFiles) this.drawFileCursor(drawn.files);
    else this.drawCursor();
    const words = answers.map(([name, answer]) => `${name}: ${said(this.returns, answer)}`);
    this.answer.replaceChildren(...(at ? [element("span", { className: "at", textContent: `${at}. ` })] : []), words.join("; "));
    for (const button of this.bar.querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === this.tool));
    }
    for (const input of this.bar.querySelectorAll("input")) this.fill(input);
    this.link.href = this.state.address;
    const turn = this.bar.querySelector(".turn");
    if (turn) turn.textContent = this.state.whiteToMove ? "White to move" : "Black to move";
    if (this.stepwise) this.showSteps(drawn.pieces);
  }

  fill(input) {
    const value = this.state.values[this.state.data.arguments.findIndex(({ name }) => name === input.dataset.name)];
    if (input.type === "checkbox") input.checked = value === 1n;
    else if (document.activeElement !== input) input.value = value;
  }

  drawCursor() {
    const svg = this.picture.querySelector("svg");
    for (const [name, square] of [["cursor", this.cursor], ["from", this.from]]) {
      if (square === null) continue;
      const [x, y] = corner(square);
      svg.insertAdjacentHTML("beforeend", `<rect class="${name}" x="${x + 4}" y="${y + 4}" width="92" height="92"/>`);
    }
  }

  /** The cursor on the row of the argument that is changed. */
  drawFileCursor(files) {
    const row = files.findIndex(([name]) => name === this.tool);
    const [x, y] = [100 * (this.cursor % 8), row * (ROW_NAME + ROW) + ROW_NAME];
    const rect = `<rect class="cursor" x="${x + 4}" y="${y + 4}" width="92" height="92"/>`;
    this.picture.firstElementChild.insertAdjacentHTML("beforeend", rect);
  }

  showSteps(pieces) {
    const steps = this.state.steps(this.functions);
    const drawn = steps.slice(0, MOST_STEPS).map(([caption, squares, files], at) => {
      const title = `${this.state.data.name}, step ${at + 1}: ${caption}`;
      const figure = element("figure", {});
      const [board, rows] = files === undefined ? [[["", squares]], []] : [[], [["", files]]];
      const shown = { pieces: files === undefined ? pieces : null, marks: board, files: rows };
      figure.innerHTML = pictureOf(shown, { size: 152, coordinates: false, title });
      figure.append(element("figcaption", { textContent: `${at + 1}. ${caption}` }));
      return figure;
    });
    const more = steps.length > MOST_STEPS ? [element("p", { textContent: "… and more steps than are drawn here." })] : [];
    this.stepwise.replaceChildren(...drawn, ...more);
  }
}

function element(tag, given, children = []) {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...children);
  return made;
}
