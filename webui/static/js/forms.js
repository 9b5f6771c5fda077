// Every form of the page is sent as a browser would send it; the parts that it changed are swapped in.

import { postForm, sentence } from "./api.js";
import { openDialog } from "./dialog.js";
import { parse, put } from "./swap.js";
import { toast } from "./toast.js";

/** Sends a form, once at a time. Returns the parts that it changed, or null when it failed. */
export async function send(form, submitter, { fields = new FormData(form, submitter), show = put, fail = (error) => toast(sentence(error)) } = {}) {
  if (form.sending) return null;
  form.sending = true;
  submitter?.classList.add("is-busy");
  try {
    const reply = await postForm(form.getAttribute("action"), fields);
    const parts = [...parse(await reply.text()).children];
    parts.filter((part) => part.matches(".toast")).forEach((part) => toast(part.textContent));
    show(parts);
    return parts;
  } catch (error) {
    fail(error);
    return null;
  } finally {
    form.sending = false;
    submitter?.classList.remove("is-busy");
  }
}

/** Asks before what cannot be undone; resolves to true when the answer is yes. */
export function confirmed(question, answer, content = "") {
  const dialog = openDialog("confirm", question, '<form method="dialog"><p></p><div class="confirm-list"></div><button class="choice deny" value="yes"></button><button class="choice other" value="no" autofocus>Cancel</button></form>');
  dialog.querySelector("p").textContent = question;
  dialog.querySelector(".confirm-list").append(...content);
  const yes = dialog.querySelector("[value=yes]");
  yes.textContent = answer;
  if (content) yes.className = "choice allow-once";
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes")));
}

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented) return;
  if ("live" in form.dataset) {
    event.preventDefault();
    const parts = await send(form, submitter ?? form.querySelector("button"));
    // On the document: the parts may have taken the form's place.
    document.dispatchEvent(new CustomEvent(parts ? "clawtap:sent" : "clawtap:refused", { detail: form }));
  } else if (form.dataset.confirm && !form.confirmed) {
    event.preventDefault();
    if (!(await confirmed(form.dataset.confirm, submitter.textContent.trim()))) return;
    form.confirmed = true;
    form.requestSubmit(submitter);
  } else if ("busy" in form.dataset) {
    if (form.sending) event.preventDefault();
    form.sending = true;
    submitter?.classList.add("is-busy");
  }
});

// A page that comes back from the browser's memory must not stay busy.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-busy]")) form.sending = form.confirmed = false;
  for (const button of document.querySelectorAll("form[data-busy] .is-busy")) button.classList.remove("is-busy");
});

document.addEventListener("change", ({ target }) => target.value && target.form?.matches("[data-filter], [data-live]") && target.form.requestSubmit());

document.addEventListener("click", (event) => {
  const filler = event.target.closest("[data-fill]");
  if (filler) document.getElementById(filler.dataset.fill).value = filler.dataset.value;
  for (const menu of document.querySelectorAll("details:is(.menu, .filter)[open]")) {
    const leaves = !menu.contains(event.target) || event.target.closest("[data-palette]");
    if (leaves && !event.target.closest("dialog")) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  // A dialog that closes gives the focus back to the button that opened it, in the menu.
  const menu = event.key === "Escape" && !event.target.closest("dialog") && document.querySelector("details:is(.menu, .filter)[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

/** The form of a new session shows only what belongs to the CLI that is chosen. */
class NewSession extends HTMLElement {
  connectedCallback() {
    this.querySelectorAll("[data-recents]").forEach((recents) => (recents.hidden = false));
    this.addEventListener("change", () => this.#show());
    this.addEventListener("submit", () => sessionStorage.removeItem(this.id));
    this.#show();
  }

  #show() {
    const chosen = this.querySelector("[name=adapter]:checked")?.value;
    for (const part of this.querySelectorAll("[data-for-adapter]")) part.hidden = part.dataset.forAdapter !== chosen;
  }
}

customElements.define("ct-new-session", NewSession);
