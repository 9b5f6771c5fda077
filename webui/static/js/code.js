// <ct-code>: code with buttons to wrap its lines and to copy it.
// <ct-fold>: long content in part of a screen; it counts as seen once it was scrolled to its end or opened.

import { parse } from "./swap.js";
import { toast } from "./toast.js";

const tool = (icon, label, more = "") => `<button type="button" title="${label}" aria-label="${label}" data-tool="${icon}"${more}><svg class="icon" aria-hidden="true"><use href="#i-${icon}"></use></svg></button>`;
const TOOLS = `<div class="tools"><span></span>${tool("wrap", "Wrap lines", ' aria-pressed="true"')}${tool("copy", "Copy")}</div>`;

// Content that is cut by less than this, in pixels, counts as seen.
const NEAR = 8;

class Code extends HTMLElement {
  connectedCallback() {
    if (this.querySelector(".tools")) return;
    this.insertAdjacentHTML("afterbegin", TOOLS);
    this.querySelector(".tools span").dataset.label = this.dataset.label ?? "";
    this.querySelector("[data-tool=wrap]").onclick = ({ currentTarget: wrap }) => wrap.setAttribute("aria-pressed", String(!this.classList.toggle("nowrap")));
    this.querySelector("[data-tool=copy]").onclick = ({ currentTarget: copy }) => this.#copy(copy.querySelector("use"));
  }

  async #copy(use) {
    const code = this.querySelector("pre");
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      return getSelection().selectAllChildren(code);
    }
    use.setAttribute("href", "#i-check");
    return setTimeout(() => use.setAttribute("href", "#i-copy"), 1500);
  }
}

class Fold extends HTMLElement {
  connectedCallback() {
    const content = this.firstElementChild;
    this.onclick = (event) => event.target.closest(".fold-more, .rest a") && (event.preventDefault(), this.open());
    content.tabIndex = 0;
    content.addEventListener("scroll", () => this.#look(content), { passive: true });
    this.observer = new ResizeObserver(() => this.#look(content));
    this.observer.observe(content);
  }

  disconnectedCallback() { this.observer.disconnect(); }

  /** Shows all of it. Of a long change the page has only the first lines: the others come part by part. */
  async open() {
    delete this.dataset.folded;
    for (let rest; (rest = this.querySelector(".rest")); ) {
      const response = await fetch(rest.querySelector("a").href).catch(() => null);
      if (!response?.ok) return toast("The other lines could not be loaded. Try again.");
      rest.replaceWith(parse(await response.text()));
    }
    this.#seen();
  }

  #look(content) {
    const cut = content.scrollHeight - content.clientHeight;
    if (!content.clientHeight || cut - content.scrollTop >= NEAR) return;
    if (cut < NEAR && "folded" in this.dataset) this.dataset.fits = "";
    if (cut < NEAR) this.open();
    else this.#seen();
  }

  #seen() {
    if ("seen" in this.dataset || this.querySelector(".rest")) return;
    this.dataset.seen = "";
    this.dispatchEvent(new CustomEvent("clawtap:seen", { bubbles: true }));
  }
}

customElements.define("ct-code", Code);
customElements.define("ct-fold", Fold);
