// The one field: what is typed becomes chips of a search, a position or games; a chip goes with a click or Backspace.

import { completing } from "./complete.js";
import { $, ask, catalogue, h, latest, post, replace, tell } from "./dom.js";
import { gameTable, ready } from "./games.js";
import { change, onChange, state } from "./state.js";

const field = $("anything");
const { run } = latest($("anything-fault"));
export let dropped = { file: "", name: "a file that was dropped" };

export const isStatement = (/** @type {string} */ text) => /^\s*(select|with|from)\b/i.test(text);
/** Where a text is PGN of games, rather than a line of moves. */
const isPgn = (/** @type {string} */ text) => /^\s*\[\w+ "/m.test(text) || (text.includes("\n") && text.length > 2000);

/** The parts of the search that is shown, each as its kind and a text, such as `player:Carlsen`. */
const chips = () => (state.view !== "search" || !state.q ? [] : state.chip.length ? state.chip : [`where:${state.q}`]);

/** What a chip says: the name of its kind stands before texts that do not say it. */
const labelOf = (/** @type {string} */ chip, /** @type {Record<string, string>} */ labels) => {
  const [kind, text] = [chip.slice(0, chip.indexOf(":")), chip.slice(chip.indexOf(":") + 1)];
  return labels[chip] ?? (labels[kind] ? `${labels[kind]}: ${text}` : text);
};
/** What the chips say, as a title. */
export const title = async () => {
  const { labels } = await catalogue();
  return chips().map((chip) => labelOf(chip, labels)).join(", ");
};

/** Search for what all chips say; a statement stands alone. */
export const search = (/** @type {string[]} */ wanted) => run(async (signal) => {
  const [kind, text] = [wanted.at(-1)?.slice(0, 6), wanted.at(-1)?.slice(6) ?? ""];
  if (kind === "where:" && (wanted.length === 1 || isStatement(text))) return change({ view: "search", q: text, chip: [], per: "", game: "" }, { push: true });
  const { where } = await ask("condition", { chips: wanted }, signal);
  change({ view: "search", q: where, chip: wanted, per: state.chip.length ? state.per : "1", game: "" }, { push: true });
});
export const add = (/** @type {string[]} */ ...more) => search([...(isStatement(state.q) ? [] : chips()), ...more.filter((chip) => !chips().includes(chip))]);

let turn = /** @type {Promise<unknown>} */ (Promise.resolve()); // texts become chips one after the other
/** Show what a text means. */
const show = (/** @type {string} */ text) => (turn = turn.then(() => run(async (signal) => {
  if (!text.trim()) return;
  if (isPgn(text)) {
    await upload(new File([text], "pasted.pgn", { type: "application/x-chess-pgn" }), { view: "games", q: "", chip: [], tab: "games", t: "", sort: "" });
    field.value = "";
    return;
  }
  const answer = await ask("understand", { text, table: gameTable() }, signal);
  if (field.value === text) field.value = "";
  if (answer.fen) change({ view: "board", fen: answer.line ? "" : answer.fen, line: answer.line ?? "", c960: "", game: "", hit: "" }, { push: true });
  else await add(...(answer.chips ?? []));
})));

$("anything-form").onsubmit = (event) => {
  event.preventDefault();
  show(field.value);
};
field.addEventListener("focus", ready); // names of players are known then
field.addEventListener("input", () => tell($("anything-fault"), ""));
field.addEventListener("keydown", (event) => {
  if (event.key === "Backspace" && !field.value && chips().length) search(chips().slice(0, -1));
});
field.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!text.trim().includes("\n")) return;
  event.preventDefault(); // the field has one line, and would lose those of the text
  show(text);
});
completing(field, async (text) => (await ask("offers", { text, table: gameTable() }).catch(() => ({ offers: [] }))).offers, ({ chip = "" }) => {
  field.value = "";
  add(chip);
});
addEventListener("click", (event) => {
  const chip = /** @type {Element} */ (event.target).closest?.("[data-chip]")?.getAttribute("data-chip");
  if (chip) add(chip);
});

onChange(draw);
async function draw() {
  const { labels } = await catalogue();
  replace($("chips"), chips().map((chip, at) => {
    const text = labelOf(chip, labels);
    return h("button", { type: "button", className: "chip", title: text, "aria-label": `Without ${text}`, onclick: () => search(chips().filter((_, other) => other !== at)) },
      h("span", {}, text), h("span", { "aria-hidden": "true" }, " ✕"));
  }));
}
draw().catch(() => {}); // each view says that the workbench does not answer

/** What to say of a name that no player has: names that begin like it, questions and pages that have the words. */
export async function strangers(/** @type {string} */ name) {
  const table = gameTable();
  const players = async (/** @type {string} */ text) => ask("players", { table, text, limit: 5 });
  if (!table || (await players(name)).all) return [];
  const near = (await players(name.trim().slice(0, 3))).rows.map(([it]) => String(it));
  const { questions, pages } = await ask("questions", { text: name });
  const rest = chips().filter((chip) => chip !== `player:${name}`);
  return [
    h("p", {}, `No player of these games is called ${name}.`, near.length > 0 && " Names that are alike:"),
    h("div", { className: "topics" },
      near.map((it) => h("button", { type: "button", onclick: () => search([...rest, `player:${it}`]) }, it)),
      questions.slice(0, 5).map((it) => h("button", { type: "button", onclick: () => search([...rest, it.chip]) }, it.asks))),
    ...pages.map(([title, address]) => h("p", {}, "In the documentation: ", h("a", { href: address, rel: "noreferrer" }, title))),
  ];
}

// ------------------------------------------------------------------------------------------------------- files dropped

/** Send a file to the workbench, and show it: by default with the search that is shown. */
async function upload(/** @type {File} */ file, /** @type {Changes | undefined} */ changes = undefined) {
  const gone = "The file is too large, or the workbench has ended.";
  dropped = await post(`/api/upload?name=${encodeURIComponent(file.name)}`, file, (response) => response.json(), { gone });
  const text = $("question").value.trim(), typed = text === state.q ? { view: "search" } : { view: "search", q: text, chip: [] };
  const shown = changes ?? (state.view === "search" && text ? typed : { view: "games", tab: "games", t: "", sort: "" });
  change({ file: dropped.file, src: "", game: "", ...shown }, { push: true });
}

const send = (/** @type {FileList | undefined | null} */ files) => files?.[0] && run(() => upload(files[0]));
$("file").onchange = () => send($("file").files);
for (const kind of /** @type {("dragover" | "dragleave" | "drop")[]} */ (["dragover", "dragleave", "drop"])) {
  addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    $("dropping").hidden = kind !== "dragover" && !(kind === "dragleave" && event.relatedTarget);
    if (kind === "drop") send(event.dataTransfer.files);
  });
}
