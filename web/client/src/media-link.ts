import { OtherKeys } from "./channels.js";
import { pause, retryDelay } from "./clock.js";
import { connectPatience, inTime, untilAborted } from "./connecting.js";
import { type ConnectionEnd, connectionEndOf } from "./connection-end.js";
import { EncryptionUnsupported, EncryptionWorkerFailed } from "./encryption-worker.js";
import type { LocalSourceName } from "./media-connection-options.js";
import type { Connection, MediaLinkOptions } from "./media-link-options.js";
import type { MediaPath } from "./media-path.js";
import type { RecordableMedia } from "./recordable-media.js";
import type { MediaPerson, Quality } from "./roster.js";
import { isDoorRefusal, isTemporary } from "./service-error.js";
import type { Channel } from "./talk.js";
import type { MediaToken } from "./wire.js";

/** An interruption shorter than this shows no banner. */
const bannerAfter = 1500;
/** How long to wait for the event stream to say why the seat is over, after a token was refused. */
const reasonWait = 1500;

type Packet = Uint8Array<ArrayBuffer>;

/** The identities of some people in a room; null: everybody there. */
type Receivers = readonly string[] | null;

/** The connection whose people are seen and heard, and on which this device publishes. */
interface Entered {
  readonly connection: Connection;
  readonly channel: Channel;
}

/** A connection being made. It is given up when its room is no longer the right one. */
interface Attempt {
  readonly place: string | null;
  readonly abandoned: AbortController;
}

type Outcome =
  | "entered"
  | "failed"
  | "abandoned"
  | "unsupported"
  | "worker_failed"
  | OtherKeys["reason"];

/**
 * Keeps the device connected for as long as the person has a seat: it makes one connection after
 * the other, each with a fresh token, and publishes on each what is wanted. So everybody comes back
 * after the service was killed and restarted. In a move the device stays in the old room until the
 * new one is connected, and it is in one room at a time.
 */
export class MediaLink {
  readonly #options: MediaLinkOptions;
  readonly #wanted = new Map<LocalSourceName, { on: boolean; track: MediaStreamTrack | null }>();
  #entered: Entered | null = null;
  #attempt: Attempt | null = null;
  /** The room that the service placed the device in; undefined until it is known. */
  #place: string | null | undefined;
  /** Whether the service has placed the device anew since the last request for a token began. */
  #wasMoved = false;
  #lastEnd: ConnectionEnd = "lost";
  #wasIn = false;
  #speaker = "";
  #wake = new AbortController();
  #look: () => void = () => {};
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
    this.#noBanner();
    this.#wake.abort();
    this.#attempt?.abandoned.abort();
    this.#entered?.connection.close();
    this.#look();
  }

  /** Tries again now, if a pause between two attempts is under way. */
  hurry(): void {
    this.#wake.abort();
  }

  /** Moves the device to the room that the service placed it in. The last call counts. */
  moveTo(place: string | null): void {
    if (this.#place === place) return;
    this.#place = place;
    this.#wasMoved = true;
    if (this.#attempt && this.#attempt.place !== place) this.#attempt.abandoned.abort();
    this.#wake.abort();
    this.#look();
  }

  people(): ReadonlyMap<string, MediaPerson> | null {
    return this.#entered?.connection.people() ?? null;
  }

  /** The media of the others in the room for a recording; none without a connection. */
  recordable(): ReadonlyMap<string, RecordableMedia> {
    return this.#entered?.connection.recordable() ?? new Map();
  }

  /** The way of sound and pictures; null without a connection. */
  async path(): Promise<MediaPath | null> {
    return (await this.#entered?.connection.path()) ?? null;
  }

  local(): { readonly speaking: boolean; readonly quality: Quality } {
    return this.#entered?.connection.local() ?? { speaking: false, quality: "unknown" };
  }

  get isEncrypted(): boolean {
    return this.#entered?.connection.isEncrypted ?? false;
  }

  get soundBlocked(): boolean {
    return this.#entered !== null && !this.#entered.connection.soundAllowed;
  }

  async startSound(): Promise<void> {
    await this.#entered?.connection.startSound();
    this.#options.onChange();
  }

  publish(source: LocalSourceName, on: boolean, track: MediaStreamTrack | null): void {
    this.#wanted.set(source, { on, track });
    this.#publishOne(source);
  }

  setSpeaker(id: string): void {
    this.#speaker = id;
    void this.#entered?.connection.setSpeaker(id).catch(() => {});
  }

  /** Sends to the channel's room. Rejects when the device has moved to another one meanwhile. */
  async send(channel: Channel, topic: string, packet: Packet, to: Receivers): Promise<void> {
    if (this.#entered?.channel !== channel) {
      throw new Error("The meeting is not connected right now.");
    }
    await this.#entered.connection.send(topic, packet, to);
  }

  /** Sends to the room of this place, if the device is in it. */
  async sendTo(place: string | null, topic: string, packet: Packet, to: Receivers): Promise<void> {
    if (this.#entered?.channel.place !== place) return;
    await this.#entered.connection.send(topic, packet, to);
  }

  async #run(): Promise<void> {
    let token: MediaToken | null = this.#options.seat;
    let attempt = 0;
    while (token && !this.#closed) {
      const outcome = await this.#enter(token, connectPatience(attempt, this.#entered !== null));
      if (this.#closed) return;
      if (outcome !== "entered" && outcome !== "failed" && outcome !== "abandoned") {
        this.#options.onEnd(outcome);
        return;
      }
      attempt = outcome === "failed" ? attempt + 1 : 0;
      await this.#untilUnsettled();
      if (this.#closed) return;
      // A move that came during a request, whose answer is older, would otherwise wait for a pause.
      if (this.#wasMoved) attempt = 0;
      this.#wasMoved = false;
      if (this.#entered === null && this.#lastEnd === "elsewhere") {
        this.#options.onEnd("elsewhere");
        return;
      }
      token = await this.#freshToken(attempt);
    }
  }

  /** Connects, and on success moves from the old room to this one. */
  async #enter(token: MediaToken, patience: number): Promise<Outcome> {
    const place = token.breakout_id ?? null;
    // The event stream may be older than the token. Asking for another token later decides.
    if (this.#entered?.channel.place === place) return "failed";
    const attempt: Attempt = { place, abandoned: new AbortController() };
    this.#attempt = attempt;
    let connection: Connection | null = null;
    try {
      const channel = await this.#options.openChannel(token);
      if (attempt.abandoned.signal.aborted || this.#closed) return this.#abandon(attempt);
      connection = this.#newConnection(channel);
      await untilAborted(connection.connect(token, patience), attempt.abandoned.signal);
      if (attempt.abandoned.signal.aborted) {
        connection.close();
        return this.#abandon(attempt);
      }
      this.#goOver({ connection, channel });
      return "entered";
    } catch (error) {
      connection?.close();
      if (error instanceof OtherKeys) return error.reason;
      // Later the worker may fail to load only because the network is gone, and load
      // when it is back.
      if (error instanceof EncryptionWorkerFailed && !this.#wasIn) return "worker_failed";
      // Refused, unreachable or interrupted: the next request for a token shows which.
      return error instanceof EncryptionUnsupported ? "unsupported" : "failed";
    } finally {
      this.#attempt = null;
    }
  }

  #abandon({ place }: Attempt): "abandoned" {
    this.#options.onGivenUp(place);
    return "abandoned";
  }

  #newConnection(channel: Channel): Connection {
    const { newConnection, onChange, onData, onMuted, onReachable } = this.#options;
    const isEntered = () => this.#entered?.channel === channel;
    const connection = newConnection(channel, {
      onChange: () => {
        if (isEntered()) onChange();
      },
      // On the first connection, negotiating now would interrupt the first picture of the others.
      onJoined: () => {
        if (this.#wasIn && !isEntered()) this.#prepare(connection);
      },
      onData: (sender, topic, packet) => onData(channel, sender, topic, packet),
      onMuted: (source) => {
        if (isEntered()) onMuted(source);
      },
      onInterrupted: (interrupted) => {
        if (isEntered()) this.#interrupted(interrupted);
      },
      onMaySend: () => {
        if (isEntered()) this.#publishAll();
      },
      onReachable: (identity) => onReachable(channel, identity),
    });
    return connection;
  }

  /**
   * Negotiates microphone and camera while the device connects. Nothing is sent before it is in the
   * room. A screen comes later: browsers may not name tracks that are not sent, and then the media
   * server tells them apart by their kind only.
   */
  #prepare(connection: Connection): void {
    for (const source of ["microphone", "camera"] as const) {
      const wanted = this.#wanted.get(source);
      if (!wanted) continue;
      connection.publish(source, wanted.on, wanted.track).catch(() => {}); // done again in the room
    }
  }

  /** Switches in one step, so that nothing plays twice and the device is never in two rooms. */
  #goOver(next: Entered): void {
    const before = this.#entered;
    const isFirst = !this.#wasIn;
    this.#entered = next;
    this.#wasIn = true;
    before?.connection.close();
    this.#noBanner();
    this.#options.onEntered(next.channel);
    // Later the others know this person, and should not miss a word.
    if (isFirst) this.#publishSoon(next.connection);
    else this.#publishAll();
    if (this.#speaker !== "") void next.connection.setSpeaker(this.#speaker).catch(() => {});
    next.connection.begin();
    void next.connection.ended.then((reason) => this.#left(next, connectionEndOf(reason)));
    this.#options.onPhase("connected");
    this.#options.onChange();
  }

  #left(entered: Entered, end: ConnectionEnd): void {
    if (this.#entered !== entered || this.#closed) return;
    this.#entered = null;
    this.#lastEnd = end;
    entered.connection.close();
    this.#options.onLeft();
    this.#noBanner();
    // The service often ends a connection because of a move, which is over in a moment.
    if (end === "lost") this.#options.onPhase("reconnecting");
    else this.#bannerSoon();
    this.#options.onChange();
    this.#look();
  }

  get #isMisplaced(): boolean {
    if (this.#entered === null || this.#place === undefined) return false;
    return this.#entered.channel.place !== this.#place;
  }

  /** Resolves when there is no connection, or when it is to the wrong room. */
  async #untilUnsettled(): Promise<void> {
    while (!this.#closed && this.#entered !== null && !this.#isMisplaced) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  /** Publishes once the device sees somebody. What the person switches meanwhile is done at once. */
  #publishSoon(connection: Connection): void {
    const picture = connection.firstPicture();
    if (picture === null) {
      this.#publishAll();
      return;
    }
    void picture.then(() => {
      if (this.#entered?.connection === connection) this.#publishAll();
    });
  }

  #publishAll(): void {
    for (const source of this.#wanted.keys()) this.#publishOne(source);
  }

  /**
   * Tries again to publish what failed, for instance on a busy connection, for as long as it is
   * wanted. Otherwise the interface would show a microphone as on that nobody hears.
   */
  #publishOne(source: LocalSourceName, attempt = 0): void {
    const wanted = this.#wanted.get(source);
    const entered = this.#entered;
    if (!wanted || !entered) return;
    entered.connection.publish(source, wanted.on, wanted.track).catch(() => {
      const { clock } = this.#options;
      clock.after(retryDelay(attempt, clock.random()), () => {
        const isStill = this.#entered === entered && this.#wanted.get(source) === wanted;
        if (isStill && !this.#closed) this.#publishOne(source, attempt + 1);
      });
    });
  }

  #interrupted(interrupted: boolean): void {
    if (interrupted) {
      this.#bannerSoon();
      return;
    }
    this.#noBanner();
    this.#options.onPhase("connected");
    this.#options.onBack();
  }

  #bannerSoon(): void {
    this.#cancelBanner ??= this.#options.clock.after(bannerAfter, () => {
      this.#options.onPhase("reconnecting");
    });
  }

  #noBanner(): void {
    this.#cancelBanner?.();
    this.#cancelBanner = null;
  }

  /** Asks for a token until it gets one; null when the seat is over. */
  async #freshToken(firstAttempt: number): Promise<MediaToken | null> {
    const { clock } = this.#options;
    const isExpected = this.#isMisplaced || this.#lastEnd !== "lost";
    if (!this.#entered && !isExpected) this.#options.onPhase("reconnecting");
    for (let attempt = firstAttempt; !this.#closed; attempt += 1) {
      if (attempt > 0 || !isExpected) {
        this.#wake = new AbortController();
        await pause(clock, retryDelay(attempt, clock.random()), this.#wake.signal);
        if (this.#closed) return null;
      }
      try {
        return await this.#askForToken(connectPatience(attempt, this.#entered !== null));
      } catch (error) {
        if (isTemporary(error)) continue;
        await this.#giveUp(error);
        return null;
      }
    }
    return null;
  }

  /** The service refused a token for good. */
  async #giveUp(error: unknown): Promise<void> {
    const { clock, onEnd } = this.#options;
    const wasRemoved = () => this.#entered === null && this.#lastEnd === "removed";
    // A device that was connected and did not count as in yet is sent away when the door changes.
    if (isDoorRefusal(error) && (!this.#wasIn || wasRemoved())) {
      if (!this.#closed) onEnd("refused");
      return;
    }
    await pause(clock, reasonWait, new AbortController().signal);
    if (!this.#closed) onEnd(wasRemoved() ? "removed" : "lost");
  }

  #askForToken(patience: number): Promise<MediaToken> {
    const { service, seat, clock } = this.#options;
    return inTime(clock, patience, (signal) => service.mediaToken(seat.ticket, signal));
  }
}
