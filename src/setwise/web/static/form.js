// The search by form: the server writes its condition, which can then be edited.

import { $, ask, catalogue, h, later, tell } from "./dom.js";
import { state } from "./state.js";

let requests = 0;
let written = { where: "", form: "" }; // the last condition of the form, and the form that it is of
let filledIn = null; // the form of the address, as it was filled in last
const field = (name) => $(`form-${name}`);

/** The fields that are filled in. */
function filled() {
  const inputs = [...$("form").querySelectorAll("[data-field]")];
  return Object.fromEntries(inputs.filter((it) => it.value.trim()).map((it) => [it.dataset.field, it.value.trim()]));
}

/** The condition of some fields. */
export const conditionOf = (form) => ask("condition", { form });

/** The form of the address; that of a text that is none is empty. */
export function values() {
  try {
    return JSON.parse(state.form || "{}");
  } catch {
    return {};
  }
}

/** Have the condition of the form written into the field of the condition. */
export async function write() {
  const number = ++requests;
  const form = filled();
  try {
    const { where } = await conditionOf(form);
    if (number !== requests) return;
    tell($("form-fault"), "");
    $("question").value = where;
    written = { where, form: Object.keys(form).length ? JSON.stringify(form) : "" };
  } catch (error) {
    if (number === requests) tell($("form-fault"), error.message);
  }
}

/** The form that a condition was written by; empty if it was edited since. */
export const formOf = (where) => (where === written.where ? written.form : "");

/** Fill the form in as the address has it. */
export async function fill() {
  await built;
  if (filledIn === state.form) return; // what is being filled in stays
  filledIn = state.form;
  const wanted = values();
  for (const it of $("form").querySelectorAll("[data-field]")) it.value = wanted[it.dataset.field] ?? "";
}

function control({ name, title, groups }) {
  const id = `form-${name}`;
  const shared = { id, onchange: write, oninput: later(250, write) };
  const options = (choices) => choices.map(([value, label]) => h("option", { value }, label));
  const input = groups.length
    ? h("select", { ...shared, oninput: undefined }, h("option", { value: "" }, "any"),
      ...groups.flatMap(([topic, choices]) => (topic ? h("optgroup", { label: topic }, options(choices)) : options(choices))))
    : h("input", { ...shared, autocomplete: "off", spellcheck: false, inputMode: /_(from|to)$/.test(name) ? "numeric" : "text" });
  input.dataset.field = name;
  if (/_to$/.test(name)) input.setAttribute("aria-label", `${title} (${name.startsWith("year") ? "years" : "ratings"})`);
  return h("div", { className: `field ${/_(from|to)$/.test(name) ? "short" : ""}` }, h("label", { for: id }, title), input);
}

const built = catalogue().then((known) => {
  $("form").replaceChildren(...known.form.map(control));
  field("player").placeholder = "carlsen";
  field("opening").placeholder = "Sicilian, B90-B99";
  field("material").placeholder = "KRP v KR";
}).catch((error) => tell($("form-fault"), error.message));

$("form-clear").onclick = () => {
  for (const it of $("form").querySelectorAll("[data-field]")) it.value = "";
  write();
};
