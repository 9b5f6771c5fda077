// The command palette: pages, sessions and messages by a few letters. The server renders what it shows.

import { openDialog } from "./dialog.js";
import { mark, step } from "./options.js";
import { parse } from "./swap.js";
import { announce } from "./toast.js";

const WAIT = 120;
const MAC = /Mac|iP/.test(navigator.platform);
const BUTTONS = { stage: "[data-stage]:not([hidden])", rename: ".session-head [data-rename]", archive: "[data-press-archive]" };

class Palette {
  #dialog = openDialog("palette", "Search", document.getElementById("palette").innerHTML);
  #field = this.#dialog.querySelector("input");
  #list = this.#dialog.querySelector(".found");
  #at = null;
  #entered = false;
  #timer = 0;
  #asked = new AbortController();

  constructor() {
    this.#dialog.querySelector("button").onclick = () => this.#dialog.close();
    this.#dialog.addEventListener("click", ({ target }) => target === this.#dialog && this.#dialog.close());
    this.#field.addEventListener("input", () => this.#later());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", ({ target }) => this.#press(target.closest("[data-press]")));
    this.#show("");
  }

  /** The choice belongs to the old text: Enter waits for the new list. */
  #later() {
    clearTimeout(this.#timer);
    this.#mark(null);
    this.#entered = false;
    this.#timer = setTimeout(() => this.#show(this.#field.value.trim()), WAIT);
  }

  async #show(text) {
    this.#asked.abort();
    const { signal } = (this.#asked = new AbortController());
    try {
      const response = await fetch(`/find?q=${encodeURIComponent(text)}`, { signal, headers: { "X-ClawTap-Script": "1" } });
      if (!response.ok) throw new Error((await response.json()).error);
      const found = parse(await response.text());
      while (this.#list.matches(":active")) await new Promise(requestAnimationFrame); // a click needs its row
      if (signal.aborted || !this.#dialog.open) return;
      this.#list.replaceChildren(found);
    } catch (error) {
      if (signal.aborted) return;
      this.#list.replaceChildren(none("Search did not work. Try again."));
    }
    for (const action of this.#list.querySelectorAll("[data-press]")) if (!document.querySelector(BUTTONS[action.dataset.press])) action.remove();
    for (const group of this.#list.querySelectorAll("section:not(:has([role=option]))")) group.remove();
    if (!this.#list.children.length) this.#list.append(none("Nothing found."));
    this.#list.scrollTop = 0;
    this.#mark(this.#options[0] ?? null);
    if (this.#entered) this.#at?.click();
    this.#entered = false;
    if (text) announce(`${this.#options.length} results`);
  }

  #mark(option) { this.#at = mark(this.#field, this.#at, option); }

  #key(event) {
    const go = (by) => this.#mark(step(this.#options, this.#at, by));
    const keys = { ArrowDown: () => go(1), ArrowUp: () => go(-1), Enter: () => (this.#at ? this.#at.click() : (this.#entered = true)) };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }

  #press(action) {
    if (!action) return;
    this.#dialog.close();
    document.querySelector(BUTTONS[action.dataset.press])?.click();
  }

  get #options() { return [...this.#list.querySelectorAll("[role=option]:not([aria-disabled])")]; }
}

const none = (textContent) => Object.assign(document.createElement("p"), { className: "found-none", textContent });

function open() {
  const shown = document.querySelector("dialog.palette");
  if (shown) shown.close();
  else if (!document.querySelector("dialog[open]")) new Palette();
}

document.addEventListener("keydown", (event) => {
  const held = MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!held || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k" || !document.querySelector("[data-palette]")) return;
  event.preventDefault();
  open();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-palette]");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});
