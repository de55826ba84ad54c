// A position whose pieces can be moved: the words of each side, and what features answer.

const KINDS = "pnbrqk";
const PIECE_TOOLS = [...WHITE, ...KINDS];

/** The placement of 64 letters as FEN has it. */
function placement(pieces) {
  const rank = (at) => pieces.slice(8 * at, 8 * at + 8).join("").replace(/\.+/g, (empty) => empty.length);
  return [7, 6, 5, 4, 3, 2, 1, 0].map(rank).join("/");
}

/** Pieces on squares: a click puts one or takes it away, two clicks or a drag move it. */
class Pieces {
  constructor(data) {
    this.data = data;
    this.reset();
  }

  reset() {
    this.pieces = [...this.data.pieces];
  }

  get tools() {
    return ["move", "remove", ...PIECE_TOOLS];
  }

  get numbers() {
    return [];
  }

  click(tool, square) {
    if (tool === "move") return;
    this.pieces[square] = tool === "remove" || this.pieces[square] === tool ? "." : tool;
  }

  move(from, to) {
    const letter = this.pieces[from];
    this.pieces[from] = ".";
    if (to !== null) this.pieces[to] = letter;
  }

  set(test) {
    return this.pieces.reduce((set, letter, square) => (letter !== "." && test(letter) ? set | bit(square) : set), 0n);
  }

  /** Own pieces and the enemy's, then each kind of either side, as White sees them. */
  get words() {
    const white = this.set((letter) => WHITE.includes(letter));
    const black = this.set((letter) => KINDS.includes(letter));
    return [white, black, ...[...KINDS].map((kind) => this.set((letter) => letter.toLowerCase() === kind))];
  }
}

/** A call of a pattern that takes a whole position, White's pieces as its own. */
class WholeCall extends Pieces {
  reset() {
    super.reset();
    this.values = this.data.arguments.map(({ value }) => BigInt(value));
  }

  get given() {
    const [own, enemy] = this.words;
    return this.data.arguments.map(({ name }, at) => {
      if (name === "own") return own;
      if (name === "enemy") return enemy;
      return name in SET_OF ? this.set((letter) => letter.toLowerCase() === SET_OF[name]) : this.values[at];
    });
  }

  answers(functions) {
    return [[this.data.answer, answered(functions, this.data.name, this.given)]];
  }

  steps(functions) {
    return stepsOf(functions, this.data.name, this.given, this.data.arguments[0].kind, this.data.returns);
  }

  drawn([[name, answer]]) {
    const squares = shown(this.data.returns, answer);
    return { pieces: this.pieces, marks: squares === null ? [] : [[name, squares]], files: [] };
  }

  get address() {
    return addressOf(this.data, this.pieces, this.given, COLUMNS);
  }

  get code() {
    const given = this.data.arguments.map(({ kind, name }, at) => {
      const value = kind === "set of squares" ? `Bitboard("${namesOf(this.given[at])}")` : String(this.given[at]);
      return `    ${value},  # ${name}\n`;
    });
    const [topic] = this.data.name.split(".");
    return `from setwise import Bitboard, ${topic}\n\n${this.data.name}(\n${given.join("")})\n`;
  }
}

/** A position of which features are asked, for White, Black or both. */
class FeaturesOf extends Pieces {
  reset() {
    super.reset();
    this.whiteToMove = this.data.white_to_move;
  }

  /** Rights and a passed square stay as long as the pieces that they are about. */
  get state() {
    const castling = BigInt(this.data.castling) & this.words[5];
    const passed = BigInt(this.data.en_passant);
    const pawns = this.words[2];
    const pushed = this.data.white_to_move ? this.words[1] & pawns & (passed >> 8n) : this.words[0] & pawns & (passed << 8n);
    return [castling, pushed && this.whiteToMove === this.data.white_to_move ? passed : 0n];
  }

  answers(functions) {
    const words = [...this.words, ...this.state];
    const mirrored = words.map(turned);
    [mirrored[0], mirrored[1]] = [mirrored[1], mirrored[0]];
    return this.data.columns.map((column) => {
      if (column.startsWith("white_")) return [column, answered(functions, this.data.name, [...words, BigInt(this.whiteToMove)])];
      const name = `${this.data.name}.black` in functions ? `${this.data.name}.black` : this.data.name;
      const answer = answered(functions, name, [...mirrored, BigInt(!this.whiteToMove)]);
      return [column, this.data.returns === "set of squares" ? turned(answer) : answer];
    });
  }

  drawn(answers) {
    const marks = answers.map(([column, answer]) => [column, shown(this.data.returns, answer)]);
    const files = this.data.returns === "fileset" ? answers : [];
    return { pieces: this.pieces, marks: marks.filter(([, set]) => set !== null), files };
  }

  get fen() {
    const [castling, passed] = this.state;
    return `${placement(this.pieces)} ${this.whiteToMove ? "w" : "b"} ${this.rights(castling)} ${namesOf(passed) || "-"} 0 1`;
  }

  /** The castling rights as FEN has them: letters of files where a king or a rook does not stand on its usual square. */
  rights(rooks) {
    const usual = this.pieces[4] === "K" || !(rooks & 0xffn);
    const both = usual && (this.pieces[60] === "k" || !(rooks >> 56n)) && !(rooks & ~0x8100000000000081n);
    const sides = [7, 0, 63, 56].filter((square) => has(rooks, square));
    if (both) return sides.map((square) => ({ 7: "K", 0: "Q", 63: "k", 56: "q" })[square]).join("") || "-";
    const lettered = squaresOf(rooks).map((at) => (at < 8 ? "ABCDEFGH" : "abcdefgh")[at % 8]);
    return lettered.join("") || "-";
  }

  get address() {
    const { columns } = this.data;
    return workbench([["fen", this.fen], ...columns.map((column) => ["on", column]), ["about", columns[0]]]);
  }

  get code() {
    const asked = this.data.columns.map((column) => `position.feature("${column}")\n`);
    return `from setwise import Position\n\nposition = Position("${this.fen}")\n${asked.join("")}`;
  }
}
