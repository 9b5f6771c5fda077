// <ct-commands>: the CLI's own commands, while a message begins like one. Choosing writes, and never sends.

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

  #offer() {
    const text = this.#field.value;
    const offered = (command) => text.startsWith("/") && command.startsWith(text) && command !== text;
    for (const option of this.#options) option.hidden = !offered(option.dataset.command);
    this.#mark(this.#shown[0] ?? null);
  }

  #close() {
    for (const option of this.#options) option.hidden = true;
    this.#mark(null);
  }

  #mark(option) {
    this.#at?.setAttribute("aria-selected", "false");
    this.#at = option;
    this.hidden = !option;
    if (!option) return this.#field.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    return this.#field.setAttribute("aria-activedescendant", option.id);
  }

  #key(event) {
    if (this.hidden || event.isComposing || event.ctrlKey || event.metaKey) return;
    const choose = () => this.#choose(this.#at);
    const keys = { ArrowDown: () => this.#go(1), ArrowUp: () => this.#go(-1), Escape: () => this.#close(), Enter: choose, Tab: choose };
    if (!(event.key in keys) || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keys[event.key]();
  }

  #go(by) {
    const shown = this.#shown;
    this.#mark(shown[(shown.indexOf(this.#at) + by + shown.length) % shown.length]);
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
