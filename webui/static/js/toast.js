// Short words that go away by themselves, and those that are only heard.

const SHOWN_FOR = 6000;

export function toast(text) {
  const shown = Object.assign(document.createElement("p"), { className: "toast", textContent: text });
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), SHOWN_FOR);
}

/** Says in a place for problems what went wrong; "" takes it away. */
export function complain(place, text) {
  if (!place) return;
  place.hidden = !text;
  place.querySelector("span").textContent = text;
}

/** Says something to who listens to the page. */
export const announce = (text) => void (document.getElementById("announcer").textContent = text);
