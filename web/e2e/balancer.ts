import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** How often nodes are asked whether they take requests. */
const askMs = 250;

/** After how long without an answer a node counts as not ready. */
const answerMs = 1000;

/** How long a node that was added may take until it is ready. */
const mostWaitMs = 30_000;

const ready = "ready";

/** "ready", or what a node says instead. */
async function readiness(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(answerMs),
    });
    return answer.ok ? ready : await answer.text();
  } catch (error) {
    return String(error);
  }
}

/**
 * A load balancer: requests go to the first of its nodes that says that it is ready. One that
 * `spreads` sends them to all of these in turns.
 */
export class Balancer {
  readonly url: string;
  readonly #server: Server;
  readonly #asking: NodeJS.Timeout;
  readonly #open: Set<Socket>;
  /** The ports of its nodes on this machine, and which of them was ready when asked last. */
  readonly #nodes: number[] = [];
  #ready = 0;
  #allReady: readonly number[] = [];
  readonly #spreads: boolean;
  #turn = 0;

  private constructor(server: Server, open: Set<Socket>, spreads: boolean) {
    this.#server = server;
    this.#open = open;
    this.#spreads = spreads;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    this.#asking = setInterval(() => void this.#ask(), askMs);
  }

  static async open({ spreads = false } = {}): Promise<Balancer> {
    const open = new Set<Socket>();
    const server = createServer();
    server.on("connection", (socket) => keep(open, socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const balancer = new Balancer(server, open, spreads);
    server.on("request", (asked, answer) => {
      const { method, url: path, headers } = asked;
      const onward = request({ port: balancer.#next(), host: "127.0.0.1", method, path, headers });
      onward.on("response", (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.on("error", () => answer.destroy());
        answered.pipe(answer);
      });
      onward.on("error", () =>
        answer.headersSent ? answer.destroy() : answer.writeHead(502).end(),
      );
      answer.on("close", () => onward.destroy());
      asked.pipe(onward);
    });
    // A WebSocket: what the browser sent so far, and then whatever comes from both sides.
    server.on("upgrade", ({ method, url: path, rawHeaders }, outer: Socket, head) => {
      const inner = connect(balancer.#next(), "127.0.0.1");
      keep(open, inner);
      const lines = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
      );
      inner.write([`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
      inner.write(head);
      outer.pipe(inner).pipe(outer);
      outer.on("close", () => inner.destroy());
      inner.on("close", () => outer.destroy());
    });
    return balancer;
  }

  /** Adds a node, or one that came back, and waits until it is ready. */
  async add(port: number): Promise<void> {
    if (!this.#nodes.includes(port)) this.#nodes.push(port);
    const until = Date.now() + mostWaitMs;
    for (;;) {
      const answer = await readiness(port);
      if (answer === ready) break;
      if (Date.now() > until) throw new Error(`the node at port ${port} is not ready: ${answer}`);
      await pause(askMs);
    }
    await this.#ask();
  }

  #next(): number {
    if (!this.#spreads) return this.#ready;
    this.#turn += 1;
    return this.#allReady[this.#turn % this.#allReady.length] ?? this.#ready;
  }

  /** Where requests go at this moment, unless it spreads them. */
  get ready(): number {
    return this.#ready;
  }

  async #ask(): Promise<void> {
    const answers = await Promise.all(this.#nodes.map(readiness));
    // Requests stay with a node while it is ready: a meeting would be divided if they went back to an
    // earlier node that is ready again.
    const isReady = (port: number) => answers[this.#nodes.indexOf(port)] === ready;
    this.#allReady = this.#nodes.filter(isReady);
    if (!isReady(this.#ready)) this.#ready = this.#nodes.find(isReady) ?? this.#ready;
  }

  close(): void {
    clearInterval(this.#asking);
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.on("error", () => {}); // "close" follows
  socket.on("close", () => open.delete(socket));
}
