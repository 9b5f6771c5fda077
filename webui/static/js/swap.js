// Puts the server's HTML in place of what the page shows, by id; keeps focus, drafts and order.

import { capture, keepText, restore } from "./drafts.js";
import { TAB, remember } from "./storage.js";
import { guard, guardOthers } from "./tap_guard.js";
import { announce } from "./toast.js";

const OPEN = new Set(["pending", "answering"]);
const READ_FOR = 2500;

/** Shows an event. A snapshot is complete: what it lacks is gone. Text that is being written belongs to the session. */
export function swap(type, data) {
  if (type === "text_delta" || type === "thinking") return undefined;
  if (type === "session_removed") document.getElementById(`session-${data.sessionId}`)?.remove();
  if (type === "message_sent") document.getElementById(`feed-${data.sessionId}-${data.messageId}`)?.removeAttribute("hidden");
  if (type === "messages_removed") forget(data);
  if (!data.html) return refreshEmpty();
  const parts = [...parse(data.html).children].filter((part) => part.id);
  if (type === "snapshot") prune(new Set(parts.map((part) => part.id)));
  return put(parts);
}

/** Removes the messages that a rewind removed. */
function forget({ sessionId, messageIds, toolCallIds }) {
  const names = new Set([...messageIds, ...toolCallIds.map((id) => `t-${id}`)].map((id) => `feed-${sessionId}-${id}`));
  for (const item of document.querySelectorAll(".feed-item")) if (names.has(item.id) || names.has(item.id.replace(/-\d+$/, ""))) item.remove();
}

/** The elements of a piece of the server's HTML. */
export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return document.importNode(template.content, true);
}

/** Puts elements where they belong: into the places of those of their ids, or in their order. */
export function put(parts) {
  for (const part of parts) {
    const old = document.getElementById(part.id);
    if (old) replace(old, part);
    else insert(part);
  }
  refreshEmpty();
}

/** Shows what came while an element was held by a finger, a field or an answer. */
export const catchUp = (held) => held.missed && held.isConnected && put([held.missed]);

/** Puts an element in the place of the one with its id, unless they are equal; for one that is held it waits. */
function replace(old, part) {
  const opens = OPEN.has(part.dataset.state);
  if ((old.busy && opens) || "editing" in old.dataset || "swipe" in old.dataset) return void (old.missed = part);
  if (old.isEqualNode(part)) return;
  if (old.matches(".row") && old.dataset.list !== part.dataset.list) return move(old, part);
  // The reply to an answer may overtake the stream: what ended does not open again.
  if (opens && old.localName === "ct-prompt" && !OPEN.has(old.dataset.state)) return;
  const ends = OPEN.has(old.dataset.state) && !opens;
  const focused = old.contains(document.activeElement);
  const draft = ends ? null : capture(old);
  if (ends && !old.tried) keepText(old, part);
  const moved = old.dataset.rank !== part.dataset.rank || old.dataset.order !== part.dataset.order;
  old.replaceWith(part);
  if (draft) restore(part, draft);
  if (opens && old.classList.contains("is-guarded")) guard(part);
  if (ends) focused ? part.focus({ preventScroll: true }) : announce(part.querySelector(".outcome-line").textContent);
  if (ends) settle(part);
  else if (moved && part.matches(".row")) part.parentElement.insertBefore(part, following(part.parentElement, part));
}

/** A session was archived or came back: its row leaves one list, and joins the other where it is shown. */
function move(old, part) {
  const next = old.nextElementSibling ?? old.previousElementSibling;
  const focused = old.contains(document.activeElement);
  old.remove();
  insert(part);
  if (focused) (next?.querySelector(".row-link") ?? document.getElementById("main")).focus();
}

function insert(part) {
  const ended = part.localName === "ct-prompt" && !OPEN.has(part.dataset.state);
  const list = document.querySelector(`[data-into="${ended ? "feed" : part.dataset.list}"]`);
  const only = document.querySelector("ct-session")?.dataset.session;
  if (!list || (only && !part.matches(".row") && part.dataset.session !== only)) return;
  part.classList.add("is-new");
  list.insertBefore(part, following(list, part));
  if (part.localName === "ct-prompt" && !ended) {
    guard(part);
    guardOthers(part);
    part.dispatchEvent(new CustomEvent("clawtap:arrived", { bubbles: true }));
  }
  if (part.matches(".feed-item.user:not([data-queued])")) removeQueued(list, part);
}

/** The first child after `part`: sessions by rank, then newest; the rest oldest first, prompts by session. */
function following(list, part) {
  const same = [...list.children].filter((other) => other.dataset.session === part.dataset.session && other !== part);
  if (list.dataset.into === "prompts" && same.length) return same.at(-1).nextElementSibling;
  return [...list.children].find((other) => other !== part && before(part, other)) ?? null;
}

function before(one, other) {
  if (one.dataset.rank !== other.dataset.rank) return Number(one.dataset.rank) < Number(other.dataset.rank);
  const newest = one.matches(".row");
  return newest ? one.dataset.order > other.dataset.order : one.dataset.order < other.dataset.order;
}

/** A card became an outcome: the cards below moved up, and it makes room after a while. */
function settle(outcome) {
  remember(outcome.id, "", TAB);
  guardOthers(outcome);
  const list = outcome.parentElement;
  const feed = document.querySelector(`[data-into="${list.dataset.endedInto}"]`);
  // By its id: the reply to the form and the stream both bring it, and the later takes its place.
  if (feed) setTimeout(() => retire(document.getElementById(outcome.id), feed), READ_FOR);
}

function retire(outcome, feed) {
  if (!outcome || outcome.parentElement === feed) return;
  const focused = outcome.contains(document.activeElement);
  if (feed.dataset.most) feed.prepend(outcome);
  else feed.insertBefore(outcome, following(feed, outcome));
  [...feed.children].slice(Number(feed.dataset.most ?? Infinity)).forEach((card) => card.remove());
  refreshEmpty();
  guardOthers(outcome);
  if (focused) outcome.focus({ preventScroll: true });
}

function prune(known) {
  const lists = document.querySelectorAll('[data-into="prompts"], [data-into="sessions"], [data-into="archived"]');
  for (const child of [...lists].flatMap((list) => [...list.children])) {
    const outcome = child.localName === "ct-prompt" && !OPEN.has(child.dataset.state);
    if (!outcome && !known.has(child.id)) child.remove();
  }
}

/** Removes the placeholder of a message that the CLI has reported. */
function removeQueued(list, message) {
  const same = (item) => item !== message && item.textContent.trim() === message.textContent.trim();
  [...list.querySelectorAll(".feed-item[data-queued]")].find(same)?.remove();
}

function refreshEmpty() {
  for (const list of document.querySelectorAll("[data-into]")) {
    const name = list.dataset.into;
    const empty = list.children.length === 0;
    document.querySelectorAll(`[data-when-empty="${name}"]`).forEach((part) => (part.hidden = !empty));
    document.querySelectorAll(`[data-unless-empty="${name}"]`).forEach((part) => (part.hidden = empty));
  }
}
