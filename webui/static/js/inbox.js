// The inbox: a way to the cards that are out of sight, and one decision for several of one tool.

import { confirmed, send } from "./forms.js";

const pill = document.querySelector("body.page-home [data-pill]");
const jumps = document.querySelector("[data-jumps]");
const visible = new Set();
const pending = () => [...document.querySelectorAll("ct-prompt[data-state=pending]")];

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) visible[isIntersecting ? "add" : "delete"](target);
  point();
});

function point() {
  const waiting = pending();
  pill.hidden = !waiting.length || waiting.some((card) => visible.has(card));
  pill.querySelector("span").textContent = waiting.length === 1 ? "1 needs you" : `${waiting.length} need you`;
}

function refresh() {
  visible.clear();
  observer.disconnect();
  pending().forEach((card) => (observer.observe(card), offerTogether(card)));
  point();
  tellApart(pending().flatMap((card) => card.querySelector(".card-session") ?? []));
  listSessions();
}

/** Sessions of one name show their folders as well, where these differ. */
function tellApart(links) {
  const folder = (link) => link.lastElementChild.dataset.folder;
  for (const link of links) link.toggleAttribute("data-double", links.some((other) => other.textContent === link.textContent && folder(other) !== folder(link)));
}

/** One link for each session that waits, where there are several. */
function listSessions() {
  const bySession = Map.groupBy ? Map.groupBy(pending(), (card) => card.dataset.session) : new Map();
  jumps.hidden = bySession.size < 2;
  jumps.replaceChildren(...[...bySession.values()].map((cards) => {
    const names = [...cards[0].querySelectorAll(".card-session > :is(.machine, :last-child)")].map((part) => part.textContent.trim());
    names.unshift(...[...cards[0].querySelectorAll("[data-double] [data-folder]")].map((part) => part.dataset.folder));
    const link = Object.assign(document.createElement("a"), { href: `#${cards[0].id}`, title: names.join(" · ") || "Session" });
    link.append(Object.assign(document.createElement("span"), { textContent: link.title }));
    if (cards.length > 1) link.append(" ", Object.assign(document.createElement("span"), { className: "badge", textContent: cards.length }));
    return link;
  }));
}

/** Groups the permissions of one tool in one session; one that is risky or was not read to its end is alone. */
function alike(card) {
  const live = (other) => other.querySelector(".choice.allow-once:not(:disabled)") && !other.querySelector(".risks");
  const same = (other) => other.dataset.batch && other.dataset.batch === card.dataset.batch && other.dataset.session === card.dataset.session;
  return pending().filter((other) => same(other) && live(other));
}

function offerTogether(card) {
  const button = card.querySelector("[data-together]");
  const cards = alike(card);
  if (!button) return;
  button.hidden = cards.length < 2 || cards[0] !== card;
  button.querySelector("span").textContent = `Allow these ${cards.length} once…`;
  button.onclick = () => decide(button.form, alike(card));
}

async function decide(form, cards) {
  const list = document.createElement("ol");
  list.append(...cards.map((card) => {
    const item = document.createElement("li");
    item.append(...[...card.querySelectorAll(".card-title, .card-body")].map((part) => part.cloneNode(true)));
    return item;
  }));
  if (!(await confirmed(`Allow all ${cards.length}?`, `Allow ${cards.length} once`, [list]))) return;
  const fields = new FormData(form);
  for (const card of cards) fields.append("requestId", card.dataset.request);
  send(form, null, { fields });
}

if (pill) {
  refresh();
  document.addEventListener("clawtap:event", ({ detail }) => detail.data.html && refresh());
  document.addEventListener("clawtap:seen", refresh);
}
