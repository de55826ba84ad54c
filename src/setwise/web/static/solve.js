// Solving: missed chances of the games as exercises, the easy ones first; what was solved comes back after days.

import { Board } from "./board.js";
import { $, ask, h, latest, lines, plural, replace, save } from "./dom.js";
import { strangers } from "./field.js";
import { change, goes, onChange, place, state } from "./state.js";

/** @typedef {{ exercise: Exercise, state: "open" | "right" | "wrong", position: Position }} Task  The exercise on the board, its legal moves, how it stands. */
let kept = /** @type {Progress} */ ({ player: "", today: "", exercises: {} }); // what the server keeps of the user
let isKept = false;
let searched = ""; // what the exercises are searched for
let queue = /** @type {Exercise[]} */ ([]); // the exercises that wait, the easiest first
let task = /** @type {Task | null} */ (null);
const today = /** @type {Map<string, boolean>} */ (new Map()); // the exercises that were tried since the page is open: solved at the first try?
const finding = latest($("solve-fault")), doing = latest($("solve-fault"));

const board = new Board($("exercise"), {
  label: "Exercise",
  click: () => {
    if (task?.state === "wrong") again();
    return task?.state !== "open";
  },
  play: (uci) => task?.state === "open" && attempt(uci),
});

export function key(/** @type {KeyboardEvent} */ event) {
  if (event.key === "n" && !$("next").disabled) next();
  else if (event.key === "s" && !$("solution").disabled) attempt(task?.exercise.solution ?? "", true);
}

async function recall() {
  kept = await ask("progress");
  isKept = true;
}

export const show = () => {
  const wanted = JSON.stringify([place(), state.solver, state.motif]);
  if (wanted === searched) return;
  searched = wanted;
  return finding.run(async (signal) => {
    if (!isKept) await recall();
    if (document.activeElement !== $("solver")) $("solver").value = solver();
    await find(signal).catch((error) => {
      searched = "";
      throw error;
    });
  });
};

/** The name whose missed chances are solved: that of the address, else the user's. */
const solver = () => (state.solver === "*" ? "" : state.solver || kept.player);
const isDue = (/** @type {Exercise} */ it) => it.due && it.due <= kept.today && !today.has(it.fen);

/** Fill the queue: exercises that come back today, then new ones, as soon as each is found. */
async function find(/** @type {AbortSignal} */ signal) {
  replace($("solve-other"));
  queue = Object.values(kept.exercises).filter(isDue);
  await next();
  const words = solver().split(/[\s,]+/).filter(Boolean).map((word) => `contains(lower(own_name), '${word.toLowerCase().replaceAll("'", "''")}')`);
  const where = [...words, ...(state.motif ? [`missed = '${state.motif}'`] : [])].join(" and ") || "true";
  let found = 0;
  $("queue").textContent = "Looking for missed chances …";
  for await (const line of lines("solve", { ...place(), where, n: 60 }, signal)) {
    if (line.type !== "exercise") continue;
    found += 1;
    if (kept.exercises[line.fen] || today.has(line.fen)) continue;
    queue.push(line);
    if (!task) await next();
    counted(" so far");
  }
  counted();
  if (!found && solver()) replace($("solve-other"), h("p", {}, `No missed chance of ${solver()} was found that has one clear solution.`), await strangers(solver()));
}

/** Say how many exercises wait, and what is kept. */
function counted(more = "") {
  const all = Object.values(kept.exercises);
  $("queue").textContent = `${plural(queue.length, "exercise waits", "exercises wait")}${more}, the easy ones first.`;
  const rows = /** @type {[string, unknown[]][]} */ ([
    ["Tried", all], ["Solved at the first try, today", [...today.values()].filter(Boolean)], ["Come back today", all.filter(isDue)], ["Learned", all.filter((it) => !it.due)],
  ]);
  replace($("progress-kept"), rows.map(([name, those]) => [h("dt", {}, name), h("dd", { className: "number" }, String(those.length))]));
}

/** Show the easiest exercise that waits. */
async function next() {
  queue.sort((a, b) => Number(a.hardness) - Number(b.hardness));
  const exercise = queue.shift();
  task = null;
  if (exercise) await doing.run(async (signal) => {
    task = { exercise, state: "open", position: await ask("board", { fen: exercise.fen }, signal) };
  });
  verdict("");
  counted();
  draw();
}

function draw(/** @type {Shown} */ more = {}) {
  const { position } = task ?? {};
  board.draw(position ? { ...position, marks: [], turned: !position.white, ...more } : {});
  $("task").textContent = position ? `${position.white ? "White" : "Black"} to move: find the chance that was missed.` : "No exercise waits.";
  $("next").disabled = !task && !queue.length;
  $("again").disabled = task?.state !== "wrong";
  $("solution").disabled = !task || task.state === "right";
}

function verdict(/** @type {string} */ kind, /** @type {Child[]} */ ...content) {
  $("verdict").className = kind;
  replace($("verdict"), content);
}

/** Play a move: the first one counts. */
const attempt = (/** @type {string} */ uci, isShown = false) => doing.run(async (signal) => {
  if (!task) return;
  const { exercise, position } = task, { fen } = exercise;
  const isFirst = !today.has(fen);
  const names = /** @type {(keyof Exercise)[]} */ (["fen", "solution", "says", "motif", "players", "place", "played", "hardness"]);
  draw();
  const answer = await ask("attempt", { exercise: Object.fromEntries(names.map((name) => [name, exercise[name]])), move: uci, counts: isFirst, is_shown: isShown }, signal);
  if (answer.illegal) return verdict("wrong", answer.illegal);
  if (isFirst) {
    today.set(fen, answer.is_right && !isShown);
    await recall();
  }
  task.state = answer.is_right ? "right" : "wrong";
  const targets = /** @type {[string, string][]} */ (answer.targets.map((it) => [it, "target"]));
  draw({ pieces: answer.pieces, last: uci, arrows: answer.is_right ? [[uci, ""], ...targets] : answer.reply ? [[answer.reply, "played"]] : [] });
  if (answer.is_right) {
    const due = kept.exercises[fen]?.due;
    const shows = goes({ view: "board", fen, line: uci, c960: "", game: "", hit: "", on: [], side: position.white ? "white" : "black" });
    verdict("right", h("strong", {}, isShown ? "The solution. " : "Right. "), exercise.says, ` ${exercise.players}, ${exercise.place}. `, due && `It comes back on ${due}. `, h("a", shows, "Analyse it"));
  } else verdict("wrong", answer.sentence, " Try again: click on the board.");
  counted();
});

function again() {
  if (task) task.state = "open";
  verdict("");
  draw();
}

$("next").onclick = next;
$("again").onclick = again;
$("solution").onclick = () => attempt(task?.exercise.solution ?? "", true);
$("solve-form").onsubmit = (event) => {
  event.preventDefault();
  doing.run(async () => {
    const name = $("solver").value.trim();
    if (name) await ask("remember", { player: name });
    await recall();
    change({ solver: name || "*" });
  });
};
$("export").onclick = () => save(JSON.stringify(kept, null, 1), "application/json", "setwise-progress.json");
$("forget").onclick = () => $("sure").showModal();
$("sure").addEventListener("close", () => $("sure").returnValue === "yes" && doing.run(async () => {
  await ask("forget");
  await recall();
  today.clear();
  searched = "";
  change({ solver: "", motif: "" });
}));
onChange(() => {
  if (state.view === "solve") return;
  finding.stop();
  if (!task) searched = "";
});
