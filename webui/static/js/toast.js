// Short notes that disappear, and announcements for screen readers.

const SHOWN_FOR = 6000;

export function toast(text) {
  const shown = Object.assign(document.createElement("p"), { className: "toast", textContent: text });
  shown.onclick = () => shown.remove(); // Nobody presses what it hides.
  const toasts = document.getElementById("toasts");
  [...toasts.children].find((other) => other.textContent === text)?.remove();
  toasts.append(shown);
  setTimeout(() => shown.remove(), SHOWN_FOR);
}

/** Shows a problem in its place; "" clears it. */
export function complain(place, text) {
  if (!place) return;
  place.hidden = !text;
  place.querySelector("span").textContent = text;
}

/** Announces something to screen readers. */
export const announce = (text) => void (document.getElementById("announcer").textContent = text);
