// Nobody answers by accident: what has just moved under a finger takes no tap for a moment.

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
  for (const other of document.querySelectorAll("ct-prompt:is([data-state=pending], [data-state=answering])")) {
    if (other !== card) guard(other);
  }
}
