// Short words that go away by themselves.

const SHOWN_FOR = 6000;

export function toast(text) {
  const shown = document.createElement("p");
  shown.className = "toast";
  shown.textContent = text;
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), SHOWN_FOR);
}
