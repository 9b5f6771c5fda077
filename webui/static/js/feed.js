// <ct-feed>: the conversation. It stays at its end while one looks at the end, and nowhere else.

import { parse } from "./swap.js";

const NEAR = 48;
const AHEAD = 800;

class Feed extends HTMLElement {
  #following = true;
  #loading = false;
  #last = 0;
  #jump;

  connectedCallback() {
    this.#jump = this.parentElement.querySelector("[data-jump]");
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#jump.addEventListener("click", () => this.#toEnd());
    this.observer = new ResizeObserver(() => this.#grown());
    [this, ...this.children].forEach((part) => this.observer.observe(part));
    this.#toEnd();
  }

  disconnectedCallback() {
    this.observer.disconnect();
  }

  /** Only a person scrolls up; what grows below or is drawn later moves nobody from the end. */
  #scrolled() {
    const atEnd = this.scrollHeight - this.scrollTop - this.clientHeight < NEAR;
    this.#following = atEnd || (this.#following && this.scrollTop >= this.#last);
    this.#last = this.scrollTop;
    this.#jump.hidden = this.#following;
    if (this.scrollTop < AHEAD) this.#older();
  }

  #grown() {
    if (this.#following) this.#toEnd();
  }

  #toEnd() {
    this.#following = true;
    this.#jump.hidden = true;
    this.scrollTo({ top: this.scrollHeight, behavior: "instant" });
    this.#last = this.scrollTop;
  }

  /** Reads what was said before; what is looked at stays where it is. */
  async #older() {
    const before = this.dataset.older;
    if (!before || this.#loading) return;
    this.#loading = true;
    try {
      const path = this.dataset.path ?? `/sessions/${this.dataset.session}/feed`;
      const response = await fetch(`${path}?before=${encodeURIComponent(before)}`, { credentials: "same-origin" });
      if (response.ok) this.#prepend(decodeURIComponent(response.headers.get("X-Older") ?? ""), await response.text());
    } catch {
      // The next scroll tries again.
    } finally {
      this.#loading = false;
    }
  }

  #prepend(older, html) {
    const list = this.querySelector(".feed");
    const fresh = [...parse(html).children].filter((part) => !document.getElementById(part.id));
    const bottom = this.scrollHeight - this.scrollTop;
    list.prepend(...fresh);
    this.scrollTop = this.scrollHeight - bottom;
    this.dataset.older = older;
    this.querySelector(".older").hidden = !older;
  }
}

customElements.define("ct-feed", Feed);
