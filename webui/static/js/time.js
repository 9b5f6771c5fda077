// <ct-time> and <ct-countdown>: times that stay current.

import { ago, left } from "./format.js";

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

customElements.define("ct-time", Time);
customElements.define("ct-countdown", Countdown);
