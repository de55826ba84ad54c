// The patterns that are switched on, their squares, and the list of all that can be.

import { completing } from "./complete.js";
import { $, catalogue, h, replace, tell } from "./dom.js";
import { SQUARES, shape, squaresOf } from "./draw.js";
import { change, state } from "./state.js";

let known = null;

/** How many patterns a board shows at once. */
export const most = () => known?.most ?? 6;

export function toggle(on, name) {
  const there = state.on.includes(on);
  if (!there && state.on.length >= most()) {
    tell($("fault"), `One board shows ${most()} patterns at most: switch another one off.`);
    return;
  }
  change({ on: there ? state.on.filter((it) => it !== on) : [...state.on, on], about: name ?? state.about, step: "" });
}

/** List the marks under the board, each with its squares. */
export function legend(marks) {
  const items = marks.map((mark, number) => {
    const squares = mark.word ? squaresOf(mark.word).map((square) => SQUARES[square]) : null;
    const content = mark.error ? h("span", { className: "fault" }, mark.error)
      : squares ? h("span", { className: "squares" }, squares.length > 12 ? `${squares.slice(0, 12).join(" ")} …` : squares.join(" ") || "no square")
      : h("strong", {}, mark.value === null ? "nothing" : String(mark.value));
    return h("li", {},
      squares ? shape(number) : h("span", { className: "shape none", "aria-hidden": "true" }, "="),
      h("div", {},
        h("button", { type: "button", className: "link", onclick: () => change({ about: mark.on, step: "" }) }, mark.name),
        squares && h("span", { className: "count" }, String(mark.count)),
        content),
      h("button", { type: "button", className: "off", "aria-label": `Switch off ${mark.name}`, onclick: () => toggle(mark.on) }, "✕"));
  });
  replace($("legend"), ...(items.length ? items : [h("li", { className: "quiet" }, "Switch on a pattern, and its squares are marked here and on the board.")]));
}

/** Press the switches of what is on. */
export function mirror() {
  for (const button of $("switches").querySelectorAll("button[data-on]")) {
    button.ariaPressed = String(state.on.includes(button.dataset.on));
  }
}

/** List all patterns and features. */
async function list() {
  try {
    known = await catalogue();
  } catch (error) {
    tell($("fault"), error.message);
    return;
  }
  const topics = known.topics.map((topic) =>
    h("details", { open: topic.name === "features" },
      h("summary", {}, topic.name === "features" ? "On the board" : topic.name.replaceAll("_", " "), h("span", { className: "quiet" }, topic.name === "features" ? "" : topic.title)),
      h("ul", {}, topic.items.map((item) => {
        const row = h("li", { title: item.about },
          h("button", { type: "button", className: "link", onclick: () => change({ about: item.name, step: "" }) }, item.title),
          ...["White", "Black"].map((side, at) => {
            const button = h("button", {
              type: "button", className: `side ${side.toLowerCase()}`, "aria-pressed": "false", "aria-label": `${item.title} for ${side}`,
              onclick: () => toggle(item.on[at], item.on[at]),
            }, side[0]);
            button.dataset.on = item.on[at];
            return button;
          }));
        row.dataset.words = `${item.name} ${item.title} ${item.about}`.toLowerCase().replaceAll("_", " ");
        return row;
      }))));
  $("switches").replaceChildren(...topics);
  mirror();
  if ($("filter").value) filter(); // it was typed before there was a list
}

function filter() {
  const words = $("filter").value.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  for (const topic of $("switches").children) {
    let any = false;
    for (const row of topic.querySelectorAll("li")) {
      row.hidden = !words.every((word) => row.dataset.words.includes(word));
      any ||= !row.hidden;
    }
    topic.hidden = !any;
    topic.open = words.length ? any : topic === $("switches").firstElementChild;
  }
}

$("filter").addEventListener("input", filter);

$("add").onsubmit = (event) => {
  event.preventDefault();
  const text = $("expression").value.trim();
  if (!text) return;
  $("expression").value = "";
  if (!state.on.includes(text)) toggle(text);
};
completing($("expression"));
list();
