import { toBase64Url } from "../recording/base64url.js";
import { MlsGroup } from "../strict/mls-group.js";
import { newCommitOf, OfferBook } from "../strict/offer-book.js";
import type { GroupWorld } from "./group-world.js";
import type { mlsDevices } from "./mls-devices.js";

const linkSecret = new Uint8Array(16).fill(13);

/** A device that makes groups with a link secret that nobody else has, and waits in between. */
export class ForeignFounder {
  readonly #world: GroupWorld;
  readonly #devices: Awaited<ReturnType<typeof mlsDevices>>;
  readonly #identity: string;
  #group: MlsGroup | null = null;

  constructor(
    world: GroupWorld,
    devices: Awaited<ReturnType<typeof mlsDevices>>,
    identity: string,
  ) {
    this.#world = world;
    this.#devices = devices;
    this.#identity = identity;
    world.delivery.setPresent(null, identity, true);
    this.wait();
  }

  /** Whether the group that it made is over. */
  get isOver(): boolean {
    return this.#group !== null && this.#groupId !== toBase64Url(this.#group.id);
  }

  get #groupId(): string | null {
    return this.#world.delivery.partFor(null, this.#identity)?.group_id ?? null;
  }

  /** Waits to be added, with a key package that nobody can add. */
  wait(): void {
    this.#world.delivery.sendKeyPackage(null, this.#identity, "AAAA");
  }

  leave(): void {
    this.#world.delivery.forget(null, this.#identity);
  }

  /** Makes a group when there is none, and the service lets it. */
  async found(): Promise<void> {
    if (this.#groupId !== null) return;
    const { device, rules } = this.#devices;
    const id = crypto.getRandomValues(new Uint8Array(16));
    try {
      this.#world.delivery.create(null, this.#identity, toBase64Url(id));
    } catch {
      return;
    }
    this.#group = await MlsGroup.create(id, await device(this.#identity), { ...rules, linkSecret });
  }

  /** Adds these devices to its group once all of them wait. False when it did not. */
  async add(names: readonly string[]): Promise<boolean> {
    const { delivery } = this.#world;
    const { waiting = [] } = delivery.partFor(null, this.#identity) ?? {};
    const here = waiting.filter(({ identity }) => names.includes(identity));
    const group = this.#group;
    if (!group || this.isOver || here.length < names.length) return false;
    const adds = here.map(({ identity, key_package }) => ({ identity, keyPackage: key_package }));
    const change = { adds, removes: [] };
    const offers = new OfferBook();
    await offers.read(here, this.#devices.membership);
    const made = await group.commit(offers.of(change), []);
    const commit = await newCommitOf(toBase64Url(group.id), made, change);
    await delivery.commit(null, this.#identity, commit);
    group.apply();
    return true;
  }
}
