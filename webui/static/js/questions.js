// <ct-questions>: one question at a time, back and forth, a summary, and nothing sent half done.

import { labelsOf } from "./format.js";

class Questions extends HTMLElement {
  step = 0;

  connectedCallback() {
    this.addEventListener("input", this.#input);
    this.addEventListener("click", this.#click);
    this.addEventListener("keydown", this.#enter);
    if (this.#all.length > 1) this.dataset.stepping = "";
    this.#show();
  }

  /** Continues at a step, after the element was replaced. */
  resume(step = 0) {
    this.step = Math.min(step, this.#all.length);
    this.#show();
  }

  /** Brings the buttons in line with what is answered. */
  refresh() {
    const complete = this.#all.every((question) => answered(question));
    this.querySelectorAll("[data-needs-answers]").forEach((button) => (button.disabled = !complete));
    const next = this.querySelector("[data-next]");
    if (next) next.disabled = this.step < this.#all.length && !answered(this.#all[this.step]);
  }

  get #all() { return [...this.querySelectorAll("fieldset.question")]; }

  #input = (event) => {
    const other = event.target.closest(".other-pick")?.querySelector("[data-other]");
    if (other && event.target !== other) other.checked = event.target.value.trim() !== "" || other.type === "radio";
    if (event.target === other && other.checked) event.target.closest(".other-pick").querySelector(".field").focus();
    this.refresh();
  };

  #click = (event) => {
    if (event.target.closest("[data-next]")) this.#go(this.step + 1);
    if (event.target.closest("[data-back]")) this.#go(this.step - 1);
  };

  #enter = (event) => {
    if (event.key !== "Enter" || !event.target.matches("input")) return;
    event.preventDefault();
    const asking = "stepping" in this.dataset && this.step < this.#all.length;
    const button = this.querySelector(asking ? "[data-next]" : "[data-needs-answers]");
    if (button && !button.disabled) button.click();
  };

  #go(step) {
    this.step = step;
    this.#show();
    const shown = step < this.#all.length ? this.#all[step].querySelector("legend") : this.querySelector(".summary h3");
    shown.focus({ preventScroll: true });
    // Of a card that is taller than the screen, the new question's heading matters most.
    for (const part of [this.closest("ct-prompt"), shown]) part?.scrollIntoView({ block: "nearest" });
  }

  #show() {
    if ("stepping" in this.dataset) this.#showStep();
    this.refresh();
  }

  #showStep() {
    const questions = this.#all;
    const end = this.step >= questions.length;
    questions.forEach((question, at) => question.toggleAttribute("data-current", at === this.step));
    this.toggleAttribute("data-at-end", end);
    this.querySelectorAll(".dots li").forEach((dot, at) => (dot.className = at === this.step ? "here" : at < this.step ? "done" : ""));
    this.querySelector("[data-steps]").hidden = false;
    this.querySelector("[data-back]").hidden = this.step === 0;
    this.querySelector("[data-next]").hidden = end;
    this.querySelector("[data-next] span span").textContent = this.step === questions.length - 1 ? "Review" : "Next";
    this.querySelector("[data-summary]").hidden = !end;
    if (end) this.#summarise();
  }

  #summarise() {
    const rows = this.#all.map((question) => {
      const row = document.createElement("div");
      row.innerHTML = "<dt></dt><dd></dd>";
      const [name, value] = row.children;
      const answer = labelsIn(question).join(", ");
      const note = textOf(question, "note");
      name.textContent = question.dataset.header || question.dataset.question;
      value.textContent = "secret" in question.dataset && answer ? "••••••" : (answer || "no answer") + (note && ` · “${note}”`);
      value.classList.toggle("none", !answer);
      return row;
    });
    this.querySelector("[data-summary] dl").replaceChildren(...rows);
  }
}

const textOf = (question, part) => question.querySelector(`[name$="-${part}"]`)?.value.trim() ?? "";

function labelsIn(question) {
  const ticked = [...question.querySelectorAll(":checked")].map((input) => input.value);
  return labelsOf(ticked, textOf(question, "other"));
}

function answered(question) {
  const fields = [...question.querySelectorAll(".field")];
  if (!fields.every((field) => field.checkValidity())) return false;
  if (question.querySelector("[data-other]:checked") && !textOf(question, "other")) return false;
  return !("required" in question.dataset) || labelsIn(question).length > 0;
}

customElements.define("ct-questions", Questions);
