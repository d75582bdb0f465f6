import { Transform } from "node:stream";

/** Replaces what the service says. A function that returns undefined leaves the truth. */
export interface Lies {
  /** Replaces the answer to a request, by its path after /meet/v1/. */
  readonly answer?: (path: string, truth: Said) => Said | undefined;
  /** Replaces an event of the stream, by its name. */
  readonly event?: (name: string, truth: Said) => Said | undefined;
}

/** An object in JSON. */
export type Said = Readonly<Record<string, unknown>>;

/** Puts the lies into an answer that is JSON or the event stream; null for any other `type`. */
export function liar(lies: Lies, path: string, type: string): Transform | null {
  if (type.startsWith("text/event-stream")) return lyingStream(lies);
  return type.startsWith("application/json") ? lyingAnswer(lies, path) : null;
}

function lyingAnswer(lies: Lies, path: string): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      const truth = Buffer.concat(chunks).toString();
      const lie = lies.answer?.(path, JSON.parse(truth) as Said);
      done(null, lie ? JSON.stringify(lie) : truth);
    },
  });
}

function lyingStream(lies: Lies): Transform {
  let rest = "";
  let event = "";
  const said = (line: string): string => {
    if (line.startsWith("event:")) event = line.slice("event:".length).trim();
    if (!line.startsWith("data:")) return line;
    const truth = JSON.parse(line.slice("data:".length)) as Said | null;
    const lie = truth && lies.event?.(event, truth);
    return lie ? `data: ${JSON.stringify(lie)}` : line;
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      const whole = lines.map((line) => Buffer.from(line, "latin1").toString());
      done(null, whole.map((line) => `${said(line)}\n`).join(""));
    },
  });
}
