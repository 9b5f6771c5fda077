// <ct-actor>: who did something; this device is "you".

const me = document.querySelector('meta[name="clawtap-device"]')?.content;

class Actor extends HTMLElement {
  connectedCallback() {
    if (me && this.dataset.device === me) this.textContent = this.dataset.you;
  }
}

customElements.define("ct-actor", Actor);
