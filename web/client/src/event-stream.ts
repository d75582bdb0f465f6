import { type Clock, pause, retryDelay } from "./clock.js";
import type { Service } from "./service.js";
import { isTemporary, ServiceError } from "./service-error.js";
import { type StreamMessage, StreamParser } from "./sse-parser.js";
import { eventNames, type ServiceEvent } from "./wire.js";

/** The service sends a comment every 15 s; a stream silent for longer than this is dead. */
const silenceLimit = 40_000;

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

  constructor(options: EventStreamOptions) {
    this.#options = options;
    void this.#run();
  }

  close(): void {
    this.#over = true;
    this.#closed.abort();
    this.#wake.abort();
  }

  /** Tries again now instead of after the pause, because the network may be back. */
  hurry(): void {
    this.#wake.abort();
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
      try {
        await this.#readOnce(() => {
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
      this.#wake = new AbortController();
      await pause(clock, retryDelay(attempt, clock.random(), retryAfter), this.#wake.signal);
      attempt += 1;
    }
  }

  /** One connection, from its beginning to its end, however it ends. */
  async #readOnce(onOpen: () => void): Promise<void> {
    const { service, ticket, clock } = this.#options;
    const connection = new AbortController();
    this.#connection = connection;
    const abort = () => connection.abort();
    this.#closed.signal.addEventListener("abort", abort);
    let cancelSilence = clock.after(silenceLimit, abort);
    try {
      const response = await service.events(ticket, this.#lastEventId, connection.signal);
      if (!response.body) return;
      onOpen();
      const parser = new StreamParser(this.#lastEventId);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#over) return;
        cancelSilence();
        cancelSilence = clock.after(silenceLimit, abort);
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

/** Skips events of a newer service that this library does not know. */
function parseServiceEvent(message: StreamMessage): ServiceEvent | null {
  if (!known.has(message.event)) return null;
  try {
    return { type: message.event, data: JSON.parse(message.data) as unknown } as ServiceEvent;
  } catch {
    return null;
  }
}
