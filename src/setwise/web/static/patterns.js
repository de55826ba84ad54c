// The patterns that are switched on, their squares, the list of all that can be, and what each means.

import { completing } from "./complete.js";
import { $, ask, catalogue, h, replace, tell } from "./dom.js";
import { SQUARES, shape, squaresOf } from "./draw.js";
import { change, state } from "./state.js";

/** How many patterns a board shows at once. */
export let most = 6;
let explained = "";
const introduction = [...$("about").children];

function toggle(/** @type {string} */ on, about = state.about) {
  const isOn = state.on.includes(on);
  if (!isOn && state.on.length >= most) return tell($("fault"), `One board shows ${most} patterns at most: switch another one off.`);
  change({ on: isOn ? state.on.filter((it) => it !== on) : [...state.on, on], about, step: "" });
}

/** List the marks under the board, each with its squares, and press the switches of what is on. */
export function legend(/** @type {Mark[]} */ marks) {
  replace($("legend"), marks.map((mark, number) => {
    const squares = mark.word ? squaresOf(mark.word).map((square) => SQUARES[square]) : null;
    return h("li", {},
      squares ? shape(number) : h("span", { className: "shape none", "aria-hidden": "true" }, "="),
      h("div", {},
        h("button", { type: "button", className: "link", "data-state": JSON.stringify({ about: mark.on, step: "" }) }, mark.name),
        squares && h("span", { className: "count" }, String(mark.count)),
        mark.error ? h("span", { className: "fault" }, mark.error)
          : squares ? h("span", { className: "squares" }, squares.length > 12 ? `${squares.slice(0, 12).join(" ")} …` : squares.join(" ") || "no square")
          : h("strong", {}, String(mark.value ?? "nothing"))),
      h("button", { type: "button", className: "off", "aria-label": `Switch off ${mark.name}`, onclick: () => toggle(mark.on) }, "✕"));
  }), !marks.length && h("li", { className: "quiet" }, "Switch on a pattern, and its squares are marked here and on the board."));
  for (const button of $("switches").querySelectorAll("button[data-on]")) button.ariaPressed = String(state.on.includes(button.getAttribute("data-on") ?? ""));
}

/** Show the page of the chosen pattern; its expression is that of its mark on the board. */
export async function explain(/** @type {Mark[]} */ marks) {
  const name = state.about, place = $("about");
  if (name === explained) return;
  explained = name;
  if (!name) return replace(place, introduction);
  const own = `<h2>What it means</h2>${state.on.includes(name) ? "<p>An expression of your own.</p>" : ""}`;
  const { html } = await ask("page", { name }).catch(() => ({ html: own }));
  if (name !== state.about) return;
  place.innerHTML = html; // written by the server, which escapes all texts
  const expression = marks.find((mark) => mark.on === name)?.expression;
  if (expression && (html === own || expression !== name)) place.append(h("h3", {}, "Asked of this position"), h("pre", {}, h("code", {}, expression)));
}

function filter() {
  const words = $("filter").value.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  const topics = /** @type {HTMLCollectionOf<HTMLDetailsElement>} */ ($("switches").children);
  [...topics].forEach((topic, number) => {
    const rows = [...topic.querySelectorAll("li")];
    for (const row of rows) row.hidden = !words.every((word) => row.dataset.words?.includes(word));
    const any = rows.some((row) => !row.hidden);
    topic.hidden = !any;
    topic.open = words.length ? any : number === 0;
  });
}

$("filter").addEventListener("input", filter);
$("switches").addEventListener("click", (event) => {
  const on = /** @type {HTMLElement} */ (event.target).dataset.on;
  if (on) toggle(on, on);
});
$("add").onsubmit = (event) => {
  event.preventDefault();
  const text = $("expression").value.trim();
  if (!text || state.on.includes(text)) return;
  $("expression").value = "";
  toggle(text);
};
completing($("expression"));
catalogue().then((known) => { most = known.most; }, (error) => tell($("fault"), error.message));
