import { browserId } from "./browser-id.js";
import type { KeyValueStore } from "./preferences.js";
import { SeatStore } from "./seat-store.js";
import { Service, ServiceError } from "./service.js";
import type { CalendarFile, Door, Seat, WaitingSeat } from "./wire.js";

/** Whether this door leads into the audience of a webinar, where nobody needs a microphone. */
export function leadsToAudience({ room, person }: Pick<Door, "room" | "person">): boolean {
  return room?.type === "webinar" && person?.role !== "host";
}

export interface EntranceOptions {
  /** Where the service is: `https://meet.example.com`. */
  readonly baseUrl: string;
  /** The room's code: the path of its link. */
  readonly code: string;
  /** The fragment `#join=` of a join link, if the person came by one. */
  readonly joinSecret?: string | null;
  /** Where the seat is remembered through a reload: sessionStorage, in a browser. */
  readonly store: KeyValueStore;
  /** What is to outlast the page: localStorage, in a browser. By it a guest is known again. */
  readonly lasting?: KeyValueStore;
  readonly fetch?: typeof fetch;
}

/**
 * The way into a room: look at the door, then take a seat. Light enough for a pre-join page; the
 * meeting itself is made from the seat, by `createMeeting`.
 */
export class Entrance {
  readonly service: Service;
  readonly seats: SeatStore;
  readonly #code: string;
  readonly #joinSecret: string | null;
  readonly #lasting: KeyValueStore | null;

  constructor(options: EntranceOptions) {
    const { baseUrl, code, joinSecret, store, fetch } = options;
    this.service = new Service(fetch ? { baseUrl, fetch } : { baseUrl });
    this.seats = new SeatStore(store, code);
    this.#code = code;
    this.#joinSecret = joinSecret ?? null;
    this.#lasting = options.lasting ?? null;
  }

  /** Asks who may enter, and as whom. Changes nothing. */
  lookUp(): Promise<Door> {
    return this.#withTicket((ticket) => this.service.lookUp(this.#code, this.#joinSecret, ticket));
  }

  /** What `next` of the door shows, as a file; refused with `not_found` where that is null. */
  calendarFile(): Promise<CalendarFile> {
    return this.#withTicket((ticket) =>
      this.service.calendarFile(this.#code, this.#joinSecret, ticket),
    );
  }

  /** The room's own hosts: unlocks the room, and says how the door is then. */
  unlock(): Promise<Door> {
    return this.#withTicket((ticket) => this.service.unlock(this.#code, this.#joinSecret, ticket));
  }

  /**
   * Takes a seat, the same one as before a reload while it is still there. Its `decision` says
   * whether to go in, or to wait first in a `WaitingRoom`.
   */
  async takeSeat(person: { name: string; avatar?: string | null }): Promise<Seat | WaitingSeat> {
    const request = {
      code: this.#code,
      joinSecret: this.#joinSecret,
      name: person.name,
      avatar: person.avatar ?? null,
      // Whoever comes by a link of their own is known by that.
      browser: this.#joinSecret === null && this.#lasting ? browserId(this.#lasting) : null,
    };
    const seat = await this.#withTicket((ticket) => this.service.join(request, ticket));
    this.seats.remember(seat.ticket);
    return seat;
  }

  /** A ticket whose seat is over only stands in the way: forget it and ask as a stranger. */
  async #withTicket<T>(ask: (ticket: string | null) => Promise<T>): Promise<T> {
    const { ticket } = this.seats;
    try {
      return await ask(ticket);
    } catch (error) {
      if (ticket === null || !(error instanceof ServiceError)) throw error;
      if (error.code !== "ticket_invalid" && error.code !== "removed") throw error;
      this.seats.forget();
      return ask(null);
    }
  }
}
