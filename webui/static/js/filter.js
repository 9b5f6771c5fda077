// <ct-filter>: narrows the list of sessions by machine, folder, CLI and state, while the page is open.

import { TAB, recall, remember } from "./storage.js";

const KEPT = "clawtap-filter";
const NAMES = ["on", "folder", "cli", "state"];

class Filter extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.list = document.getElementById("sessions");
    // A page that was opened with filters has only those rows.
    if ("active" in this.dataset) return;
    const kept = JSON.parse(recall(KEPT, TAB) ?? "{}");
    this.#offer();
    for (const name of this.#names) this.form.elements[name].value = kept[name] ?? "";
    this.addEventListener("change", () => this.#apply());
    this.querySelector("details").addEventListener("toggle", () => this.form.scrollIntoView({ block: "nearest" }));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.querySelector("[data-clear]").addEventListener("click", (event) => {
      event.preventDefault();
      this.form.querySelectorAll("select").forEach((select) => (select.value = ""));
      this.#apply();
      this.querySelector("summary").focus();
    });
    this.observer = new MutationObserver(() => (this.#offer(), this.#apply()));
    this.observer.observe(this.list, { childList: true });
    this.#apply();
  }

  disconnectedCallback() { this.observer?.disconnect(); }

  /** Only in a fleet there are machines to choose. */
  get #names() { return NAMES.filter((name) => this.form.elements[name]); }

  get #rows() { return [...this.list.querySelectorAll(".row")]; }

  /** Adds the machines, folders and CLIs of sessions that are newer than the page. */
  #offer() {
    for (const name of this.#names.filter((each) => each !== "state")) {
      const select = this.form.elements[name];
      const offered = new Set([...select.options].map((option) => option.value));
      for (const { dataset } of this.#rows) {
        if (!offered.has(dataset[name])) select.add(new Option(dataset[`${name}Name`], dataset[name]));
        offered.add(dataset[name]);
      }
    }
  }

  #apply() {
    const chosen = Object.fromEntries(this.#names.map((name) => [name, this.form.elements[name].value]));
    const { state, ...same } = chosen;
    const rows = this.#rows;
    for (const row of rows) {
      const { dataset } = row;
      const fits = Object.entries(same).every(([name, value]) => !value || dataset[name] === value) && (!state || String(Math.min(dataset.rank, 3)) === state);
      if (row.hidden === fits) row.hidden = !fits;
    }
    const shown = rows.filter((row) => !row.hidden).length;
    const active = Object.values(chosen).some(Boolean);
    const line = this.querySelector(".filter-active");
    line.hidden = !active;
    if (active) line.firstElementChild.textContent = `${shown} of ${rows.length}`;
    document.querySelector("[data-filter-none]").hidden = !active || shown > 0;
    remember(KEPT, JSON.stringify(chosen), TAB);
  }
}

customElements.define("ct-filter", Filter);
