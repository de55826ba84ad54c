// The games of the user: scores by side, opening, rating and time, and what was missed; each figure leads to its games.

import { $, ask, catalogue, command, copier, h, latest, lines, percent, replace } from "./dom.js";
import { change, goes, place, state } from "./state.js";
import { rowsOf, scores, table } from "./tables.js";

let player = /** @type {string | null} */ (null); // the name that the server keeps
let shown = ""; // whom the page is about
const { run, stop: end } = latest($("mine-fault"));

const literal = (/** @type {Value} */ text) => `'${String(text).replaceAll("'", "''")}'`;
/** The condition that a column has all words of a name; without a name, games count for White. */
const named = (/** @type {string} */ column, /** @type {string} */ name) => name.toLowerCase().split(/[\s,]+/).filter(Boolean).map((word) => `contains(lower(${column}), ${literal(word)})`).join(" and ");
/** A link to the games that have a condition. */
const link = (/** @type {string} */ text, /** @type {string} */ where) => h("a", goes({ view: "search", q: where, chip: [], per: "1", order: "", game: "" }), text);

export function stop() {
  end();
  shown = "";
}

export const show = async () => {
  player ??= (await ask("progress").catch(() => ({ player: "" }))).player; // only the name is missing then
  const name = state.who === "*" ? "" : state.who || player;
  if (document.activeElement !== $("who")) $("who").value = name;
  const wanted = JSON.stringify([name, place()]);
  if (wanted === shown) return;
  shown = wanted;
  if (await run((signal) => sections(name, signal)) && !$("mine-fault").hidden) shown = "";
};

async function sections(/** @type {string} */ name, /** @type {AbortSignal} */ signal) {
  const white = named("white_name", name) || "true", black = named("black_name", name) || "false";
  const mine = `((${white}) or (${black}))`, side = `if(${white}, 'White', 'Black')`;
  const ofSide = (/** @type {Value} */ text) => (text === "White" ? white : black);
  const scored = (/** @type {string} */ columns, /** @type {string} */ end) => `select ${columns}, count(*) as games, avg(if(${white}, white_points, black_points)) as score from games where ${mine} and white_points is not null group by all order by ${end}`;
  const rated = `cast(floor(if(${white}, black_elo, white_elo) / 200) * 200 as integer)`;
  const year = "left(date, 4)", opening = "split_part(coalesce(opening_by_position, 'No name'), ':', 1)";
  const parts = /** @type {[string, string, (row: Row) => string][]} */ ([
    ["Score by side", scored(`${side} as side`, "side desc"), (row) => ofSide(row[0])],
    ["Openings", scored(`${side} as side, ${opening} as opening`, "games desc, opening limit 20"), (row) => `${opening} = ${literal(row[1])} and ${ofSide(row[0])}`],
    ["Trend, by year", scored(`${year} as year`, "year"), (row) => `${year} = ${literal(row[0])} and ${mine}`],
    ["Rating of the opponent, from", scored(`${rated} as rating`, "rating"), (row) => `${rated} = ${row[0]} and ${mine}`],
  ]);
  const answer = $("mine-answer"), { sources } = await catalogue();
  replace(answer, h("p", { className: "quiet", role: "status" }, "Reading the games …"));
  const answered = async (/** @type {string} */ statement) => {
    for await (const line of lines("sql", { statement, ...place() }, signal)) if (line.type === "answer") return line;
    return { rows: /** @type {Row[]} */ ([]), scores: null };
  };
  const section = (/** @type {string} */ title, /** @type {string} */ statement, /** @type {Child[]} */ ...content) => h("section", { className: "part" }, h("h2", {}, title), ...content,
    copier(() => command("sql", statement, ...sources), `the command of ${title}`, "Copy as command"));
  const figures = (/** @type {string[]} */ heads, /** @type {Child[][]} */ rows) => {
    const columns = heads.map((title, at) => ({ name: title, title, number: at > 0 }));
    return table(columns, rowsOf(columns, rows), { label: heads[0] });
  };
  let games = 0;
  for (const [title, statement, where] of parts) {
    const { rows, scores: found } = await answered(statement);
    if (title === "Score by side") {
      games = rows.reduce((sum, row) => sum + Number(row.at(-2)), 0);
      replace(answer, !games && h("p", {}, `No game with a result has the player ${name}.`));
      if (!games) return;
    }
    const known = (found ?? []).map((it, at) => ({ it, row: rows[at] })).filter(({ row }) => row[0] !== null);
    if (known.length) answer.append(section(title, statement, scores(known.map(({ it }) => it), title, answer.clientWidth),
      figures([title, "Games", "Score", "95 % interval"], known.map(({ it, row }) => [link(it.label, where(row)), it.games.toLocaleString("en"), percent(it.score), `${percent(it.low)} to ${percent(it.high)}`]))));
  }
  if (!name) return;
  const own = named("own_name", name), other = named("enemy_name", name);
  const missed = `select missed as chance, count(*) filter (${own}) as yours, count(*) filter (not (${own})) as theirs from positions where missed is not null and ${mine} group by all order by yours desc`;
  const in100 = (/** @type {number} */ count) => {
    const value = Math.max(0, (100 * count) / games);
    return value.toFixed(value < 9.95 ? 1 : 0);
  };
  const each = (/** @type {Value} */ found) => { // the score interval of a count: one that is 0 so far may well become more
    const count = Number(found), middle = count + 1.92, half = 1.96 * Math.sqrt(count + 0.96);
    return `${in100(count)} (${in100(middle - half)} to ${in100(middle + half)})`;
  };
  const { rows } = await answered(missed);
  answer.append(section("Missed chances in 100 games, with 95 % intervals", missed, rows.length ? figures(["Chance", "You", "Your opponents"], rows.map(([chance, yours, theirs]) => [
    String(chance), link(each(yours), `missed = ${literal(chance)} and ${own}`), link(each(theirs), `missed = ${literal(chance)} and ${other}`),
  ])) : h("p", {}, "No chance was missed.")));
}

$("mine-form").onsubmit = async (event) => {
  event.preventDefault();
  const name = $("who").value.trim();
  if (name) await ask("remember", { player: name }).catch(() => {}); // the games are shown all the same
  change({ who: name || "*" });
};
