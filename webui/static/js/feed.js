// <ct-feed>: the conversation. It stays at its end while the reader is at the end, and only then.

import { parse, put } from "./swap.js";

const NEAR = 48;
const AHEAD = 800;
// For so long after its height changed, in milliseconds, its position is still the browser's.
const SETTLES = 300;
// With more items than this, those far above the end are removed; scrolling up loads them again.
const MOST = 200;
const KEPT = 120;

class Feed extends HTMLElement {
  #following = true;
  #loading = false;
  #last = 0;
  #room = 0;
  #roomAt = 0;
  #touchedAt = 0;
  #jump;

  connectedCallback() {
    this.#jump = this.parentElement.querySelector("[data-jump]");
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    const touched = () => (this.#touchedAt = performance.now());
    ["wheel", "touchmove", "pointerdown", "keydown"].forEach((type) => this.addEventListener(type, touched, { passive: true }));
    this.#jump.addEventListener("click", () => (this.dataset.newer ? location.assign(this.dataset.end) : this.toEnd()));
    this.observer = new ResizeObserver(() => this.#following && this.toEnd());
    [this, ...this.children].forEach((part) => this.observer.observe(part));
    if (!this.#goTo(document.getElementById(this.dataset.at))) this.toEnd();
    // A stream does not repeat what was said before it began.
    document.addEventListener("clawtap:live", () => this.isConnected && this.#catchUp());
  }

  disconnectedCallback() { this.observer.disconnect(); }

  /** Only a person scrolls up; content that grows or is drawn later moves nobody from the end. */
  #scrolled() {
    if (this.scrollTop < AHEAD) this.#older();
    // Our own move to the end, which comes with each piece of text that is being written.
    if (this.#following && this.scrollTop === this.#last) return;
    const below = this.scrollHeight - this.scrollTop - this.clientHeight;
    const atEnd = below < NEAR && !this.dataset.newer;
    // A card that comes or goes moves it, too, and no hand: Safari reports that late, and may undo our own move.
    if (this.#following && below >= NEAR && this.#settles()) return this.toEnd();
    this.#following = atEnd || (this.#following && this.scrollTop >= this.#last);
    this.#offerJump(!this.#following);
    if (atEnd) this.#trim();
    this.#noteRoom(); // The trim moves it, nobody scrolled up.
    if (below < AHEAD) this.#newer();
    return undefined;
  }

  toEnd() {
    this.#trim();
    this.#following = true;
    this.#offerJump(false);
    this.scrollTo({ top: this.scrollHeight, behavior: "instant" });
    this.#noteRoom();
  }

  #noteRoom() {
    if (this.clientHeight !== this.#room) this.#roomAt = performance.now();
    [this.#last, this.#room] = [this.scrollTop, this.clientHeight];
  }

  #settles() {
    const recent = (at) => performance.now() - at < SETTLES;
    return !recent(this.#touchedAt) && (recent(this.#roomAt) || this.clientHeight !== this.#room);
  }

  /** An attribute that is set again costs styles, even with the same value. */
  #offerJump(offered) {
    if (this.#jump.hidden === offered) this.#jump.hidden = !offered;
  }

  #trim() {
    if (this.#list.childElementCount <= MOST) return;
    const items = [...this.#list.children];
    const startsMessage = (item, at) => at >= items.length - KEPT && item.dataset.message && item.dataset.message !== items[at - 1].dataset.message;
    const cut = items.findIndex(startsMessage);
    items.slice(0, cut < 0 ? -KEPT : cut).forEach((item) => item.remove());
    if (cut >= 0) this.#goOn(items[cut].dataset.message);
  }

  /** Shows the message that a search found. */
  #goTo(item) {
    if (!item) return false;
    this.#following = false;
    this.#offerJump(true);
    item.classList.add("is-found");
    item.tabIndex = -1;
    // Once more when it is drawn: until then the items before it have no height of their own.
    const show = () => item.scrollIntoView({ block: "center", behavior: "instant" });
    show();
    requestAnimationFrame(() => requestAnimationFrame(show));
    item.focus({ preventScroll: true });
    return true;
  }

  /** Loads what was said after the messages that a search found. */
  async #newer() {
    if (!this.dataset.newer || this.#loading) return;
    this.#loading = true;
    const page = await this.#read("after", this.dataset.newer);
    this.#loading = false;
    if (!page) return;
    this.dataset.newer = page.newer;
    this.querySelector(".newer")?.toggleAttribute("hidden", !page.newer);
    this.#list.append(...page.parts.filter(unknown));
    this.#scrolled(); // Who came to the other end meanwhile can scroll no further.
  }

  /** Loads earlier messages; what the reader looks at stays where it is. */
  async #older() {
    const before = this.dataset.older;
    if (!before || this.#loading || !this.clientHeight) return;
    this.#loading = true;
    const page = await this.#read("before", before);
    this.#loading = false;
    if (!page) return;
    const bottom = this.scrollHeight - this.scrollTop;
    this.#list.prepend(...page.parts.filter(unknown));
    this.scrollTop = this.scrollHeight - bottom;
    this.#goOn(page.older);
  }

  /** Shows what was said while the page was offline; after a long time only the end, except to a reader above it. */
  async #catchUp() {
    const parts = [];
    let page = { older: "" };
    do {
      page = await this.#read("before", page.older);
      if (!page) return;
      parts.unshift(...page.parts);
    } while (page.older && !this.#following && parts.every(unknown));
    if (parts.length && parts.every(unknown)) {
      this.#list.replaceChildren();
      this.#goOn(page.older);
    }
    const news = parts.filter((part) => unknown(part) || (part.localName === "li" && differs(part)));
    put(news);
    const detail = { type: "message", data: { sessionId: this.dataset.session } };
    if (news.length) document.dispatchEvent(new CustomEvent("clawtap:event", { detail }));
  }

  /** Returns what was said before or after a message, or last; null on a failure: the next call tries again. */
  async #read(way, message) {
    const path = this.dataset.path ?? `/sessions/${this.dataset.session}/feed?`;
    const response = await fetch(`${path}${way}=${encodeURIComponent(message)}`).catch(() => null);
    if (!response?.ok) return null;
    const [older, newer] = ["X-Older", "X-Newer"].map((name) => decodeURIComponent(response.headers.get(name) ?? ""));
    return { older, newer, parts: [...parse(await response.text()).children] };
  }

  #goOn(older) {
    this.dataset.older = older;
    this.querySelector(".older")?.toggleAttribute("hidden", !older);
  }

  get #list() { return this.querySelector(".feed"); }
}

const unknown = (part) => !document.getElementById(part.id);
const differs = (part) => document.getElementById(part.id).textContent !== part.textContent;

customElements.define("ct-feed", Feed);
