// A form's fields as the body that /respond takes. Pure: entries in, object out.

const QUESTION = /^q(\d+)(-other|-note)?$/;

/**
 * `entries`: [name, value] pairs of the form, the pressed button's among them.
 * `multi`: the indexes of the questions that take several answers.
 */
export function answerOf(entries, multi = new Set()) {
  const body = {};
  const [picked, other] = [new Map(), new Map()];
  for (const [name, value] of entries) {
    const [, index, part] = QUESTION.exec(name) ?? [];
    const given = part ? other : picked;
    if (part !== "-note" && index) given.set(index, [...(given.get(index) ?? []), value]);
    else if (index && value.trim()) body.notes = { ...body.notes, [index]: value.trim() };
    else if (name === "option") body.selectedOption = value;
    else if (name === "text") body.textValue = value;
    else if (name === "reason" && value.trim()) body.reason = value.trim();
  }
  const answers = answersOf(picked, other, multi);
  if (Object.keys(answers).length) {
    body.answers = answers;
    delete body.selectedOption;
  }
  return body;
}

function answersOf(picked, other, multi) {
  const answers = {};
  for (const index of new Set([...picked.keys(), ...other.keys()])) {
    const labels = labelsOf(picked.get(index) ?? [], (other.get(index) ?? [""])[0].trim());
    if (labels.length) answers[index] = multi.has(Number(index)) ? labels : labels[0];
  }
  return answers;
}

/** The labels that are picked, with the own text where its box is ticked or nothing else is. */
export function labelsOf(values, own) {
  const labels = values.filter(Boolean);
  return own && (!labels.length || values.includes("")) ? [...labels, own] : labels;
}
