// The moves on the analysis board as a tree: a game with its variations, and what is played on the board.

/** Signs of the commonest Numeric Annotation Glyphs. */
const NAGS = ["", "!", "?", "!!", "??", "!?", "?!"];

/** A comment without what programs have written into it, such as clocks. */
export const plain = (/** @type {string} */ comment) => comment.replace(/\[%\w+ [^\]]*\]/g, "").trim();

/** A move with its signs. */
export const withSigns = (/** @type {Place} */ node) => node.san + node.nags.map((nag) => NAGS[nag] ?? "").join("");

/** The number before a move; an empty text before Black's, unless it is the first that is written. */
export function numberOf(/** @type {Place} */ node, first = false) {
  const [, turn, , , , full] = node.parent?.fen.split(" ") ?? [];
  return turn === "w" ? `${full}.` : first ? `${full}…` : "";
}

export class Line {
  /** The line begins in a position, and has no moves yet; `root` is the node of this position. */
  constructor(/** @type {string} */ fen, opening = /** @type {string | null} */ (null)) {
    this.root = /** @type {Place} */ ({ uci: "", san: "", fen, opening, ply: 0, children: [], parent: null, comment: "", nags: [] });
    this.game = /** @type {Game | null} */ (null);
    this.side = ""; // the user's side in a game
  }

  get isGame() { return this.game !== null; }
  get tags() { return this.game?.tags ?? {}; }
  get missed() { return this.game?.missed ?? {}; }
  get matches() { return this.game?.matches ?? []; }

  /** The line of a game, as the server sends it. */
  static of(/** @type {Game} */ game) {
    const line = new Line(game.fens[0], game.openings[0]);
    line.game = game;
    line.root.comment = game.comment;
    let node = line.root;
    game.moves.forEach((move, at) => { node = line.add(node, { ...move, fen: game.fens[at + 1], opening: game.openings[at + 1] }); });
    const ends = [node]; // the last node of the line at each depth: a variation leaves the line above it
    for (const { ply, depth, comment, moves } of game.lines) {
      node = ends[depth - 1];
      while (node.parent && node.ply > ply) node = node.parent;
      moves.forEach((move, at) => { node = line.add(node, at ? move : { ...move, before: comment }); });
      ends[depth] = node;
    }
    return line;
  }

  /** Add a move below a node, and return its node; a move that is there already is not added again. */
  add(/** @type {Place} */ parent, /** @type {Move} */ move) {
    const known = parent.children.find((it) => it.uci === move.uci);
    if (known) return known;
    const node = { comment: "", nags: [], opening: null, ...move, parent, ply: parent.ply + 1, children: [] };
    parent.children.push(node);
    return node;
  }

  remove(/** @type {Place} */ node) {
    node.parent?.children.splice(node.parent.children.indexOf(node), 1);
  }

  /** The nodes of the main line, from the root. */
  main() {
    const nodes = [];
    for (let node = this.root; node; node = node.children[0]) nodes.push(node);
    return nodes;
  }

  /** The ply at which the way to a node leaves the main line, and the moves from there. */
  wayTo(/** @type {Place} */ node) {
    const main = new Set(this.isGame ? this.main() : [this.root]);
    const moves = [];
    for (; node.parent && !main.has(node); node = node.parent) moves.unshift(node.uci);
    return { ply: node.ply, moves };
  }

  /** The name of the opening at a node: that of the deepest position with a name on the way to it. */
  openingAt(/** @type {Place | null} */ node) {
    while (node && !node.opening) node = node.parent;
    return node?.opening ?? "";
  }

  /** The last clock of each side on the way to a node, White's first. */
  clocksAt(/** @type {Place} */ node) {
    const clocks = /** @type {(number | null)[]} */ ([null, null]);
    for (; node.parent; node = node.parent) clocks[node.parent.fen.split(" ")[1] === "w" ? 0 : 1] ??= node.clock ?? null;
    return clocks;
  }

  /** The line as PGN, with comments and variations. */
  pgn() {
    const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const seven = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?" };
    const setUp = this.root.fen === start ? {} : { SetUp: "1", FEN: this.root.fen };
    const result = this.game?.result ?? "*", tags = { ...seven, ...this.tags, Result: result, ...setUp };
    const quoted = (/** @type {string} */ text) => String(text).replace(/[\\"]/g, "\\$&");
    const note = (text = "") => (text ? [`{ ${text.replaceAll("}", ")")} }`] : []);
    const written = (/** @type {Place} */ node, /** @type {boolean} */ first) => [numberOf(node, first), node.san, ...node.nags.map((nag) => `$${nag}`), ...note(node.comment)];
    /** @type {(parent: Place, first: boolean) => string[]} */
    const below = (parent, first) => {
      const [next, ...others] = parent.children;
      if (!next) return [];
      const beside = others.flatMap((it) => ["(", ...note(it.before), ...written(it, true), ...below(it, Boolean(it.comment)), ")"]);
      return [...written(next, first), ...beside, ...below(next, beside.length > 0 || Boolean(next.comment))];
    };
    const moves = [...note(this.root.comment), ...below(this.root, true), result].filter(Boolean).join(" ");
    const wrapped = moves.replace(/\( /g, "(").replace(/ \)/g, ")").replace(/(.{1,79})(?: |$)/g, "$1\n");
    return `${Object.entries(tags).map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join("")}\n${wrapped}`;
  }
}
