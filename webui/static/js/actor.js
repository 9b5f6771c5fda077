// <ct-actor>: who did something; this device is "you".

class Actor extends HTMLElement {
  connectedCallback() {
    if (this.dataset.device === document.querySelector('meta[name="clawtap-device"]')?.content) this.textContent = this.dataset.you;
  }
}

customElements.define("ct-actor", Actor);
