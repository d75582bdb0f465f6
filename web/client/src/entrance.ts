import { browserId, knownBrowserId } from "./browser-id.js";
import type { KeyValueStore } from "./preferences.js";
import { SeatStore } from "./seat-store.js";
import { Service, type Visit } from "./service.js";
import { ServiceError } from "./service-error.js";
import type { CalendarFile, LookUp, Seat, WaitingSeat } from "./wire.js";

/** Whether the visitor comes into the audience of a webinar, where nobody needs a microphone. */
export function leadsToAudience({ room, person }: Pick<LookUp, "room" | "person">): boolean {
  return room?.type === "webinar" && person?.role !== "host";
}

export interface EntranceOptions {
  /** Where the service is: `https://meet.example.com`. */
  readonly baseUrl: string;
  /** The room's code: the path of its link. */
  readonly code: string;
  /** The secret after `#join=`, if the person came by a join link. */
  readonly joinSecret?: string | null;
  /** Keeps the seat across a reload: sessionStorage, in a browser. */
  readonly store: KeyValueStore;
  /** Outlasts the page, so that a guest is recognised later: localStorage, in a browser. */
  readonly lasting?: KeyValueStore;
  readonly fetch?: typeof fetch;
}

/**
 * The way into a room: look it up, then take a seat. Light enough for a pre-join page.
 * `createMeeting` makes the meeting from the seat.
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

  /** Asks whether the person may enter, and under which name and role. Takes no seat. */
  async lookUp(): Promise<LookUp> {
    return this.#withTicket(async (ticket) => {
      const lookUp = await this.service.lookUp(this.#visit(knownBrowserId), ticket);
      // This seat stays refused. A person who tries again needs a new one.
      if (lookUp.reason === "removed") this.#forget(ticket);
      return lookUp;
    });
  }

  /** The meeting in the look-up's `next`, as a file; refused with `not_found` when that is null. */
  calendarFile(): Promise<CalendarFile> {
    return this.#withTicket((ticket) =>
      this.service.calendarFile(this.#visit(knownBrowserId), ticket),
    );
  }

  /** The room's own hosts: unlocks the room, and answers like `lookUp`. */
  unlock(): Promise<LookUp> {
    return this.#withTicket((ticket) => this.service.unlock(this.#visit(knownBrowserId), ticket));
  }

  /**
   * Takes a seat: after a reload the same one, if it still exists. Its `decision` says whether to
   * go in, or to wait first in a `WaitingRoom`.
   */
  async takeSeat(person: { name: string; avatar?: string | null }): Promise<Seat | WaitingSeat> {
    const { name, avatar = null } = person;
    const seat = await this.#withTicket((ticket) =>
      this.service.join(this.#visit(browserId), { name, avatar }, ticket),
    );
    this.seats.remember(seat.ticket);
    return seat;
  }

  #visit(idOf: (store: KeyValueStore) => string | null): Visit {
    const [code, joinSecret] = [this.#code, this.#joinSecret];
    // A join link identifies its person by itself.
    const browser = joinSecret === null && this.#lasting ? idOf(this.#lasting) : null;
    return { code, joinSecret, browser };
  }

  /** Asks again without this ticket when the service no longer knows its seat. */
  async #withTicket<T>(ask: (ticket: string | null) => Promise<T>): Promise<T> {
    const { ticket } = this.seats;
    try {
      return await ask(ticket);
    } catch (error) {
      if (ticket === null || !(error instanceof ServiceError)) throw error;
      if (error.code !== "ticket_invalid" && error.code !== "removed") throw error;
      this.#forget(ticket);
      return ask(this.seats.ticket);
    }
  }

  /** Forgets the seat of this ticket, unless the person has another one meanwhile. */
  #forget(ticket: string | null): void {
    if (this.seats.ticket === ticket) this.seats.forget();
  }
}
