// <ct-login>: logs in with a scanned code without typing, and says when to wait.

import { post, sentence } from "./api.js";
import { complain } from "./toast.js";

class Login extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => this.#submit(event));
    addEventListener("hashchange", () => this.#scanned());
    if (!this.#scanned()) this.#already();
  }

  /** A code in the fragment never reaches a server's log; it is taken out of the address at once. */
  #scanned() {
    const code = new URLSearchParams(location.hash.slice(1)).get("pair");
    if (!code) return false;
    history.replaceState(null, "", location.pathname + location.search);
    this.querySelector("#code").value = code;
    this.#enter({ code }, this.querySelector("button"));
    return true;
  }

  /** A link from another site comes without the cookie, though this page has it. */
  async #already() {
    const response = await fetch("/login", { redirect: "manual" }).catch(() => null);
    if (response?.type === "opaqueredirect") location.replace(this.dataset.next);
  }

  #submit(event) {
    event.preventDefault();
    const { next, ...fields } = Object.fromEntries(new FormData(event.target));
    this.#enter(fields, event.submitter ?? event.target.querySelector("button"));
  }

  async #enter(body, button) {
    if (this.busy) return;
    this.busy = button.disabled = true;
    button.classList.add("is-busy");
    try {
      await post("/api/login", body);
      location.replace(this.dataset.next);
    } catch (error) {
      button.classList.remove("is-busy");
      this.#problem(sentence(error));
      this.#wait(error.status === 429 ? (error.details.retryAfter ?? 60) : 0, button);
    }
  }

  #wait(seconds, button) {
    this.busy = button.disabled = seconds > 0;
    if (seconds > 0) {
      this.#problem(`Too many failed logins. You can try again in ${seconds} s.`);
      setTimeout(() => this.#wait(seconds - 1, button), 1000);
    } else if (button.waited) this.#problem("");
    button.waited = seconds > 0;
  }

  #problem = (text) => complain(this.querySelector("[data-problem]"), text);
}

customElements.define("ct-login", Login);
