// Short notes that disappear, and announcements for screen readers.

const SHOWN_FOR = 6000;

function show(place, className, textContent) {
  const shown = Object.assign(document.createElement("p"), { className, textContent });
  shown.onclick = () => shown.remove(); // Nobody presses what it hides.
  [...place.children].find((other) => other.textContent === textContent)?.remove();
  place.append(shown);
  setTimeout(() => shown.remove(), SHOWN_FOR);
}

export const toast = (text) => show(document.getElementById("toasts"), "toast", text);

/** Shows a problem in its place; "" clears it. */
export function complain(place, text) {
  if (!place) return;
  place.hidden = !text;
  place.querySelector("span").textContent = text;
}

/** Announces something to screen readers. */
export const announce = (text) => show(document.getElementById("announcer"), "", text);
