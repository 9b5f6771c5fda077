// The inbox: a way to the cards that are out of sight, and one decision for several of one tool.

import { confirmed, send } from "./forms.js";
import { paced } from "./grow.js";

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
  pending().forEach((card) => observer.observe(card));
  offerTogether();
  point();
  tellApart(pending().flatMap((card) => card.querySelector(".card-session") ?? []));
  listSessions();
}

/** Sessions of one name show their folders as well, where these differ. */
function tellApart(links) {
  const folders = new Map();
  for (const { textContent, lastElementChild: name } of links) folders.set(textContent, new Set(folders.get(textContent)).add(name.dataset.folder));
  for (const link of links) link.toggleAttribute("data-double", folders.get(link.textContent).size > 1);
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

const toolOf = (card) => `${card.dataset.session} ${card.dataset.batch}`;

/** The permissions of one tool in one session; one that is risky or was not read to its end is alone. */
function byTool() {
  const groups = new Map();
  for (const card of pending()) {
    const live = card.dataset.batch && card.querySelector(".choice.allow-once:not(:disabled)") && !card.querySelector(".risks");
    if (live) groups.set(toolOf(card), [...(groups.get(toolOf(card)) ?? []), card]);
  }
  return groups;
}

function offerTogether() {
  const groups = byTool();
  for (const card of pending()) {
    const button = card.querySelector("[data-together]");
    const cards = groups.get(toolOf(card)) ?? [];
    if (!button) continue;
    button.hidden = cards.length < 2 || cards[0] !== card;
    button.querySelector("span").textContent = `Allow these ${cards.length} once…`;
    button.onclick = () => decide(button.form, byTool().get(toolOf(card)) ?? []);
  }
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
  const refreshSoon = paced(refresh);
  document.addEventListener("clawtap:event", ({ detail }) => detail.data.html && refreshSoon());
  document.addEventListener("clawtap:seen", refresh);
}
