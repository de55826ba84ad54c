// A call of a pattern: its arguments, which squares and numbers change, and what the board then shows.

const MOST_SETS = 6;
const MANY = 32;
const WHITE = "PNBRQK";
const CLICKED = new Set(["set of squares", "square", "fileset"]);
const SET_OF = { pawns: "p", knights: "n", bishops: "b", rooks: "r", queens: "q", kings: "k" };

/** The address of a board in the workbench. */
const workbench = (shown) => `http://localhost:${PORT}/board?${new URLSearchParams(shown)}`;

/** The address of a call: an expression of conditions, in which arguments may be columns of the position. */
function addressOf({ name, arguments: taken, returns }, pieces, values, columns = {}) {
  const texts = taken.map(({ name, kind }, at) => {
    if (name in columns) return columns[name];
    if (kind === "set of squares") return `squares('${namesOf(values[at])}')`;
    return kind === "flag" ? String(Boolean(values[at])) : String(values[at]);
  });
  const call = `${name}(${texts.join(", ")})`;
  const on = returns === "fileset" ? `islands.files(${call})` : call;
  return workbench([["fen", `${placement(pieces)} w - - 0 1`], ["on", on], ["about", name]]);
}

class Call {
  constructor(data) {
    this.data = data;
    this.reset();
  }

  reset() {
    this.values = this.data.arguments.map(({ value }) => BigInt(value));
    const standing = this.data.arguments.map((argument, at) => (argument.letter ? this.squares(at) : 0n));
    const taken = standing.reduce((all, set) => all | set, 0n);
    this.behind = [...this.data.pieces].map((letter, square) => (has(taken, square) ? "." : letter));
  }

  squares(at) {
    return shown(this.data.arguments[at].kind, this.values[at]);
  }

  /** What a click can change: the arguments that are sets, squares or filesets. */
  get tools() {
    return this.data.arguments.filter(({ kind }) => CLICKED.has(kind)).map(({ name }) => name);
  }

  /** The other arguments, which are typed. */
  get numbers() {
    return this.data.arguments.filter(({ kind }) => !CLICKED.has(kind));
  }

  kindOf(tool) {
    return this.data.arguments.find(({ name }) => name === tool).kind;
  }

  click(tool, square) {
    const at = this.data.arguments.findIndex(({ name }) => name === tool);
    const { kind } = this.data.arguments[at];
    if (kind === "square") this.values[at] = BigInt(square);
    else this.values[at] ^= bit(kind === "fileset" ? square % 8 : square);
  }

  type(name, value) {
    this.values[this.data.arguments.findIndex((argument) => argument.name === name)] = BigInt(value);
  }

  answers(functions) {
    return [[this.data.answer, answered(functions, this.data.name, this.values)]];
  }

  steps(functions) {
    const [first] = this.data.arguments;
    return stepsOf(functions, this.data.name, this.values, first.kind, this.data.returns);
  }

  /** The filesets: each argument that is one, and the answer. */
  files([[name, answer]]) {
    const given = this.data.arguments.map(({ name, kind }, at) => [name, kind, this.values[at]]);
    const filesets = [...given, [name, this.data.returns, answer]].filter(([, kind]) => kind === "fileset");
    return filesets.map(([name, , word]) => [name, word & 0xffn]);
  }

  /** The letters and the marks of the board: the answer, then each argument that is no piece; and the filesets. */
  drawn([[name, answer]]) {
    const pieces = [...this.behind];
    let marks = [];
    let seen = 0n;
    const squares = shown(this.data.returns, answer);
    if (squares !== null) marks.push([name, squares]);
    this.data.arguments.forEach(({ name, kind, letter }, at) => {
      const set = this.squares(at);
      if (!set || set === seen) return;
      seen |= set;
      const members = squaresOf(set);
      if (letter && members.every((square) => pieces[square] === "." || pieces[square] === letter)) {
        for (const square of members) pieces[square] = letter;
      } else if (this.behind.some((it) => it !== ".") && members.every((square) => pieces[square] !== ".")) {
        // pieces that stand there show it
      } else if (members.length > MANY && kind === "set of squares") marks.push([`not ${name}`, ALL & ~set]);
      else if (marks.length && marks[0][0] === name) marks[0][1] = set; // an argument called as the answer
      else marks.push([name, set]);
    });
    while (marks.length > MOST_SETS) {
      const sizes = marks.slice(1).map(([, set]) => squaresOf(set).length);
      marks = marks.filter((_, at) => at !== 1 + sizes.indexOf(Math.max(...sizes)));
    }
    const isEmpty = pieces.every((letter) => letter === ".");
    return { pieces: isEmpty ? null : pieces, marks, files: this.files([[name, answer]]) };
  }

  get address() {
    const { pieces } = this.drawn([[this.data.answer, 0n]]);
    return addressOf(this.data, pieces ?? Array(64).fill("."), this.values);
  }

  get code() {
    const given = this.data.arguments.map(({ kind }, at) => {
      if (kind === "set of squares") return `Bitboard("${namesOf(this.values[at])}")`;
      return kind === "flag" ? (this.values[at] ? "True" : "False") : String(this.values[at]);
    });
    const [topic] = this.data.name.split(".");
    return `from setwise import Bitboard, ${topic}\n\n${this.data.name}(${given.join(", ")})\n`;
  }
}
