// <ct-stream>: listens to all events, keeps the page current, and says when it is offline.

import { Connection } from "./connection.js";
import { waitingAfter } from "./waiting.js";
import { swap } from "./swap.js";
import { titled } from "./format.js";
import { announce } from "./toast.js";

const PATIENCE = 1500;
const others = new BroadcastChannel("clawtap-waiting");
const WORDS = {
  lost: "Reconnecting…",
  offline: "Offline. You see the state from before the connection was lost.",
};

class Stream extends HTMLElement {
  #connection;
  #waiting = new Map();
  #timer = 0;

  connectedCallback() {
    this.#remember();
    // A tab that nobody sees has no stream of its own while another one listens.
    others.onmessage = ({ data }) => document.hidden && this.#title(data);
    const shown = document.querySelector("ct-session")?.dataset.session ?? "";
    this.#connection = new Connection(`${this.dataset.url}?render=html&texts=${encodeURIComponent(shown)}`, {
      after: this.dataset.after,
      hear: (type, data) => this.#hear(type, data),
      tell: (state) => this.#tell(state),
    });
    document.addEventListener("clawtap:arrived", (event) => this.#announce(event.target));
  }

  disconnectedCallback() { this.#connection.close(); }

  /** Counts the prompts on this page; the first number on it counts those elsewhere. */
  #remember() {
    const elsewhere = Number(document.querySelector("[data-elsewhere]")?.textContent ?? 0);
    const here = document.querySelectorAll("ct-prompt:is([data-state=pending], [data-state=answering])");
    for (const card of here) this.#waiting.set(card.dataset.request, card.dataset.session);
    for (let at = 0; at < elsewhere; at += 1) this.#waiting.set(`elsewhere-${at}`, "");
    if (elsewhere) this.dataset.after = "";
  }

  #hear(type, data) {
    swap(type, data);
    const waiting = waitingAfter(this.#waiting, type, data);
    if (waiting !== this.#waiting) this.#count((this.#waiting = waiting));
    if (!(type === "text_delta" || type === "thinking")) this.#title(waiting.size);
    if (type === "snapshot") this.#checkBuild(data.html);
    document.dispatchEvent(new CustomEvent("clawtap:event", { detail: { type, data } }));
  }

  #title(count) {
    const title = document.querySelector(".session-head .row-title");
    document.title = titled(title ? `${title.textContent} · ClawTap` : document.title, count);
  }

  #count(waiting) {
    others.postMessage(waiting.size);
    const only = document.querySelector("ct-session")?.dataset.session;
    const elsewhere = [...waiting.values()].filter((session) => session !== only).length;
    if (elsewhere > document.querySelector("[data-elsewhere]")?.textContent) announce(`Waiting in other sessions: ${elsewhere}`);
    show("[data-waiting]", waiting.size);
    show("[data-elsewhere]", elsewhere);
    const bell = document.querySelector("[data-bell]");
    if (bell) bell.hidden = waiting.size === elsewhere;
    navigator.setAppBadge?.(waiting.size)?.catch(() => {});
  }

  #tell(state) {
    if (state === document.documentElement.dataset.connection) return;
    clearTimeout(this.#timer);
    const banner = this.querySelector("[data-banner]");
    const show = () => Object.assign(banner, { hidden: state === "live", textContent: WORDS[state] ?? "" });
    if (state === "lost") this.#timer = setTimeout(show, PATIENCE);
    else show();
    document.documentElement.dataset.connection = state;
    if (state === "live") document.dispatchEvent(new Event("clawtap:live"));
  }

  #checkBuild(html) {
    const mine = document.querySelector('meta[name="clawtap-build"]').content;
    if (!html || html.includes(`data-build="${mine}"`)) return;
    const banner = this.querySelector("[data-banner]");
    const reload = Object.assign(document.createElement("button"), { textContent: "Reload", onclick: () => location.reload() });
    banner.replaceChildren("ClawTap was updated.", reload);
    banner.hidden = false;
  }

  #announce(card) {
    const [kind, title, session] = [".card-kind", ".card-title", ".card-session > span:last-child"].map((part) => card.querySelector(part)?.textContent.trim() ?? "");
    announce(`${kind}: ${title} ${session}`);
  }
}

function show(selector, count) {
  for (const badge of document.querySelectorAll(selector)) Object.assign(badge, { textContent: count, hidden: !count });
}

customElements.define("ct-stream", Stream);
