// <ct-composer>: what is said to a session.

import { post, sentence } from "./api.js";
import { announce, toast } from "./toast.js";

class Composer extends HTMLElement {
  connectedCallback() {
    const field = this.#field;
    field.value ||= localStorage.getItem(this.#key) ?? "";
    field.addEventListener("input", () => this.#keep());
    field.addEventListener("keydown", (event) => this.#enter(event));
    this.addEventListener("submit", (event) => this.#submit(event));
  }

  /** Puts back what was taken back, unless something else is being written. */
  take(text, files) {
    if (this.#field.value.trim()) return;
    this.#files.put(files);
    this.#field.value = text;
    this.#keep();
    this.#field.focus();
  }

  #keep() {
    if (this.#field.value) localStorage.setItem(this.#key, this.#field.value);
    else localStorage.removeItem(this.#key);
  }

  get #field() {
    return this.querySelector("textarea");
  }

  get #files() {
    return this.querySelector("ct-files");
  }

  get #key() {
    return `clawtap-draft-${this.dataset.session}`;
  }

  #enter(event) {
    const plain = !event.shiftKey && !event.isComposing && matchMedia("(pointer: fine)").matches;
    if (event.key !== "Enter" || !(plain || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (this.#field.value.trim() || !this.#field.required) event.target.form.requestSubmit();
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
    const attachments = await this.#files.ready();
    if (!message.trim() && !attachments.length) return;
    const sent = await post(`/api/sessions/${this.dataset.session}/message`, { message, attachments });
    if (this.#field.value === message) this.#field.value = "";
    this.#files.forget(attachments);
    this.#keep();
    if (sent.status === "queued") announce("Message queued");
  }
}

customElements.define("ct-composer", Composer);
