// One field for everything: a name, a motif, a condition, a FEN, moves, PGN.

import { $, ask, tell } from "./dom.js";
import { gameTable } from "./games.js";
import { upload } from "./search.js";
import { change } from "./state.js";

/** Where a text is PGN of games, rather than a line of moves. */
const isPgn = (text) => /^\s*\[\w+ "/m.test(text) || (text.includes("\n") && text.length > 2000);

/** Show what a text means. */
export async function show(text) {
  tell($("anything-fault"), "");
  if (!text.trim()) return;
  if (isPgn(text)) {
    const file = new File([text], "pasted.pgn", { type: "application/x-chess-pgn" });
    if (await upload(file, { view: "games", q: "", tab: "games", t: "", sort: "" })) $("anything").value = "";
    else tell($("anything-fault"), $("search-fault").textContent);
    return;
  }
  try {
    const answer = await ask("understand", { text, table: gameTable() });
    $("anything").value = "";
    if (answer.fen) change({ view: "board", fen: answer.line ? "" : answer.fen, line: answer.line ?? "", c960: "", game: "", hit: "" }, { push: true });
    else change({ view: "search", q: answer.where, form: answer.form ? JSON.stringify(answer.form) : "", per: answer.form ? "1" : "", game: "" }, { push: true });
  } catch (error) {
    tell($("anything-fault"), error.message);
  }
}

$("anything-form").onsubmit = (event) => {
  event.preventDefault();
  show($("anything").value);
};
$("anything").addEventListener("input", () => tell($("anything-fault"), ""));
$("anything").addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!text.trim().includes("\n")) return;
  event.preventDefault(); // the field has one line, and would lose those of the text
  show(text);
});
