// The result of a statement: bars, and its rows.

import { saver, scoreChart } from "./charts.js";
import { h, s } from "./dom.js";
import { address } from "./state.js";

const MOST_BARS = 40;
const number = (value) => (typeof value === "string" ? Number(value) : value);
const shown = (value) => (value === null ? "" : typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4).replace(/\.?0+$/, "") : String(value));

/** One bar per row: the last column of numbers, labelled by the other columns; shares near a half begin at a half. */
export function bars({ columns, rows }) {
  const at = columns.findLastIndex((column) => column.number);
  if (at < 0 || columns.length < 2 || rows.length < 2) return null;
  const some = rows.slice(0, MOST_BARS).filter((row) => row[at] !== null && Number.isFinite(number(row[at])));
  const values = some.map((row) => number(row[at]));
  const base = values.length && values.every((value) => value > 0.25 && value < 0.75) ? 0.5 : 0;
  const top = Math.max(base, ...values), bottom = Math.min(base, ...values);
  if (top === bottom) return null;
  const isLabel = (column) => !columns[column].number || columns.length === 2 || column === 0;
  const width = (value) => Math.max(0.4, (100 * Math.abs(value - base)) / (top - bottom));
  const left = (value) => (100 * (Math.min(base, value) - bottom)) / (top - bottom);
  const label = (row) => row.filter((_, column) => column !== at && isLabel(column)).map(shown).join(" · ") || "none";
  const others = (row) => row.flatMap((value, column) => (column === at || isLabel(column) ? [] : [`${columns[column].name} ${shown(value)}`])).join(", ");
  const title = columns[at].name + (base ? ", bars from a half" : "") + (rows.length > some.length ? ` (the first ${some.length} rows)` : "");
  const drawn = some.map((row) => {
    const value = number(row[at]);
    return { label: label(row), others: others(row), text: shown(value), x: left(value), width: width(value) };
  });
  return h("figure", { className: "bars" },
    h("figcaption", {}, title),
    h("dl", {}, drawn.flatMap((it) => [
      h("dt", {}, it.label, it.others ? h("span", { className: "quiet" }, ` ${it.others}`) : ""),
      h("dd", {},
        s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { x: it.x, width: it.width, height: 10 })),
        h("span", {}, it.text)),
    ])),
    saver(picture(drawn, title), title));
}

/** The bars as one picture, to be saved. */
function picture(drawn, title) {
  const text = (x, y, anchor, content) => {
    const it = s("text", { x, y, "text-anchor": anchor, fill: "currentColor", "font-size": 13, "font-family": "system-ui, sans-serif" });
    it.textContent = content;
    return it;
  };
  const height = 24 * drawn.length + 40;
  return s("svg", { viewBox: `0 0 720 ${height}`, width: 720, height }, text(10, 20, "start", title), ...drawn.flatMap((it, row) => [
    text(290, 24 * row + 49, "end", [it.label, it.others].filter(Boolean).join(" · ")),
    s("rect", { x: 300 + 3.4 * it.x, y: 24 * row + 36, width: 3.4 * it.width, height: 17, fill: "#4d8fd6" }),
    text(650, 24 * row + 49, "start", it.text),
  ]));
}

/** The scores of groups as a picture, for an answer with the columns games and score. */
export function scores(rows, room) {
  const picture = scoreChart({ rows }, "Scores", room);
  return h("figure", { className: "scores" }, h("figcaption", {}, "score", h("span", { className: "quiet" }, " · lines: 95 % intervals")), picture, saver(picture, "Scores"));
}

/** A cell: a position leads to its board. */
const cell = ({ name }, value) => (name === "fen" && value
  ? h("a", { href: address({ view: "board", fen: value, game: "", line: "" }), "data-view": "board", "data-state": JSON.stringify({ fen: value, c960: "", game: "", line: "" }) }, value)
  : shown(value));

export function table({ columns, rows }) {
  return h("div", { className: "rows", tabIndex: 0, role: "region", "aria-label": "Rows of the answer" },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col", className: column.number ? "number" : "" }, column.name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, at) => h("td", { className: columns[at].number ? "number" : "" }, cell(columns[at], value))))))));
}
