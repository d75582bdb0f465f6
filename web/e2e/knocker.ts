import { Service } from "../client/src/service";
import { WaitingRoom } from "../client/src/waiting-room";
import type { WaitingSeat } from "../client/src/wire";
import type { Room, ServiceUnderTest } from "./service";

/** A person who knocks, without a page. */
export class Knocker {
  readonly #service: ServiceUnderTest;
  readonly #visit;
  readonly #person;
  #ticket: string | null = null;
  #place: WaitingRoom | null = null;

  private constructor(service: ServiceUnderTest, { code }: Room, name: string) {
    this.#service = service;
    this.#visit = { code, joinSecret: null, browser: null };
    this.#person = { name, avatar: null };
  }

  static async at(service: ServiceUnderTest, room: Room, name: string): Promise<Knocker> {
    const knocker = new Knocker(service, room, name);
    await knocker.ask();
    return knocker;
  }

  /** Knocks; a second time as the same person. */
  async ask(): Promise<void> {
    const baseUrl = this.#service.url;
    const seat = await new Service({ baseUrl }).join(this.#visit, this.#person, this.#ticket);
    this.#ticket = seat.ticket;
    this.#place = new WaitingRoom({ baseUrl, seat: seat as WaitingSeat, room: null });
  }

  get isAdmitted(): boolean {
    return this.#place?.state.get().kind === "admitted";
  }

  async leave(): Promise<void> {
    await this.#place?.leave();
  }
}
