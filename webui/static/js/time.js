// <ct-time>, <ct-until> and <ct-countdown>: times that stay current.

import { ago, left, until } from "./format.js";

// A smaller difference to the server's clock, in milliseconds, may be what the page was on its way.
const NEAR = 20000;
let ahead = 0;

/** Takes the server's time, which a page or a reply brings: a phone's own clock may be minutes wrong. */
export function setNow(text) {
  const difference = Date.now() - Date.parse(text);
  ahead = Math.abs(difference) > NEAR ? difference : 0;
}

export const now = () => Date.now() - ahead;

setNow(document.querySelector("meta[name=clawtap-now]")?.content);

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

  text() { return ago(this.at, now()); }
}

class Until extends Time {
  text() { return until(this.at, "brief" in this.dataset, now()); }
}

class Countdown extends Time {
  every = 1000;

  show() {
    const { text, urgency } = left(this.at, now(), this.dataset.answer);
    this.dataset.left = urgency;
    this.querySelector("span").textContent = text;
  }
}

customElements.define("ct-time", Time);
customElements.define("ct-until", Until);
customElements.define("ct-countdown", Countdown);
