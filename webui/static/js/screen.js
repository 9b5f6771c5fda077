// <ct-screen>: the terminal as it is now. <ct-keys>: keys for it, if it still is what was seen.

import { postForm, sentence } from "./api.js";
import { look, seen, watch } from "./screen_stream.js";
import { complain } from "./toast.js";

const FIT = "clawtap-fit";

class Screen extends HTMLElement {
  #stop;

  connectedCallback() {
    const terminal = this.querySelector("pre.terminal");
    if (!terminal) return;
    this.dataset.live = "";
    this.#tools();
    this.#fit(localStorage.getItem(FIT) ?? String(matchMedia("(min-width: 60rem)").matches));
    this.style.setProperty("--cols", terminal.dataset.cols);
    terminal.scrollTop = terminal.scrollHeight;
    if (new URLSearchParams(location.search).has("screen")) this.#keys(true);
    this.#stop = watch(this.dataset.session, (screen) => paint(terminal, screen, this));
  }

  disconnectedCallback() {
    this.#stop?.();
  }

  #tools() {
    const fit = this.querySelector("[data-fit]");
    const keys = this.querySelector("[data-keys]");
    fit.hidden = keys.hidden = false;
    fit.addEventListener("click", () => this.#fit(String(!("fitted" in this.dataset))));
    keys.addEventListener("click", () => this.#keys(!("showKeys" in this.dataset)));
  }

  #fit(wanted) {
    localStorage.setItem(FIT, wanted);
    this.toggleAttribute("data-fitted", wanted === "true");
    this.querySelector("[data-fit]").setAttribute("aria-pressed", wanted);
  }

  #keys(wanted) {
    this.toggleAttribute("data-show-keys", wanted);
    this.querySelector("[data-keys]").setAttribute("aria-pressed", String(wanted));
  }
}

/** Shows a screen; who looks at its end goes on doing so. The server has escaped `html`. */
function paint(terminal, screen, root) {
  const atEnd = terminal.scrollHeight - terminal.scrollTop - terminal.clientHeight < 24;
  terminal.innerHTML = screen.html.trimEnd();
  root?.style.setProperty("--cols", screen.cols);
  const title = root?.querySelector("[data-screen-title]");
  if (title) title.textContent = screen.title?.trim() || "Terminal";
  if (atEnd) terminal.scrollTop = terminal.scrollHeight;
}

class Keys extends HTMLElement {
  #stop;
  #revision = null;

  connectedCallback() {
    this.addEventListener("click", this.#press);
    this.addEventListener("submit", this.#submit);
    const shown = this.closest("ct-prompt")?.querySelector(".screenshot pre");
    this.#stop = watch(this.dataset.session, (screen) => {
      this.#revision = screen.revision;
      if (shown) {
        shown.classList.add("terminal");
        paint(shown, screen, null);
      }
    });
  }

  disconnectedCallback() {
    this.#stop?.();
  }

  #press = (event) => {
    const key = event.target.closest(".key");
    if (!key) return;
    event.preventDefault();
    this.#send("key", key.value, key);
  };

  #submit = async (event) => {
    event.preventDefault();
    const field = event.target.elements.text;
    if (field && (await this.#send("text", field.value, event.submitter))) field.value = "";
  };

  async #send(name, value, button) {
    if (this.#revision === null || this.hasAttribute("aria-busy")) return false;
    this.#busy(button, true);
    try {
      const fields = new FormData();
      fields.set(name, value);
      fields.set("screenRev", this.#revision);
      const reply = await postForm(`/sessions/${this.dataset.session}/keys`, fields);
      seen(this.dataset.session, await reply.json());
      this.#problem("");
      return true;
    } catch (error) {
      this.#problem(sentence(error));
      if (error.status === 409) await look(this.dataset.session).catch(() => {});
      return false;
    } finally {
      this.#busy(button, false);
    }
  }

  #busy(button, busy) {
    this.toggleAttribute("aria-busy", busy);
    button?.classList.toggle("is-busy", busy);
  }

  #problem(text) {
    const scope = this.querySelector("[data-problem]") ? this : this.closest("ct-prompt");
    complain(scope?.querySelector("[data-problem]"), text);
  }
}

customElements.define("ct-screen", Screen);
customElements.define("ct-keys", Keys);
