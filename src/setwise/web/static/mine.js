// The games of the user: scores by side, opening, rating and time, and what was missed; each figure leads to its games.

import { saver, scoreChart } from "./charts.js";
import { $, ask, catalogue, copier, h, lines, shell } from "./dom.js";
import { place } from "./search.js";
import { address, change, state } from "./state.js";

let kept = null; // what the server keeps of the user
let running = null; // stops the questions,
let shown = null; // and whom they are about

const literal = (text) => `'${text.replaceAll("'", "''")}'`;
const percent = (value) => `${(100 * value).toFixed(0)} %`;
/** The condition that a column has all words of a name; without a name, games count for White. */
const named = (column, name) => name.toLowerCase().split(/[\s,]+/).filter(Boolean).map((word) => `contains(lower(${column}), ${literal(word)})`).join(" and ");

/** A link to the games that have a condition. */
function link(text, where) {
  const shows = { q: where, form: "", per: "1", order: "", game: "" };
  return h("a", { href: address({ view: "search", ...shows }), "data-view": "search", "data-state": JSON.stringify(shows) }, text);
}

export const stop = () => running?.abort();

export async function show() {
  try {
    kept ??= await ask("progress").catch(() => ({ player: "" })); // only the name is missing then
    const name = state.who === "*" ? "" : state.who || kept.player;
    if (document.activeElement !== $("who")) $("who").value = name;
    const wanted = JSON.stringify([name, place()]);
    if (wanted === shown) return;
    shown = wanted;
    running?.abort();
    await sections(name, (running = new AbortController()).signal);
  } catch (error) {
    if (running?.signal.aborted) shown = null;
    else $("mine-answer").append(h("p", { className: "fault", role: "alert" }, error.message));
  }
}

async function sections(name, signal) {
  const white = named("white_name", name) || "true", black = named("black_name", name) || "false";
  const mine = `((${white}) or (${black}))`, side = `if(${white}, 'White', 'Black')`;
  const ofSide = (text) => (text === "White" ? white : black);
  const scored = (columns, end) => `select ${columns}, count(*) as games, avg(if(${white}, white_points, black_points)) as score from games where ${mine} and white_points is not null group by all order by ${end}`;
  const rated = `cast(floor(if(${white}, black_elo, white_elo) / 200) * 200 as integer)`;
  const year = "left(date, 4)", opening = "split_part(coalesce(opening_by_position, 'No name'), ':', 1)";
  const parts = [
    ["Score by side", scored(`${side} as side`, "side desc"), (row) => ofSide(row[0])],
    ["Openings", scored(`${side} as side, ${opening} as opening`, "games desc, opening limit 20"), (row) => `${opening} = ${literal(row[1])} and ${ofSide(row[0])}`],
    ["Trend, by year", scored(`${year} as year`, "year"), (row) => `${year} = ${literal(row[0])} and ${mine}`],
    ["Rating of the opponent, from", scored(`${rated} as rating`, "rating"), (row) => `${rated} = ${row[0]} and ${mine}`],
  ];
  $("mine-answer").replaceChildren(h("p", { className: "quiet", role: "status" }, "Reading the games …"));
  const { sources } = await catalogue();
  const answered = async (statement) => {
    for await (const line of lines("sql", { statement, ...place() }, signal)) {
      if (line.type === "error") throw new Error(line.error);
      if (line.type === "answer") return line;
    }
    return { rows: [] };
  };
  const section = (title, statement, ...content) => h("section", { className: "part" }, h("h2", {}, title), ...content,
    copier(() => `setwise sql ${shell(statement)} ${sources.map(shell).join(" ")}`, `the command of ${title}`, "Copy as command"));
  const table = (heads, rows) => h("div", { className: "rows", tabIndex: 0, role: "region", "aria-label": heads[0] }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", className: at ? "number" : "" }, head)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => h("td", { className: at ? "number" : "" }, cell)))))));
  let games = 0;
  for (const [title, statement, where] of parts) {
    const { rows, scores } = await answered(statement);
    if (title === "Score by side") {
      $("mine-answer").replaceChildren();
      games = rows.reduce((sum, row) => sum + row.at(-2), 0);
      if (!games) return $("mine-answer").append(h("p", {}, `No game with a result has the player ${name}.`));
    }
    const known = (scores ?? []).map((it, at) => [it, rows[at]]).filter(([, row]) => row[0] !== null);
    if (!known.length) continue;
    const picture = scoreChart({ rows: known.map(([it]) => it) }, title, $("mine-answer").clientWidth);
    $("mine-answer").append(section(title, statement, h("figure", { className: "scores" }, picture, saver(picture, title)),
      table([title, "Games", "Score", "95 % interval"], known.map(([it, row]) => [link(it.label, where(row)), it.games.toLocaleString("en"), percent(it.score), `${percent(it.low)} to ${percent(it.high)}`]))));
  }
  if (!name) return;
  const own = named("own_name", name), other = named("enemy_name", name);
  const missed = `select missed as chance, count(*) filter (${own}) as yours, count(*) filter (not (${own})) as theirs from positions where missed is not null and ${mine} group by all order by yours desc`;
  const in100 = (count) => {
    const value = Math.max(0, (100 * count) / games);
    return value.toFixed(value < 9.95 ? 1 : 0);
  };
  const each = (count) => { // the score interval of a count: one that is 0 so far may well become more
    const middle = count + 1.92, half = 1.96 * Math.sqrt(count + 0.96);
    return `${in100(count)} (${in100(middle - half)} to ${in100(middle + half)})`;
  };
  const { rows } = await answered(missed);
  $("mine-answer").append(section("Missed chances in 100 games, with 95 % intervals", missed, rows.length ? table(["Chance", "You", "Your opponents"], rows.map(([chance, yours, theirs]) => [
    chance, link(each(yours), `missed = ${literal(chance)} and ${own}`), link(each(theirs), `missed = ${literal(chance)} and ${other}`),
  ])) : h("p", {}, "No chance was missed.")));
}

$("mine-form").onsubmit = async (event) => {
  event.preventDefault();
  const name = $("who").value.trim();
  if (name) await ask("remember", { player: name }).catch(() => {}); // the games are shown all the same
  change({ who: name || "*" });
};
