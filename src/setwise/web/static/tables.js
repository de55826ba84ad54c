// The result of a statement: bars, and its rows.

import { h, s } from "./dom.js";

const MOST_BARS = 40;
const number = (value) => (typeof value === "string" ? Number(value) : value);
const shown = (value) => (value === null ? "" : typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4).replace(/\.?0+$/, "") : String(value));

/** One bar per row: the last column of numbers, labelled by the other columns. */
export function bars({ columns, rows }) {
  const at = columns.findLastIndex((column) => column.number);
  if (at < 0 || columns.length < 2 || rows.length < 2) return null;
  const some = rows.slice(0, MOST_BARS).filter((row) => row[at] !== null && Number.isFinite(number(row[at])));
  const values = some.map((row) => number(row[at]));
  const top = Math.max(0, ...values), bottom = Math.min(0, ...values);
  if (top === bottom) return null;
  const width = (value) => (100 * Math.abs(value)) / (top - bottom);
  const left = (value) => (100 * (Math.min(0, value) - bottom)) / (top - bottom);
  const label = (row) => row.filter((_, column) => column !== at && (!columns[column].number || columns.length === 2 || column === 0)).map(shown).join(" · ");
  return h("figure", { className: "bars" },
    h("figcaption", {}, columns[at].name, rows.length > some.length ? ` (the first ${some.length} rows)` : ""),
    h("dl", {}, some.flatMap((row) => [
      h("dt", {}, label(row) || "none"),
      h("dd", {},
        s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          s("rect", { x: left(number(row[at])), width: Math.max(0.4, width(number(row[at]))), height: 10 })),
        h("span", {}, shown(number(row[at])))),
    ])));
}

export function table({ columns, rows }) {
  return h("div", { className: "rows", tabIndex: 0, role: "region", "aria-label": "Rows of the answer" },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col", className: column.number ? "number" : "" }, column.name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, at) => h("td", { className: columns[at].number ? "number" : "" }, shown(value))))))));
}
