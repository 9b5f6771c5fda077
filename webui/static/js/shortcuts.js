// Keys for a desk: from prompt to prompt, and a page that lists them all.

import { openDialog } from "./dialog.js";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, pre.terminal";
const HELP = [
  ["j k", "next, previous prompt"],
  ["1 … 9", "choose that option, while its card has the focus"],
  ["a d", "allow once, deny"],
  ["Shift Enter", "allow from now on"],
  ["Enter", "send what is chosen"],
  ["Ctrl Enter", "send from a text field"],
  ["Esc", "leave the card; nothing is answered"],
  ["/", "write a message"],
  ["Ctrl K", "search, or go to a page"],
  ["↑ ↓ e F2", "in the list of sessions: next, archive, change the title"],
  ["t", "show or hide the terminal"],
  ["?", "this list"],
];

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

function help() {
  const rows = HELP.map(([keys, what]) => `<div><dt><kbd>${keys.replaceAll(" ", "</kbd><kbd>")}</kbd></dt><dd>${what}</dd></div>`);
  openDialog("confirm help", "Keys", `<h2>Keys</h2><dl>${rows.join("")}</dl><form method="dialog"><button class="choice other" autofocus>Close</button></form>`);
}
