// <ct-screen>: the terminal as it is now. <ct-keys>: keys for it, sent if the screen has not changed.

import { sentence } from "./api.js";
import { send } from "./forms.js";
import { look, watchInSight } from "./screen_stream.js";
import { recall, remember } from "./storage.js";
import { complain } from "./toast.js";

const FIT = "clawtap-fit";
// A program that hides the cursor marks the chosen row itself, by a sign or a bright ground.
const MARKED = /^[\s│┃║|]*[❯›▸▶➤>]\s*\S/;
const isBright = (colour) => colour.match(/\d+/g).reduce((sum, part) => sum + Number(part), 0) > 450;

class Screen extends HTMLElement {
  #stop;

  connectedCallback() {
    const terminal = this.querySelector("pre.terminal");
    if (!terminal) return;
    this.dataset.live = "";
    const [fit, keys] = [this.querySelector("[data-fit]"), this.querySelector("[data-keys]")];
    const fits = recall(FIT) ?? String(matchMedia("(min-width: 60rem)").matches);
    this.#offer(fit, "data-fitted", fits === "true", () => remember(FIT, String("fitted" in this.dataset)));
    if (keys) this.#offer(keys, "data-show-keys", new URLSearchParams(location.search).has("screen"));
    this.style.setProperty("--cols", terminal.dataset.cols);
    // A reader at its end stays there whatever takes its place; one who scrolled up is left, also before the late event.
    let [atEnd, end] = [true, 0];
    const noticeScroll = () => {
      const below = terminal.scrollHeight - terminal.scrollTop - terminal.clientHeight;
      atEnd = below < 24 || (atEnd && terminal.scrollTop >= end);
    };
    const stay = () => {
      if (!atEnd) return;
      terminal.scrollTop = terminal.scrollHeight;
      end = terminal.scrollTop;
    };
    terminal.addEventListener("scroll", noticeScroll, { passive: true });
    new ResizeObserver(() => (noticeScroll(), stay())).observe(terminal);
    this.#stop = watchInSight(this, this.dataset.session, (screen) => {
      noticeScroll();
      draw(terminal, screen);
      this.style.setProperty("--cols", screen.cols);
      this.querySelector("[data-screen-title]").textContent = screen.title?.trim() || "Terminal";
      stay();
    });
  }

  disconnectedCallback() { this.#stop?.(); }

  /** Lets a button turn an attribute on and off. */
  #offer(tool, attribute, on, keep = () => {}) {
    const turn = (wanted) => tool.setAttribute("aria-pressed", this.toggleAttribute(attribute, wanted));
    Object.assign(tool, { hidden: false, onclick: () => (turn(), keep()) });
    turn(on);
  }
}

/** Draws the rows, which the server has escaped, and the cursor where it is known. */
function draw(terminal, { html, cursor, cursorVisible }) {
  terminal.innerHTML = html.trimEnd() + (cursor && cursorVisible !== false ? '<i class="cursor"></i>' : "");
  if (cursor) ["--column", "--row"].forEach((name, at) => terminal.style.setProperty(name, cursor[at]));
}

/** Shows the last lines of a screen, or those around the cursor or the chosen row where it is above them. */
function follow(shown, screen) {
  shown.classList.add("terminal");
  draw(shown, screen);
  const rows = shown.textContent.split("\n");
  const line = shown.scrollHeight / rows.length;
  const last = rows.findLastIndex((row) => row.trim()) + 1;
  const marked = rows.findLastIndex((row) => MARKED.test(row));
  const lit = [...shown.querySelectorAll("span")].findLast((part) => isBright(getComputedStyle(part).backgroundColor));
  const chosen = marked >= 0 ? marked : lit ? lit.offsetTop / line - 5 : last;
  const row = screen.cursor && screen.cursorVisible !== false ? screen.cursor[1] : chosen;
  shown.scrollTop = Math.min(last * line - shown.clientHeight + line, Math.max(0, row - 3) * line);
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

  #submit = (event) => {
    event.preventDefault();
    event.stopPropagation();
    const { target: form, submitter } = event;
    if (this.#revision === null) return;
    const fields = new FormData(form, submitter);
    fields.set("screenRev", this.#revision);
    const [show, fail] = [() => (this.#problem(""), form.reset()), (error) => this.#problem(sentence(error))];
    send(form, submitter, { fields, show, fail }).then(() => look(this.dataset.session).catch(() => {}));
  };

  #problem(text) {
    complain(this.querySelector("[data-problem]") ?? this.closest("ct-prompt")?.querySelector("[data-problem]"), text);
  }
}

customElements.define("ct-screen", Screen);
customElements.define("ct-keys", Keys);
