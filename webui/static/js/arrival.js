// <ct-arrival>: reports that another device reached this machine, while a pairing code is shown.

import { parse } from "./swap.js";

const PAUSE = 2000;
const CODE_LASTS = 600_000;

class Arrival extends HTMLElement {
  connectedCallback() {
    if ("waiting" in this.dataset) this.#look(Date.now() + CODE_LASTS);
  }

  async #look(until) {
    if (!this.isConnected || Date.now() > until) return;
    if (!document.hidden) {
      const response = await fetch(this.dataset.url).catch(() => null);
      if (response?.ok) this.#show(parse(await response.text()));
    }
    setTimeout(() => this.#look(until), PAUSE);
  }

  /** Replaces only what changed: a screen reader reads each replacement aloud. */
  #show(arrived) {
    if (arrived.textContent.trim() !== this.textContent.trim()) this.replaceChildren(arrived);
  }
}

customElements.define("ct-arrival", Arrival);
