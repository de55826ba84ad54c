// What stands beside the analysis board: the list of moves, the clocks and evaluations over a game.

import { $, h, s } from "./dom.js";
import { numberOf, plain, withSigns } from "./line.js";

export const clock = (seconds) => {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  return `${parts[0]}:${parts.slice(1).map((part) => String(part).padStart(2, "0")).join(":")}`;
};
export const evaluation = (value) =>
  Math.abs(value) > 31000 ? `#${value > 0 ? "" : "−"}${32000 - Math.abs(value)}` : (value >= 0 ? "+" : "−") + (Math.abs(value) / 100).toFixed(2);

let buttons = new Map(); // the button of each node

/** List the moves of a line: White's and Black's in two columns, comments and variations in rows of their own. */
export function list(line, go) {
  buttons = new Map();
  const button = (node, isMain) => {
    const marks = !isMain ? [] : [line.matches.includes(node.ply) && "a match", line.missed[node.ply - 1] && "a better move was there"].filter(Boolean);
    const it = h("button", {
      type: "button", className: `link ${isMain && line.matches.includes(node.ply) ? "hit" : ""} ${isMain && line.missed[node.ply - 1] ? "missed" : ""}`,
      "aria-label": marks.length ? `${node.san}, ${marks.join(", ")}` : undefined, onclick: () => go(node),
    }, withSigns(node));
    buttons.set(node, it);
    return it;
  };
  const number = (text) => text && h("span", { className: "number" }, text);
  const said = (comment, tag = "span") => (plain(comment ?? "") ? [h(tag, { className: "said" }, plain(comment))] : []);
  /** A variation in one row: its moves, and in brackets the variations that leave it. */
  const step = (node, first) => [...said(node.before), number(numberOf(node, first)), button(node, false), ...said(node.comment)].filter(Boolean);
  const rest = ({ children: [next, ...others] }, first) => {
    if (!next) return [];
    const beside = others.flatMap((it) => ["(", ...inline(it), ")"]);
    return [...step(next, first), ...beside, ...rest(next, beside.length > 0 || Boolean(next.comment))];
  };
  const inline = (node) => [...step(node, true), ...rest(node, Boolean(node.comment))];
  const rows = said(line.root.comment, "li");
  let open = null; // the row that waits for Black's move
  for (let node = line.root; node.children.length; node = node.children[0]) {
    const [next, ...others] = node.children;
    const isWhite = node.fen.split(" ")[1] === "w";
    if (isWhite || !open) rows.push(open = h("li", { className: "move" }, number(numberOf(next, true).replace("…", ".")), isWhite ? "" : h("span", {}, "…")));
    open.append(button(next, true));
    const beside = [...said(next.comment, "li"), ...others.map((it) => h("li", { className: "line" }, ...inline(it)))];
    rows.push(...beside);
    if (!isWhite || beside.length) open = null;
  }
  $("moves").replaceChildren(...(rows.length ? rows : [h("li", { className: "quiet" }, "Play a move on the board, or paste a game into the field at the top.")]));
}

/** Mark the move that is shown, and bring it into sight. */
export function mark(node) {
  for (const it of $("moves").querySelectorAll("[aria-current]")) it.removeAttribute("aria-current");
  const it = buttons.get(node), place = $("moves");
  it?.setAttribute("aria-current", "step");
  if (it) place.scrollTop = Math.max(0, it.offsetTop - place.clientHeight / 2);
  $("game-chart").querySelector(".now")?.setAttribute("transform", `translate(${node.ply} 0)`);
}

/** Evaluations over the game, as bars of at most five pawns; clocks as two lines. */
export function chart(line, go) {
  const nodes = line.main(), moves = nodes.slice(1), count = moves.length;
  const known = (name) => moves.some((move) => (move[name] ?? null) !== null);
  const parts = [];
  if (known("evaluation")) {
    parts.push(s("g", { class: "evaluations" }, moves.map(({ evaluation: value }, index) => {
      if ((value ?? null) === null) return null;
      const tall = Math.max(-20, Math.min(20, value / 25));
      return s("rect", { x: index + 0.55, width: 0.9, y: tall > 0 ? 20 - tall : 20, height: Math.max(0.3, Math.abs(tall)), class: tall > 0 ? "white" : "black" });
    })));
  }
  const most = Math.max(1, ...moves.map((move) => move.clock ?? 0));
  for (const side of [0, 1]) {
    const points = moves.map((move, index) => ((move.clock ?? null) === null || index % 2 !== side ? null : `${index + 1},${40 - (38 * move.clock) / most}`)).filter(Boolean);
    if (points.length > 1) parts.push(s("polyline", { points: points.join(" "), class: side ? "clock black" : "clock white", "vector-effect": "non-scaling-stroke" }));
  }
  if (!line.isGame || !parts.length) return $("game-chart").replaceChildren();
  const what = [known("evaluation") && "evaluations", known("clock") && "clocks"].filter(Boolean).join(" and ");
  const svg = s("svg", { viewBox: `0 0 ${count + 1} 40`, preserveAspectRatio: "none", role: "img", "aria-label": `The ${what} of the game` },
    s("path", { class: "zero", d: `M0 20H${count + 1}`, "vector-effect": "non-scaling-stroke" }), parts,
    s("path", { class: "now", d: "M0 0V40", "vector-effect": "non-scaling-stroke" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    go(nodes[Math.max(0, Math.min(count, Math.round(((event.clientX - box.left) / box.width) * (count + 1))))]);
  });
  $("game-chart").replaceChildren(h("figure", { className: "chart" }, svg, h("figcaption", {}, what[0].toUpperCase() + what.slice(1))));
}
