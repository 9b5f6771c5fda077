// <ct-screen>: the terminal as it is now. <ct-keys>: keys for it, sent if the screen has not changed.

import { postForm, sentence } from "./api.js";
import { look, seen, watchInSight } from "./screen_stream.js";
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
    // A reader at its end stays at the end, also when the keys or the phone's keyboard take its place.
    let atEnd = true;
    const stay = () => atEnd && (terminal.scrollTop = terminal.scrollHeight);
    terminal.addEventListener("scroll", () => (atEnd = terminal.scrollHeight - terminal.scrollTop - terminal.clientHeight < 24), { passive: true });
    new ResizeObserver(stay).observe(terminal);
    if (new URLSearchParams(location.search).has("screen")) this.#keys(true);
    this.#stop = watchInSight(this, this.dataset.session, (screen) => {
      draw(terminal, screen);
      this.style.setProperty("--cols", screen.cols);
      this.querySelector("[data-screen-title]").textContent = screen.title?.trim() || "Terminal";
      stay();
    });
  }

  disconnectedCallback() { this.#stop?.(); }

  #tools() {
    const fit = () => this.#fit(String(!("fitted" in this.dataset)));
    const keys = () => this.#keys(!("showKeys" in this.dataset));
    for (const tool of this.querySelectorAll("[data-fit], [data-keys]")) Object.assign(tool, { hidden: false, onclick: "fit" in tool.dataset ? fit : keys });
  }

  #fit(wanted) {
    localStorage.setItem(FIT, wanted);
    this.toggleAttribute("data-fitted", wanted === "true");
    this.querySelector("[data-fit]").setAttribute("aria-pressed", wanted);
  }

  #keys(wanted) {
    this.toggleAttribute("data-show-keys", wanted);
    this.querySelector("[data-keys]")?.setAttribute("aria-pressed", String(wanted));
  }
}

/** Draws the rows, which the server has escaped, and the cursor where it is known. */
function draw(terminal, { html, cursor, cursorVisible }) {
  terminal.innerHTML = html.trimEnd() + (cursor && cursorVisible !== false ? '<i class="cursor"></i>' : "");
  if (cursor) ["--column", "--row"].forEach((name, at) => terminal.style.setProperty(name, cursor[at]));
}

/** Shows the last lines of a screen, or those around the cursor where it is above them. */
function follow(shown, screen) {
  shown.classList.add("terminal");
  draw(shown, screen);
  const rows = shown.textContent.split("\n");
  const line = shown.scrollHeight / rows.length;
  const last = rows.findLastIndex((row) => row.trim()) + 1;
  const cursor = screen.cursorVisible === false ? last : (screen.cursor?.[1] ?? last);
  shown.scrollTop = Math.min(last * line - shown.clientHeight + line, Math.max(0, cursor - 3) * line);
}

class Keys extends HTMLElement {
  #stop;
  #revision = null;

  connectedCallback() {
    this.addEventListener("submit", this.#submit);
    const card = this.closest("ct-prompt");
    const shown = card?.querySelector(".screenshot pre");
    this.#stop = watchInSight(card ?? this, this.dataset.session, (screen) => {
      this.#revision = screen.revision;
      if (shown) follow(shown, screen);
    });
  }

  disconnectedCallback() { this.#stop?.(); }

  #submit = async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const { target: form, submitter } = event;
    if (this.#revision === null || this.hasAttribute("aria-busy")) return;
    const fields = new FormData(form, submitter);
    fields.set("screenRev", this.#revision);
    this.toggleAttribute("aria-busy", true);
    submitter?.classList.add("is-busy");
    try {
      seen(this.dataset.session, await (await postForm(form.getAttribute("action"), fields)).json());
      this.#problem("");
      form.reset();
    } catch (error) {
      this.#problem(sentence(error));
      if (error.status === 409) await look(this.dataset.session).catch(() => {});
    }
    this.toggleAttribute("aria-busy", false);
    submitter?.classList.remove("is-busy");
  };

  #problem(text) {
    const scope = this.querySelector("[data-problem]") ? this : this.closest("ct-prompt");
    complain(scope?.querySelector("[data-problem]"), text);
  }
}

customElements.define("ct-screen", Screen);
customElements.define("ct-keys", Keys);
