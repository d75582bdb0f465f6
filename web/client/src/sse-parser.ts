export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  /** The id that applies to the message, to send as Last-Event-ID. */
  readonly id: string;
}

/**
 * Parses a server-sent event stream (WHATWG HTML, section 9.2.6). The browser's EventSource does
 * the same but cannot send the header with the ticket.
 */
export class StreamParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string;

  constructor(lastEventId = "") {
    this.#id = lastEventId;
  }

  /** Takes text as it arrives, cut anywhere, and returns the messages that it completes. */
  push(text: string): StreamMessage[] {
    const messages: StreamMessage[] = [];
    this.#rest += text;
    for (;;) {
      const line = this.#takeLine();
      if (line === null) return messages;
      if (line !== "") {
        this.#field(line);
        continue;
      }
      const message = this.#dispatch();
      if (message) messages.push(message);
    }
  }

  /** The next whole line without its end (LF, CR or CRLF), or null until more text comes. */
  #takeLine(): string | null {
    const end = this.#rest.search(/[\r\n]/);
    if (end < 0) return null;
    const isReturn = this.#rest[end] === "\r";
    // A CR at the very end may be half of a CRLF: wait for the next piece.
    if (isReturn && end === this.#rest.length - 1) return null;
    const line = this.#rest.slice(0, end);
    const width = isReturn && this.#rest[end + 1] === "\n" ? 2 : 1;
    this.#rest = this.#rest.slice(end + width);
    return line;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return; // A comment, which only keeps the connection alive.
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    if (name === "data") this.#data.push(value);
    if (name === "id" && !value.includes("\0")) this.#id = value;
  }

  #dispatch(): StreamMessage | null {
    const message = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
    const hasData = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    return hasData ? message : null;
  }
}
