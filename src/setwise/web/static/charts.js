// Charts of scores: a dot and its interval for each group, with the number of games; saved as SVG.

import { h, s } from "./dom.js";

const ROW = 26, FONT = "13px system-ui, sans-serif";
const percent = (value) => `${(100 * value).toFixed(0)} %`;

const text = (x, y, anchor, content) => {
  const it = s("text", { x, y, "text-anchor": anchor, fill: "currentColor", font: FONT, "font-size": 13 });
  it.textContent = content;
  return it;
};

/** The scores of groups. The axis begins where the intervals begin, and a line marks a half. */
export function scoreChart({ rows }, title, room) {
  const width = Math.max(320, Math.min(860, room || 860));
  const labels = Math.min(0.42 * width, 24 + 7 * Math.max(...rows.map((row) => row.label.length)));
  const fitting = (label) => (24 + 7 * label.length > labels ? `${label.slice(0, Math.floor((labels - 31) / 7))}…` : label);
  const left = labels + 76, right = width - 52;
  const from = Math.max(0, Math.floor(20 * Math.min(0.5, ...rows.map((row) => row.low))) / 20);
  const to = Math.min(1, Math.ceil(20 * Math.max(0.5, ...rows.map((row) => row.high))) / 20);
  const at = (value) => left + ((right - left) * (value - from)) / (to - from || 1);
  const height = ROW * (rows.length + 1) + 8;
  const grid = [...new Set([from, 0.5, to])].map((value) => [
    s("path", { d: `M${at(value)} ${ROW}V${height}`, stroke: "currentColor", "stroke-opacity": value === 0.5 ? 0.7 : 0.25, "stroke-dasharray": value === 0.5 ? "4 3" : undefined }),
    text(at(value), 16, "middle", percent(value)),
  ]);
  const marks = rows.map((row, number) => {
    const y = ROW * (number + 1) + 15;
    return [
      text(0, y + 4, "start", fitting(row.label)), text(labels + 48, y + 4, "end", row.games.toLocaleString("en")),
      s("path", { d: `M${at(row.low)} ${y}H${at(row.high)}`, stroke: "#4d8fd6", "stroke-width": 4, "stroke-linecap": "round", "stroke-opacity": 0.55 }),
      s("circle", { cx: at(row.score), cy: y, r: 5, fill: "#b0530a" }),
      text(width, y + 4, "end", percent(row.score)),
    ];
  });
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${title}: ${rows.length} groups, listed in the table below`, class: "score-chart" },
    text(labels + 48, 16, "end", "games"), ...grid.flat(), ...marks.flat());
}

/** A button that saves a picture as an SVG file of its own. */
export function saver(picture, title) {
  return h("button", {
    type: "button",
    onclick: () => {
      const copy = picture.cloneNode(true);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("color", "#1d2126");
      copy.prepend(s("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
      const link = h("a", { href: URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" })), download: `${title.replace(/[^\w]+/g, "-").toLowerCase()}.svg` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    },
  }, "Save as SVG");
}
