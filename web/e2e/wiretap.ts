import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { BrowserContext } from "playwright-core";
import { type Lies, liar } from "./lies";
import type { Place } from "./secret-search";
import { FrameReader } from "./websocket-frames";
import { type Heard, listenIn, type ReportedKey } from "./wiretap-page";

/** A key that a page or a worker of the device gave to the browser's cryptography. */
export interface DeviceKey {
  readonly kind: ReportedKey["kind"];
  readonly bytes: Buffer;
}

/** A frame of sound or pictures, as the media server passed it on. */
export interface ForwardedFrame {
  /** Names the frame: no other frame of its sender has the same. */
  readonly iv: string;
  readonly clear: Buffer;
  /** With the tag at its end. */
  readonly sealed: Buffer;
}

export interface WiretapOptions {
  /** Replaces what the service says to the person's page. */
  readonly lies?: Lies;
  /** Whether to record frames. There are many, and each costs the page some time. */
  readonly withFrames?: boolean;
  /** Runs in the workers in place of `listenIn`. What it posts to the path goes to `onReport`. */
  readonly inWorkers?: (path: string) => void;
  readonly onReport?: (report: unknown) => void;
}

/** Where pages report to their wiretap. No request with this path reaches the service. */
const reports = "/wiretap";

/**
 * A proxy between one person's browser and the service. It records what they exchange. In front of
 * the scripts of the workers it puts `listenIn`, which reports the keys of the device.
 */
export class Wiretap {
  readonly keys: DeviceKey[] = [];
  readonly frames: ForwardedFrame[] = [];
  /** When this device sent a frame, by its iv. */
  readonly sentAt = new Map<string, number>();
  readonly #service: number;
  readonly #options: WiretapOptions;
  readonly #server = createServer((from, to) => this.#pass(from, to));
  readonly #sockets = new Set<Socket>();
  readonly #exchanges: { readonly name: string; readonly chunks: Buffer[] }[] = [];

  private constructor(service: number, options: WiretapOptions) {
    this.#service = service;
    this.#options = options;
    this.#server.on("connect", ({ url }, browser: Socket) => this.#tunnel(url ?? "", browser));
  }

  /** A wiretap on the way to the service at a port of this machine. */
  static async to(
    service: { readonly http: number },
    options: WiretapOptions = {},
  ): Promise<Wiretap> {
    const wiretap = new Wiretap(service.http, options);
    await new Promise<void>((resolve) => wiretap.#server.listen(0, "127.0.0.1", resolve));
    return wiretap;
  }

  /** The options of a browser's context whose traffic is recorded. */
  get proxy(): { readonly server: string; readonly bypass: string } {
    const { port } = this.#server.address() as AddressInfo;
    return { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" };
  }

  /** Runs `listenIn` in the pages of a context, too. */
  async lead(context: BrowserContext): Promise<void> {
    if (this.#options.inWorkers) return;
    await context.addInitScript(listenIn, this.#listening);
  }

  /** Everything that the device sent and got, except the files of the interface. */
  get places(): readonly Place[] {
    return this.#exchanges.map(({ name, chunks }) => ({ name, content: Buffer.concat(chunks) }));
  }

  /** The objects in JSON that were sent or got under a name. */
  bodies<T>(name: string): readonly T[] {
    const texts = this.places.filter((place) => place.name === name);
    return texts.map(({ content }) => {
      const text = content.toString();
      return JSON.parse(text.slice(text.indexOf("\n{"))) as T;
    });
  }

  get #listening() {
    return { reports, withFrames: this.#options.withFrames ?? false };
  }

  /** The code that runs before a worker's own script. */
  get #prelude(): string {
    const { inWorkers } = this.#options;
    return inWorkers
      ? `(${inWorkers})(${JSON.stringify(reports)});\n`
      : `(${listenIn})(${JSON.stringify(this.#listening)});\n`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  #record(name: string): Buffer[] {
    const chunks: Buffer[] = [];
    this.#exchanges.push({ name, chunks });
    return chunks;
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const { pathname, search, port } = new URL(from.url ?? "", "http://localhost");
    if (pathname === reports) {
      this.#take(from, to);
      return;
    }
    const { "accept-encoding": _, ...headers } = from.headers; // compressed, it cannot be searched
    const name = `${from.method} ${pathname}`;
    // The files of the interface are large and contain no secrets.
    const isFile = pathname.startsWith("/assets/") || port !== String(this.#service);
    const asked = isFile ? [] : this.#record(`${name}, request`);
    const answered = isFile ? [] : this.#record(`${name}, answer`);
    asked.push(Buffer.from(`${from.url}\n${from.rawHeaders.join("\n")}\n`));
    const onward = request(
      { host: "localhost", port, method: from.method, path: pathname + search, headers },
      (answer) => {
        answered.push(Buffer.from(`${answer.rawHeaders.join("\n")}\n`));
        answer.on("data", (chunk: Buffer) => answered.push(chunk));
        this.#answer(from, answer, to);
      },
    );
    onward.on("error", () => to.destroy());
    to.on("close", () => onward.destroy());
    from.on("data", (chunk: Buffer) => asked.push(chunk));
    from.pipe(onward);
  }

  #answer(from: IncomingMessage, answer: IncomingMessage, to: ServerResponse): void {
    const isWorker = from.headers["sec-fetch-dest"] === "worker" && answer.statusCode === 200;
    const { pathname } = new URL(from.url ?? "", "http://localhost");
    const [, asked] = /^\/meet\/v1\/(.*)$/.exec(pathname) ?? [];
    const { lies } = this.#options;
    const changed = asked && lies ? liar(lies, asked, answer.headers["content-type"] ?? "") : null;
    const { "content-length": length, ...rest } = answer.headers;
    const isLengthKnown = !isWorker && !changed && length !== undefined;
    to.writeHead(
      answer.statusCode ?? 502,
      isLengthKnown ? { ...rest, "content-length": length } : rest,
    );
    if (isWorker) to.write(this.#prelude);
    answer.on("error", () => to.destroy());
    if (changed) answer.pipe(changed).pipe(to);
    else answer.pipe(to);
  }

  /** A WebSocket, for which browsers ask a proxy for a tunnel. */
  #tunnel(address: string, browser: Socket): void {
    const { hostname, port } = new URL(`http://${address}`);
    const service = connect(Number(port), hostname);
    const isService = port === String(this.#service);
    const sent = new FrameReader(isService ? this.#record("WebSocket, sent") : []);
    const received = new FrameReader(isService ? this.#record("WebSocket, received") : []);
    for (const [one, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {}); // "close" follows
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    browser.write("HTTP/1.1 200 OK\r\n\r\n");
    browser.once("data", (head: Buffer) => {
      // Without compression, whose output cannot be searched.
      const plain = head.toString("latin1").replace(/^Sec-WebSocket-Extensions:.*\r\n/im, "");
      const first = Buffer.from(plain, "latin1");
      sent.read(first);
      service.write(first);
      browser.on("data", (chunk: Buffer) => {
        sent.read(chunk);
        service.write(chunk);
      });
    });
    service.on("data", (chunk: Buffer) => {
      received.read(chunk);
      browser.write(chunk);
    });
  }

  #take(from: IncomingMessage, to: ServerResponse): void {
    const chunks: Buffer[] = [];
    from.on("data", (chunk: Buffer) => chunks.push(chunk));
    from.on("end", () => {
      const report: unknown = JSON.parse(Buffer.concat(chunks).toString());
      this.#options.onReport?.(report);
      const heard = report as Heard;
      for (const { kind, bytes } of heard.keys ?? []) this.keys.push({ kind, bytes: read(bytes) });
      for (const { iv, at } of heard.sent ?? []) this.sentAt.set(iv, at);
      for (const { iv, clear, sealed } of heard.forwarded ?? []) {
        this.frames.push({ iv, clear: read(clear), sealed: read(sealed) });
      }
      for (const packet of heard.packets ?? []) this.#record("data channel").push(read(packet));
      to.writeHead(204).end();
    });
  }
}

function read(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
