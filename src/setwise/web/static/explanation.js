// What a pattern means, its formula, and why it works.

import { $, ask, h } from "./dom.js";
import { address, state } from "./state.js";

const BARE = { fen: "", c960: "", line: "", game: "", hit: "", on: [], side: "white", about: "", step: "" };
const EXAMPLES = [
  ["A fork that wins the queen: Karpov – Kasparov, 1985", {
    fen: "2r1r3/5pk1/6bp/8/Np1qnRP1/1P1Q2P1/6BP/1N1R3K b - - 0 34",
    on: ["black_safe_royal_fork_squares", "black:knight.attacks"], about: "black_safe_royal_fork_squares",
  }],
  ["A fill, step by step: where the king can walk", {
    fen: "7k/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3/8 w - - 0 1", on: ["white:fills.flood"], about: "white:fills.flood", step: "0",
  }],
  ["Pawns that no king catches: the rule of the square", {
    fen: "8/8/8/1P4k1/8/8/5K2/8 w - - 0 1", on: ["white_unstoppable_passers", "white:race.catchable"], about: "white_unstoppable_passers",
  }],
  ["Islands, passed pawns and holes", {
    fen: "r4rk1/pp3ppp/2n5/3p4/8/4B3/P4PPP/R4RK1 w - - 0 1", on: ["white_pawn_islands", "black_pawn_islands", "black_passed_pawns", "white_isolated_pawns", "black_holes"], about: "white_pawn_islands",
  }],
];
let explained = null;

/** Show the page of the chosen pattern; its expression is that of its mark on the board. */
export async function explain(marks) {
  const name = state.about;
  if (name === explained) return;
  explained = name;
  const place = $("about");
  if (!name) {
    place.replaceChildren(
      h("h2", {}, "What it means"),
      h("p", { className: "quiet" }, "Choose a pattern: its meaning, its formula and why it works appear here."),
      h("h3", {}, "Examples"),
      h("ul", { className: "try" }, EXAMPLES.map(([name, shows]) => h("li", {}, link(name, { ...BARE, ...shows })))));
    return;
  }
  let page;
  try {
    page = await ask("page", { name });
  } catch {
    const about = state.on.includes(name) ? [h("p", {}, "An expression of your own."), h("pre", {}, h("code", {}, name))] : [];
    place.replaceChildren(h("h2", {}, "What it means"), ...about);
    return;
  }
  if (name !== state.about) return;
  const part = (title, ...content) => [h("h3", {}, title), ...content];
  const expression = marks.find((mark) => mark.on === name)?.expression;
  place.replaceChildren(
    h("h2", {}, page.title),
    h("p", { className: "summary" }, page.summary),
    ...(page.definition ? prose(page.definition) : []),
    ...(page.formula ? part("Formula", code(page.formula, "Formula")) : []),
    ...(page.helpers ? [h("details", {}, h("summary", {}, "Where"), code(page.helpers, "What the formula names"))] : []),
    ...(page.uses.length ? part("Builds on", h("p", {}, ...page.uses.flatMap((it) => [link(h("code", {}, it), { ...state, about: it, step: "" }), " "]))) : []),
    ...(page.why ? part("Why it works", ...prose(page.why)) : []),
    ...(page.proof ? part("Proved", ...prose(page.proof)) : []),
    ...page.forms.flatMap((form) => part(form.title, code(form.code, form.title))),
    ...(page.arguments.length ? part("Arguments", h("dl", {}, page.arguments.flatMap((it) => [h("dt", {}, it.name), h("dd", {}, it.meaning)]))) : []),
    ...(expression && expression !== name ? part("Asked of this position", code(expression, "Expression")) : []),
    ...(page.columns.length ? part("In conditions", h("p", {}, ...page.columns.flatMap((it) => [h("code", {}, it), " "]))) : []),
    ...(page.traps ? part("Traps", ...prose(page.traps)) : []),
    ...(page.slips ? part("Where the source errs", ...prose(page.slips)) : []),
    ...(page.names.length ? part("Others call it", h("p", {}, page.names.join(", "))) : []),
    ...(page.source ? part("Source", ...prose(page.source)) : []),
    h("p", {}, h("a", { href: page.documentation, target: "_blank", rel: "noreferrer" }, `${page.title} in the documentation`)),
  );
}

/** A link to what the board shows then. */
function link(content, shows) {
  const it = h("a", { href: address(shows) }, content);
  it.dataset.view = "board";
  it.dataset.state = JSON.stringify(shows);
  return it;
}

const code = (text, label) => h("pre", { tabIndex: 0, role: "region", "aria-label": label }, h("code", {}, text));

/** Paragraphs, with `code` in backticks. */
function prose(text) {
  return text.split(/\n\s*\n/).map((paragraph) =>
    h("p", {}, ...paragraph.split(/(`+[^`]+`+)/).map((part) => (part.startsWith("`") ? h("code", {}, part.replaceAll("`", "")) : part))));
}
