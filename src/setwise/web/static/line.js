// The moves on the analysis board as a tree: a game with its variations, and what is played on the board.

/** Signs of the commonest Numeric Annotation Glyphs. */
const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** A comment without what programs have written into it, such as clocks. */
export const plain = (comment) => comment.replace(/\[%\w+ [^\]]*\]/g, "").trim();

/** A move with its signs. */
export const withSigns = (node) => node.san + node.nags.map((nag) => NAGS[nag] ?? "").join("");

/** The number before a move; an empty text before Black's, unless it is the first that is written. */
export function numberOf(node, first = false) {
  const [, turn, , , , full] = node.parent.fen.split(" ");
  return turn === "w" ? `${full}.` : first ? `${full}…` : "";
}

export class Line {
  /** The line begins in a position, and has no moves yet; `root` is the node of this position. */
  constructor(fen, opening = null) {
    this.root = { fen, opening, ply: 0, children: [], parent: null, comment: "", nags: [] };
    Object.assign(this, { tags: {}, result: "*", missed: {}, matches: [], isGame: false });
  }

  /** The line of a game, as the server sends it. */
  static of(game) {
    const line = new Line(game.fens[0], game.openings[0]);
    Object.assign(line, { tags: game.tags, result: game.result, missed: game.missed, matches: game.matches, isGame: true });
    line.root.comment = game.comment;
    let node = line.root;
    game.moves.forEach((move, at) => { node = line.add(node, { ...move, fen: game.fens[at + 1], opening: game.openings[at + 1] }); });
    const ends = [node]; // the last node of the line at each depth: a variation leaves the line above it
    for (const { ply, depth, comment, moves } of game.lines) {
      node = ends[depth - 1];
      while (node.ply > ply) node = node.parent;
      moves.forEach((move, at) => { node = line.add(node, at ? move : { ...move, before: comment }); });
      ends[depth] = node;
    }
    return line;
  }

  /** Add a move below a node, and return its node; a move that is there already is not added again. */
  add(parent, move) {
    const known = parent.children.find((it) => it.uci === move.uci);
    if (known) return known;
    const node = { comment: "", nags: [], opening: null, ...move, parent, ply: parent.ply + 1, children: [] };
    parent.children.push(node);
    return node;
  }

  remove(node) {
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
  }

  /** The nodes of the main line, from the root. */
  main() {
    const nodes = [this.root];
    while (nodes.at(-1).children.length) nodes.push(nodes.at(-1).children[0]);
    return nodes;
  }

  /** The ply at which the way to a node leaves the main line, and the moves from there. */
  wayTo(node) {
    const main = new Set(this.isGame ? this.main() : [this.root]);
    const moves = [];
    for (; !main.has(node); node = node.parent) moves.unshift(node.uci);
    return { ply: node.ply, moves };
  }

  /** The name of the opening at a node: that of the deepest position with a name on the way to it. */
  openingAt(node) {
    while (node && !node.opening) node = node.parent;
    return node?.opening ?? "";
  }

  /** The last clock of each side on the way to a node, White's first. */
  clocksAt(node) {
    const clocks = [null, null];
    for (; node.parent; node = node.parent) clocks[node.parent.fen.split(" ")[1] === "w" ? 0 : 1] ??= node.clock ?? null;
    return clocks;
  }

  /** The line as PGN, with comments and variations. */
  pgn() {
    const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const seven = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?" };
    const setUp = this.root.fen === start ? {} : { SetUp: "1", FEN: this.root.fen };
    const tags = { ...seven, ...this.tags, Result: this.result, ...setUp };
    const quoted = (text) => String(text).replace(/[\\"]/g, "\\$&");
    const note = (text) => (text ? [`{ ${text.replaceAll("}", ")")} }`] : []);
    const written = (node, first) => [numberOf(node, first), node.san, ...node.nags.map((nag) => `$${nag}`), ...note(node.comment)];
    const below = (parent, first) => {
      const [next, ...others] = parent.children;
      if (!next) return [];
      const beside = others.flatMap((it) => ["(", ...note(it.before), ...written(it, true), ...below(it, Boolean(it.comment)), ")"]);
      return [...written(next, first), ...beside, ...below(next, beside.length > 0 || Boolean(next.comment))];
    };
    const moves = [...note(this.root.comment), ...below(this.root, true), this.result].filter(Boolean).join(" ");
    const wrapped = moves.replace(/\( /g, "(").replace(/ \)/g, ")").replace(/(.{1,79})(?: |$)/g, "$1\n");
    return `${Object.entries(tags).map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join("")}\n${wrapped}`;
  }
}
