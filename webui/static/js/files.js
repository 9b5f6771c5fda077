// <ct-files>: the files that go with the next message. They are sent ahead, and shown as chips.

import { call, post, sentence } from "./api.js";
import { recall, remember } from "./storage.js";
import { announce, toast } from "./toast.js";

class Files extends HTMLElement {
  #under = new Set();

  connectedCallback() {
    this.addEventListener("change", ({ target }) => {
      this.#add(target.files);
      target.value = "";
    });
    this.addEventListener("click", (event) => this.#remove(event.target.closest("button")));
    this.put(JSON.parse(recall(this.#key) ?? "[]"));
    const session = this.closest("ct-session");
    session.addEventListener("paste", (event) => this.#given(event, event.clipboardData));
    session.addEventListener("drop", (event) => this.#given(event, event.dataTransfer));
    for (const type of ["dragover", "dragleave", "drop"]) session.addEventListener(type, (event) => this.#over(event, type));
  }

  /** Returns the ids of all files, once they are uploaded. */
  async ready() {
    while (this.#under.size) await Promise.all(this.#under);
    return this.#chips.map((chip) => chip.dataset.id);
  }

  /** Shows files that are there already. */
  put(files) {
    for (const { id, name } of files) this.#show(name).dataset.id = id;
    this.#kept();
  }

  /** Removes files that were sent. */
  forget(ids) {
    for (const chip of this.#chips) if (ids.includes(chip.dataset.id)) chip.remove();
    this.#kept();
  }

  #given(event, { files }) {
    if (files.length) event.preventDefault();
    this.#add(files);
  }

  #over(event, type) {
    if (type === "dragover" && event.dataTransfer.types.includes("Files")) event.preventDefault();
    this.toggleAttribute("data-over", event.defaultPrevented && type === "dragover");
  }

  #add(files) {
    for (const file of files) {
      const sent = this.#upload(file).finally(() => this.#under.delete(sent));
      this.#under.add(sent);
    }
  }

  #problem(file) {
    const { most, largest } = this.dataset;
    if (this.#chips.length >= Number(most)) return `A message takes ${most} files at most`;
    if (file.size > Number(largest)) return `${file.name} is larger than ${largest / 1048576} MB`;
    return "";
  }

  async #upload(file) {
    const problem = this.#problem(file);
    if (problem) return toast(problem);
    const chip = this.#show(file.name);
    chip.classList.add("is-busy");
    try {
      const kept = await post(`${this.#path}?name=${encodeURIComponent(file.name.slice(-200))}`, file);
      chip.dataset.id = kept.id;
      announce(`${file.name} attached`);
    } catch (error) {
      chip.remove();
      toast(`${file.name}: ${sentence(error)}`);
    }
    chip.classList.remove("is-busy");
    return this.#kept();
  }

  #show(name) {
    const chip = this.querySelector("template").content.firstElementChild.cloneNode(true);
    chip.querySelector("span").textContent = name.replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (hidden) => `⟦U+${hidden.charCodeAt(0).toString(16).toUpperCase()}⟧`);
    chip.dataset.name = name;
    chip.querySelector("button").setAttribute("aria-label", `Remove ${name}`);
    this.querySelector("ul").append(chip);
    this.#kept();
    return chip;
  }

  #remove(button) {
    if (!button) return;
    const chip = button.closest("li");
    chip.remove();
    this.#kept();
    this.closest("form").querySelector("textarea").focus();
    // A file that stays behind is deleted with the session; a queued message may need it.
    if (chip.dataset.id) call("DELETE", `${this.#path}/${chip.dataset.id}`).catch(() => {});
  }

  #kept() {
    const files = this.#chips.map(({ dataset }) => ({ ...dataset })).filter(({ id }) => id);
    remember(this.#key, files.length ? JSON.stringify(files) : "");
    this.closest("form").querySelector("textarea").required = !this.#chips.length;
  }

  get #chips() { return [...this.querySelectorAll("li")]; }
  get #path() { return `/api/sessions/${this.dataset.session}/files`; }
  get #key() { return `clawtap-files-${this.dataset.session}`; }
}

customElements.define("ct-files", Files);
