// Columns and functions, suggested while the user types.

import { catalogue, h } from "./dom.js";

const MOST = 12;
let count = 0;

export function completing(field, words = () => []) {
  const id = `offers-${++count}`;
  const list = h("ul", { className: "offers", role: "listbox", id, hidden: true, "aria-label": "Columns and functions" });
  const announced = h("span", { className: "unseen", role: "status" });
  field.after(list, announced);
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", id);
  let offered = [], chosen = -1;

  const close = () => {
    list.hidden = true;
    offered = [];
    field.removeAttribute("aria-activedescendant");
  };
  const written = () => /[A-Za-z_][\w.]*$/.exec(field.value.slice(0, field.selectionStart))?.[0] ?? "";
  const take = (name, isFunction) => {
    const end = field.selectionStart, begin = end - written().length;
    const rest = field.value.slice(end);
    const text = name + (isFunction && !rest.startsWith("(") ? "(" : "");
    field.setRangeText(text, begin, end, "end");
    close();
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  };
  const choose = (at) => {
    chosen = (at + offered.length) % offered.length;
    [...list.children].forEach((it, number) => {
      it.ariaSelected = String(number === chosen);
      if (number === chosen) it.scrollIntoView({ block: "nearest" });
    });
    field.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  };

  async function offer() {
    const word = written().toLowerCase();
    if (word.length < 2) return close();
    const { columns, functions } = await catalogue().catch(() => ({ columns: [], functions: [] })); // the next request reports the error
    const all = [
      ...columns.map((it) => ({ name: it.name, about: it.meaning })),
      ...functions.map((it) => ({ ...it, call: true })),
      ...words().map((name) => ({ name, about: "" })),
    ];
    const begins = all.filter((it) => it.name.toLowerCase().startsWith(word));
    const holds = all.filter((it) => !begins.includes(it) && it.name.toLowerCase().includes(word));
    offered = [...begins, ...holds].slice(0, MOST);
    if (!offered.length || (offered.length === 1 && offered[0].name === word)) return close();
    list.replaceChildren(...offered.map((it, at) =>
      h("li", {
        role: "option", id: `${id}-${at}`, "aria-selected": "false",
        onpointerdown: (event) => { event.preventDefault(); take(it.name, it.call); },
      }, h("code", {}, it.name), h("span", {}, it.about))));
    list.hidden = false;
    announced.textContent = `${offered.length} suggestions`;
    chosen = -1;
    field.removeAttribute("aria-activedescendant");
  }

  field.addEventListener("input", (event) => event.isTrusted && offer());
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      choose(chosen < 0 && event.key === "ArrowUp" ? -1 : chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      take(offered[chosen].name, offered[chosen].call);
    } else if (event.key === "Tab" && offered.length) {
      take(offered[0].name, offered[0].call);
    } else if (event.key === "Escape") {
      close();
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
}
