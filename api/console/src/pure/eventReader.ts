// Server-sent events (HTML, section 9.2) out of a text that comes in pieces, cut wherever they may be.

export type Sent = { readonly type: string; readonly data: string };

export class EventReader {
  // Behind which a stream that was cut goes on; "" before there was anything. Signs of life bring one too.
  lastId: string;
  // After how long to open the stream again, if the server said so.
  retryMs: number | null = null;
  #rest = "";
  #id: string;
  #type = "";
  #data: string[] = [];

  constructor(lastId = "") {
    this.lastId = lastId;
    this.#id = lastId;
  }

  // The events that are complete with this piece.
  read(piece: string): Sent[] {
    // A CR at the end may be half of a line's end: its line waits for what follows.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line) ?? []);
  }

  #take(line: string): Sent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  #dispatch(): Sent | null {
    const sent =
      this.#data.length === 0 ? null : { type: this.#type || "message", data: this.#data.join("\n") };
    this.lastId = this.#id;
    this.#type = "";
    this.#data = [];
    return sent;
  }
}
