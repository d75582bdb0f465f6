import { type Clock, pause, retryDelay } from "./clock.js";
import { connectPatience } from "./connecting.js";
import type { Service } from "./service.js";
import { isTemporary, ServiceError } from "./service-error.js";
import { type StreamMessage, StreamParser } from "./sse-parser.js";
import { eventNames, type ServiceEvent } from "./wire.js";

/** The service sends a comment every 15 s; a stream silent for longer than this is dead. */
const silenceLimit = 40_000;
/** Silence that is longer than usual already, though the line may only be slow. */
const longSilence = 20_000;
/** The shortest time between two renewals, since a network that comes and goes asks for many. */
const renewEvery = 5000;
/** A stream on which nothing comes for about this long, although others have news, may be dead. */
const missedFor = 3000;
/** The shortest time between two renewals of that kind, because others may not tell the truth. */
const missedEvery = 60_000;

export interface EventStreamOptions {
  readonly service: Service;
  readonly ticket: string;
  readonly clock: Clock;
  readonly onEvent: (event: ServiceEvent) => void;
  /** The service no longer knows the ticket, so there is nothing to reconnect to. */
  readonly onRefused: () => void;
  /** True while events arrive, false while the stream reconnects. */
  readonly onLive: (live: boolean) => void;
}

/** The service's events for one seat. Reconnects by itself for as long as the seat lasts. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #closed = new AbortController();
  #wake = new AbortController();
  #connection: AbortController | null = null;
  #lastEventId = "";
  #over = false;
  /** When something came from the service, or a connection began, by this device's clock. */
  #heardAt: number;
  #askedAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #cancelRenewal: (() => void) | null = null;
  #missedAt = Number.NEGATIVE_INFINITY;
  #cancelMissed: (() => void) | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
    void this.#run();
  }

  close(): void {
    this.#over = true;
    this.#closed.abort();
    this.#wake.abort();
    this.#cancelRenewal?.();
    this.#cancelMissed?.();
  }

  /**
   * Goes on with another connection at once, because the network is back: what is open, or on its
   * way, may be dead, which nothing else shows before the silence is too long. When this is asked
   * for often, the last time is answered a little later, unless something is heard meanwhile.
   */
  renew(): void {
    const now = this.#options.clock.now();
    this.#askedAt = now;
    if (this.#over || this.#cancelRenewal) return;
    const since = now - this.#renewedAt;
    // A clock that was set back counts as well, or the renewal would wait for hours.
    if (since < 0 || since >= renewEvery) {
      this.#renewNow();
      return;
    }
    this.#cancelRenewal = this.#options.clock.after(renewEvery - since, () => {
      this.#cancelRenewal = null;
      if (this.#heardAt <= this.#askedAt) this.#renewNow();
    });
  }

  /** Renews a stream that is silent, because the page may have been frozen, and its timers too. */
  renewIfSilent(): void {
    if (this.#options.clock.now() - this.#heardAt > longSilence) this.renew();
  }

  /** Renews the stream unless something comes soon, because others have news that it lacks. */
  renewIfMissing(): void {
    const { clock } = this.#options;
    const now = clock.now();
    const since = now - this.#missedAt;
    if (this.#over || this.#cancelMissed || (since >= 0 && since < missedEvery)) return;
    // All devices hear such news together, and must not all reconnect together.
    this.#cancelMissed = clock.after(missedFor * (0.5 + clock.random()), () => {
      this.#cancelMissed = null;
      if (this.#heardAt > now) return;
      this.#missedAt = clock.now();
      this.renew();
    });
  }

  #renewNow(): void {
    this.#renewedAt = this.#options.clock.now();
    this.#wake.abort();
    this.#connection?.abort();
  }

  /** Reads everything anew, because what was sent does not fit what is here. */
  restart(): void {
    this.#lastEventId = "";
    this.#connection?.abort();
  }

  async #run(): Promise<void> {
    const { clock, onLive, onRefused } = this.#options;
    let attempt = 0;
    while (!this.#over) {
      let retryAfter: number | null = null;
      this.#wake = new AbortController();
      try {
        await this.#readOnce(connectPatience(attempt, false), () => {
          attempt = 0;
          onLive(true);
        });
      } catch (error) {
        if (this.#over) return;
        if (error instanceof ServiceError && !isTemporary(error)) {
          this.close();
          onRefused();
          return;
        }
        if (error instanceof ServiceError) retryAfter = error.retryAfter;
      }
      if (this.#over) return;
      onLive(false);
      await pause(clock, retryDelay(attempt, clock.random(), retryAfter), this.#wake.signal);
      attempt += 1;
    }
  }

  /**
   * One connection, from its beginning to its end, however it ends. On a dead line an answer never
   * comes, so it has a time limit.
   */
  async #readOnce(patience: number, onOpen: () => void): Promise<void> {
    const { service, ticket, clock } = this.#options;
    const connection = new AbortController();
    this.#connection = connection;
    const abort = () => connection.abort();
    this.#closed.signal.addEventListener("abort", abort);
    let cancelSilence = clock.after(patience, abort);
    const heard = () => {
      this.#heardAt = clock.now();
      cancelSilence();
      cancelSilence = clock.after(silenceLimit, abort);
    };
    this.#heardAt = clock.now();
    try {
      const response = await service.events(ticket, this.#lastEventId, connection.signal);
      if (!response.body) return;
      heard();
      onOpen();
      const parser = new StreamParser(this.#lastEventId);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#over) return;
        heard();
        for (const message of parser.push(value)) {
          if (connection.signal.aborted) return;
          this.#take(message);
        }
      }
    } finally {
      cancelSilence();
      this.#closed.signal.removeEventListener("abort", abort);
      connection.abort();
    }
  }

  #take(message: StreamMessage): void {
    if (this.#over) return;
    this.#lastEventId = message.id;
    const event = parseServiceEvent(message);
    if (!event) return;
    if (event.type === "end") this.close();
    this.#options.onEvent(event);
  }
}

const known: ReadonlySet<string> = new Set(eventNames);

/**
 * Skips events of a newer service that this library does not know. The data of known events is
 * trusted: its types are generated from the service's own document, and newer services only add
 * fields.
 */
function parseServiceEvent(message: StreamMessage): ServiceEvent | null {
  if (!known.has(message.event)) return null;
  try {
    return { type: message.event, data: JSON.parse(message.data) as unknown } as ServiceEvent;
  } catch {
    return null;
  }
}
