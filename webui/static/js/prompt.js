// <ct-prompt>: answers in place. Pending, submitting, then the outcome that the server returns.

import { sentence } from "./api.js";
import { keepText } from "./drafts.js";
import { send } from "./forms.js";
import { catchUp, put } from "./swap.js";
import { complain } from "./toast.js";

// Trying the same answer again cannot help after these.
const FINAL = new Set([400, 401, 403, 404, 409, 422]);
const TEXT = "textarea, input:not([type=radio], [type=checkbox])";

class Prompt extends HTMLElement {
  busy = false;
  /** What was tried last: the place of its form in the card, and its button's name and value. */
  tried = null;

  connectedCallback() {
    this.addEventListener("submit", this.#submit);
    this.addEventListener("keydown", this.#key);
    this.addEventListener("clawtap:seen", this.refresh);
    this.querySelector("[data-again]")?.addEventListener("click", () => this.#tryAgain());
    this.querySelector("[data-open]")?.addEventListener("click", () => this.querySelectorAll("ct-fold[data-folded]").forEach((fold) => fold.open()));
    this.refresh();
  }

  #submit = async (event) => {
    const form = event.target;
    if (!form.matches("form.answer")) return;
    event.preventDefault();
    if (this.busy || this.dataset.state !== "pending") return;
    const { submitter } = event;
    const fields = new FormData(form, submitter);
    this.tried = { form: this.#forms.indexOf(form), name: submitter?.name, value: submitter?.value };
    this.#begin();
    const show = (parts) => {
      navigator.vibrate?.(12);
      this.missed = null;
      this.#end();
      put(parts);
    };
    const fail = (error) => {
      const final = FINAL.has(error.status);
      if (final) this.tried = null;
      this.problem(sentence(error), !final);
      this.#end();
      // Somebody else was faster: the outcome has taken the place of this card.
      if (final && !this.isConnected) keepText(this, document.getElementById(this.id));
    };
    await send(form, submitter, { fields, show, fail });
  };

  /** What is allowed has been seen to its end: until then only refusing is live. */
  refresh = () => {
    const unread = this.querySelector("ct-fold[data-folded]:not([data-seen])") !== null;
    const note = this.querySelector("[data-unread]");
    if (!note || this.busy || (!unread && note.hidden)) return;
    note.hidden = !unread;
    for (const choice of this.querySelectorAll(".options .choice:is(.allow-once, .allow-always)")) choice.disabled = unread;
  };

  #begin() {
    this.busy = true;
    this.problem("");
    this.classList.add("is-submitting");
    this.setAttribute("aria-busy", "true");
    if (this.contains(document.activeElement)) this.focus({ preventScroll: true }); // a disabled button loses it
    this.#controls.forEach((control) => (control.disabled = true));
  }

  #end() {
    this.busy = false;
    this.classList.remove("is-submitting");
    this.removeAttribute("aria-busy");
    this.#controls.forEach((control) => (control.disabled = false));
    this.querySelector("ct-questions")?.refresh();
    this.refresh();
    catchUp(this);
  }

  #tryAgain() {
    const { form: place, name, value } = this.tried;
    const form = this.#forms[place];
    const button = [...(form?.querySelectorAll("button") ?? [])].find((one) => one.name === name && one.value === value);
    if (button) form.requestSubmit(button);
  }

  /** Says what went wrong, and offers to try it again; "" clears it. */
  problem(text, again = false) {
    const problem = this.querySelector(":scope > .card-answers > [data-problem]");
    if (!problem) return;
    complain(problem, text);
    problem.querySelector("[data-again]").hidden = !again;
    if (text) problem.scrollIntoView({ block: "nearest" });
  }

  get #forms() { return [...this.querySelectorAll("form.answer")]; }
  get #controls() { return this.querySelectorAll(".answer :is(button, input, textarea)"); }

  /** Keys count only while the card has the focus, and never while text is typed. */
  #key = (event) => {
    if (event.target.matches(TEXT)) return this.#keyInText(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "Escape") return document.activeElement.blur();
    const target = this.#targetOf(event);
    if (!target || target.disabled) return undefined;
    event.preventDefault();
    // What the card does not show yet is shown, and not pressed.
    const more = !target.offsetParent && this.querySelector(".more-answers");
    return more ? (more.open = true) : target.click();
  };

  #keyInText(event) {
    if (event.key === "Escape") this.focus({ preventScroll: true });
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // Between two questions nothing can be sent yet: the next one comes.
    const buttons = event.target.form.querySelectorAll("button:not([type=button]), [data-next]");
    [...buttons].find((one) => one.offsetParent)?.click();
  }

  #targetOf(event) {
    if (event.shiftKey && event.key === "Enter") return this.querySelector(".choice.allow-always");
    // Enter on the card itself, or on the heading of a step, sends answers that are complete; it never allows anything.
    if (event.key === "Enter" && event.target.matches("ct-prompt, legend, h3")) return this.querySelector("[data-next]:not([hidden])") ?? this.querySelector("ct-questions [data-needs-answers]");
    if (event.key === "a") return this.querySelector(".choice.allow-once");
    if (event.key === "d") return this.querySelector(".choice.deny");
    if (!/^[1-9]$/.test(event.key)) return null;
    const rows = [...this.querySelectorAll(".choice[name=option], .pick input[name]:not(.field)")];
    return rows.filter((row) => row.offsetParent || row.closest(".is-compact"))[Number(event.key) - 1] ?? null;
  }
}

/** A link to a prompt, from a notice say, leads to it: the keys work there at once. */
function linked() {
  const card = location.hash.startsWith("#prompt-") && document.getElementById(location.hash.slice(1));
  if (!card) return;
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "start" });
}

addEventListener("hashchange", linked);
addEventListener("load", linked);

customElements.define("ct-prompt", Prompt);
