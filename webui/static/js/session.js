// <ct-session>: a running session: its text, state and terminal.

import { Connection } from "./connection.js";
import { clock } from "./format.js";
import { grow, growText, paced } from "./grow.js";
import { recall, remember } from "./storage.js";
import { parse } from "./swap.js";
import { now } from "./time.js";
import { announce } from "./toast.js";

// A message ends the text before it; only within one stream do they come in their order.
const WRITTEN = new Set(["text_delta", "thinking", "message"]);
const STAGE = "clawtap-terminal";
const DOING = { Run: "Running", Edit: "Editing", Write: "Writing", Read: "Reading", Fetch: "Fetching", Access: "Accessing" };

class Session extends HTMLElement {
  connectedCallback() {
    document.addEventListener("clawtap:event", (event) => this.#hear(event.detail));
    document.addEventListener("clawtap:sent", ({ detail }) => this.#unsent(detail));
    document.addEventListener("clawtap:refused", ({ detail }) => this.#refused(detail));
    document.querySelector("[data-bell]")?.addEventListener("click", () => {
      this.talked?.();
      this.querySelector("ct-prompt")?.scrollIntoView({ block: "start" });
    });
    this.#stage();
    this.#here();
    this.#follow();
    this.away = this.#isAway;
    this.timer = setInterval(() => this.#tick(), 1000);
    this.#tick();
  }

  /** The text that a session of another machine is writing has to be requested. */
  #follow() {
    const hear = (type, data) => WRITTEN.has(type) && this.#hear({ type, data });
    if ("remote" in this.dataset) this.connection = new Connection(`/api/sessions/${this.dataset.session}/events?render=html`, { hear });
  }

  disconnectedCallback() {
    this.connection?.close();
    clearInterval(this.timer);
  }

  /** The terminal is next to the conversation if there is room, else in its place; it opens by itself on a wide screen only. */
  #stage() {
    const button = document.querySelector("[data-stage]");
    if (!button) return;
    const wide = matchMedia("(min-width: 100rem)");
    const twoColumns = matchMedia("(min-width: 80rem)");
    this.talked = () => twoColumns.matches || show(false);
    const show = (shown) => {
      if (!shown && this.querySelector(".stage").contains(document.activeElement)) button.focus();
      this.dataset.view = shown ? "screen" : "chat";
      button.setAttribute("aria-pressed", String(shown));
      this.leave?.destroy(); // A phone's Back closes the sheet and stays on the page.
      if (shown && window.CloseWatcher && !twoColumns.matches) (this.leave = new CloseWatcher()).onclose = () => show(false);
    };
    button.hidden = false;
    show(new URLSearchParams(location.search).has("screen") || (wide.matches && recall(STAGE) !== "closed"));
    button.addEventListener("click", () => {
      const shown = this.dataset.view !== "screen";
      if (wide.matches) remember(STAGE, shown ? "open" : "closed");
      show(shown);
    });
  }

  get #isAway() { return document.getElementById(`over-${this.dataset.session}`)?.dataset.over === "away"; }

  #hear({ type, data }) {
    if (type === "text_delta" || type === "thinking") return void (data.sessionId === this.dataset.session && this.#stream(data, type === "thinking" ? "Thinking" : "Writing"));
    // Its machine is back: only now can its conversation be read.
    if (this.away && !this.#isAway) location.reload();
    this.away = this.#isAway;
    if (data.html) this.#here();
    // A hub that sees no machine now lists none of their sessions.
    if (type === "snapshot" && !data.problem && data.sessions.every(({ id }) => id !== this.dataset.session)) location.assign("/");
    if (data.sessionId !== this.dataset.session) return;
    if (type === "message" && data.role !== "user") this.#stream({}, "");
    if (type === "session_status") this.#status(data);
    if (type === "session_removed" && !document.querySelector("form .is-busy")) location.assign("/"); // a form that ended it leads there itself
  }

  /** Shows text that is being written, rendered by the server or plain. */
  #stream({ text = "", html }, title) {
    this.written = html ?? text;
    this.rendered = html !== undefined;
    this.draw ??= paced(() => this.#draw());
    if (this.written) this.draw();
    else this.#draw(); // By now the message with this text is shown.
    if (this.activity === title) return;
    this.activity = title;
    this.#tick();
  }

  /** Lets blocks grow in place and replaces those that changed: blocks above keep their place and selection. */
  #draw() {
    const streaming = this.querySelector(".streaming");
    const text = streaming.querySelector(".streaming-text");
    if (!this.rendered) grow(text, [new Text(this.written)]);
    else if (!growText(text, this.drawn ?? "", this.written)) grow(text, [...parse(this.written).childNodes]);
    this.drawn = this.rendered ? this.written : "";
    if (streaming.hidden === Boolean(this.written)) streaming.hidden = !this.written;
  }

  #status({ state, mode, model }) {
    if (state !== "busy") this.activity = "";
    if (document.activeElement.matches(".stop") && state !== "busy") this.querySelector("ct-feed").focus();
    choose("#mode", mode);
    choose("#model", model);
    this.#tick();
  }

  /** While it works, one line says what it does, and for how long. */
  #tick() {
    const line = this.querySelector("[data-working]");
    const head = document.querySelector(".session-head");
    const busy = head?.dataset.state === "busy";
    if (!line || (line.hidden && !busy)) return;
    if (line.hidden) this.since = Date.parse(line.dataset.since) || now();
    line.hidden = !busy;
    if (!busy && head?.dataset.state !== "waiting") announce(head.querySelector(".state").textContent);
    if (!busy) return void delete line.dataset.since;
    const tool = [...this.querySelectorAll(".tool-result.running")].at(-1)?.closest(".feed-item");
    const [name, subject] = [".tool-name", ".tool-subject"].map((part) => tool?.querySelector(part).textContent);
    const running = tool && (DOING[name] && subject ? `${DOING[name]} ${subject.slice(0, 48)}` : `Using ${name}`);
    line.querySelector("span").textContent = `${this.activity || running || "Working"}, ${clock(now() - this.since)}`;
  }

  /** Marks this session in the list of all. */
  #here() {
    document.querySelector(`#session-${CSS.escape(this.dataset.session)} .row-link`)?.setAttribute("aria-current", "page");
  }

  #unsent(form) {
    if (!("unsend" in form.dataset)) return;
    const message = form.closest("li");
    const files = [...message.querySelectorAll(".file")].map((file) => ({ ...file.dataset }));
    this.querySelector("ct-composer").take(message.querySelector(".queue-text").textContent, files);
    this.querySelector("#message").focus();
  }

  #refused(form) {
    const [select, edit] = ["select", "textarea"].map((part) => form.querySelector(part));
    if (select) choose(`#${select.id}`, document.querySelector(".session-head").dataset[select.name] ?? "");
    // The message was sent meanwhile, as it was.
    if (edit && !edit.isConnected) this.querySelector("ct-composer").take(edit.value, []);
  }
}

function choose(selector, value) {
  const select = document.querySelector(selector);
  if ([...(select?.options ?? [])].some((option) => option.value === value)) select.value = value;
}

customElements.define("ct-session", Session);
