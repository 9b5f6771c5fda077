// Every form of the page is sent as a browser would send it; the parts that it changed are swapped in.

import { postForm, sentence } from "./api.js";
import { openDialog } from "./dialog.js";
import { parse, put } from "./swap.js";
import { complain, toast } from "./toast.js";

/** Sends a form, once at a time. Returns the parts that it changed, or null when it failed. */
export async function send(form, submitter, { fields = new FormData(form, submitter), show = put, fail = (error) => complain(form.querySelector("[data-problem]"), sentence(error)) } = {}) {
  if (form.sending) return null;
  form.sending = true;
  submitter?.classList.add("is-busy");
  // By its key, the server knows what arrived although the reply was lost.
  form.keys ??= {};
  const key = (form.keys[new URLSearchParams(fields)] ??= Math.random().toString(36).slice(2));
  try {
    const reply = await postForm(form.getAttribute("action"), fields, { "Idempotency-Key": key });
    form.keys = {};
    form.leaves = "leaves" in form.dataset;
    if (form.leaves) leaveFor(new URL(reply.headers.get("Location"), location));
    const parts = [...parse(await reply.text()).children];
    parts.filter((part) => part.matches(".toast")).forEach((part) => toast(part.textContent));
    show(parts);
    return parts;
  } catch (error) {
    fail(error);
    return null;
  } finally {
    form.sending = form.leaves;
    if (!form.leaves) submitter?.classList.remove("is-busy");
  }
}

/** Goes to a page; the one that is shown is loaded again. */
function leaveFor({ href, pathname, search }) {
  if (pathname + search === location.pathname + location.search) location.reload();
  else location.assign(href);
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
  if (form.dataset.confirm && !form.confirmed) {
    event.preventDefault();
    if (!(await confirmed(form.dataset.confirm, submitter.textContent.trim()))) return;
    form.confirmed = true;
    form.requestSubmit(submitter);
    form.confirmed = false;
  } else if ("live" in form.dataset || "leaves" in form.dataset) {
    event.preventDefault();
    const parts = await send(form, submitter ?? form.querySelector("button"));
    // On the document: the parts may have taken the form's place.
    document.dispatchEvent(new CustomEvent(parts ? "clawtap:sent" : "clawtap:refused", { detail: form }));
  }
});

// A page that comes back from the browser's memory must not stay busy.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-leaves]")) {
    form.sending = form.leaves = false;
    form.querySelector(".is-busy")?.classList.remove("is-busy");
  }
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
