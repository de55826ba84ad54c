// A board as SVG, drawn as Python draws it.

const PIECE_NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const LEGEND_LINE = 70;
const LONGEST_NAME = 38;
const ROW_NAME = 58;
const ROW = 112;
const LETTERS = 56;

const escaped = (text) =>
  text.replace(/[&<>"']/g, (it) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[it]);

const corner = (square) => [100 * (square % 8), 700 - 100 * (square >> 3)];

/** What a board shows, for those who do not see it. */
function inWords(pieces, marks) {
  const sentences = [];
  for (const side of pieces ? ["White", "Black"] : []) {
    const standing = Object.entries(PIECE_NAMES).map(([kind, name]) => {
      const letter = side === "White" ? kind.toUpperCase() : kind;
      const squares = SQUARES.filter((_, at) => pieces[at] === letter);
      return squares.length ? [name, ...squares].join(" ") : "";
    });
    sentences.push(`${side}: ${standing.filter(Boolean).join(", ") || "nothing"}.`);
  }
  return [...sentences, ...marks.map(([name, set]) => `${name || "Marked"}: ${namesOf(set) || "none"}.`)].join(" ");
}

/** A board, unless only filesets are shown, and below it a row for each fileset. */
function pictureOf({ pieces, marks, files }, given) {
  const board = pieces || marks.length || !files.length ? svgOf(pieces, marks, given) : "";
  return board + (files.length ? filesSvg(files, given) : "");
}

/** Filesets, pairs of names and words: one row of eight squares for each, the file letters below. */
function filesSvg(files, { size, title }) {
  const rows = [];
  let y = 0;
  for (const [name, word] of files) {
    if (name) {
      rows.push(`<text x="0" y="${y + 40}" font-size="44" fill="${SHAPES.grey}">${escaped(name)}</text>`);
      y += ROW_NAME;
    }
    const [paint, outline] = SHAPES.marks[0];
    const shapes = squaresOf(word).map((file) => `<path transform="translate(${100 * file} 0)" d="${outline}"/>`);
    rows.push(`<g transform="translate(0 ${y})">${SHAPES.row}<g ${paint}>${shapes.join("")}</g></g>`);
    y += ROW;
  }
  const names = [..."abcdefgh"].map((file, at) => `<text x="${100 * at + 50}" y="${y + 40}">${file}</text>`);
  const words = files.map(([name, word]) => `${name || "Marked"}: ${said("fileset", word)}.`);
  const height = y + LETTERS + 4;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 804 ${height}" width="${size}" ` +
      `height="${Number(((size * height) / 804).toPrecision(6))}" role="img" font-family="sans-serif" fill="none">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(words.join(" "))}</desc>`,
    ...rows,
    `<g fill="${SHAPES.grey}" font-size="56" text-anchor="middle">${names.join("")}</g>`,
    "</svg>",
  ].join("\n");
}

/** The picture of a board: 64 letters or null, pairs of names and sets. */
function svgOf(pieces, marks, { size, coordinates, title }) {
  const [left, below] = coordinates ? [44, 50] : [2, 2];
  const legend = marks.some(([name]) => name);
  const [width, height] = [left + 802, 802 + below + LEGEND_LINE * marks.length * legend];
  const shape = (outline) => (square) => {
    const [x, y] = corner(square);
    return `<path transform="translate(${x} ${y})" d="${outline}"/>`;
  };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-left} -2 ${width} ${height}" width="${size}" ` +
      `height="${Number(((size * height) / width).toPrecision(6))}" role="img" font-family="sans-serif" fill="none">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(inWords(pieces, marks))}</desc>`,
    SHAPES.empty,
    ...marks.map(([name, set], number) => {
      const [paint, outline] = SHAPES.marks[number];
      const hint = name ? `<title>${escaped(name)}</title>` : "";
      return `<g ${paint}>${hint}${squaresOf(set).map(shape(outline)).join("")}</g>`;
    }),
    ...[...(pieces ?? "")].flatMap((letter, square) => (letter === "." ? [] : [pieceOn(letter, corner(square))])),
  ];
  if (coordinates) {
    const files = [..."abcdefgh"].map((file, at) => `<text x="${100 * at + 50}" y="836">${file}</text>`);
    const ranks = [..."87654321"].map((rank, at) => `<text x="-22" y="${100 * at + 61}">${rank}</text>`);
    parts.push(`<g fill="${SHAPES.grey}" font-size="32" text-anchor="middle">${[...files, ...ranks].join("")}</g>`);
  }
  if (legend) parts.push(...marks.map(([name], number) => legendLine(name, number, 808 + below + LEGEND_LINE * number)));
  return [...parts, "</svg>"].join("\n");
}

/** A piece: its shape begins a little left of and above the corner of its square. */
function pieceOn(letter, [x, y]) {
  return SHAPES.pieces[letter].replace("translate(-6 -3)", `translate(${x - 6} ${y - 3})`);
}

function legendLine(name, number, y) {
  const [paint, outline] = SHAPES.marks[number];
  const short = name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
  const ground = `<path fill="${SHAPES.light}" d="${SHAPES.square}"/>`;
  return (
    `<g transform="translate(0 ${y}) scale(.5)">${ground}<path ${paint} d="${outline}"/></g>` +
    `<text x="68" y="${y + 37}" font-size="36" fill="${SHAPES.grey}">${escaped(short)}</text>`
  );
}
