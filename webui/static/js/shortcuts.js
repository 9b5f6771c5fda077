// Keys for a desk: from prompt to prompt, and a page that lists them all.

import { openDialog } from "./dialog.js";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, pre.terminal";

// Keys that choose a word in an input method are no keys of the page's. Safari marks the last of them only by its code.
document.addEventListener("keydown", (event) => (event.isComposing || event.keyCode === 229) && event.stopPropagation(), true);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.matches?.(TYPING) || document.querySelector("dialog[open]")) return;
  const act = { j: () => go(1), k: () => go(-1), "?": help, "/": () => use("ct-composer textarea", "focus"), t: () => use("[data-stage]", "click") }[event.key];
  if (act?.() !== false && act) event.preventDefault();
});

function go(by) {
  const cards = [...document.querySelectorAll("ct-prompt[data-state=pending]")];
  if (!cards.length) return false;
  const at = cards.indexOf(document.activeElement.closest?.("ct-prompt"));
  const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length;
  cards[next].focus({ preventScroll: true });
  cards[next].scrollIntoView({ block: "nearest" });
  return true;
}

function use(selector, action) {
  const part = document.querySelector(selector);
  part?.[action]();
  return Boolean(part);
}

const help = () => openDialog("confirm help", "Keys", document.getElementById("key-list").innerHTML);
