import { Room } from "livekit-client";
import { canEncryptMedia } from "./browser-support.js";
import { type MediaPath, pathOf } from "./media-path.js";
import { Value } from "./observable.js";
import { Service } from "./service.js";
import { ServiceError } from "./service-error.js";
import { filtered, TransportFilter, type Way } from "./transport-filter.js";
import type { ConnectionTestToken } from "./wire.js";

/** What a test tries, in this order. */
export type StepName = "service" | "signalling" | Way;

export type Outcome =
  | { readonly kind: "waiting" | "running" | "failed" | "not_offered" | "skipped" }
  | { readonly kind: "ok"; readonly milliseconds: number };

export interface Step {
  readonly name: StepName;
  readonly outcome: Outcome;
}

/** How a test ended: by the best way that works, by none, or before it could begin. */
export type Verdict =
  | { readonly kind: "works"; readonly way: Way }
  | { readonly kind: "no_media" | "no_signalling" | "no_service" | "no_browser" }
  | { readonly kind: "refused"; readonly code: string };

export interface ConnectionTestState {
  readonly steps: readonly Step[];
  /** Null while the test runs. */
  readonly verdict: Verdict | null;
}

export interface ConnectionTestOptions {
  readonly baseUrl: string;
  /** The room that the person comes from; null for a person who is signed in. */
  readonly code: string | null;
  readonly joinSecret: string | null;
}

/** The ways from the best to the slowest. */
const ways: readonly Way[] = ["udp", "tcp", "relay_udp", "relay_tls"];
const order: readonly StepName[] = ["service", "signalling", ...ways];

/** How long each step may take, in milliseconds. Browsers give up TCP connections later. */
const patience = 8000;
/**
 * How long after a connection was made its addresses are waited for, in milliseconds. The media
 * server sends them with its first messages.
 */
const offeredWithin = 2000;

/**
 * Finds out which ways sound and pictures can take between this browser and the service. It needs
 * neither camera nor microphone, and no meeting. A page must not have another connection meanwhile.
 */
export class ConnectionTest {
  readonly #options: ConnectionTestOptions;
  #hasBegun = false;
  readonly state = new Value<ConnectionTestState>({
    steps: order.map((name) => ({ name, outcome: { kind: "waiting" } })),
    verdict: null,
  });

  constructor(options: ConnectionTestOptions) {
    this.#options = options;
  }

  /** Begins the test, the first time that it is called. */
  start(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const verdict = await this.#verdict();
    const { steps } = this.state.get();
    const rest = steps.map((step) =>
      step.outcome.kind === "waiting" ? { ...step, outcome: { kind: "skipped" } as const } : step,
    );
    this.state.set({ steps: rest, verdict });
  }

  async #verdict(): Promise<Verdict> {
    if (!canEncryptMedia()) return { kind: "no_browser" };
    let answer: ConnectionTestToken | ServiceError;
    try {
      answer = await this.#step("service", () => this.#begin());
    } catch {
      return { kind: "no_service" };
    }
    if (answer instanceof ServiceError) return { kind: "refused", code: answer.code };
    const given = answer;
    try {
      await this.#step("signalling", () => openSignalling(given));
    } catch {
      return { kind: "no_signalling" };
    }
    let best: Way | null = null;
    for (const way of ways) if (await this.#tries(way, given)) best ??= way;
    return best === null ? { kind: "no_media" } : { kind: "works", way: best };
  }

  /** The service's answer. It was reached even if it refuses the test. */
  async #begin(): Promise<ConnectionTestToken | ServiceError> {
    const { baseUrl, code, joinSecret } = this.#options;
    try {
      return await new Service({ baseUrl }).testConnection(code, joinSecret);
    } catch (error) {
      if (error instanceof ServiceError && error.status !== 0) return error;
      throw error;
    }
  }

  /** Whether a connection can go this way. */
  async #tries(way: Way, token: ConnectionTestToken): Promise<boolean> {
    const filter = new TransportFilter(way);
    try {
      await this.#step(way, () => connect(way, filter, token));
      return true;
    } catch {
      if (!filter.isOffered) this.#set(way, { kind: "not_offered" });
      return false;
    }
  }

  async #step<Result>(name: StepName, act: () => Promise<Result>): Promise<Result> {
    this.#set(name, { kind: "running" });
    const begin = performance.now();
    try {
      const result = await act();
      this.#set(name, { kind: "ok", milliseconds: Math.round(performance.now() - begin) });
      return result;
    } catch (error) {
      this.#set(name, { kind: "failed" });
      throw error;
    }
  }

  #set(name: StepName, outcome: Outcome): void {
    const { steps, verdict } = this.state.get();
    this.state.set({
      steps: steps.map((step) => (step.name === name ? { name, outcome } : step)),
      verdict,
    });
  }
}

/** Opens a WebSocket as the media library does, and closes it again. */
function openSignalling({ server_url: url, token }: ConnectionTestToken): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new URLSearchParams({ access_token: token, protocol: "16", sdk: "js" });
    const socket = new WebSocket(`${url}/rtc?${query}`);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.close();
      settle();
    };
    const fail = () => end(() => reject(new Error("The WebSocket did not open.")));
    const timer = setTimeout(fail, patience);
    socket.addEventListener("open", () => end(resolve));
    socket.addEventListener("error", fail);
  });
}

/**
 * Connects by one way only, and disconnects. Rejects if that fails, or if the service does not offer
 * this way.
 */
async function connect(way: Way, filter: TransportFilter, token: ConnectionTestToken) {
  const Original = globalThis.RTCPeerConnection;
  const opened: RTCPeerConnection[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lookForOffer = () => {};
  const notOffered = new Promise<never>((_, reject) => {
    lookForOffer = () => {
      if (!filter.isOffered) reject(new Error("The service does not offer this way."));
    };
  });
  globalThis.RTCPeerConnection = class extends filtered(filter, Original) {
    constructor(config?: RTCConfiguration) {
      super(config);
      opened.push(this);
      timer ??= setTimeout(lookForOffer, offeredWithin);
    }
  };
  const room = new Room({ reconnectPolicy: { nextRetryDelayInMs: () => null } });
  try {
    const connecting = room.connect(token.server_url, token.token, {
      maxRetries: 0,
      websocketTimeout: patience,
      peerConnectionTimeout: patience,
    });
    await Promise.race([connecting, notOffered]);
    const taken = await pathsOf(opened);
    if (!taken.includes(way)) throw new Error(`It connected by ${taken.join()}.`);
  } finally {
    clearTimeout(timer);
    globalThis.RTCPeerConnection = Original;
    await room.disconnect();
  }
}

async function pathsOf(connections: readonly RTCPeerConnection[]): Promise<MediaPath[]> {
  const reports = await Promise.all(connections.map((connection) => connection.getStats()));
  return reports.map(pathOf).filter((path) => path !== null);
}
