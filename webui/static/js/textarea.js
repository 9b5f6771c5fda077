// Where `field-sizing` is not known, a text area is made as high as its text.

const MADE_BY_SCRIPT = !CSS.supports("field-sizing", "content");

/** Fits a field that is a text area to its text, up to the height that the style sheet allows. */
export function fit(area) {
  if (!MADE_BY_SCRIPT || area.localName !== "textarea") return;
  area.style.height = "";
  const { offsetHeight, clientHeight, scrollHeight } = area;
  if (scrollHeight > clientHeight) area.style.height = `${scrollHeight + offsetHeight - clientHeight}px`;
}

document.addEventListener("input", ({ target }) => fit(target));
// Only now every part of the page has its width.
addEventListener("load", () => document.querySelectorAll("textarea").forEach(fit));
