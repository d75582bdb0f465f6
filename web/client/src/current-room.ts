import { AnswerOrder } from "./answer-order.js";
import { type Observable, Value } from "./observable.js";
import type { Service } from "./service.js";
import type { RoomChange, RoomInfo } from "./wire.js";

/** The room as the service describes it. Its own hosts change it. */
export class CurrentRoom {
  readonly #service: Service;
  readonly #ticket: string;
  readonly #info: Value<RoomInfo | null>;
  readonly #answerOrder = new AnswerOrder();

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
    this.#answerOrder.streamed();
    this.#info.set(info);
  }

  async change(change: RoomChange): Promise<void> {
    const request = this.#answerOrder.sending();
    const info = await this.#service.changeRoom(this.#ticket, change);
    if (request.isNewest()) this.#info.set(info);
  }
}
