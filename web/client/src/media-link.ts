import { DisconnectReason } from "livekit-client";
import { type Clock, pause, retryDelay } from "./clock.js";
import {
  EncryptionUnsupported,
  type LocalSourceName,
  MediaConnection,
} from "./media-connection.js";
import type { MediaPerson, Quality } from "./roster.js";
import { isTemporary, type Service } from "./service.js";
import type { MediaToken, Seat } from "./wire.js";

export interface MediaLinkOptions {
  readonly service: Service;
  readonly seat: Seat;
  readonly clock: Clock;
  readonly createEncryptionWorker: () => Worker;
  readonly onPhase: (phase: "connected" | "reconnecting") => void;
  readonly onEnd: (reason: "elsewhere" | "lost" | "removed" | "unsupported") => void;
  readonly onChange: () => void;
  readonly onPassphrase: (passphrase: string) => Promise<void>;
  readonly onData: (sender: string, topic: string, packet: Uint8Array) => void;
  readonly onMuted: (source: "microphone" | "camera") => void;
}

/** A hiccup shorter than this is not worth a banner. */
const bannerAfter = 1500;
/** How long the event stream gets to say why the seat is over, once a token was refused. */
const reasonWait = 1500;

/**
 * The lasting side of the media: it makes connections one after the other, each with a fresh
 * token, for as long as the person has a seat, and publishes on each what is wanted. A service
 * that was killed and came back finds everybody back by themselves.
 */
export class MediaLink {
  readonly #options: MediaLinkOptions;
  readonly #wanted = new Map<LocalSourceName, { on: boolean; track: MediaStreamTrack | null }>();
  #connection: MediaConnection | null = null;
  #isConnected = false;
  #speaker = "";
  #wake = new AbortController();
  #closed = false;
  #cancelBanner: (() => void) | null = null;

  constructor(options: MediaLinkOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#cancelBanner?.();
    this.#wake.abort();
    this.#connection?.close();
  }

  /** Tries again now, if a pause between two attempts is under way. */
  hurry(): void {
    this.#wake.abort();
  }

  people(): ReadonlyMap<string, MediaPerson> | null {
    return this.#connection?.people() ?? null;
  }

  local(): { readonly speaking: boolean; readonly quality: Quality } {
    return this.#connection?.local() ?? { speaking: false, quality: "unknown" };
  }

  get isEncrypted(): boolean {
    return this.#isConnected && (this.#connection?.isEncrypted ?? false);
  }

  get soundBlocked(): boolean {
    return this.#isConnected && this.#connection !== null && !this.#connection.soundAllowed;
  }

  async startSound(): Promise<void> {
    await this.#connection?.startSound();
    this.#options.onChange();
  }

  publish(source: LocalSourceName, on: boolean, track: MediaStreamTrack | null): void {
    this.#wanted.set(source, { on, track });
    if (this.#isConnected) this.#publishOne(source);
  }

  setSpeaker(id: string): void {
    this.#speaker = id;
    if (this.#isConnected) void this.#connection?.setSpeaker(id).catch(() => {});
  }

  async send(topic: string, packet: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!this.#connection || !this.#isConnected) {
      throw new Error("The meeting is not connected right now.");
    }
    await this.#connection.send(topic, packet);
  }

  async #run(): Promise<void> {
    let credentials: MediaToken | null = this.#options.seat;
    let attempt = 0;
    while (!this.#closed && credentials) {
      const reason = await this.#connectOnce(credentials, () => {
        attempt = 0;
      });
      if (this.#closed) return;
      if (reason === "unsupported" || reason === "elsewhere") {
        this.#options.onEnd(reason);
        return;
      }
      this.#options.onPhase("reconnecting");
      credentials = await this.#freshToken(attempt, reason === "removed");
      attempt += 1;
    }
  }

  /** One connection from beginning to end; returns what is known about the end. */
  async #connectOnce(
    credentials: MediaToken,
    onConnected: () => void,
  ): Promise<"unsupported" | "elsewhere" | "removed" | "lost"> {
    let connection: MediaConnection;
    try {
      connection = this.#newConnection();
    } catch (error) {
      if (error instanceof EncryptionUnsupported) return "unsupported";
      throw error;
    }
    this.#connection = connection;
    try {
      await this.#options.onPassphrase(credentials.e2ee_passphrase);
      await connection.connect(credentials);
      if (this.#closed) return "lost";
      onConnected();
      this.#connected(connection);
      return endOf(await connection.ended);
    } catch {
      // Refused, unreachable or interrupted: the next token request tells which.
      return "lost";
    } finally {
      this.#isConnected = false;
      this.#cancelBanner?.();
      this.#cancelBanner = null;
      this.#connection = null;
      connection.close();
      this.#options.onChange();
    }
  }

  #newConnection(): MediaConnection {
    const { createEncryptionWorker, clock, onChange, onData, onMuted } = this.#options;
    return new MediaConnection({
      createEncryptionWorker,
      clock,
      onChange,
      onData,
      onMuted,
      onInterrupted: (interrupted) => this.#interrupted(interrupted),
    });
  }

  #connected(connection: MediaConnection): void {
    this.#isConnected = true;
    for (const source of this.#wanted.keys()) this.#publishOne(source);
    if (this.#speaker !== "") void connection.setSpeaker(this.#speaker).catch(() => {});
    this.#options.onPhase("connected");
    this.#options.onChange();
  }

  #publishOne(source: LocalSourceName): void {
    const wanted = this.#wanted.get(source);
    if (!wanted) return;
    // A track that could not be published now is published by the next connection.
    void this.#connection?.publish(source, wanted.on, wanted.track).catch(() => {});
  }

  #interrupted(interrupted: boolean): void {
    if (!interrupted) {
      this.#cancelBanner?.();
      this.#cancelBanner = null;
      if (this.#isConnected) this.#options.onPhase("connected");
      return;
    }
    this.#cancelBanner ??= this.#options.clock.after(bannerAfter, () => {
      if (this.#isConnected) this.#options.onPhase("reconnecting");
    });
  }

  /** Asks for a token until there is one; null when the seat is over. */
  async #freshToken(firstAttempt: number, wasRemoved: boolean): Promise<MediaToken | null> {
    const { service, seat, clock } = this.#options;
    for (let attempt = firstAttempt; !this.#closed; attempt += 1) {
      this.#wake = new AbortController();
      await pause(clock, retryDelay(attempt, clock.random()), this.#wake.signal);
      if (this.#closed) return null;
      try {
        return await service.mediaToken(seat.ticket);
      } catch (error) {
        if (isTemporary(error)) continue;
        await pause(clock, reasonWait, new AbortController().signal);
        if (!this.#closed) this.#options.onEnd(wasRemoved ? "removed" : "lost");
        return null;
      }
    }
    return null;
  }
}

function endOf(reason: DisconnectReason | undefined): "elsewhere" | "removed" | "lost" {
  if (reason === DisconnectReason.DUPLICATE_IDENTITY) return "elsewhere";
  if (reason === DisconnectReason.PARTICIPANT_REMOVED) return "removed";
  return "lost";
}
