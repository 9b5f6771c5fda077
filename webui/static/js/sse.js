// Reads a text/event-stream from pieces of text. Pure: text in, events out.

export class Parser {
  #rest = "";

  /** The events that `text` completes, as {type, data, id}. */
  feed(text) {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop();
    return blocks.map(eventOf).filter(({ data }) => data);
  }
}

function eventOf(block) {
  const fields = { event: ["message"], data: [], id: [""] };
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(":");
    fields[line.slice(0, at)]?.push(line.slice(at + 1).replace(/^ /, ""));
  }
  return { type: fields.event.at(-1), data: fields.data.join("\n"), id: fields.id.at(-1) };
}
