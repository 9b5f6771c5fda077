// <ct-arrival>: reports that another device reached this machine, and removes a pairing code that is no longer valid.

import { parse, put } from "./swap.js";

const PAUSE = 2000;

class Arrival extends HTMLElement {
  connectedCallback() {
    if ("waiting" in this.dataset) this.#look();
  }

  async #look() {
    if (!this.isConnected || this.querySelector("[data-over]")) return;
    if (!document.hidden) {
      const response = await fetch(this.dataset.url).catch(() => null);
      if (response?.ok) this.#show(parse(await response.text()));
    }
    setTimeout(() => this.#look(), PAUSE);
  }

  /** Replaces only what changed: a screen reader reads each replacement aloud. */
  #show(arrived) {
    put([...arrived.children].filter((part) => part.id));
    if (arrived.textContent.trim() !== this.textContent.trim()) this.replaceChildren(arrived);
  }
}

customElements.define("ct-arrival", Arrival);
