// One event stream that comes back by itself: after losses, sleep, and restarts of the server.

import { goToLogin } from "./api.js";
import { delay } from "./backoff.js";
import { Parser } from "./sse.js";
import { setNow } from "./time.js";

// The server says something every 15 s; longer silence means that the line is dead.
const SILENCE = 40000;
// For so long, in milliseconds, events are heard without a pause.
const TURN = 50;

export class Connection {
  #attempt = 0;
  #timer = 0;
  #heard = 0;
  #abort = null;
  #watch = 0;
  #gone = new AbortController();
  #others = new BroadcastChannel("clawtap-streams");

  /** `hear(type, data)` gets events; `tell(state)` gets "live", "lost" or "offline". */
  constructor(url, { after = "", hear, tell = () => {} }) {
    Object.assign(this, { url, after, hear, tell });
    const { signal } = this.#gone;
    for (const type of ["online", "offline"]) addEventListener(type, this.#wake, { signal });
    document.addEventListener("visibilitychange", this.#wake, { signal });
    this.#watch = setInterval(() => {
      if (!this.#timer && Date.now() - this.#heard > SILENCE) this.#open();
    }, 5000);
    // A browser has six connections to a server: a tab that nobody sees makes room for one that opens.
    this.#others.onmessage = () => document.hidden && this.#rest();
    this.#open();
  }

  close() {
    this.#gone.abort();
    this.#others.close();
    this.#abort?.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
  }

  /** Closes the stream until somebody looks at the page. */
  #rest() {
    const abort = this.#abort;
    clearTimeout(this.#timer);
    [this.#abort, this.#timer] = [null, -1];
    abort?.abort();
    this.tell("lost");
  }

  #wake = ({ type }) => {
    const stale = type === "online" || this.#timer || Date.now() - this.#heard > SILENCE / 2;
    if (type === "offline") this.tell("offline");
    else if (document.visibilityState === "visible" && stale) this.#open();
  };

  async #open() {
    this.#abort?.abort();
    clearTimeout(this.#timer);
    this.#timer = 0;
    const abort = (this.#abort = new AbortController());
    this.#others.postMessage("");
    // A new attempt may hang as well, so the last one is lost from here on.
    if (this.#heard) this.tell(navigator.onLine ? "lost" : "offline");
    this.#heard = Date.now();
    await this.#read(abort.signal).catch(() => {}); // The next attempt shows why it ended.
    if (!this.#gone.signal.aborted && this.#abort === abort) this.#later();
  }

  async #read(signal) {
    const response = await fetch(this.#address(), { signal, cache: "no-store", headers: { Accept: "text/event-stream" } });
    if (response.status === 401) return goToLogin();
    if (!response.ok) throw new Error(`status ${response.status}`);
    setNow(response.headers.get("Date"));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new Parser();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      this.#heard = Date.now();
      this.tell("live");
      this.#attempt = 0;
      let began = performance.now();
      for (const { id, type, data } of parser.feed(decoder.decode(value, { stream: true }))) {
        this.after = id || this.after;
        this.hear(type, JSON.parse(data));
        // Between many events that came at once a page has time for touches.
        if (performance.now() - began < TURN || document.hidden) continue;
        await new Promise(setTimeout);
        if (signal.aborted) return undefined;
        began = performance.now();
      }
    }
  }

  #address() {
    const joint = this.url.includes("?") ? "&" : "?";
    return this.after ? `${this.url}${joint}after=${encodeURIComponent(this.after)}` : this.url;
  }

  #later() {
    this.#timer = setTimeout(() => this.#open(), delay(this.#attempt++));
  }
}
