// The title of a session, edited in place: Enter keeps the change, Escape drops it.

import { send } from "./forms.js";
import { catchUp } from "./swap.js";

function edit(holder) {
  if ("editing" in holder.dataset) return;
  const title = holder.querySelector(".row-title");
  const form = document.createElement("form");
  form.className = "rename";
  form.action = `/sessions/${encodeURIComponent(holder.id.replace(/^(session|head)-/, ""))}/rename`;
  form.innerHTML = '<input class="field" name="title" maxlength="200" required aria-label="Title" autocomplete="off" enterkeyhint="done">';
  const field = form.firstElementChild;
  field.value = title.textContent;
  holder.dataset.editing = "";
  (holder.querySelector(".title-line") ?? holder.firstElementChild).before(form);
  field.select();
  field.focus();
  const keep = () => (field.value.trim() && field.value.trim() !== title.textContent ? save() : end(holder, form));
  form.addEventListener("submit", (event) => (event.preventDefault(), keep()));
  field.addEventListener("blur", () => "editing" in holder.dataset && keep());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end(holder, form);
    event.stopPropagation();
  });

  function save() {
    const before = title.textContent;
    const fields = new FormData(form);
    title.textContent = field.value.trim();
    end(holder, form);
    send(form, null, { fields }).then((parts) => parts ?? (title.textContent = before));
  }
}

/** Shows the title again, with changes that came meanwhile. */
function end(holder, form) {
  const focused = form.contains(document.activeElement);
  delete holder.dataset.editing;
  form.remove();
  catchUp(holder);
  if (focused) document.getElementById(holder.id)?.querySelector(".row-link, [data-rename]")?.focus();
}

const holderOf = (part) => part.closest?.(".row[data-list], .session-head");

document.addEventListener("click", ({ target }) => target.closest("[data-rename]") && edit(holderOf(target)));
document.addEventListener("keydown", (event) => {
  if (event.key !== "F2") return;
  const holder = holderOf(event.target) ?? document.querySelector(".session-head[id]");
  if (!holder?.querySelector("[data-rename]")) return;
  event.preventDefault();
  edit(holder);
});
