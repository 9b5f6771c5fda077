// Nobody answers by accident: what has just moved under a finger takes no tap for a moment.

import { toast } from "./toast.js";

const MOMENT = 450;
// A smaller move puts no button in another's place.
const NEAR = 8;
// By the list's id, which a browser looks up without walking through a long conversation.
const OPEN = "#prompts > ct-prompt:is([data-state=pending], [data-state=answering])";
// What the style sheet lets no tap reach while a card is guarded.
const TAPPED = ".choice, .key, .pick, [data-again]";
const timers = new WeakMap();
// Where the buttons of open cards are, where they were before they moved, and the card touched last.
let buttonsAt = new Map();
let movedFrom = new Map();
let touched = { card: "", at: -MOMENT };
let checkPending = false;

/** Takes no tap on this card's buttons for a moment. */
export function guard(card, milliseconds = MOMENT) {
  card.classList.add("is-guarded");
  clearTimeout(timers.get(card));
  timers.set(card, setTimeout(() => card.classList.remove("is-guarded"), milliseconds));
}

/** Guards every open card of the page but this one, since it moved the others. */
export function guardOthers(card) {
  document.querySelectorAll(OPEN).forEach((other) => other !== card && guard(other));
}

/** Guards the cards whose buttons moved, for example because their text became longer. */
function checkMoves({ guards = true } = {}) {
  const now = new Map();
  for (const card of document.querySelectorAll(OPEN)) {
    const places = [...card.querySelectorAll(".choice, .pick")].map((button) => button.getBoundingClientRect());
    const before = buttonsAt.get(card.id);
    now.set(card.id, places);
    const moved = before?.some((place, at) => !places[at] || Math.hypot(places[at].x - place.x, places[at].y - place.y) > NEAR);
    if (!guards || !moved || (touched.card === card.id && performance.now() - touched.at < MOMENT)) continue;
    movedFrom.set(card.id, before);
    guard(card);
  }
  buttonsAt = now;
}

function checkSoon() {
  // Without open cards, a page that only grows needs no frame for this.
  if (!buttonsAt.size && !document.querySelector(OPEN)) return;
  if (!checkPending) requestAnimationFrame(() => ((checkPending = false), checkMoves()));
  checkPending = true;
}

const CHANGES = { subtree: true, childList: true, characterData: true, attributeFilter: ["class", "hidden", "style", "open"] };
new MutationObserver(checkSoon).observe(document.documentElement, CHANGES);
// Scrolling moves cards on purpose; what an animation moves was guarded when it began.
for (const type of ["scroll", "animationend", "transitionend"]) document.addEventListener(type, () => checkMoves({ guards: false }), { capture: true, passive: true });

// A tap that does not count is reported, so that nobody waits for an answer that was never sent.
const report = (change) => toast(`The prompt ${change} just then, so nothing was sent. Tap again.`);
let pressed = null;
let pressedBy = "";
let pressedAt = { x: 0, y: 0 };
let finger = "";

/** Identifies what a tap would do: a button drawn again with the same words is the same button. */
function nameOf(target) {
  const part = target.closest("ct-prompt :is(button, .pick)");
  return part ? `${part.closest("ct-prompt").id} ${part.value ?? ""} ${part.textContent.trim()}` : "";
}

document.addEventListener("pointerdown", ({ target, clientX, clientY, pointerType }) => {
  // What has moved but is not painted yet is not what the finger meant.
  if (checkPending) checkMoves();
  const guarded = target.closest(".is-guarded");
  pressed = guarded ? null : target.closest("ct-prompt :is(button, .pick)");
  pressedAt = { x: clientX, y: clientY };
  pressedBy = pointerType;
  finger = guarded ? "" : nameOf(target);
  touched = { card: target.closest("ct-prompt")?.id ?? "", at: performance.now() };
  const within = ({ left, right, top, bottom }) => clientX > left && clientX < right && clientY > top && clientY < bottom;
  const missed = [...document.querySelectorAll(".is-guarded")].some((card) => movedFrom.get(card.id)?.some(within));
  // A guarded button lets the tap through to what holds it; fields and folds of its card work as ever.
  const held = guarded && [...guarded.querySelectorAll(TAPPED)].some((button) => within(button.getBoundingClientRect()));
  if (held || (missed && !pressed)) report("moved");
});

document.addEventListener("click", (event) => {
  // A touch clicks what is under the finger when it lifts, which may be another button by then.
  // Not in every browser a click says what it came from; one from a key or a script has no detail.
  const by = event.pointerType ?? (event.detail ? pressedBy : "");
  if (by === "touch" && nameOf(event.target) !== finger) {
    event.preventDefault();
    event.stopImmediatePropagation();
    report("moved");
  }
  if (event.target.closest("button, .pick")) pressed = null;
}, true);
document.addEventListener("pointerup", ({ pointerType, clientX, clientY }) => {
  const button = pressed;
  if (!button) return;
  // A mouse that was pressed before the guard began clicks nothing; a finger clicks what is under it.
  const stayed = Math.hypot(clientX - pressedAt.x, clientY - pressedAt.y) <= NEAR;
  if (button.isConnected && button.closest(".is-guarded") && stayed && pointerType !== "touch") report("moved");
  const card = !button.isConnected && button.closest("ct-prompt");
  const lost = () => pressed === button && document.getElementById(card.id)?.dataset.state === "pending";
  // A touch may still click what took the button's place; a mouse does not.
  if (card) setTimeout(() => lost() && report("changed"), 300);
});
