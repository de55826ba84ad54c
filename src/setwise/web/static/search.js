// Searches: matches as small boards, answers as bars and a table, files.

import { completing } from "./complete.js";
import { $, ask, catalogue, copier, h, lines, plural, post, shell, tell } from "./dom.js";
import { drawing, shape } from "./draw.js";
import { fill, formOf, conditionOf, values, write } from "./form.js";
import { gameTable } from "./games.js";
import { offering } from "./questions.js";
import { change, placeOf, searchedFiles, state } from "./state.js";
import { bars, scores, table } from "./tables.js";

const PAGE = 60;
let running = null; // stops the running search
let searched = null; // the query whose answer the page shows
let listed = 0;
let dropped = null;
let many = "30"; // how many exercises a file has
let typed = null; // the query of the address, as it was written into the field last

const isStatement = (text) => /^\s*(select|with|from)\b/i.test(text);
const wanted = () => JSON.stringify([state.q, state.src, state.file, state.per, state.order]);
/** How many matches of a game, and what comes first; a statement has neither. */
const chosen = () => (isStatement(state.q) ? {} : { ...(state.per ? { per_game: Number(state.per) } : {}), ...(state.order ? { order_by: state.order } : {}) });
export const place = () => ({
  ...(state.file ? { file: state.file } : state.src === "" ? {} : { source: Number(state.src) }),
});

export function show() {
  if (state.q !== typed) $("question").value = typed = state.q; // what is being typed stays
  sources();
  fill();
  $("per-game").checked = state.per === "1";
  $("order").value = state.order;
  chips().catch(() => {}); // the search itself says that the workbench does not answer
  if (state.q && wanted() !== searched) start();
}

async function sources() {
  let known;
  try {
    known = await catalogue();
  } catch (error) {
    tell($("search-fault"), error.message);
    return;
  }
  const short = (name) => name.split(/[\\/]/).pop();
  const options = [
    ...(known.sources.length === 1 ? [] : [["", known.sources.length ? `All ${known.sources.length} sources` : "No source yet"]]),
    ...known.sources.map((name, number) => [known.sources.length === 1 ? "" : String(number), short(name)]),
    ...(dropped ? [[`file ${dropped.file}`, dropped.name]] : []),
    ...(state.file && dropped?.file !== state.file ? [[`file ${state.file}`, "a file that was dropped"]] : []),
  ];
  $("source").replaceChildren(...options.map(([value, name]) => h("option", { value }, name)));
  $("source").value = state.file ? `file ${state.file}` : known.sources.length === 1 ? "" : state.src;
}

$("source").onchange = () => {
  const value = $("source").value;
  change(value.startsWith("file ") ? { file: value.slice(5), src: "" } : { file: "", src: value });
};

const search = (text, changes = {}) => {
  searched = typed = null;
  change({ q: text, game: "", ...changes }, { push: true });
};
$("search-form").onsubmit = async (event) => {
  event.preventDefault();
  if (document.activeElement.closest("#form")) await write(); // Enter comes before the condition of what was typed
  const text = $("question").value.trim();
  if (!text) return tell($("search-fault"), "Fill in the form, choose a question, or type a condition.");
  if (formOf(text)) return search(text, { form: formOf(text), per: "1" });
  try {
    const answer = await ask("understand", { text });
    if (answer.form) search(answer.where, { form: JSON.stringify(answer.form), per: "1" });
    else search(answer.where, { form: "" });
  } catch (error) {
    tell($("search-fault"), error.message);
  }
};
$("per-game").onchange = () => change({ per: $("per-game").checked ? "1" : "" });
$("order").onchange = () => change({ order: $("order").value });
$("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  $("search-form").requestSubmit();
});
completing($("question"), () => ["positions", "games", "over game", "over so_far"]);
offering((text) => search(text, { form: "", per: "" }));
$("stop").onclick = () => running?.abort();
$("more").onclick = () => run("find", { where: state.q, ...chosen(), skip: listed, limit: PAGE, stamps: searchedFiles.stamps });

function start() {
  searchedFiles.stamps = [];
  searched = wanted();
  listed = 0;
  $("matches").replaceChildren();
  $("answer").replaceChildren();
  $("downloads").hidden = true;
  $("by-form").open = $("by-question").open = false; // what is found stands where they stood
  $("by-condition").open = !state.form; // the chips say it
  if (isStatement(state.q)) run("sql", { statement: state.q });
  else run("find", { where: state.q, ...chosen(), limit: PAGE });
}

async function run(task, given) {
  running?.abort();
  const mine = (running = new AbortController());
  tell($("search-fault"), "");
  $("more").hidden = true;
  $("stop").hidden = false;
  $("search-status").textContent = "Searching …";
  $("progress").removeAttribute("value");
  $("progress").hidden = false;
  let end = null;
  try {
    for await (const line of lines(task, { ...given, ...place() }, mine.signal)) {
      if (running !== mine) return;
      if (line.type === "start") Object.assign(searchedFiles, { first: place().source ?? 0, stamps: line.stamps });
      else if (line.type === "match") add(line);
      else if (line.type === "answer") answered(line);
      else if (line.type === "waiting") $("search-status").textContent = "Other searches are running: this one waits for its turn …";
      else if (line.type === "compiling") $("search-status").textContent = "Compiling for this machine, once …";
      else if (line.type === "error") throw new Error(line.error);
      else if (line.type === "progress" || line.type === "done") counted(line);
      end = line;
    }
    if (end?.type === "done" && end.matches > listed) $("more").hidden = false;
    if (end?.type === "progress") throw new Error("The search broke off.");
  } catch (error) {
    if (running !== mine) return;
    if (mine.signal.aborted) {
      if (!$("search-status").textContent.includes("stopped")) $("search-status").textContent += " · stopped";
    } else {
      tell($("search-fault"), error.message);
      $("search-status").textContent = "";
    }
  } finally {
    if (running === mine) {
      running = null;
      $("stop").hidden = $("progress").hidden = true;
      if (end && end.type !== "error" && state.q) files(Boolean(end.games));
      if (end?.type === "done" && !end.matches) loosen().catch((error) => tell($("search-fault"), error.message));
    }
  }
}

function counted(line) {
  const games = (word, count) => (line.games ? ` ${word} ${plural(count, "game", "games")}` : ""); // lists of positions have none
  const counts = line.matches ? `${plural(line.matches, "match", "matches")}${games("in", line.matched_games)}` : "no match";
  const read = `${plural(line.positions, "position", "positions")}${games("of", line.games)} read in ${line.seconds.toFixed(1)} s`;
  const hints = (line.hints ?? []).map((hint) => ` · ${hint}`).join("");
  const faults = line.faults ? ` · ${plural(line.faults, "game breaks", "games break")} off` : "";
  $("search-status").textContent = `${line.type === "done" ? "" : "… "}${counts} · ${read}${faults}${hints}`;
  if (line.share !== null) $("progress").value = line.share;
}

/** The fields of the form that are filled in, each as a chip that can be taken away. */
async function chips() {
  const mine = state.form, form = values();
  const { form: fields } = await catalogue();
  const title = ({ name, title: it }) => (it === "to" ? (name.startsWith("year") ? "Years to" : "Ratings to") : it);
  const named = fields.filter(({ name }) => form[name]).map((field) => [field.name, `${title(field)}: ${Object.fromEntries(field.groups.flatMap(([, choices]) => choices))[form[field.name]] ?? form[field.name]}`]);
  const chip = ([name, text]) => h("button", { type: "button", "aria-label": `Without ${text}`, onclick: () => {
    const rest = Object.entries(form).filter(([it]) => it !== name);
    if (rest.length) within(Object.fromEntries(rest));
    else search("", { form: "" });
  } }, text, h("span", { "aria-hidden": "true" }, " ✕"));
  if (state.form === mine) $("chips").replaceChildren(...named.map(chip));
}

/** Where nothing was found by a form, say what is not there. */
async function loosen() {
  const mine = state.form, form = values();
  const names = Object.keys(form);
  if (!names.length) return;
  const unknown = form.player ? await strangers(form.player) : [];
  const buttons = names.length < 2 ? [] : [h("p", {}, "Nothing has all of this: take one of the chips away.")];
  if (state.form === mine) $("answer").replaceChildren(...unknown, ...buttons);
}

/** What to say of a name that no player has: names that begin like it, questions and pages that have the words. */
export async function strangers(name) {
  const table = gameTable();
  if (!table) return [];
  const players = async (text) => ask("players", { table, text, limit: 5 });
  if ((await players(name)).all) return [];
  const near = (await players(name.trim().slice(0, 3))).rows.map(([it]) => it);
  const { questions, pages } = await ask("questions", { text: name });
  return [
    h("p", {}, `No player of these games is called ${name}.`, near.length ? " Names that are alike:" : ""),
    h("div", { className: "topics" },
      near.map((it) => h("button", { type: "button", onclick: () => within({ ...values(), player: it }) }, it)),
      questions.slice(0, 5).map((it) => h("button", { type: "button", title: it.text, onclick: () => search(it.text, { form: "", per: "" }) }, it.asks))),
    ...pages.map(([title, address]) => h("p", {}, "In the documentation: ", h("a", { href: address, rel: "noreferrer" }, title))),
  ];
}

/** Search by a form. */
async function within(form) {
  try {
    const { where } = await conditionOf(form);
    search(where, { form: JSON.stringify(form), per: "1" });
  } catch (error) {
    tell($("search-fault"), error.message);
  }
}

function add(match) {
  listed += 1;
  const marks = match.marks.map(([, word]) => word);
  const names = match.marks.map(([name]) => name).join(", ");
  const turned = Boolean(match.missed) && !match.white; // the side that misses a chance is below
  $("matches").append(
    h("article", { className: "match" },
      h("button", {
        type: "button", "aria-label": `${match.players}, ${match.next}: open the game`,
        onclick: () => change({
          view: "board", game: placeOf(match), line: "", hit: "1", on: match.marks.slice(0, 6).map(([name]) => name),
          side: !match.missed ? "" : turned ? "black" : "white",
        }, { push: true }),
      }, drawing({ pieces: match.pieces, marks, last: match.last, move: match.move, missed: match.missed, turned })),
      h("h2", {}, match.players),
      h("p", { className: "next" }, match.next, ...match.values.filter(([name]) => name !== "source").map(([name, value]) => h("span", { className: "quiet" }, ` ${name} = ${value}`))),
      names && h("ul", { className: "legend small" }, match.marks.map(([name], number) => h("li", {}, shape(number), h("span", {}, name)))),
      h("p", { className: "quiet" }, match.place)));
}

function answered(line) {
  $("search-status").textContent = `${plural(line.all, "row", "rows")} in ${line.seconds.toFixed(1)} s${line.all > line.rows.length ? `, the first ${line.rows.length} of them shown` : ""}${line.hints.map((hint) => ` · ${hint}`).join("")}`;
  $("answer").replaceChildren(...[line.scores ? scores(line.scores, $("answer").clientWidth) : bars(line), table(line)].filter(Boolean));
}

/** Offer files of what was found; games are needed for exercises. */
async function files(hasGames) {
  const { bench, downloads, exercises, questions, sources: names } = await catalogue();
  const statement = isStatement(state.q);
  const given = { ...chosen(), ...place(), bench };
  const link = (name, query) => ({ suffix, title }) =>
    h("a", { href: `/api/file/${name}${suffix}?${new URLSearchParams(query)}`, download: `${name}${suffix}` }, title);
  const offered = downloads.filter((kind) => kind.rows || !statement).map(link("setwise", { [statement ? "statement" : "where"]: state.q, ...given }));
  const title = Object.values(values()).join(", ") || questions.find((it) => it.text === state.q)?.asks || "";
  const sheets = () => exercises.map(link("exercises", { where: state.q, title, n: many, ...given }));
  const solved = h("span", {}, ...sheets());
  const number = h("input", { type: "number", id: "many", min: 1, value: many, inputMode: "numeric", oninput: () => {
    if (!number.checkValidity() || !number.value) return;
    many = number.value;
    solved.replaceChildren(...sheets());
  } });
  const command = () => ["setwise", statement ? "sql" : "find", ...[state.q, ...names].map(shell)].join(" ");
  $("downloads").replaceChildren(h("p", {}, "Download", ...offered, copier(command, "the command", "Copy as command")));
  if (!statement && hasGames && listed) $("downloads").append(h("p", {}, "To solve, up to", number, h("label", { for: "many" }, "of them"), solved));
  $("downloads").hidden = !statement && !listed;
}

// ------------------------------------------------------------------------------------------------------- files dropped

/** Send a file to the workbench, and show it: by default with a search. */
export async function upload(file, changes) {
  $("search-status").textContent = `Reading ${file.name} …`;
  tell($("search-fault"), "");
  try {
    const gone = "The file is too large, or the workbench has ended.";
    const answer = await post(`/api/upload?name=${encodeURIComponent(file.name)}`, file, (response) => response.json(), { gone });
    dropped = answer;
    $("search-status").textContent = `${answer.name} is here: ask something of it.`;
    const text = $("question").value.trim();
    const shown = changes ?? (state.view === "search" && text ? { view: "search", q: text } : { view: "games", tab: "games", t: "", sort: "" });
    change({ file: answer.file, src: "", game: "", ...shown }, { push: true });
    return true;
  } catch (error) {
    $("search-status").textContent = "";
    tell($("search-fault"), error.message);
    if (state.view !== "search") tell($("anything-fault"), error.message);
    return false;
  }
}

$("file").onchange = () => $("file").files[0] && upload($("file").files[0]);
const carries = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  $("dropping").hidden = false;
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("dropping").hidden = true; });
addEventListener("drop", (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  $("dropping").hidden = true;
  if (event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]);
});
