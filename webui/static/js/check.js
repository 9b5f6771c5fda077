// <ct-check>: a running check of a CLI: shows for how long it runs, then its result.

import { clock } from "./format.js";
import { parse, put } from "./swap.js";

const EVERY = 1000;

class Check extends HTMLElement {
  connectedCallback() {
    this.shown = this.querySelector("[data-for]");
    this.timer = setInterval(() => this.#look(), EVERY);
    this.#tick();
  }

  disconnectedCallback() { clearInterval(this.timer); }

  #tick() {
    this.shown.textContent = `, ${clock(Date.now() - Date.parse(this.dataset.began))}`;
  }

  async #look() {
    this.#tick();
    if (document.hidden || this.asking) return;
    this.asking = true;
    const response = await fetch(this.dataset.url, { credentials: "same-origin" }).catch(() => null);
    const parts = response?.ok ? parse(await response.text()) : null;
    if (this.isConnected && parts && !parts.querySelector("ct-check")) put([...parts.children]);
    this.asking = false;
  }
}

customElements.define("ct-check", Check);
