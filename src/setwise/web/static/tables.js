// Tables and charts: rows with heads to sort by, bars or scores with intervals; charts are saved as SVG.

import { h, percent, s, save } from "./dom.js";

/** Let the arrow keys, Home and End walk through the buttons in the rows of the tables of an element. */
export function arrows(/** @type {HTMLElement} */ place) {
  place.addEventListener("keydown", (event) => {
    const buttons = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("tbody button")]);
    const at = buttons.findIndex((it) => it === document.activeElement);
    const to = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 })[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
  });
}

/** Rows of a table; a click anywhere on one opens it, the keyboard uses the button in it. A text that is selected opens nothing. */
export const rowsOf = (/** @type {Column[]} */ columns, /** @type {Child[][]} */ rows, open = /** @type {((at: number) => void) | undefined} */ (undefined)) =>
  rows.map((cells, at) => {
    const row = h("tr", open && { className: "opens", onclick: () => {
      const selected = getSelection();
      if (selected?.isCollapsed !== false || !row.contains(selected.anchorNode)) open(at);
    } }, cells.map((cell, column) => h("td", { className: columns[column].number ? "number" : "" }, cell ?? "")));
    return row;
  });

/** A table that scrolls. A click on a head sorts its rows, or does what `sort` does. */
export function table(/** @type {Column[]} */ columns, /** @type {HTMLElement[]} */ rows, /** @type {Looks} */ { label = "Table", className = "", sorted = "", sort } = {}) {
  const body = h("tbody", {}, rows);
  const head = (/** @type {Column} */ { name, title, number }, /** @type {number} */ at) => {
    const falls = sorted === `-${name}`, isBy = falls || sorted === name;
    return h("th", { scope: "col", className: number ? "number" : "", "aria-sort": isBy ? (falls ? "descending" : "ascending") : undefined },
      h("button", { type: "button", className: "link", onclick: (/** @type {any} */ event) => (sort ?? sortHere)(name, at, event) }, title, h("span", { "aria-hidden": "true" }, isBy && (falls ? " ▾" : " ▴"))));
  };
  /** @type {(name: string, at: number, event: any) => void}  Numbers first from the top, texts from A. */
  const sortHere = (_, at, event) => {
    const here = event.target.closest("th"), { number } = columns[at];
    const falls = here.ariaSort ? here.ariaSort === "ascending" : number;
    const text = (/** @type {Element} */ row) => row.children[at].textContent ?? "";
    const worth = (/** @type {Element} */ row) => parseFloat(text(row).replace(/,/g, "").replace("−", "-"));
    const order = [...body.children].sort((a, b) => (number ? worth(a) - worth(b) : text(a).localeCompare(text(b))) * (falls ? -1 : 1));
    body.append(...order);
    for (const it of here.parentElement.children) it.ariaSort = it === here ? (falls ? "descending" : "ascending") : null;
  };
  return h("div", { className: `rows ${className}`, tabIndex: 0, role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map(head))), body));
}

const ROW = 26;
const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor, /** @type {string} */ content) =>
  s("text", { x, y, "text-anchor": anchor, fill: "currentColor", "font-size": 13, "font-family": "system-ui, sans-serif" }, content);

/** A chart of groups: bars from `base`, or dots with their intervals; `ticks` are marked on the axis, `room` is its width. */
export function chart(/** @type {Bar[]} */ rows, /** @type {{ title: string, room: number, base?: number, ticks?: number[] }} */ { title, room, base = 0, ticks = [] }) {
  const width = Math.max(320, Math.min(860, room || 860));
  const wide = (/** @type {string} */ label) => 24 + 7 * label.length;
  const labels = Math.min(0.42 * width, Math.max(...rows.map((row) => wide(row.label))));
  const fitting = (/** @type {string} */ label) => (wide(label) > labels ? `${label.slice(0, Math.floor((labels - 31) / 7))}…` : label);
  const notes = Math.max(0, ...rows.map((row) => 8 + 7 * (row.note ?? "").length));
  const left = labels + notes + 16, right = width - Math.max(44, ...rows.map((row) => 14 + 7.5 * row.text.length));
  const values = [base, ...ticks, ...rows.flatMap((row) => [row.low ?? row.value, row.high ?? row.value])];
  const from = Math.min(...values), to = Math.max(...values);
  const at = (/** @type {number} */ value) => left + ((right - left) * (value - from)) / (to - from || 1);
  const height = ROW * (rows.length + 1) + 8;
  const grid = ticks.map((value) => [
    s("path", { d: `M${at(value)} ${ROW}V${height}`, stroke: "currentColor", "stroke-opacity": value === base ? 0.7 : 0.25, "stroke-dasharray": value === base ? "4 3" : undefined }),
    text(at(value), 16, "middle", percent(value)),
  ]);
  const marks = rows.map((row, number) => {
    const y = ROW * (number + 1) + 15, [x, end] = [at(base), at(row.value)];
    const bar = s("rect", { x: Math.min(x, end), y: y - 9, width: Math.max(1, Math.abs(end - x)), height: 18, fill: "#4d8fd6" });
    const range = [s("path", { d: `M${at(row.low ?? 0)} ${y}H${at(row.high ?? 0)}`, stroke: "#4d8fd6", "stroke-width": 4, "stroke-linecap": "round", "stroke-opacity": 0.55 }), s("circle", { cx: end, cy: y, r: 5, fill: "#b0530a" })];
    return [text(0, y + 4, "start", fitting(row.label)), text(labels + notes, y + 4, "end", row.note ?? ""), row.low === undefined ? bar : range, text(width, y + 4, "end", row.text)];
  });
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${title}: ${rows.length} groups, listed in the table below` }, grid, marks);
  return h("figure", { className: "scores" }, h("figcaption", {}, title), picture, h("button", { type: "button", onclick: () => {
    const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("color", "#1d2126");
    copy.prepend(s("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
    save(copy.outerHTML, "image/svg+xml", `${title.replace(/[^\w]+/g, "-").toLowerCase()}.svg`);
  } }, "Save as SVG"));
}

/** The scores of groups. The axis begins where the intervals begin, and a line marks a half. */
export function scores(/** @type {Score[]} */ rows, /** @type {string} */ title, /** @type {number} */ room) {
  const from = Math.max(0, Math.floor(20 * Math.min(0.5, ...rows.map((row) => row.low))) / 20);
  const to = Math.min(1, Math.ceil(20 * Math.max(0.5, ...rows.map((row) => row.high))) / 20);
  const bars = rows.map((row) => ({ ...row, value: row.score, note: row.games.toLocaleString("en"), text: percent(row.score) }));
  return chart(bars, { title, room, base: 0.5, ticks: [...new Set([from, 0.5, to])] });
}
