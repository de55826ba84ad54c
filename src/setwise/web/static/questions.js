// Questions to ask: by topic, or by a word.

import { $, catalogue, h } from "./dom.js";

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

  /** List the questions of a topic, or those with all the words that were typed. */
  function list(topic) {
    const words = $("asked-for").value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (it) => words.every((word) => `${it.topic} ${it.asks} ${it.words} ${it.text}`.toLowerCase().includes(word));
    const found = topic ? questions.filter((it) => it.topic === topic) : words.length ? questions.filter(has) : [];
    for (const it of topics) it.setAttribute("aria-expanded", String(it.textContent === topic));
    const none = words.length && !found.length ? [h("li", { className: "quiet" }, "No question has these words.")] : [];
    $("asked").replaceChildren(...none, ...found.map((it) =>
      h("li", {}, h("button", { type: "button", title: it.text, onclick: () => {
        $("asked-for").value = "";
        list("");
        ask(it.text);
      } }, it.asks))));
    $("asked").hidden = !$("asked").childElementCount;
  }

  $("asked-for").oninput = () => list("");
  $("topics").append(...topics);
}
