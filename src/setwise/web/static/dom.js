// Small helpers: elements, requests, tasks.

export const $ = /** @type {Finds} */ ((id) => /** @type {any} */ (document.getElementById(id)));

/** @param {any} it  @param {any[]} children */
const filled = (it, children) => {
  it.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return it;
};

/** An element with properties and children; names with a dash, and `role` and `for`, are attributes. */
export const h = /** @type {MakesHtml} */ ((tag, properties = {}, ...children) => {
  const it = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) it.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") it.setAttribute(name, value);
    else it[name] = value;
  }
  return filled(it, children);
});

/** The same for SVG; all are attributes. */
export const s = /** @type {MakesSvg} */ ((tag, attributes = {}, ...children) => {
  const it = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) it.setAttribute(name, String(value));
  return filled(it, children);
});

/** Replace the children of an element; a button in it that has the focus keeps it, or its successor gets it. */
export function replace(/** @type {HTMLElement} */ place, /** @type {Child[]} */ ...children) {
  const buttons = () => [...place.querySelectorAll("button")];
  const at = buttons().findIndex((it) => it === document.activeElement);
  place.replaceChildren();
  filled(place, children);
  if (at >= 0) buttons()[Math.min(at, buttons().length - 1)]?.focus();
}

/** Show a sentence in an element, or hide the element. */
export function tell(/** @type {HTMLElement} */ place, /** @type {string} */ text) {
  place.textContent = text || "";
  place.hidden = !text;
}

// -------------------------------------------------------------------------------------------------------- requests

/** Milliseconds until the page says that something compiles. */
const PATIENCE = 1000;
const GONE = "The workbench does not answer. If it has ended, start it again (setwise web); else try again in a moment.";

/** Characters that are invisible or change the direction of text: games may contain them, and the page shows them. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const parsed = (/** @type {string} */ text) => JSON.parse(text, (_, value) => (typeof value === "string" ? value.replace(UNSEEN, "\ufffd") : value));

/** The reason in an error response: a sentence in JSON, or a plain text, which is shown unchanged. */
async function reason(/** @type {Response} */ response) {
  const text = await response.text();
  const kind = response.headers.get("content-type") ?? "";
  return kind.startsWith("application/json") ? parsed(text).error : kind.startsWith("text/plain") && text;
}

/**
 * The response to a request, converted. Throws an Error that says what is wrong; `gone` if the server does not answer.
 * @template Made  @param {string} path  @param {string | File} body  @param {(response: Response) => Made} made
 */
export async function post(path, body, made, { signal = /** @type {AbortSignal | undefined} */ (undefined), gone = GONE } = {}) {
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

/** The answer to a question that needs no search; with a signal, nothing after it happens when the task has ended. */
export const ask = /** @type {Ask} */ (async (question, given = {}, signal) => {
  const slow = setTimeout(() => { $("busy").hidden = false; }, PATIENCE);
  try {
    const answer = await post(`/api/ask/${question}`, JSON.stringify(given), async (response) => parsed(await response.text()));
    signal?.throwIfAborted();
    return answer;
  } finally {
    clearTimeout(slow);
    $("busy").hidden = true;
  }
});

/** The lines of a search, each as soon as it arrives; a line that reports an error is thrown. */
export const lines = /** @type {Lines} */ (async function* (task, given, signal) {
  const { bench } = await catalogue();
  const open = (/** @type {any} */ response) => response.body.pipeThrough(new TextDecoderStream()).getReader();
  const reader = await post(`/api/search/${task}`, JSON.stringify({ ...given, bench }), open, { signal });
  const read = () => reader.read().catch((/** @type {Error} */ error) => { throw signal?.aborted ? error : new Error(GONE); });
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await read();
      signal?.throwIfAborted();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts.filter(Boolean)) {
        const line = parsed(part);
        if (line.type === "error") throw new Error(line.error);
        yield line;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // a caller that reads no further ends the search
  }
});

/** The catalogue: requested once, and again if the request failed. */
let known = /** @type {Promise<Catalogue> | undefined} */ (undefined);
export const catalogue = () => (known ??= ask("catalogue").catch((error) => {
  known = undefined;
  throw error;
}));

/** Tasks of which only the last one counts: it ends the one before, and its error is shown in `place`. */
export function latest(/** @type {HTMLElement} */ place) {
  let running = new AbortController();
  const stop = () => running.abort();
  /** Whether the task was the last one; a task that has ended changes nothing any more. */
  const run = async (/** @type {(signal: AbortSignal) => Promise<unknown>} */ task) => {
    stop();
    const { signal } = (running = new AbortController());
    try {
      await task(signal);
      if (!signal.aborted) tell(place, "");
    } catch (error) {
      if (!signal.aborted) tell(place, error.message);
    }
    return !signal.aborted;
  };
  return { run, stop };
}

/** Delay a function until it has not been called for some time. */
export function later(/** @type {number} */ milliseconds, /** @type {(...given: any[]) => unknown} */ call) {
  let timer = 0;
  return (/** @type {any[]} */ ...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
}

// ----------------------------------------------------------------------------------------------------------- texts

export const plural = (/** @type {number} */ count, /** @type {string} */ one, /** @type {string} */ many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
export const percent = (/** @type {number} */ share, digits = 0) => `${(100 * share).toFixed(digits)} %`;

/** A line of a shell: each argument is one word. */
export const command = (/** @type {(string | number)[]} */ ...words) => ["setwise", ...words].map((it) => (/^[\w./=-]+$/.test(String(it)) ? it : `'${String(it).replaceAll("'", "'\\''")}'`)).join(" ");

/** A button that copies a text. */
export function copier(/** @type {() => string} */ text, /** @type {string} */ what, name = "Copy") {
  const button = h("button", { type: "button", className: "copy", "aria-label": `Copy ${what}`, onclick: async () => {
    button.textContent = await navigator.clipboard.writeText(text()).then(() => "Copied", () => "Not allowed");
    setTimeout(() => { button.textContent = name; }, 1500);
  } }, name);
  return button;
}

/** Save something that the page has as a file. */
export function save(/** @type {BlobPart} */ content, /** @type {string} */ type, /** @type {string} */ name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
