// <ct-commands>: the CLI's own commands, while a message begins like one. Choosing writes, and never sends.

import { mark, step } from "./options.js";

class Commands extends HTMLElement {
  #at = null;

  connectedCallback() {
    const field = this.#field;
    field.addEventListener("input", () => this.#offer());
    field.addEventListener("focus", () => this.#offer());
    field.addEventListener("blur", () => this.#close());
    field.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    // The field keeps the focus, and a phone its keyboard.
    this.addEventListener("pointerdown", (event) => event.preventDefault());
    this.addEventListener("click", (event) => this.#choose(event.target.closest("[role=option]")));
  }

  #offer(text = this.#field.value) {
    const offered = (command) => text.startsWith("/") && command.startsWith(text) && command !== text;
    for (const option of this.#options) option.hidden = !offered(option.dataset.command);
    this.#mark(this.#shown[0] ?? null);
  }

  #close() { this.#offer(""); }

  #mark(option) {
    this.hidden = !option;
    this.#at = mark(this.#field, this.#at, option);
  }

  #key(event) {
    if (this.hidden || event.ctrlKey || event.metaKey) return;
    const go = (by) => this.#mark(step(this.#shown, this.#at, by));
    const choose = () => this.#choose(this.#at);
    const keys = { ArrowDown: () => go(1), ArrowUp: () => go(-1), Escape: () => this.#close(), Enter: choose, Tab: choose };
    if (!(event.key in keys) || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keys[event.key]();
  }

  #choose(option) {
    if (!option) return;
    this.#field.value = option.dataset.command;
    this.#field.dispatchEvent(new Event("input", { bubbles: true }));
    this.#close();
  }

  get #field() { return document.getElementById("message"); }
  get #options() { return [...this.querySelectorAll("[role=option]")]; }
  get #shown() { return this.#options.filter((option) => !option.hidden); }
}

customElements.define("ct-commands", Commands);
