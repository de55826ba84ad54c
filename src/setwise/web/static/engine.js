// A chess engine of this machine, off by default: its evaluation as a bar and a number, its best line as an arrow and a text.

import { $, catalogue, latest, lines, tell } from "./dom.js";
import { evaluation } from "./game.js";

let asked = ""; // the position that the engine thinks of
let draws = () => {}; // draws the board again
const { run, stop } = latest($("engine-said"));

/** The best move that the engine has found in the position that is shown. */
export let best = "";

/** Let the engine think of a position, if it is switched on; `draw` draws the board again. */
export async function think(/** @type {string} */ fen, /** @type {typeof draws} */ draw) {
  draws = draw;
  const isOn = $("engine-on").checked && !$("view-board").hidden;
  if (isOn && fen === asked) return;
  stop();
  asked = isOn ? fen : "";
  show(null);
  if (!isOn) return;
  await run(async (signal) => {
    for await (const line of lines("engine", { fen }, signal)) {
      if (line.type === "waiting") $("engine-line").textContent = "The engine works for another page …";
      if (line.type === "thought") show(line);
    }
  });
}

function show(/** @type {Thought | null} */ thought) {
  const before = best, { evaluation: value = 0, depth, line } = thought ?? {};
  best = thought?.moves[0] ?? "";
  $("gauge").hidden = !asked;
  // Lichess's curve from centipawns to chances
  if (thought) $("gauge").style.setProperty("--white", `${100 / (1 + Math.exp(-0.00368208 * value))}%`);
  $("engine-line").textContent = thought ? `${evaluation(value)} · depth ${depth} · ${line}` : asked ? "The engine thinks …" : "";
  if (best !== before) draws();
}

$("engine-on").onchange = () => draws();
catalogue().then(({ engine }) => {
  $("engine-on").disabled = Boolean(engine);
  tell($("engine-said"), engine);
}, () => {}); // the view says that the workbench does not answer
