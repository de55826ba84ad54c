// A click through each game: the boards are drawn already, this moves the pieces.
"use strict";
const SVG = "http://www.w3.org/2000/svg";

for (const article of document.querySelectorAll("article")) {
  const game = JSON.parse(article.dataset.game);
  const match = Number(article.dataset.ply) - game.first;
  const turned = article.dataset.side === "black";
  if (!game.changes.length) continue;

  const corner = (square) => {
    const x = 100 * (square % 8), y = 700 - 100 * Math.floor(square / 8);
    return turned ? [700 - x, 700 - y] : [x, y];
  };
  const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
  const parts = (change) => change.match(/.../g) || [];

  const board = (ply) => {
    const pieces = [...game.start];
    for (const change of game.changes.slice(0, ply))
      for (const part of parts(change)) pieces[squareOf(part)] = part[2];
    return pieces;
  };
  const made = (name, attributes) => {
    const it = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    return it;
  };
  const half = (ply) => ply - 1 + (game.white ? 0 : 1);
  const numberOf = (ply) => game.number + Math.floor(half(ply) / 2);
  const numbered = (ply) => `${numberOf(ply)}${half(ply) % 2 ? "..." : "."} ${game.moves[ply - 1]}`;

  let at = match;
  const steps = document.createElement("div");
  steps.className = "steps";
  const place = document.createElement("output");
  const note = document.createElement("p");
  note.className = "note";
  const moves = document.createElement("div");
  moves.className = "moves";
  const show = (ply) => {
    at = Math.max(0, Math.min(game.changes.length, ply));
    const pieces = board(at).map((letter, square) => {
      const [x, y] = corner(square);
      return letter === "." ? null : made("use", { href: `#piece-${letter}`, x, y });
    });
    article.querySelector(".pieces").replaceChildren(...pieces.filter(Boolean));
    const moved = at ? parts(game.changes[at - 1]) : [];
    article.querySelector(".last").replaceChildren(...moved.map((part) => {
      const [x, y] = corner(squareOf(part));
      return made("path", { transform: `translate(${x} ${y})`, d: "M0 0 H100 V100 H0 Z" });
    }));
    article.classList.toggle("away", at !== match);
    tell();
  };
  const tell = () => {
    place.value = at ? numbered(at) : "the start";
    note.textContent = game.notes[at] ?? "";
    moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const now = moves.querySelector(`[data-ply="${at}"]`);
    if (!now) return;
    now.setAttribute("aria-current", "true");
    moves.scrollTop = now.offsetTop - moves.offsetTop - moves.clientHeight / 2;
  };
  const button = (sign, label, to) => {
    const it = document.createElement("button");
    it.type = "button";
    it.textContent = sign;
    it.ariaLabel = label;
    it.addEventListener("click", () => show(to()));
    return it;
  };
  steps.append(
    button("|◀", "to the start", () => 0),
    button("◀", "a move back", () => at - 1),
    place,
    button("▶", "a move on", () => at + 1),
    button("▶|", "to the end", () => game.changes.length),
  );
  if ("lists" in article.dataset) {
    game.moves.forEach((san, before) => {
      const ply = before + 1;
      const it = button(san, numbered(ply), () => ply);
      it.dataset.ply = ply;
      const begins = half(ply) % 2 === 0 || ply === 1;
      const together = document.createElement("span");
      together.append(begins ? `${numberOf(ply)}${half(ply) % 2 ? "..." : "."}` : "", it);
      moves.append(together, " ");
    });
  } else steps.append(button("◎", "to the match", () => match));
  article.querySelector(":scope > svg").after(steps, note, moves);

  article.tabIndex = 0;
  article.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: game.changes.length }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(to);
  });
  tell();
}
