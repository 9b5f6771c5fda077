// Keeps what a person has typed, ticked and opened in an element while it is replaced, and in a card while its page is left.

import { TAB, recall, remember } from "./storage.js";
import { fit } from "./textarea.js";
import { toast } from "./toast.js";

const FIELDS = "input:not([type=hidden]), textarea, select";
const PARTS = "a, button, summary, [tabindex]";

/** Remembers the state of `root`; `restore` puts it into the element that takes its place. */
export function capture(root) {
  const fields = [...root.querySelectorAll(FIELDS)];
  return {
    fields: new Map(fields.map((field) => [keyOf(field), stateOf(field)])),
    open: Object.fromEntries([...root.querySelectorAll("details")].map((details, at) => [nameOf(details, at), details.open])),
    unfolded: [...root.querySelectorAll("ct-fold[data-seen]:not([data-fits])")].map((fold) => fold.dataset.content),
    step: root.querySelector("ct-questions")?.step,
    problem: root.querySelector("[data-problem]:not([hidden]) span")?.textContent,
    again: root.querySelector("[data-again]:not([hidden])") && root.tried,
    focus: focusOf(root),
  };
}

export function restore(root, draft) {
  for (const field of root.querySelectorAll(FIELDS)) {
    const state = draft.fields.get(keyOf(field));
    if (state) fit(Object.assign(field, state));
  }
  root.querySelectorAll("details").forEach((details, at) => (details.open = draft.open[nameOf(details, at)] ?? false));
  for (const fold of root.querySelectorAll("ct-fold[data-folded]")) {
    // Only content that was read stays open: new content has to be read first.
    if (draft.unfolded.includes(fold.dataset.content)) fold.open();
  }
  root.querySelector("ct-questions")?.resume(draft.step);
  if (draft.problem) Object.assign(root, { tried: draft.again }).problem(draft.problem, Boolean(draft.again));
  if (draft.focus) focusAgain(root, draft.focus);
}

/** What is unfolded to change one of several, such as a queued message, is known by its form, the rest by its place. */
const nameOf = (details, at) => details.querySelector("form")?.getAttribute("action") ?? at;
const keyOf = (field) => `${field.form?.action}|${field.name}|${ticked(field) ? field.value : field.type}`;
const stateOf = (field) => (ticked(field) ? { checked: field.checked } : { value: field.value });
const likeness = (part) => [part.localName, part.classList[0], part.getAttribute("name"), part.getAttribute("value")].join();
const ticked = (field) => field.type === "radio" || field.type === "checkbox";

function focusOf(root) {
  const active = document.activeElement;
  if (!root.contains(active)) return null;
  const key = active.matches(FIELDS) ? keyOf(active) : null;
  const { selectionStart: start = null, selectionEnd: end = null } = active.matches("textarea, .field") ? active : {};
  return { whole: active === root, key, like: likeness(active), start, end };
}

function focusAgain(root, { whole, key, like, start, end }) {
  const parts = [...root.querySelectorAll(key ? FIELDS : PARTS)];
  const target = parts.find((part) => (key ? keyOf(part) === key : likeness(part) === like));
  const first = !whole && parts.find((part) => part.offsetParent);
  (target || first || root).focus({ preventScroll: true });
  // What is folded away, or being answered elsewhere, takes no focus.
  if (!root.contains(document.activeElement)) root.focus({ preventScroll: true });
  if (target && start !== null) target.setSelectionRange?.(start, end);
}

/** Makes what was being written in a card that somebody else answered the draft of a message; a program takes none. */
export function keepText(card, outcome) {
  const fields = [...card.querySelectorAll('.answer :is(textarea, [name$="-other"]:not([type=password]))')];
  const text = fields.map((field) => field.value.trim()).filter(Boolean).join("\n");
  if (!text) return;
  if ("program" in card.dataset) return void outcome.querySelector(".outcome-text").append(`You were writing: “${text}”`);
  const composer = document.querySelector("ct-composer");
  const draft = `clawtap-draft-${card.dataset.session}`;
  if (composer) composer.take(text, []);
  else remember(draft, joined(recall(draft), text));
  toast("This prompt has ended. What you wrote is now the draft of a message.");
}

/** A draft with more text below it. */
export const joined = (draft, text) => [draft?.trimEnd(), text].filter(Boolean).join("\n\n");

// Secrets, and what is typed into a terminal, are not stored.
const stored = ([key]) => /\/answer\||\|message\|/.test(key) && !key.endsWith("|password");

document.addEventListener("input", ({ target }) => {
  const card = target.closest("ct-prompt, #new-session");
  if (!card) return;
  const { fields, open, step } = capture(card);
  remember(card.id, JSON.stringify({ fields: [...fields].filter(stored), open, step, unfolded: [] }), TAB);
});

document.addEventListener("clawtap:sent", ({ detail: form }) => remember(form.id, "", TAB));

addEventListener("load", () => document.querySelectorAll("ct-prompt[data-state=pending], #new-session").forEach((card) => {
  const draft = JSON.parse(recall(card.id, TAB));
  if (draft) restore(card, { ...draft, fields: new Map(draft.fields) });
}));
