// What stands beside the analysis board: the list of moves, the clocks and evaluations over a game.

import { $, h, replace, s } from "./dom.js";
import { Line, numberOf, plain, withSigns } from "./line.js";

export const clock = (/** @type {number} */ seconds) =>
  [Math.floor(seconds / 3600), ...[Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60].map((part) => String(part).padStart(2, "0"))].join(":");
export const evaluation = (/** @type {number} */ value) =>
  Math.abs(value) > 31000 ? `#${value > 0 ? "" : "−"}${32000 - Math.abs(value)}` : (value >= 0 ? "+" : "−") + (Math.abs(value) / 100).toFixed(2);

const buttons = /** @type {Map<Place, HTMLElement>} */ (new Map()); // the button of each node
const said = (/** @type {string | undefined} */ comment, tag = /** @type {"li" | "span"} */ ("span")) => (plain(comment ?? "") ? [h(tag, { className: "said" }, plain(comment ?? ""))] : []);
const number = (/** @type {string} */ text) => text && h("span", { className: "number" }, text);

/** List the moves of a line: White's and Black's in two columns, comments and variations in rows of their own. */
export function list(/** @type {Line} */ line, /** @type {(to: Place) => void} */ go) {
  buttons.clear();
  const button = (/** @type {Place} */ node, /** @type {boolean} */ isMain) => {
    const isMatch = isMain && line.matches.includes(node.ply), isMiss = isMain && line.missed[node.ply - 1];
    const marks = [isMatch && "a match", isMiss && "a better move was there"].filter(Boolean);
    const it = h("button", {
      type: "button", className: `link ${isMatch ? "hit" : ""} ${isMiss ? "missed" : ""}`,
      "aria-label": marks.length ? `${node.san}, ${marks.join(", ")}` : undefined, onclick: () => go(node),
    }, withSigns(node));
    buttons.set(node, it);
    return it;
  };
  /** @type {(node: Place, first: boolean) => Child[]}  A variation in one row: its moves, and in brackets the variations that leave it. */
  const step = (node, first) => [said(node.before), number(numberOf(node, first)), button(node, false), said(node.comment)];
  /** @type {(node: Place, first: boolean) => Child[]} */
  const rest = ({ children: [next, ...others] }, first) => {
    if (!next) return [];
    const beside = others.flatMap((it) => ["(", ...inline(it), ")"]);
    return [...step(next, first), ...beside, ...rest(next, beside.length > 0 || Boolean(next.comment))];
  };
  const inline = (/** @type {Place} */ node) => [...step(node, true), ...rest(node, Boolean(node.comment))];
  const rows = /** @type {HTMLElement[]} */ (said(line.root.comment, "li"));
  let open = /** @type {HTMLElement | null} */ (null); // the row that waits for Black's move
  for (let node = line.root; node.children.length; node = node.children[0]) {
    const [next, ...others] = node.children;
    const isWhite = node.fen.split(" ")[1] === "w";
    if (isWhite || !open) rows.push(open = h("li", { className: "move" }, number(numberOf(next, true).replace("…", ".")), isWhite ? "" : h("span", {}, "…")));
    open.append(button(next, true));
    const beside = [...said(next.comment, "li"), ...others.map((it) => h("li", { className: "line" }, inline(it)))];
    rows.push(...beside);
    if (!isWhite || beside.length) open = null;
  }
  replace($("moves"), rows.length ? rows : h("li", { className: "quiet" }, "Play a move on the board, or paste a game into the field at the top."));
}

/** Mark the move that is shown, and bring it into sight. */
export function mark(/** @type {Place} */ node) {
  $("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const it = buttons.get(node), place = $("moves");
  it?.setAttribute("aria-current", "step");
  if (it) place.scrollTop = Math.max(0, it.offsetTop - place.clientHeight / 2);
  $("game-chart").querySelector(".now")?.setAttribute("transform", `translate(${node.ply} 0)`);
}

/** Evaluations over the game, as bars of at most five pawns; clocks as two lines. */
export function chart(/** @type {Line} */ line, /** @type {(to: Place) => void} */ go) {
  const nodes = line.main(), moves = nodes.slice(1), count = moves.length;
  const known = (/** @type {"clock" | "evaluation"} */ name) => moves.some((move) => (move[name] ?? null) !== null);
  const bars = moves.map(({ evaluation: value }, index) => {
    const tall = Math.max(-20, Math.min(20, (value ?? 0) / 25));
    return (value ?? null) !== null && s("rect", { x: index + 0.55, width: 0.9, y: tall > 0 ? 20 - tall : 20, height: Math.max(0.3, Math.abs(tall)), class: tall > 0 ? "white" : "black" });
  });
  const most = Math.max(1, ...moves.map((move) => move.clock ?? 0));
  const clocks = ["white", "black"].map((side, at) => {
    const points = moves.flatMap((move, index) => ((move.clock ?? null) === null || index % 2 !== at ? [] : [`${index + 1},${40 - (38 * (move.clock ?? 0)) / most}`]));
    return points.length > 1 && s("polyline", { points: points.join(" "), class: `clock ${side}`, "vector-effect": "non-scaling-stroke" });
  });
  const what = [known("evaluation") && "evaluations", known("clock") && "clocks"].filter(Boolean).join(" and ");
  if (!line.isGame || !what) return replace($("game-chart"));
  const svg = s("svg", { viewBox: `0 0 ${count + 1} 40`, preserveAspectRatio: "none", role: "img", "aria-label": `The ${what} of the game` },
    s("path", { class: "zero", d: `M0 20H${count + 1}`, "vector-effect": "non-scaling-stroke" }), s("g", { class: "evaluations" }, bars), clocks,
    s("path", { class: "now", d: "M0 0V40", "vector-effect": "non-scaling-stroke" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    go(nodes[Math.max(0, Math.min(count, Math.round(((event.clientX - box.left) / box.width) * (count + 1))))]);
  });
  replace($("game-chart"), h("figure", { className: "chart" }, svg, h("figcaption", {}, what[0].toUpperCase() + what.slice(1))));
}
