// Solving: missed chances of the games as exercises, the easy ones first; what was solved comes back after days.

import { Board } from "./board.js";
import { $, ask, h, lines, plural, tell } from "./dom.js";
import { SQUARES, squareOf } from "./draw.js";
import { promoted } from "./position.js";
import { place, strangers } from "./search.js";
import { address, change, onChange, state } from "./state.js";

let kept = null; // what the server keeps of the user
let running = null; // stops the search for exercises,
let searched = null; // and what it was for
let queue = []; // the exercises that wait, the easiest first
let task = null; // the exercise on the board: its texts, its legal moves, how it stands
let chosen = null; // the square of the piece to move, after one click
const today = new Set(); // the exercises that were tried since the page is open

const board = new Board($("exercise"), {
  label: "Exercise",
  grabs: (square) => task?.state === "open" && task.pieces[square] !== ".",
  click: (square) => {
    if (task?.state === "wrong") return again();
    if (task?.state !== "open") return;
    if (chosen !== null && chosen !== square && task.pieces[square] !== "." && isOwn(square)) chosen = square;
    else if (chosen !== null && chosen !== square) return move(chosen, square);
    else chosen = chosen === square || task.pieces[square] === "." ? null : square;
    draw();
  },
  drag: (from, to) => to !== null && move(from, to),
});

const isOwn = (square) => (task.pieces[square] === task.pieces[square].toUpperCase()) === task.white;

export function key(event) {
  if (event.key === "n" && !$("next").disabled) next();
  else if (event.key === "s" && !$("solution").disabled) give();
}

export async function show() {
  try {
    kept ??= await ask("progress");
    const wanted = JSON.stringify([place(), solver(), state.motif]);
    if (document.activeElement !== $("solver")) $("solver").value = solver();
    $("motif").value = state.motif;
    if (wanted !== searched) await find(wanted);
  } catch (error) {
    if (running?.signal.aborted) return; // the view was left, or another search began
    searched = null;
    tell($("solve-fault"), error.message);
  }
}

/** The name whose missed chances are solved: that of the address, else the user's. */
const solver = () => (state.solver === "*" ? "" : state.solver || kept.player);

/** Fill the queue: exercises that come back today, then new ones, as soon as each is found. */
async function find(wanted) {
  running?.abort();
  const mine = (running = new AbortController());
  searched = wanted;
  tell($("solve-fault"), "");
  $("solve-other").replaceChildren();
  queue = Object.values(kept.exercises).filter((it) => it.due && it.due <= kept.today && !today.has(it.fen));
  task = null;
  counted();
  if (queue.length) next();
  const words = solver().split(/[\s,]+/).filter(Boolean).map((word) => `contains(lower(own_name), '${word.toLowerCase().replaceAll("'", "''")}')`);
  const where = [...words, ...(state.motif ? [`missed = '${state.motif}'`] : [])].join(" and ") || "true";
  let found = 0;
  $("queue").textContent = "Looking for missed chances …";
  for await (const line of lines("solve", { ...place(), where, n: 60 }, mine.signal)) {
    if (running !== mine) return;
    if (line.type === "error") throw new Error(line.error);
    if (line.type !== "exercise") continue;
    found += 1;
    if (kept.exercises[line.fen] || today.has(line.fen)) continue;
    queue.push(line);
    if (!task) next();
    counted(" so far");
  }
  counted();
  if (!found && solver()) $("solve-other").replaceChildren(h("p", {}, `No missed chance of ${solver()} was found that has one clear solution.`), ...(await strangers(solver())));
}

/** Say how many exercises wait, and what is kept. */
function counted(more = "") {
  const all = Object.values(kept.exercises);
  $("queue").textContent = `${plural(queue.length, "exercise waits", "exercises wait")}${more}, the easy ones first.`;
  const rows = [
    ["Tried", all.length], ["Solved at the first try, today", [...today].filter((fen) => kept.exercises[fen]?.step > -1 && kept.exercises[fen].first).length],
    ["Come back today", all.filter((it) => it.due && it.due <= kept.today && !today.has(it.fen)).length], ["Learned", all.filter((it) => !it.due).length],
  ];
  $("progress-kept").replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { className: "number" }, String(value))]));
}

/** Show the easiest exercise that waits. */
async function next() {
  queue.sort((a, b) => Number(a.hardness) - Number(b.hardness));
  const exercise = queue.shift();
  task = null;
  chosen = null;
  if (exercise) {
    task = { exercise, state: "loading", pieces: "" };
    const mine = task;
    const answer = await ask("board", { fen: exercise.fen });
    if (task !== mine) return;
    Object.assign(task, { state: "open", pieces: answer.pieces, moves: answer.moves, white: answer.white });
  }
  verdict("", "");
  counted();
  draw();
}

function draw(more = {}) {
  const targets = new Set();
  if (chosen !== null) for (const [uci] of task.moves) if (squareOf(uci) === chosen) targets.add(squareOf(uci.slice(2)));
  board.draw(task ? { pieces: task.pieces, turned: !task.white, chosen, targets, ...more } : {});
  $("task").textContent = task ? `${task.white ? "White" : "Black"} to move: find the chance that was missed.` : "No exercise waits.";
  $("next").disabled = !task && !queue.length;
  $("again").disabled = task?.state !== "wrong";
  $("solution").disabled = !task || task.state === "right";
}

function verdict(kind, ...content) {
  $("verdict").className = kind;
  $("verdict").replaceChildren(...content);
}

async function move(from, to) {
  const mine = task;
  chosen = null;
  const piece = await promoted(task.moves, from, to);
  if (piece === null || mine !== task) return draw();
  await attempt(SQUARES[from] + SQUARES[to] + piece);
}

/** Play a move: the first one counts. */
async function attempt(uci, isShown = false) {
  const mine = task, { exercise } = task;
  const first = !today.has(exercise.fen);
  const names = ["fen", "solution", "says", "motif", "players", "place", "played", "hardness"];
  let answer;
  try {
    answer = await ask("attempt", { exercise: Object.fromEntries(names.map((name) => [name, exercise[name]])), move: uci, counts: first, is_shown: isShown });
  } catch (error) {
    tell($("solve-fault"), error.message);
    return draw();
  }
  if (mine !== task) return;
  if (answer.illegal) {
    draw();
    return verdict("wrong", answer.illegal);
  }
  if (first) {
    today.add(exercise.fen);
    kept = await ask("progress");
    if (kept.exercises[exercise.fen]) kept.exercises[exercise.fen].first = answer.is_right && !isShown;
  }
  task.state = answer.is_right ? "right" : "wrong";
  const arrows = answer.is_right ? [[uci, ""], ...answer.targets.map((it) => [it, "target"])] : answer.reply ? [[answer.reply, "played"]] : [];
  draw({ pieces: answer.pieces, last: uci, arrows });
  if (answer.is_right) {
    const due = kept.exercises[exercise.fen]?.due;
    const shows = { fen: exercise.fen, line: uci, c960: "", game: "", hit: "", on: [], side: task.white ? "white" : "black" };
    verdict("right", h("strong", {}, isShown ? "The solution. " : "Right. "), exercise.says, ` ${exercise.players}, ${exercise.place}. `,
      due ? `It comes back on ${due}. ` : "", h("a", { href: address({ view: "board", ...shows }), "data-view": "board", "data-state": JSON.stringify(shows) }, "Analyse it"));
  } else verdict("wrong", answer.sentence, " Try again: click on the board.");
  counted();
}

function again() {
  task.state = "open";
  verdict("", "");
  draw();
}

const give = () => attempt(task.exercise.solution, true);

$("next").onclick = next;
$("again").onclick = again;
$("solution").onclick = give;
$("solve-form").onsubmit = async (event) => {
  event.preventDefault();
  const name = $("solver").value.trim();
  try {
    if (name) await ask("remember", { player: name });
    kept = await ask("progress");
    change({ solver: name || "*", motif: $("motif").value });
  } catch (error) {
    tell($("solve-fault"), error.message);
  }
};
$("motif").onchange = () => change({ motif: $("motif").value });
$("export").onclick = () => {
  const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(kept, null, 1)], { type: "application/json" })), download: "setwise-progress.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
$("forget").onclick = async () => {
  if ($("forget").dataset.sure !== "1") {
    $("forget").dataset.sure = "1";
    $("forget").textContent = "Delete it for good?";
    return;
  }
  try {
    await ask("forget");
    kept = await ask("progress");
    today.clear();
    searched = null;
    $("forget").textContent = "Deleted";
    delete $("forget").dataset.sure;
    change({ solver: "", motif: "" });
  } catch (error) {
    tell($("solve-fault"), error.message);
  }
};
onChange(() => {
  if (state.view === "solve") return;
  running?.abort();
  if (!task) searched = null;
});
