// Nobody answers by accident: what has just moved under a finger takes no tap for a moment.

import { toast } from "./toast.js";

const MOMENT = 450;
const timers = new WeakMap();

/** Takes no tap on this card's buttons for a moment. */
export function guard(card, milliseconds = MOMENT) {
  card.classList.add("is-guarded");
  clearTimeout(timers.get(card));
  timers.set(card, setTimeout(() => card.classList.remove("is-guarded"), milliseconds));
}

/** Guards every open card of the page but this one, since it moved the others. */
export function guardOthers(card) {
  const open = document.querySelectorAll("ct-prompt:is([data-state=pending], [data-state=answering])");
  open.forEach((other) => other !== card && guard(other));
}

// A tap that does not count is reported, so that nobody waits for an answer that was never sent.
const report = (change) => toast(`The prompt ${change} just then, so nothing was sent. Tap again.`);
let pressed = null;

document.addEventListener("pointerdown", ({ target }) => {
  pressed = target.closest("ct-prompt button");
  // A guarded button lets the tap through to what holds it.
  if (target.matches(".is-guarded :is(form, .send, .step-buttons, .keypad)")) report("moved");
});

document.addEventListener("click", ({ target }) => target.closest("button") && (pressed = null), true);
document.addEventListener("pointerup", () => {
  const button = pressed;
  const card = button && !button.isConnected && button.closest("ct-prompt");
  const lost = () => pressed === button && document.getElementById(card.id)?.dataset.state === "pending";
  // A touch may still click what took the button's place; a mouse does not.
  if (card) setTimeout(() => lost() && report("changed"), 300);
});
