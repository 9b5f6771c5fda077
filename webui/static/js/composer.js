// <ct-composer>: where a message to a session is written.

import { joined } from "./drafts.js";
import { send } from "./forms.js";
import { recall, remember } from "./storage.js";
import { put } from "./swap.js";
import { fit } from "./textarea.js";
import { announce } from "./toast.js";

class Composer extends HTMLElement {
  connectedCallback() {
    const field = this.#field;
    field.value ||= recall(this.#key) ?? "";
    field.addEventListener("input", () => this.#keep());
    field.addEventListener("keydown", (event) => this.#enter(event));
    field.form.addEventListener("submit", (event) => this.#submit(event));
  }

  /** Puts back what was unsent, below what is being written. */
  take(text, files) {
    this.#files.put(files);
    this.#field.value = joined(this.#field.value, text);
    this.#keep();
  }

  #keep() {
    remember(this.#key, this.#field.value);
    fit(this.#field);
  }

  get #field() { return this.querySelector("textarea"); }
  get #files() { return this.querySelector("ct-files"); }
  get #key() { return `clawtap-draft-${this.dataset.session}`; }

  #enter(event) {
    const plain = !event.shiftKey && matchMedia("(pointer: fine)").matches;
    if (event.key !== "Enter" || !(plain || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (this.#field.value.trim() || !this.#field.required) event.target.form.requestSubmit();
  }

  async #submit(event) {
    event.preventDefault();
    const form = event.target;
    const button = form.querySelector(".send");
    if (button.disabled) return;
    button.disabled = true;
    const message = this.#field.value;
    const attachments = await this.#files.ready();
    const fields = new FormData(form);
    fields.set("message", message);
    // The files were uploaded when they were chosen: only their ids go along.
    fields.delete("files");
    for (const id of attachments) fields.append("attachment", id);
    if (message.trim() || attachments.length) await send(form, button, { fields, show: (parts) => this.#sent(parts, message, attachments) });
    button.disabled = false;
  }

  #sent(parts, message, attachments) {
    if (this.#field.value === message) this.#field.value = "";
    this.#files.forget(attachments);
    this.#keep();
    if (Number(parts[0].dataset.count)) announce("Message queued");
    put(parts);
    document.querySelector("ct-feed")?.toEnd();
  }
}

customElements.define("ct-composer", Composer);
