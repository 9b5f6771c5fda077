// Options of which a text field chooses one; the field keeps the focus.

/** Marks an option, or none, in place of the one that was marked; returns it. */
export function mark(field, before, option) {
  before?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
  return option;
}

/** The option that many places after another, around the end. */
export const step = (options, from, by) => options[(options.indexOf(from) + by + options.length) % options.length] ?? null;
