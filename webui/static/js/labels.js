// The labels that answer a question. Pure.

/** Returns the picked labels, with the text of Other where its box is ticked or nothing else is. */
export function labelsOf(values, other) {
  const labels = values.filter(Boolean);
  return other && (!labels.length || values.includes("")) ? [...labels, other] : labels;
}
