// Short notes that disappear, and announcements for screen readers.

const SHOWN_FOR = 6000;

function show(place, className, textContent) {
  const shown = Object.assign(document.createElement("p"), { className, textContent });
  shown.onclick = () => shown.remove(); // Nobody presses what it hides.
  const same = [...place.children].find((other) => other.textContent === textContent);
  clearTimeout(same?.timer); // It would keep what it removes.
  same?.remove();
  place.append(shown);
  shown.timer = setTimeout(() => shown.remove(), SHOWN_FOR);
}

export const toast = (text) => show(document.getElementById("toasts"), "toast", text);
export const announce = (text) => show(document.getElementById("announcer"), "", text);

/** Shows a problem in its place, or for a while where it has none; "" clears it. */
export function complain(place, text) {
  if (!place) return text && toast(text);
  place.hidden = !text;
  place.querySelector("span").textContent = text;
}
