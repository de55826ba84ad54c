// A pattern step by step, as on paper.

import { $, ask, h, replace } from "./dom.js";
import { change, state } from "./state.js";

let list = /** @type {Step[]} */ ([]);
let at = /** @type {number | null} */ (null);
let stepped = "";
let playing = 0;

/** The step that is shown; nothing while all marks are. */
export const currentStep = () => (at === null ? undefined : list[at]);

/** Show the steps of the chosen pattern in a position; `draw` draws the board again. */
export async function steps(/** @type {Record<string, unknown>} */ position, /** @type {() => void} */ draw) {
  const wanted = `${state.about} ${position.fen} ${state.c960}`;
  if (wanted !== stepped) {
    stepped = wanted;
    [list, at] = [[], null];
    if (/:|^(white|black)_/.test(state.about)) {
      const answer = await ask("steps", { ...position, on: state.about }).catch(() => ({ steps: [] }));
      if (wanted !== stepped) return;
      list = answer.steps;
    }
  }
  const now = state.step === "" || !list.length ? null : Math.min(Number(state.step) || 0, list.length - 1);
  if (now !== at) {
    at = now;
    draw();
  }
  replace($("steps-place"), list.length ? player() : []);
}

function go(/** @type {number | null} */ to) {
  clearInterval(playing);
  change({ step: to === null ? "" : String(Math.max(0, Math.min(list.length - 1, to))) });
}

function play() {
  const played = list;
  let now = 0;
  go(0);
  playing = setInterval(() => {
    now += 1;
    if (now >= list.length || list !== played || state.view !== "board") clearInterval(playing);
    else change({ step: String(now) });
  }, 1100);
}

const player = () => [
  h("div", { className: "bar", id: "steps", role: "group", "aria-label": "Steps" },
    h("button", { type: "button", onclick: play }, "Play the steps"),
    h("button", { type: "button", "aria-label": "A step back", onclick: () => go((at ?? 1) - 1) }, "◀"),
    h("button", { type: "button", "aria-label": "A step on", onclick: () => go(at === null ? 0 : at + 1) }, "▶"),
    h("button", { type: "button", disabled: at === null, onclick: () => go(null) }, "All marks")),
  h("ol", { className: "step-list" }, list.map((step, number) =>
    h("li", { className: number === at ? "now" : "" },
      h("button", { type: "button", className: "link", "aria-current": number === at ? "step" : undefined, onclick: () => go(number) }, step.caption || `Step ${number + 1}`),
      h("span", { className: "count" }, step.size)))),
];
