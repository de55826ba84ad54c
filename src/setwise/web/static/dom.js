// Small helpers: elements, requests.

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; names with a dash, and `role`, are attributes. */
export function h(tag, properties = {}, ...children) {
  const it = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) it.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") it.setAttribute(name, value);
    else it[name] = value;
  }
  it.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return it;
}

/** Milliseconds until the page says that something compiles. */
const PATIENCE = 1000;

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG; all are attributes. */
export function s(tag, attributes = {}, ...children) {
  const it = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) it.setAttribute(name, value);
  it.append(...children.flat().filter(Boolean));
  return it;
}

/** Replace the children of an element; a button in it that has the focus keeps it, or its successor gets it. */
export function replace(place, ...children) {
  const buttons = () => [...place.querySelectorAll("button")];
  const at = buttons().indexOf(document.activeElement);
  place.replaceChildren(...children);
  if (at >= 0) buttons()[Math.min(at, buttons().length - 1)]?.focus();
}

/** Let the arrow keys, Home and End walk through the buttons in the rows of the tables of an element. */
export function arrows(place) {
  place.addEventListener("keydown", (event) => {
    const buttons = [...place.querySelectorAll("tbody button")];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
  });
}

/** Show a sentence in an element, or hide the element. */
export function tell(place, text) {
  place.textContent = text || "";
  place.hidden = !text;
}

const GONE = "The workbench does not answer. If it has ended, start it again (setwise web); else try again in a moment.";

/** Characters that are invisible or change the direction of text: games may contain them, and the page shows them. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const legible = (_, value) => (typeof value === "string" ? value.replace(UNSEEN, "\ufffd") : value);
const parsed = (text) => JSON.parse(text, legible);

/** The reason in an error response: a sentence in JSON, or a plain text, which is shown unchanged. */
async function reason(response) {
  const text = await response.text();
  const kind = response.headers.get("content-type") ?? "";
  return kind.startsWith("application/json") ? parsed(text).error : kind.startsWith("text/plain") && text;
}

/** The response to a request, converted. Throws an Error that says what is wrong; `gone` if the server does not answer. */
export async function post(path, body, made, { signal, gone = GONE } = {}) {
  let message;
  try {
    const response = await fetch(path, { method: "POST", body, signal });
    if (response.ok) return await made(response);
    message = await reason(response);
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  throw new Error(message || gone);
}

/** The answer to a request about one position. */
export async function ask(question, given = {}) {
  const slow = setTimeout(() => { $("busy").hidden = false; }, PATIENCE);
  try {
    return await post(`/api/ask/${question}`, JSON.stringify(given), async (response) => parsed(await response.text()));
  } finally {
    clearTimeout(slow);
    $("busy").hidden = true;
  }
}

/** The lines of a search, each as soon as it arrives. */
export async function* lines(task, given, signal) {
  const open = (response) => response.body.pipeThrough(new TextDecoderStream()).getReader();
  const { bench } = await catalogue();
  const reader = await post(`/api/search/${task}`, JSON.stringify({ ...given, bench }), open, { signal });
  const read = () => reader.read().catch((error) => { throw signal?.aborted ? error : new Error(GONE); });
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      for (const part of parts) if (part) yield parsed(part);
    }
  } finally {
    reader.cancel().catch(() => {}); // a caller that reads no further ends the search
  }
}

/** The catalogue: requested once, and again if the request failed. */
let known;
export const catalogue = () => (known ??= ask("catalogue").catch((error) => {
  known = undefined;
  throw error;
}));

export const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** A text as one word of a shell. */
export const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A button that copies a text. */
export function copier(text, what, name = "Copy") {
  const button = h("button", { type: "button", className: "copy", "aria-label": `Copy ${what}` }, name);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = name; }, 1500);
  });
  return button;
}

/** Delay a function until it has not been called for some time. */
export function later(milliseconds, call) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
}
