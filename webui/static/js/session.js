// <ct-session>: how a session goes on.

import { postForm, sentence } from "./api.js";
import { parse, put } from "./swap.js";
import { toast } from "./toast.js";

const STAGE = "clawtap-terminal";
const SAID = new Set(["text_delta", "message", "message_sent", "tool_call_start"]);

class Session extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => this.#queue(event));
    document.addEventListener("clawtap:event", (event) => this.#hear(event.detail));
    this.addEventListener("change", (event) => this.#switch(event.target));
    this.addEventListener("submit", (event) => this.#stay(event));
    document.querySelector("[data-bell]")?.addEventListener("click", () => {
      this.querySelector("ct-prompt")?.scrollIntoView({ block: "start" });
    });
    this.#stage();
    this.#here();
  }

  /** The terminal is shown beside the conversation where there is room, else in its place. */
  #stage() {
    const button = document.querySelector("[data-stage]");
    if (!button) return;
    const wide = matchMedia("(min-width: 80rem)");
    const asked = new URLSearchParams(location.search).has("screen");
    const kept = () => localStorage.getItem(STAGE) !== "closed";
    this.talked = () => wide.matches || this.chosen || show(false);
    const show = (shown) => {
      this.dataset.view = shown ? "screen" : "chat";
      button.setAttribute("aria-pressed", String(shown));
    };
    button.hidden = false;
    show(asked || this.dataset.view === "screen" || (wide.matches && kept()));
    this.chosen = asked;
    button.addEventListener("click", () => {
      this.chosen = true;
      const shown = this.dataset.view !== "screen";
      if (wide.matches) localStorage.setItem(STAGE, shown ? "open" : "closed");
      show(shown);
    });
  }

  #hear({ type, data }) {
    this.#here();
    if (data.sessionId !== this.dataset.session) return;
    if (type === "text_delta") this.#stream(data, "Writing…");
    if (type === "thinking") this.#stream(data, "Thinking…");
    if (type === "message") this.#stream({}, "");
    if (SAID.has(type)) this.talked?.();
    if (type === "session_status") this.#status(data);
    if (type === "session_removed") location.assign("/");
  }

  /** Text that is being written: as the server renders it, or as it comes. */
  #stream({ text, delta, html }, title) {
    const streaming = this.querySelector(".streaming");
    const shown = streaming.querySelector(".streaming-text");
    streaming.hidden = !(text || delta);
    streaming.querySelector(".streaming-title span").textContent = title;
    if (html) shown.innerHTML = html;
    else if (text === undefined && delta) shown.append(delta);
    else shown.textContent = text ?? "";
  }

  #status({ state, mode, model }) {
    const title = this.querySelector(".streaming .streaming-title span");
    if (state !== "busy" && title.textContent) title.textContent = "Last answer";
    choose("#mode", mode);
    choose("#model", model);
  }

  /** Marks this session in the list of all. */
  #here() {
    document.querySelector(`#session-${CSS.escape(this.dataset.session)} .row-link`)?.setAttribute("aria-current", "page");
  }

  async #queue(event) {
    const { unsend, edit } = event.target.dataset;
    if (!unsend && !edit) return;
    event.preventDefault();
    const form = event.target;
    const item = form.closest("li");
    const text = item.querySelector(".queue-text").textContent;
    const files = [...item.querySelectorAll(".file")].map((file) => ({ ...file.dataset }));
    try {
      const reply = await postForm(form.getAttribute("action"), new FormData(form));
      put([...parse(await reply.text()).children]);
      if (unsend) this.querySelector("ct-composer").take(text, files);
    } catch (error) {
      toast(sentence(error));
    }
  }

  #stay(event) {
    if (!("switch" in event.target.dataset)) return;
    event.preventDefault();
    this.#switch(event.target.querySelector("select"));
  }

  async #switch(select) {
    const { form } = select;
    if (!form || !("switch" in form.dataset) || !select.value) return;
    const before = document.querySelector(".session-head").dataset[select.name] ?? "";
    const fields = new FormData(form);
    select.disabled = true;
    try {
      await postForm(form.getAttribute("action"), fields);
    } catch (error) {
      choose(`#${select.id}`, before);
      toast(sentence(error));
    } finally {
      select.disabled = false;
    }
  }
}

function choose(selector, value) {
  const select = document.querySelector(selector);
  if (!select || value === undefined) return;
  if ([...select.options].some((option) => option.value === value)) select.value = value;
}

customElements.define("ct-session", Session);
