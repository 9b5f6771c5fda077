// Text that is being written grows in place, paced: a browser lays out and paints only what is new, and has time for touches.

const REST = 3;

/** Adds what `html` has more than `before` to an element's last text, without parsing it; returns false if more has changed. */
export function growText(element, before, html) {
  const end = textEnd(before);
  const more = html.slice(end, html.length - before.length + end);
  const same = html.length > before.length && html.startsWith(before.slice(0, end)) && html.endsWith(before.slice(end));
  // After a tag, an entity or with one, where the text goes is the parser's to say.
  const text = same && !/[>;]/.test(before[end - 1]) && !/[<&]/.test(more) && lastText(element);
  if (text) text.insertData(text.data.trimEnd().length, more);
  return Boolean(text);
}

/** Where the text of a piece of HTML ends: before its last closing tags and blanks. */
export function textEnd(html) {
  const end = html.trimEnd().length;
  const tag = html.lastIndexOf("</", end);
  return tag >= 0 && html.indexOf(">", tag) === end - 1 ? textEnd(html.slice(0, tag)) : end;
}

function lastText(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data.trim() && node;
  return [...node.childNodes].reduceRight((found, child) => found || lastText(child), null);
}

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

/** Returns a function that calls `draw` in a next frame, after a rest of three times what drawing took last. */
export function paced(draw) {
  let waits = false;
  let rested = 0;
  const frame = () => {
    const start = performance.now();
    waits = false;
    draw();
    // A task after the frame: by then it was laid out and painted.
    setTimeout(() => {
      const end = performance.now();
      rested = end + REST * (end - start);
    });
  };
  return () => {
    if (waits) return;
    waits = true;
    const rest = rested - performance.now();
    if (rest > 0) setTimeout(() => requestAnimationFrame(frame), rest);
    else requestAnimationFrame(frame);
  };
}
