// Text that is being written grows in place: a browser then lays out and paints only what is new.

/** Makes `parts` the content of an element: children with the same beginning stay or grow, the rest is replaced. */
export function grow(element, parts) {
  const shown = [...element.childNodes];
  while (parts.length && shown.length && grown(shown[0], parts[0])) shown.shift(), parts.shift();
  shown.forEach((part) => part.remove());
  element.append(...parts);
}

/** Adds to a node what another has more; returns false if the other does not begin like it. */
function grown(old, now) {
  if (old.isEqualNode(now)) return true;
  if (old.nodeType !== now.nodeType) return false;
  if (old.nodeType === Node.TEXT_NODE) {
    const more = now.data.startsWith(old.data);
    if (more) old.appendData(now.data.slice(old.length));
    return more;
  }
  if (!alike(old, now)) return false;
  // The buttons of code are the page's own.
  const shown = [...old.childNodes].filter((part) => part.className !== "tools");
  const parts = [...now.childNodes];
  const begins = shown.every((part, at) => parts[at] && grown(part, parts[at]));
  if (begins) old.append(...parts.slice(shown.length));
  return begins;
}

/** Whether two elements differ in nothing but their content. */
const alike = (old, now) =>
  old.localName === "ct-code" ? now.localName === "ct-code" && old.dataset.label === now.dataset.label : old.cloneNode().isEqualNode(now.cloneNode());
