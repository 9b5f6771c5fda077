// <ct-time>, <ct-countdown>, <ct-code>: small parts that keep themselves right.

import { ago, left } from "./words.js";

class Time extends HTMLElement {
  connectedCallback() {
    const at = Date.parse(this.dataset.at);
    if (Number.isNaN(at)) return;
    // Late: the first date that a browser puts in words takes as long as all the rest of a page.
    const full = () => (this.title = new Date(at).toLocaleString());
    this.addEventListener("pointerenter", full, { once: true });
    const show = () => (this.textContent = ago(at));
    this.timer = setInterval(show, 20000);
    show();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

class Countdown extends HTMLElement {
  connectedCallback() {
    const until = Date.parse(this.dataset.at);
    if (Number.isNaN(until)) return;
    const show = () => {
      const { text, urgency } = left(until);
      this.dataset.left = urgency;
      this.querySelector("span").textContent = text;
    };
    this.timer = setInterval(show, 1000);
    show();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

class Code extends HTMLElement {
  connectedCallback() {
    if (this.querySelector(".tools")) return;
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(button("wrap", "Wrap lines", (wrap) => wrap.setAttribute("aria-pressed", String(!this.classList.toggle("nowrap")))), button("copy", "Copy", (copy) => this.#copy(copy)));
    tools.firstChild.setAttribute("aria-pressed", "true");
    tools.prepend(Object.assign(document.createElement("span"), { textContent: this.dataset.label ?? "" }));
    this.prepend(tools);
  }

  async #copy(control) {
    const text = this.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(this.querySelector("pre"));
      return;
    }
    const use = control.querySelector("use");
    use.setAttribute("href", "#i-check");
    setTimeout(() => use.setAttribute("href", "#i-copy"), 1500);
  }
}

function button(icon, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.innerHTML = `<svg class="icon" aria-hidden="true"><use href="#i-${icon}"></use></svg>`;
  made.addEventListener("click", () => act(made));
  return made;
}

customElements.define("ct-time", Time);
customElements.define("ct-countdown", Countdown);
customElements.define("ct-code", Code);
