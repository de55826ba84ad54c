// Questions to ask: by topic, or by a word.

import { ask as asking, $, catalogue, h, later } from "./dom.js";

/** Offer the questions of the catalogue; the line of a chosen one is asked. */
export async function offering(ask) {
  let questions;
  try {
    ({ questions } = await catalogue());
  } catch {
    return; // the search itself says that the workbench does not answer
  }
  const topics = [...new Set(questions.map((it) => it.topic))].map((title) =>
    h("button", { type: "button", "aria-expanded": "false", "aria-controls": "asked", onclick: () => {
      $("asked-for").value = "";
      list(opened() === title ? "" : title);
    } }, title));
  const opened = () => topics.find((it) => it.getAttribute("aria-expanded") === "true")?.textContent;

  const show = (found, pages = []) => {
    $("asked").replaceChildren(...found.map((it) =>
      h("li", {}, h("button", { type: "button", title: it.text, onclick: () => {
        $("asked-for").value = "";
        list("");
        ask(it.text);
      } }, it.asks))), ...pages.map(([title, address]) => h("li", {}, "In the documentation: ", h("a", { href: address, rel: "noreferrer" }, title))));
    $("asked").hidden = !$("asked").childElementCount;
  };

  /** List the questions of a topic, or those with all the words that were typed. */
  async function list(topic) {
    const text = topic ? "" : $("asked-for").value.trim();
    for (const it of topics) it.setAttribute("aria-expanded", String(it.textContent === topic));
    if (!text) return show(questions.filter((it) => it.topic === topic));
    try {
      const answer = await asking("questions", { text });
      if ($("asked-for").value.trim() !== text) return; // more was typed
      show(answer.questions, answer.pages);
      if (!$("asked").hidden) return;
    } catch {
      // as if no question had the words
    }
    $("asked").replaceChildren(h("li", { className: "quiet" }, "No question has these words. The field at the top takes players, positions, moves and motifs."));
    $("asked").hidden = false;
  }

  $("asked-for").oninput = later(100, () => list(""));
  $("topics").append(...topics);
}
