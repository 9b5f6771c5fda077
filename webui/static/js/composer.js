// <ct-composer>: what is said to a session.

import { postForm, sentence } from "./api.js";
import { parse, put } from "./swap.js";
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
    const form = event.target;
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.classList.add("is-busy");
    button.disabled = true;
    try {
      if ("interrupt" in form.dataset) await postForm(form.getAttribute("action"), new FormData(form));
      else await this.#send(form);
    } catch (error) {
      toast(sentence(error));
    } finally {
      button.classList.remove("is-busy");
      button.disabled = false;
    }
  }

  async #send(form) {
    const message = this.#field.value;
    const attachments = await this.#files.ready();
    if (!message.trim() && !attachments.length) return;
    const fields = new FormData(form);
    fields.set("message", message);
    // The files were uploaded when they were chosen: only their ids go along.
    fields.delete("files");
    for (const id of attachments) fields.append("attachment", id);
    const reply = await postForm(form.getAttribute("action"), fields);
    const [queue] = parse(await reply.text()).children;
    if (this.#field.value === message) this.#field.value = "";
    this.#files.forget(attachments);
    this.#keep();
    if (Number(queue.dataset.count)) announce("Message queued");
    put([queue]);
  }
}

customElements.define("ct-composer", Composer);
