// <ct-check>: a running check of a CLI: shows for how long it runs, then its result.

import { clock } from "./format.js";
import { parse, put } from "./swap.js";
import { Time, now } from "./time.js";

class Check extends Time {
  every = 1000;

  show() {
    this.querySelector("[data-for]").textContent = `, ${clock(now() - this.at)}`;
    this.#look();
  }

  async #look() {
    if (document.hidden || this.asking) return;
    this.asking = true;
    const response = await fetch(this.dataset.url).catch(() => null);
    const parts = response?.ok ? parse(await response.text()) : null;
    if (this.isConnected && parts && !parts.querySelector("ct-check")) put([...parts.children]);
    this.asking = false;
  }
}

customElements.define("ct-check", Check);
