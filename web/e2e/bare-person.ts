import type { Address, Scene } from "./arrival-scene";
import { traceArrival } from "./arrival-trace";
import { isMuted } from "./bench-settings";
import { Person, type PersonOptions } from "./people";
import type { Room } from "./service";
import type { Credentials } from "./stock-site";

/** A person on a page with nothing but LiveKit's own client, who goes from room to room. */
export class BarePerson {
  readonly person: Person;
  readonly #address: Address;

  private constructor(person: Person, address: Address) {
    this.person = person;
    this.#address = address;
  }

  /** Opens the page, with the camera on, and goes to a room. */
  static async in(
    { browser, stockUrl }: Scene,
    name: string,
    { address, room, options = {} }: { address: Address; room: Room; options?: PersonOptions },
  ): Promise<BarePerson> {
    const url = new URL("moves.html", stockUrl).href;
    const person = await Person.at(browser, name, url, { prepare: traceArrival, ...options });
    await person.page.waitForFunction(() => typeof window.goOver === "function");
    await person.page.evaluate((muted) => window.openMedia(muted), isMuted);
    const bare = new BarePerson(person, address);
    await bare.prepare(room);
    await bare.go();
    return bare;
  }

  /** Gets the token of the next room, and makes all that needs no connection to it. */
  async prepare(room: Room): Promise<void> {
    const { service } = this.#address;
    const path = `/rooms/${room.id}/tokens`;
    const credentials = await service.call<Credentials>("POST", path, { name: this.person.name });
    await this.person.page.evaluate((given) => window.prepareRoom(given), credentials);
  }

  /** Goes to the room that was prepared; resolves when everything is published there. */
  go(): Promise<void> {
    return this.person.page.evaluate(() => window.goOver());
  }

  /** Waits until the person is in the room where they went last. */
  isIn(): Promise<void> {
    return this.person.page.evaluate(() => window.connected);
  }
}
