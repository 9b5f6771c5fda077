// <ct-fold>: long content, cut to part of a screen until "Show all" is pressed.

class Fold extends HTMLElement {
  connectedCallback() {
    this.querySelector(".fold-more").onclick = () => this.open();
  }

  open() {
    if (!("folded" in this.dataset)) return;
    delete this.dataset.folded;
    this.dispatchEvent(new CustomEvent("clawtap:unfolded", { bubbles: true }));
  }
}

customElements.define("ct-fold", Fold);
