// A pattern step by step, as on paper.

import { $, ask, h, replace } from "./dom.js";
import { change, state } from "./state.js";

let stepping = null;
let stepped = "";

/** The step that is shown; nothing while all marks are. */
export const currentStep = () => stepping?.list[stepping.at];

/** Show the steps of the chosen pattern in a position; `draw` draws the board again. */
export async function steps(position, draw) {
  const wanted = `${state.about} ${position.fen} ${state.c960}`;
  if (wanted !== stepped) {
    stepped = wanted;
    stepping = null;
    if (/:|^(white|black)_/.test(state.about)) {
      try {
        const answer = await ask("steps", { ...position, on: state.about });
        if (wanted !== stepped) return;
        if (answer.steps.length) stepping = { list: answer.steps, at: null };
      } catch {
        stepping = null;
      }
    }
  }
  if (stepping) {
    const at = state.step === "" ? null : Math.min(Number(state.step) || 0, stepping.list.length - 1);
    if (at !== stepping.at) {
      stepping.at = at;
      draw();
    }
  }
  replace($("steps-place"), ...(stepping ? player() : []));
}

let playing;

function player() {
  const { list, at } = stepping;
  const go = (to) => {
    clearInterval(playing);
    change({ step: to === null ? "" : String(Math.max(0, Math.min(list.length - 1, to))) });
  };
  const play = () => {
    let now = 0;
    go(0);
    playing = setInterval(() => {
      now += 1;
      if (now >= list.length || list !== stepping?.list || state.view !== "board") clearInterval(playing);
      else change({ step: String(now) });
    }, 1100);
  };
  const items = list.map((step, number) =>
    h("li", { className: number === at ? "now" : "" },
      h("button", { type: "button", className: "link", "aria-current": number === at ? "step" : undefined, onclick: () => go(number) }, step.caption || `Step ${number + 1}`),
      h("span", { className: "count" }, step.size)));
  return [
    h("div", { className: "bar", id: "steps", role: "group", "aria-label": "Steps" },
      h("button", { type: "button", onclick: play }, "Play the steps"),
      h("button", { type: "button", "aria-label": "A step back", onclick: () => go((at ?? 1) - 1) }, "◀"),
      h("button", { type: "button", "aria-label": "A step on", onclick: () => go(at === null ? 0 : at + 1) }, "▶"),
      h("button", { type: "button", disabled: at === null, onclick: () => go(null) }, "All marks")),
    h("ol", { className: "step-list" }, items),
  ];
}
