// Keeps what a person has typed, ticked and opened in an element while it is replaced, and in a card while its page is left.

const FIELDS = "input:not([type=hidden]), textarea, select";

/** Remembers the state of `root`; `restore` puts it into the element that takes its place. */
export function capture(root) {
  const fields = [...root.querySelectorAll(FIELDS)];
  return {
    fields: new Map(fields.map((field) => [keyOf(field), stateOf(field)])),
    open: [...root.querySelectorAll("details")].map((details) => details.open),
    unfolded: [...root.querySelectorAll("ct-fold[data-seen]:not([data-fits])")].map((fold) => fold.textContent),
    step: root.querySelector("ct-questions")?.step,
    problem: root.querySelector("[data-problem]:not([hidden]) span")?.textContent,
    again: root.querySelector("[data-again]:not([hidden])") && root.tried,
    focus: focusOf(root),
  };
}

export function restore(root, draft) {
  for (const field of root.querySelectorAll(FIELDS)) {
    const state = draft.fields.get(keyOf(field));
    if (state) Object.assign(field, state);
  }
  root.querySelectorAll("details").forEach((details, at) => (details.open = draft.open[at] ?? false));
  for (const fold of root.querySelectorAll("ct-fold[data-folded]")) {
    // Only content that was read stays open: new content has to be read first.
    if (draft.unfolded.includes(fold.textContent)) fold.open();
  }
  root.querySelector("ct-questions")?.resume(draft.step);
  if (draft.problem) Object.assign(root, { tried: draft.again }).problem(draft.problem, Boolean(draft.again));
  if (draft.focus) focusAgain(root, draft.focus);
}

const keyOf = (field) => `${field.form?.action}|${field.name}|${ticked(field) ? field.value : field.type}`;
const stateOf = (field) => (ticked(field) ? { checked: field.checked } : { value: field.value });
const ticked = (field) => field.type === "radio" || field.type === "checkbox";

function focusOf(root) {
  const active = document.activeElement;
  if (!root.contains(active)) return null;
  const key = active.matches(FIELDS) ? keyOf(active) : null;
  const { selectionStart: start = null, selectionEnd: end = null } = active.matches("textarea, .field") ? active : {};
  return { whole: active === root, key, name: active.getAttribute("name"), value: active.getAttribute("value"), start, end };
}

function focusAgain(root, { whole, key, name, value, start, end }) {
  const fields = [...root.querySelectorAll(FIELDS)];
  const buttons = [...root.querySelectorAll("button")];
  const same = (button) => button.name === (name ?? "") && button.getAttribute("value") === value;
  const target = key ? fields.find((field) => keyOf(field) === key) : name && buttons.find(same);
  // What is folded away cannot have the focus.
  const first = !whole && [...root.querySelectorAll("a, button")].find((one) => one.offsetParent);
  (target || first || root).focus({ preventScroll: true });
  if (target && start !== null) target.setSelectionRange?.(start, end);
}

// Secrets, and what is typed into a terminal, are not stored.
const stored = ([key]) => key.includes("/answer|") && !key.endsWith("|password");

document.addEventListener("input", ({ target }) => {
  const card = target.closest("ct-prompt");
  if (!card) return;
  const { fields, open, step } = capture(card);
  sessionStorage.setItem(card.id, JSON.stringify({ fields: [...fields].filter(stored), open, step, unfolded: [] }));
});

addEventListener("load", () => document.querySelectorAll("ct-prompt[data-state=pending]").forEach((card) => {
  const draft = JSON.parse(sessionStorage.getItem(card.id));
  if (draft) restore(card, { ...draft, fields: new Map(draft.fields) });
}));
