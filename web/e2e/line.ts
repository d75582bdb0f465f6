import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { BrowserContext } from "playwright-core";

/** One TCP connection: the half to the browser, and once data has come, the half to the service. */
interface Wire {
  readonly browser: Socket;
  service: Socket | null;
}

/**
 * The network between one person's browser and the service, which a test can cut. Requests and
 * WebSockets use it as a proxy, and media packets because the page gets its address for them. A
 * browser's offline mode would not stop the media.
 */
export class Line {
  readonly #ports: { readonly http: number; readonly media: number };
  readonly #proxy: Server = createServer();
  readonly #media: UdpSocket = createSocket("udp4");
  /** By the browser's port: the service sees one port for each port of the browser. */
  readonly #upstream = new Map<string, UdpSocket>();
  readonly #wires = new Set<Wire>();
  #state: "up" | "silent" | "unplugged" = "up";
  /** Which share of the browser's media packets is lost. */
  #loss = 0;

  private constructor(ports: { http: number; media: number }) {
    this.#ports = ports;
    this.#proxy.on("connection", (browser) => this.#carry(browser));
    this.#media.on("message", (packet, browser) => {
      if (this.#state !== "up" || Math.random() < this.#loss) return;
      this.#upstreamOf(browser).send(packet, ports.media, "127.0.0.1");
    });
  }

  /** A line to a service on this machine. */
  static async to(ports: { http: number; media: number }): Promise<Line> {
    const line = new Line(ports);
    await Promise.all([
      new Promise<void>((resolve) => line.#proxy.listen(0, "127.0.0.1", resolve)),
      new Promise<void>((resolve) => line.#media.bind(0, "127.0.0.1", resolve)),
    ]);
    return line;
  }

  /** The options of a browser's context that uses the line. */
  get proxy(): { readonly server: string; readonly bypass: string } {
    const address = this.#proxy.address();
    const port = address && typeof address === "object" ? address.port : 0;
    return { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" };
  }

  /** Makes the pages of a context send their media through the line. */
  async lead(context: BrowserContext): Promise<void> {
    await context.addInitScript(expectMediaAt, this.#media.address().port);
  }

  /** Loses this share of the media packets that the browser sends, as poor wireless does. */
  lose(share: number): void {
    this.#loss = share;
  }

  /** Drops everything, in both directions, without an error. */
  goSilent(): void {
    this.#state = "silent";
    for (const { browser, service } of this.#wires) {
      browser.pause();
      service?.pause();
    }
  }

  /** Drops everything, and the browser notices: its connections end, and new ones fail. */
  unplug(): void {
    this.goSilent();
    this.#state = "unplugged";
    for (const { browser } of this.#wires) browser.resetAndDestroy();
  }

  /** Passes everything on again. Connections that neither side has given up go on, as in TCP. */
  restore(): void {
    this.#state = "up";
    for (const wire of this.#wires) {
      if (wire.browser.destroyed || wire.service?.destroyed) this.#cut(wire);
      wire.browser.resume();
      wire.service?.resume();
    }
  }

  close(): void {
    this.#state = "unplugged";
    this.#proxy.close();
    this.#media.close();
    for (const socket of this.#upstream.values()) socket.close();
    for (const wire of this.#wires) this.#cut(wire);
  }

  #cut(wire: Wire): void {
    this.#wires.delete(wire);
    wire.browser.destroy();
    wire.service?.destroy();
  }

  #carry(browser: Socket): void {
    if (this.#state === "unplugged") {
      browser.resetAndDestroy();
      return;
    }
    const wire: Wire = { browser, service: null };
    this.#wires.add(wire);
    this.#follow(wire, browser);
    browser.once("data", (first) => {
      const service = connect(this.#ports.http, "127.0.0.1");
      wire.service = service;
      this.#follow(wire, service);
      service.on("data", (chunk) => browser.write(chunk));
      browser.on("data", (chunk) => service.write(chunk));
      // A WebSocket asks for a tunnel first. Other requests name the whole address, as with any
      // proxy.
      if (first.subarray(0, 8).toString() !== "CONNECT ") service.write(first);
      else browser.write("HTTP/1.1 200 OK\r\n\r\n");
    });
    if (this.#state === "silent") browser.pause();
  }

  /** The end of one half ends the other, unless everything is dropped. */
  #follow(wire: Wire, half: Socket): void {
    half.on("error", () => {}); // "close" follows
    half.on("close", () => {
      if (this.#state === "up") this.#cut(wire);
    });
  }

  #upstreamOf({ address, port }: { address: string; port: number }): UdpSocket {
    const key = `${address} ${port}`;
    const known = this.#upstream.get(key);
    if (known) return known;
    const socket = createSocket("udp4");
    socket.on("message", (packet) => {
      if (this.#state === "up") this.#media.send(packet, port, address);
    });
    this.#upstream.set(key, socket);
    return socket;
  }
}

/**
 * Runs in the page: replaces the service's media addresses by this port, and hides the page's own
 * addresses from the service, which would otherwise send around the line.
 */
function expectMediaAt(port: number): void {
  type Description = RTCSessionDescriptionInit;
  const lead = (text = "") =>
    text.replace(/(candidate:\S+ \d+ udp \d+) \S+ \d+ typ/gi, `$1 127.0.0.1 ${port} typ`);
  const conceal = ({ type, sdp = "" }: Description): Description => ({
    type,
    sdp: sdp.replace(/a=candidate:.*\r\n/g, ""),
  });
  window.RTCPeerConnection = class extends window.RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      Object.defineProperty(this, "onicecandidate", { set: () => {} });
      Object.assign(this, {
        createOffer: async (options?: RTCOfferOptions) => conceal(await super.createOffer(options)),
        createAnswer: async () => conceal(await super.createAnswer()),
      });
    }

    override addIceCandidate(given?: RTCIceCandidateInit | null): Promise<void> {
      return super.addIceCandidate(given && { ...given, candidate: lead(given.candidate) });
    }

    override setRemoteDescription({ type, sdp }: Description): Promise<void> {
      return super.setRemoteDescription({ type, sdp: lead(sdp) });
    }
  };
}
