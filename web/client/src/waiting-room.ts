import { browserClock, type Clock, pause, retryDelay } from "./clock.js";
import { connectPatience, inTime } from "./connecting.js";
import { EventStream } from "./event-stream.js";
import { type Observable, Value } from "./observable.js";
import { whenOnline, whenSeen } from "./online.js";
import type { SeatStore } from "./seat-store.js";
import { Service } from "./service.js";
import { isTemporary, ServiceError } from "./service-error.js";
import type { RoomInfo, Seat, ServiceEndReason, ServiceEvent, WaitingSeat } from "./wire.js";

/**
 * `knock`: a host has to answer. `wait_for_host`: a host has to arrive. One may follow the other.
 * `admitted` comes with the seat to make the meeting from. `lost`: the place in the waiting room
 * was gone when the connection came back within an hour, or the person may no longer enter.
 */
export type WaitingState =
  | { readonly kind: "waiting"; readonly decision: "knock" | "wait_for_host" }
  | { readonly kind: "admitted"; readonly seat: Seat }
  | { readonly kind: "over"; readonly reason: ServiceEndReason | "lost" };

/** For how long a person waits at most, in milliseconds (docs/reference/joining.md). */
const waitLimit = 60 * 60 * 1000;

export interface WaitingRoomOptions {
  readonly baseUrl: string;
  /** What `Entrance.takeSeat` gave, with a decision other than `enter`. */
  readonly seat: WaitingSeat;
  /** The room from the look-up; null if the person may not know it. */
  readonly room: RoomInfo | null;
  /** Forgets the ticket when the person leaves. After a denial it is kept, to ask again with it. */
  readonly seats?: SeatStore;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

/** A person's place in the waiting room, until they are admitted or have to leave. */
export class WaitingRoom {
  readonly #options: WaitingRoomOptions;
  readonly #clock: Clock;
  readonly #service: Service;
  readonly #stream: EventStream;
  readonly #state: Value<WaitingState>;
  readonly #room: Value<RoomInfo | null>;
  /** When the person began to wait, by this device's clock. */
  readonly #since: number;
  readonly #undo: readonly (() => void)[];
  #isEntering = false;

  constructor(options: WaitingRoomOptions) {
    const { baseUrl, fetch, seat, room } = options;
    this.#options = options;
    this.#clock = options.clock ?? browserClock;
    this.#since = this.#clock.now();
    this.#service = new Service(fetch ? { baseUrl, fetch } : { baseUrl });
    this.#state = new Value<WaitingState>({ kind: "waiting", decision: seat.decision });
    this.#room = new Value<RoomInfo | null>(room);
    this.#stream = new EventStream({
      service: this.#service,
      ticket: seat.ticket,
      clock: this.#clock,
      onEvent: (event) => this.#take(event),
      onRefused: () => this.#end({ kind: "over", reason: this.#endOfLost() }),
      onLive: () => {},
    });
    this.#undo = [
      whenOnline(() => this.#stream.renew()),
      whenSeen(() => this.#stream.renewIfSilent()),
    ];
  }

  get state(): Observable<WaitingState> {
    return this.#state;
  }

  /**
   * Null while the person may not know it: for a stranger at a members' room, until they are
   * admitted.
   */
  get room(): Observable<RoomInfo | null> {
    return this.#room;
  }

  /** Gives up the place. */
  async leave(): Promise<void> {
    if (!this.#isWaiting) return;
    this.#options.seats?.forget();
    this.#end({ kind: "over", reason: "left" });
    try {
      await this.#service.leave(this.#options.seat.ticket);
    } catch (error) {
      // No stream is open for this ticket any more, so the service soon forgets it by itself.
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /**
   * Why a person waits no longer whose place is gone. The service forgets devices that sleep, and
   * cannot say after a night that the hour is over. A person who has gone may have left the device
   * alone, so nothing asks again for them.
   */
  #endOfLost(): "lost" | "expired" {
    return this.#clock.now() - this.#since < waitLimit ? "lost" : "expired";
  }

  get #isWaiting(): boolean {
    return this.#state.get().kind === "waiting";
  }

  #take(event: ServiceEvent): void {
    if (event.type === "room") this.#room.set(event.data);
    if (event.type === "end") this.#end({ kind: "over", reason: event.data.reason });
    if (event.type !== "door") return;
    const { decision } = event.data;
    if (decision === "enter") {
      void this.#enter();
      return;
    }
    const state = this.#state.get();
    if (state.kind === "waiting" && state.decision !== decision) {
      this.#state.set({ kind: "waiting", decision });
    }
  }

  /**
   * The person may enter: fetches what is needed to connect, and tries again until that succeeds.
   */
  async #enter(): Promise<void> {
    if (this.#isEntering) return;
    this.#isEntering = true;
    const { seat } = this.#options;
    for (let attempt = 0; this.#isWaiting; attempt += 1) {
      try {
        const token = await inTime(this.#clock, connectPatience(attempt, false), (signal) =>
          this.#service.mediaToken(seat.ticket, signal),
        );
        this.#end({ kind: "admitted", seat: { ...seat, ...token, decision: "enter" } });
      } catch (error) {
        if (!isTemporary(error)) {
          // Something changed in between, for instance the room was locked: look the room up again.
          this.#end({ kind: "over", reason: "lost" });
          return;
        }
        const asked = error instanceof ServiceError ? error.retryAfter : null;
        const never = new AbortController().signal;
        await pause(this.#clock, retryDelay(attempt, this.#clock.random(), asked), never);
      }
    }
  }

  #end(state: WaitingState): void {
    if (!this.#isWaiting) return;
    for (const undo of this.#undo) undo();
    this.#stream.close();
    this.#state.set(state);
  }
}
