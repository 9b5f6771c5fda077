// <ct-composer> and <ct-session>: what is said to a session, and how it goes on.

import { call, post, sentence } from "./api.js";
import { toast } from "./toast.js";

class Composer extends HTMLElement {
  connectedCallback() {
    const field = this.#field;
    field.value ||= sessionStorage.getItem(this.#key) ?? "";
    field.addEventListener("input", () => sessionStorage.setItem(this.#key, field.value));
    field.addEventListener("keydown", (event) => this.#enter(event));
    this.addEventListener("submit", (event) => this.#submit(event));
  }

  /** Puts text back that was taken back, unless something else is being written. */
  take(text) {
    if (this.#field.value.trim()) return;
    this.#field.value = text;
    this.#field.focus();
  }

  get #field() {
    return this.querySelector("textarea");
  }

  get #key() {
    return `clawtap-draft-${this.dataset.session}`;
  }

  #enter(event) {
    const plain = !event.shiftKey && !event.isComposing && matchMedia("(pointer: fine)").matches;
    if (event.key !== "Enter" || !(plain || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (this.#field.value.trim()) event.target.form.requestSubmit();
  }

  async #submit(event) {
    event.preventDefault();
    const interrupt = "interrupt" in event.target.dataset;
    const button = event.target.querySelector("button");
    if (button.disabled) return;
    button.classList.add("is-busy");
    button.disabled = true;
    try {
      await (interrupt ? post(`/api/sessions/${this.dataset.session}/interrupt`) : this.#send());
    } catch (error) {
      toast(sentence(error));
    } finally {
      button.classList.remove("is-busy");
      button.disabled = false;
    }
  }

  async #send() {
    const message = this.#field.value;
    if (!message.trim()) return;
    const sent = await post(`/api/sessions/${this.dataset.session}/message`, { message });
    if (this.#field.value === message) this.#field.value = "";
    sessionStorage.removeItem(this.#key);
    if (sent.status === "queued") announce("Message queued");
  }
}

class Session extends HTMLElement {
  connectedCallback() {
    const feed = this.querySelector(".feed");
    feed.scrollTop = feed.scrollHeight;
    this.addEventListener("submit", (event) => this.#takeBack(event));
    document.addEventListener("clawtap:event", (event) => this.#hear(event.detail));
    document.addEventListener("change", (event) => this.#switch(event.target));
    document.addEventListener("submit", (event) => this.#stay(event));
    document.querySelector("[data-bell]")?.addEventListener("click", () => {
      this.querySelector("ct-prompt")?.scrollIntoView({ block: "start" });
    });
  }

  #hear({ type, data }) {
    if (data.sessionId !== this.dataset.session) return;
    if (type === "text_delta") this.#stream(data.text, "Writing…");
    if (type === "thinking") this.#stream(data.text, "Thinking…");
    if (type === "message" || type === "message_sent") this.#stream("", "");
    if (type === "session_status") this.#status(data);
    if (type === "session_removed") location.assign("/");
  }

  #stream(text, title) {
    const streaming = this.querySelector(".streaming");
    streaming.hidden = !text;
    streaming.querySelector(".streaming-title span").textContent = title;
    const shown = streaming.querySelector(".streaming-text");
    shown.textContent = text;
    shown.scrollTop = shown.scrollHeight;
  }

  #status({ state, mode, model }) {
    if (state !== "busy") {
      const streaming = this.querySelector(".streaming .streaming-title span");
      if (streaming.textContent) streaming.textContent = "Last answer";
    }
    choose("#mode", mode);
    choose("#model", model);
    const over = state === "ended" || state === "lost";
    this.querySelectorAll("ct-composer :is(textarea, .send)").forEach((part) => (part.disabled = over));
  }

  async #takeBack(event) {
    const id = event.target.dataset.takeBack;
    if (!id) return;
    event.preventDefault();
    const text = event.target.closest("li").querySelector(".queue-text").textContent;
    try {
      await call("DELETE", `/api/sessions/${this.dataset.session}/queue/${id}`);
      this.querySelector("ct-composer").take(text);
    } catch (error) {
      toast(sentence(error));
    }
  }

  #stay(event) {
    if (!event.target.dataset.switch) return;
    event.preventDefault();
    this.#switch(event.target.querySelector("select"));
  }

  async #switch(select) {
    const what = select.form?.dataset.switch;
    if (!what || !select.value) return;
    const before = document.querySelector(".session-head").dataset[select.name] ?? "";
    select.disabled = true;
    try {
      await post(`/api/sessions/${this.dataset.session}/${what}`, { [select.name]: select.value });
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

function announce(text) {
  document.getElementById("announcer").textContent = text;
}

customElements.define("ct-composer", Composer);
customElements.define("ct-session", Session);
