// <ct-check> and <ct-arrival>: parts of a page that ask the server until something has happened.

import { clock } from "./format.js";
import { parse, put } from "./swap.js";
import { Time, now } from "./time.js";

/** A running check of a CLI: shows for how long it runs, then its result. */
class Check extends Time {
  every = 1000;

  async show() {
    this.querySelector("[data-for]").textContent = `, ${clock(now() - this.at)}`;
    const parts = await look(this);
    if (parts && !parts.querySelector("ct-check")) put([...parts.children]);
  }
}

/** Reports that another device reached this machine, and removes a pairing code that is no longer valid. */
class Arrival extends HTMLElement {
  connectedCallback() {
    if ("waiting" in this.dataset) this.timer = setInterval(() => this.#show(), 2000);
  }

  disconnectedCallback() { clearInterval(this.timer); }

  /** Replaces only what changed: a screen reader reads each replacement aloud. */
  async #show() {
    const arrived = this.querySelector("[data-over]") ? null : await look(this);
    if (!arrived) return;
    put([...arrived.children].filter((part) => part.id));
    if (arrived.textContent.trim() !== this.textContent.trim()) this.replaceChildren(arrived);
  }
}

/** What the server has for an element now; null while nobody sees the page, or where it cannot be had. */
async function look(element) {
  if (document.hidden || element.asking) return null;
  element.asking = true;
  const response = await fetch(element.dataset.url).catch(() => null);
  element.asking = false;
  return response?.ok && element.isConnected ? parse(await response.text()) : null;
}

customElements.define("ct-check", Check);
customElements.define("ct-arrival", Arrival);
