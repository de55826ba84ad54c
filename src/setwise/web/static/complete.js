// Suggestions while the user types: columns and functions of a condition, or whatever else is found.

import { catalogue, h } from "./dom.js";

const MOST = 12;
let count = 0;

/** The columns and functions that have a word; those that begin with it come first. */
async function names(/** @type {string} */ text) {
  const word = text.toLowerCase();
  const none = { columns: [], functions: [] }; // the next request reports the error
  const { columns, functions } = await catalogue().catch(() => none);
  const all = /** @type {Offer[]} */ ([...columns, ...functions, ...["positions", "games", "over game", "over so_far"].map((name) => ({ name, about: "" }))]);
  const begins = all.filter((it) => it.name.toLowerCase().startsWith(word));
  const found = [...begins, ...all.filter((it) => !begins.includes(it) && it.name.toLowerCase().includes(word))];
  return found[0]?.name === word && found.length === 1 ? [] : found;
}

/**
 * Suggest what `find` finds for the word before the cursor; `take` takes a suggestion, by default in place of the word.
 * @param {HTMLInputElement | HTMLTextAreaElement} field  @param {(text: string) => Promise<Offer[]>} find
 * @param {((offer: Offer) => void) | undefined} take
 */
export function completing(field, find = names, take = undefined) {
  const id = `offers-${++count}`;
  const list = h("ul", { className: "offers", role: "listbox", id, hidden: true, "aria-label": "Suggestions" });
  const announced = h("span", { className: "unseen", role: "status" });
  field.after(list, announced);
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", id);
  let offered = /** @type {Offer[]} */ ([]), chosen = -1;

  const close = () => {
    list.hidden = true;
    offered = [];
    field.removeAttribute("aria-activedescendant");
  };
  const end = () => field.selectionStart ?? field.value.length;
  const written = () => (take ? field.value.trim() : /[A-Za-z_][\w.]*$/.exec(field.value.slice(0, end()))?.[0] ?? "");
  const put = (/** @type {Offer} */ { name, call }) => {
    const text = name + (call && field.value[end()] !== "(" ? "(" : "");
    field.setRangeText(text, end() - written().length, end(), "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const use = (/** @type {Offer} */ offer) => {
    close();
    field.focus();
    (take ?? put)(offer);
  };
  const choose = (/** @type {number} */ at) => {
    chosen = (at + offered.length) % offered.length;
    [...list.children].forEach((it, number) => { it.ariaSelected = String(number === chosen); });
    list.children[chosen].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  };

  async function offer() {
    const word = written();
    if (word.length < 2) return close();
    const found = (await find(word)).slice(0, MOST);
    if (word !== written() || document.activeElement !== field) return;
    if (!found.length) return close();
    offered = found;
    list.replaceChildren(...offered.map((it, at) =>
      h("li", {
        role: "option", id: `${id}-${at}`, "aria-selected": "false",
        onpointerdown: (/** @type {Event} */ event) => { event.preventDefault(); use(it); },
      }, h(take ? "strong" : "code", {}, it.name), h("span", {}, it.about))));
    list.hidden = false;
    announced.textContent = `${offered.length} suggestions`;
    chosen = -1;
    field.removeAttribute("aria-activedescendant");
  }

  field.addEventListener("input", (event) => event.isTrusted && offer());
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (/** @type {any} */ event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") choose(chosen < 0 && event.key === "ArrowUp" ? -1 : chosen + (event.key === "ArrowDown" ? 1 : -1));
    else if ((event.key === "Enter" && chosen >= 0) || event.key === "Tab") use(offered[Math.max(0, chosen)]);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter") return close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
}
