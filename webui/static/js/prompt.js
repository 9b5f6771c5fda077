// <ct-prompt>: answers in place. Pending, submitting, then whatever the server says came of it.

import { answerOf } from "./answer.js";
import { post, sentence } from "./api.js";
import { replace } from "./swap.js";
import { complain } from "./toast.js";

// The stream brings the outcome; when it is cut off, the card says itself that it was delivered.
const OUTCOME_WITHIN = 1500;
const LONGER = 600;
// What the same answer would only meet again.
const FINAL = new Set([400, 401, 403, 404, 409, 422]);
const TEXT = "textarea, input:not([type=radio], [type=checkbox])";

class Prompt extends HTMLElement {
  busy = false;
  #again = null;

  connectedCallback() {
    this.addEventListener("submit", this.#submit);
    this.addEventListener("keydown", this.#key);
    this.querySelector("[data-again]")?.addEventListener("click", () => this.#again?.());
  }

  disconnectedCallback() {
    this.removeEventListener("submit", this.#submit);
    this.removeEventListener("keydown", this.#key);
  }

  #submit = async (event) => {
    const form = event.target;
    if (!form.matches("form.answer")) return;
    event.preventDefault();
    if (this.busy || this.dataset.state !== "pending") return;
    const entries = [...new FormData(form, event.submitter)];
    const body = { requestId: this.dataset.request, ...answerOf(entries, multiOf(form)) };
    const { act = "respond" } = form.dataset;
    const submitter = event.submitter;
    this.#again = () => form.isConnected && form.requestSubmit(submitter);
    this.#begin(submitter);
    try {
      if (act === "extend") await post(`/api/prompts/${body.requestId}/extend`, { seconds: this.#longer() });
      else await post(`/api/sessions/${this.dataset.session}/${act}`, act === "expand" ? { requestId: body.requestId } : body);
      if (act === "respond") this.#delivered(event.submitter);
      else this.#end();
    } catch (error) {
      this.#failed(error);
    }
  };

  #longer() {
    return Math.max(0, (Date.parse(this.querySelector("ct-countdown").dataset.at) - Date.now()) / 1000) + LONGER;
  }

  #begin(submitter) {
    this.busy = true;
    this.#problem("");
    this.classList.add("is-submitting");
    this.setAttribute("aria-busy", "true");
    submitter?.classList.add("is-busy");
    this.#controls().forEach((control) => (control.disabled = true));
  }

  #end() {
    this.busy = false;
    this.classList.remove("is-submitting");
    this.removeAttribute("aria-busy");
    this.querySelector(".is-busy")?.classList.remove("is-busy");
    this.#controls().forEach((control) => (control.disabled = false));
    this.querySelector("ct-questions")?.refresh();
    if (this.missed && this.isConnected) replace(this, this.missed);
  }

  #delivered(submitter) {
    navigator.vibrate?.(12);
    const label = submitter?.querySelector(".choice-label > span")?.textContent ?? "Answered";
    setTimeout(() => this.isConnected && this.busy && this.#ownOutcome(label), OUTCOME_WITHIN);
  }

  #ownOutcome(label) {
    const title = this.querySelector(".card-title").textContent;
    this.innerHTML = '<div class="outcome done"><div class="outcome-text"><p class="outcome-title"></p><p class="outcome-meta"><strong>Delivered: </strong><span></span></p></div></div>';
    this.querySelector(".outcome-title").textContent = title;
    this.querySelector(".outcome-meta span").textContent = label;
    this.dataset.state = "answered";
    this.className = "card is-answered";
  }

  #failed(error) {
    this.#problem(sentence(error), !FINAL.has(error.status));
    this.#end();
  }

  #problem(text, again = false) {
    const problem = this.querySelector(":scope > .card-answers > [data-problem]");
    if (!problem) return;
    complain(problem, text);
    problem.querySelector("[data-again]").hidden = !again;
  }

  #controls() {
    return this.querySelectorAll(".answer :is(button, input, textarea)");
  }

  /** Keys count only while the card has the focus, and never while text is typed. */
  #key = (event) => {
    if (event.target.matches(TEXT)) return this.#keyInText(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "Escape") return document.activeElement.blur();
    const target = this.#targetOf(event);
    if (!target || target.disabled) return undefined;
    event.preventDefault();
    return target.click();
  };

  #keyInText(event) {
    if (event.key === "Escape") this.focus({ preventScroll: true });
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const button = [...event.target.form.querySelectorAll("button:not([type=button])")].find((one) => one.offsetParent);
    if (button && !button.disabled) event.target.form.requestSubmit(button);
  }

  /** What Enter on the card itself sends: answers that are complete; it never allows anything. */
  #send() {
    const next = this.querySelector("[data-next]:not([hidden])");
    return next ?? this.querySelector("ct-questions [data-needs-answers]");
  }

  #targetOf(event) {
    if (event.shiftKey && event.key === "Enter") return this.querySelector(".choice.allow-always");
    if (event.key === "Enter" && event.target === this) return this.#send();
    if (event.key === "a") return this.querySelector(".choice.allow-once");
    if (event.key === "d") return this.querySelector(".choice.deny");
    if (!/^[1-9]$/.test(event.key)) return null;
    const rows = [...this.querySelectorAll(".choice[name=option], .pick input[name]:not(.field)")];
    return rows.filter((row) => row.offsetParent)[Number(event.key) - 1] ?? null;
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

function multiOf(form) {
  const boxes = [...form.querySelectorAll("fieldset:has(input[type=checkbox])")];
  return new Set(boxes.map((box) => Number(box.dataset.index)));
}

customElements.define("ct-prompt", Prompt);
