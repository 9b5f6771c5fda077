// <ct-time>, <ct-until> and <ct-countdown>: times that stay current.

import { ago, left, until } from "./format.js";

export class Time extends HTMLElement {
  every = 20000;

  connectedCallback() {
    this.at = Date.parse(this.dataset.at);
    if (Number.isNaN(this.at)) return;
    // Late: the first date that a browser puts in words takes as long as all the rest of a page.
    this.onpointerenter = () => (this.title = new Date(this.at).toLocaleString());
    this.timer = setInterval(() => this.show(), this.every);
    this.show();
  }

  disconnectedCallback() { clearInterval(this.timer); }

  show() {
    const text = this.text();
    // Each replaced text costs a frame, and a conversation has hundreds of times.
    if (this.textContent !== text) this.textContent = text;
  }

  text() { return ago(this.at); }
}

class Until extends Time {
  text() { return until(this.at, "brief" in this.dataset); }
}

class Countdown extends Time {
  every = 1000;

  show() {
    const { text, urgency } = left(this.at, Date.now(), this.dataset.answer);
    this.dataset.left = urgency;
    this.querySelector("span").textContent = text;
  }
}

customElements.define("ct-time", Time);
customElements.define("ct-until", Until);
customElements.define("ct-countdown", Countdown);
