import { LastWord } from "./last-word.js";
import { type Observable, Value } from "./observable.js";
import type { Service } from "./service.js";
import type { RoomChange, RoomInfo } from "./wire.js";

/** The room as the service describes it. Its own hosts change it. */
export class CurrentRoom {
  readonly #service: Service;
  readonly #ticket: string;
  readonly #info: Value<RoomInfo | null>;
  readonly #lastWord = new LastWord();

  constructor(service: Service, ticket: string, known: RoomInfo | null) {
    this.#service = service;
    this.#ticket = ticket;
    this.#info = new Value(known);
  }

  get info(): Observable<RoomInfo | null> {
    return this.#info;
  }

  /** Takes the room from the event stream. */
  take(info: RoomInfo): void {
    this.#lastWord.told();
    this.#info.set(info);
  }

  async change(change: RoomChange): Promise<void> {
    const question = this.#lastWord.asking();
    const info = await this.#service.changeRoom(this.#ticket, change);
    if (question.isNewest()) this.#info.set(info);
  }
}
