// What a person would trip over on the page as it is now: a list of findings, empty if there is none.
([least, width]) => {
  const findings = [];
  const name = (element) => {
    const text = (element.getAttribute("aria-label") || element.textContent || "").trim();
    const mark = element.id ? `#${element.id}` : element.classList[0] ? `.${element.classList[0]}` : "";
    return `${element.localName}${mark} "${text.replace(/\s+/g, " ").slice(0, 40)}"`;
  };
  const seen = (element) => {
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false;
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && !element.closest(".quiet, .skip, .sprite, [inert]");
  };
  const style = new Map();
  const styled = (element) => {
    if (!style.has(element)) style.set(element, getComputedStyle(element));
    return style.get(element);
  };
  const scrolls = (value) => value === "auto" || value === "scroll";

  // The page itself never scrolls sideways, nor does a part of it, except code, tables, terminals and rows of chips.
  // On a phone `innerWidth` grows with what does not fit.
  if (document.documentElement.scrollWidth > width + 1) findings.push(`page is ${document.documentElement.scrollWidth} of ${width} wide`);
  const wide = ".bar-nav, .jumps, .recents, pre, table, .table, .terminal, .tabs, .code, code, .diff, textarea, input, select, .mono";
  for (const element of document.querySelectorAll("body *")) {
    if (element.scrollWidth <= element.clientWidth + 1 || !scrolls(styled(element).overflowX)) continue;
    if (element.matches(wide) || element.querySelector(":scope > pre, :scope > table, :scope > .terminal")) continue;
    if (seen(element)) findings.push(`scrolls sideways: ${name(element)}`);
  }

  // Words are whole, and no text is cut but by an ellipsis or where one can scroll.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !seen(parent) || parent.closest("script, style, option, svg, textarea")) continue;
    if (!parent.closest("code, pre, .mono, .terminal, kbd, .diff-path, .row-folder, .file")) broken(node, parent);
    cut(node, parent);
  }

  function broken(node, parent) {
    range.selectNodeContents(node);
    const lines = range.getClientRects();
    if (lines.length < 2 || lines[0].top === lines[lines.length - 1].top) return;
    for (const { 0: word, index } of node.data.matchAll(/[\p{L}\d]{2,14}/gu)) {
      // Names and paths of any length have no other place to break.
      const around = node.data.slice(0, index + word.length).match(/\S*$/)[0].length + node.data.slice(index + word.length).match(/^\S*/)[0].length;
      if (around > 24) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
      // What an ellipsis leaves out is not broken.
      if (styled(parent).webkitLineClamp !== "none" && boxes.at(-1)?.bottom > parent.getBoundingClientRect().bottom + 2) continue;
      if (boxes.length > 1 && boxes.at(-1).top > boxes[0].top + 4) findings.push(`breaks "${word}" in ${name(parent)}`);
    }
  }

  function cut(node, parent) {
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    for (let box = parent; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp, position } = styled(box);
      if (scrolls(overflowX) || scrolls(overflowY) || position === "fixed") return;
      if (textOverflow === "ellipsis" || webkitLineClamp !== "none" || box.matches(".fade, [data-long], .is-long, .clipped")) return;
      const edge = box.getBoundingClientRect();
      const hidesX = overflowX === "hidden" || overflowX === "clip";
      const hidesY = overflowY === "hidden" || overflowY === "clip";
      // A line that is left out as a whole is not cut.
      if (hidesY && text.top >= edge.bottom - 3) return;
      const out = (hidesX && (text.left < edge.left - 2 || text.right > edge.right + 2)) || (hidesY && text.bottom > edge.bottom + 3);
      if (out) return findings.push(`cuts ${name(parent)} in ${name(box)}`);
    }
    if (text.left < -1 || text.right > width + 1) findings.push(`beyond the edge: ${name(parent)}`);
  }

  // A finger meets what it aims at; links within a sentence are as high as their line.
  for (const element of document.querySelectorAll("a[href], button, summary, select, textarea, input:not([type=hidden], [type=file]), [role=button]")) {
    if (!seen(element) || element.disabled || styled(element).display === "inline") continue;
    const area = element.matches("[type=radio], [type=checkbox]") ? element.labels[0] ?? element : element;
    const box = area.getBoundingClientRect();
    // Some have a larger invisible edge.
    const edge = getComputedStyle(element, "::after");
    const width = Math.max(box.width, parseFloat(edge.width) || 0);
    const height = Math.max(box.height, parseFloat(edge.height) || 0);
    if (Math.min(width, height) < Math.min(least, 32) - 0.5 || width * height < least * least - 50) findings.push(`${Math.round(width)}×${Math.round(height)} is small: ${name(element)}`);
    if (element.tabIndex > 0) findings.push(`out of order: ${name(element)}`);
  }
  return [...new Set(findings)];
}
