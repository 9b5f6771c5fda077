// Plain forms, made a little kinder: busy buttons, questions before what cannot be undone.

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.dataset.confirm && !form.confirmed) {
    event.preventDefault();
    if (await confirmed(form.dataset.confirm, event.submitter)) {
      form.confirmed = true;
      form.requestSubmit(event.submitter);
    }
    return;
  }
  if (!("busy" in form.dataset)) return;
  if (form.sent) event.preventDefault();
  form.sent = true;
  event.submitter?.classList.add("is-busy");
});

// A page that comes back from the browser's memory must not stay busy.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-busy]")) form.sent = form.confirmed = false;
  for (const button of document.querySelectorAll("form[data-busy] .is-busy")) button.classList.remove("is-busy");
});

document.addEventListener("change", (event) => {
  if (event.target.form?.matches("[data-filter]")) event.target.form.requestSubmit();
});

document.addEventListener("click", (event) => {
  const filler = event.target.closest("[data-fill]");
  if (filler) document.getElementById(filler.dataset.fill).value = filler.dataset.value;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) && !event.target.closest("dialog")) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

function confirmed(question, submitter) {
  const dialog = document.createElement("dialog");
  dialog.className = "confirm";
  dialog.innerHTML = '<form method="dialog"><p></p><button class="choice deny" value="yes"></button><button class="choice other" value="no" autofocus>Cancel</button></form>';
  dialog.querySelector("p").textContent = question;
  dialog.querySelector("[value=yes]").textContent = submitter.textContent.trim();
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

/** The form of a new session shows only what belongs to the CLI that is chosen. */
class NewSession extends HTMLElement {
  connectedCallback() {
    this.querySelectorAll("[data-recents]").forEach((recents) => (recents.hidden = false));
    this.addEventListener("change", () => this.#show());
    this.#show();
  }

  #show() {
    const chosen = this.querySelector("[name=adapter]:checked")?.value;
    for (const part of this.querySelectorAll("[data-for-adapter]")) {
      part.hidden = part.dataset.forAdapter !== chosen;
    }
  }
}

customElements.define("ct-new-session", NewSession);
