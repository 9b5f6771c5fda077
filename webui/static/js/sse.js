// Reads a text/event-stream from pieces of text. Pure: text in, events out.

export class Parser {
  #rest = "";
  #event = "";
  #data = [];
  #id = "";

  /** The events that `text` completes, as {type, data, id}. */
  feed(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    const found = [];
    for (const line of lines) {
      if (line === "") this.#finish(found);
      else if (!line.startsWith(":")) this.#field(line);
    }
    return found;
  }

  #field(line) {
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
  }

  #finish(found) {
    if (this.#data.length) {
      found.push({ type: this.#event || "message", data: this.#data.join("\n"), id: this.#id });
    }
    this.#event = "";
    this.#data = [];
    this.#id = "";
  }
}
