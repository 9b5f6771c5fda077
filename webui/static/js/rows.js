// Rows of sessions: swiped on a phone, by buttons and keys elsewhere. What was archived can be put back.

import { send } from "./forms.js";
import { catchUp, put } from "./swap.js";
import { announce } from "./toast.js";

const BEGINS = 12;
const FAR = 96;
const UNDO_FOR = 8000;
const undos = new WeakMap();
let swipe = null;

document.addEventListener("pointerdown", (event) => {
  const row = event.pointerType !== "mouse" && event.isPrimary && event.target.closest(".row[data-list]");
  swipe = row && !event.target.closest(".row-actions, form") ? { row, x: event.clientX, y: event.clientY, by: 0 } : null;
});

document.addEventListener("pointermove", (event) => {
  if (!swipe) return;
  const by = event.clientX - swipe.x;
  if (!swipe.by && Math.abs(event.clientY - swipe.y) > Math.abs(by)) return void (swipe = null);
  if (!swipe.by && Math.abs(by) < BEGINS) return;
  // Without the right to archive, rows swipe one way only.
  if (!toEnd(swipe.row, by) && !swipe.row.querySelector("[data-archive]")) return;
  swipe.by = by;
  show(swipe.row, by);
});

document.addEventListener("pointerup", () => {
  const done = swipe;
  swipe = null;
  if (!done?.by) return;
  // The lifted finger also clicks what it is on.
  addEventListener("click", (event) => event.preventDefault(), { capture: true, once: true });
  setTimeout(() => show(done.row, 0));
  if (Math.abs(done.by) < FAR) return;
  if (toEnd(done.row, done.by)) location.assign(done.row.querySelector(".row-link").href);
  else archive(done.row);
});

document.addEventListener("pointercancel", () => {
  if (swipe) show(swipe.row, 0);
  swipe = null;
});

const toEnd = (row, by) => by > 0 === (getComputedStyle(row).direction === "ltr");

function show(row, by) {
  row.querySelector(".row-link").style.translate = by ? `${by}px` : "";
  row.classList.toggle("is-swiped", by !== 0);
  if (by) row.dataset.swipe = `${toEnd(row, by) ? "open" : "archive"}${Math.abs(by) < FAR ? "" : " far"}`;
  else delete row.dataset.swipe;
  if (!by) catchUp(row);
}

const archive = (row) => row.querySelector("[data-archive]")?.requestSubmit();

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.(".row[data-list]");
  if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  if (event.key === "e") archive(row);
  else if (event.key === "ArrowDown") step(row, "nextElementSibling");
  else if (event.key === "ArrowUp") step(row, "previousElementSibling");
  else return;
  event.preventDefault();
});

function step(row, way) {
  let next = row[way];
  while (next?.matches("[hidden], .undo")) next = next[way];
  next?.querySelector(".row-link").focus();
}

// In the place of a row that was archived, for a while: a way back that covers nothing.
document.addEventListener("submit", ({ target: form }) => {
  const row = "archive" in form.dataset && !form.elements.undo && form.closest(".row");
  if (!row) return;
  const undo = document.createElement("li");
  undo.className = "undo";
  undo.hidden = true;
  undo.innerHTML = '<span>Archived</span><button class="link-button" type="button">Undo</button>';
  const back = form.cloneNode();
  back.append(Object.assign(document.createElement("input"), { type: "hidden", name: "undo", value: "1" }));
  undo.lastElementChild.onclick = async () => {
    if (await send(back, null)) gone(undo);
    document.getElementById(row.id)?.querySelector(".row-link").focus();
  };
  row.after(undo);
  undos.set(form, undo);
});

document.addEventListener("clawtap:sent", ({ detail: form }) => {
  const undo = undos.get(form);
  if (!undo) return;
  undo.hidden = false;
  announce("Archived");
  if ([document.body, document.getElementById("main")].includes(document.activeElement)) undo.lastElementChild.focus();
  setTimeout(() => undo.contains(document.activeElement) || gone(undo), UNDO_FOR);
});

document.addEventListener("clawtap:refused", ({ detail: form }) => undos.get(form)?.remove());

function gone(undo) {
  undo.remove();
  put([]);
}
