// <ct-code>: code with buttons to wrap its lines and to copy it.
// <ct-fold>: long content, cut to part of a screen until "Show all" is pressed.

class Code extends HTMLElement {
  connectedCallback() {
    if (this.querySelector(".tools")) return;
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(iconButton("wrap", "Wrap lines", (wrap) => wrap.setAttribute("aria-pressed", String(!this.classList.toggle("nowrap")))), iconButton("copy", "Copy", (copy) => this.#copy(copy)));
    tools.firstChild.setAttribute("aria-pressed", "true");
    tools.prepend(Object.assign(document.createElement("span"), { textContent: this.dataset.label ?? "" }));
    this.prepend(tools);
  }

  async #copy(control) {
    const text = this.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(this.querySelector("pre"));
      return;
    }
    const use = control.querySelector("use");
    use.setAttribute("href", "#i-check");
    setTimeout(() => use.setAttribute("href", "#i-copy"), 1500);
  }
}

function iconButton(icon, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.innerHTML = `<svg class="icon" aria-hidden="true"><use href="#i-${icon}"></use></svg>`;
  made.addEventListener("click", () => act(made));
  return made;
}

class Fold extends HTMLElement {
  connectedCallback() {
    this.querySelector(".fold-more").onclick = () => this.open();
  }

  open() {
    delete this.dataset.folded;
    this.dispatchEvent(new CustomEvent("clawtap:unfolded", { bubbles: true }));
  }
}

customElements.define("ct-code", Code);
customElements.define("ct-fold", Fold);
