import { toBase64Url } from "../recording/base64url.js";
import { ServiceError } from "../service-error.js";
import type { EpochRef } from "../strict/epoch-keys.js";
import type { GroupDelivery } from "../strict/group-protocol.js";
import { GroupSession } from "../strict/group-session.js";
import type { GroupState, GroupTrouble } from "../strict/group-state.js";
import { newSignatureKeys, type SignatureKeys } from "../strict/mls-suite.js";
import { newStatementKey, PlayedDelivery, refusal, type StatementKey } from "./played-delivery.js";
import { SimClock, seededRandom } from "./sim-clock.js";

/** How badly the network behaves: the share of what goes wrong, from 0 to 1. */
export interface Weather {
  readonly lost: number;
  readonly repeated: number;
  /** In milliseconds, of each way. */
  readonly slowest: number;
}

export const calm: Weather = { lost: 0, repeated: 0, slowest: 30 };

/** How long a device waits for an answer that does not come. */
const requestTimeout = 2000;

/** One device of the simulation: a page in a browser, with its sessions one after the other. */
export class SimDevice {
  readonly identity: string;
  readonly world: GroupWorld;
  readonly random: () => number;
  keys: SignatureKeys;
  place: string | null = null;
  session: GroupSession | null = null;
  state: GroupState | null = null;
  sending: EpochRef | null = null;
  /** The keys that are installed, as text, by group, epoch and sender. */
  readonly installed = new Map<string, string>();
  readonly troubles: GroupTrouble[] = [];
  linkSecret: Uint8Array | null = null;
  isAsleep = false;
  /** Its requests do not get through, while the stream does. */
  isCutOff = false;
  /** When the newest part of the stream arrives that is on its way. */
  streamUntil = 0;
  /** Requests that are on their way. */
  underway = 0;
  /** Each life of the page has its number; what belongs to an earlier one is lost. */
  life = 0;
  #postponed: (() => void)[] = [];

  constructor(world: GroupWorld, identity: string, keys: SignatureKeys, seed: number) {
    this.world = world;
    this.identity = identity;
    this.keys = keys;
    this.random = seededRandom(seed);
  }

  /** Whether it computes, so that time must not pass. */
  get isComputing(): boolean {
    return !this.isAsleep && this.session !== null && this.session.isBusy && this.underway === 0;
  }

  enter(place: string | null): void {
    const { world, identity } = this;
    this.place = place;
    this.life += 1;
    this.underway = 0;
    const { life } = this;
    const guarded = (act: () => void) => () => {
      if (this.life === life) this.whenAwake(act);
    };
    this.session = new GroupSession({
      delivery: this.#delivery(place),
      clock: {
        now: world.clock.now,
        random: this.random,
        after: (milliseconds, callback) => world.clock.after(milliseconds, guarded(callback)),
      },
      serviceNow: world.clock.now,
      me: identity,
      room: "room",
      place,
      signatureKeys: this.keys,
      linkSecret: this.linkSecret,
      events: {
        onInstall: (epoch, senders) => {
          for (const { identity: sender, media, data } of senders) {
            const name = `${epoch.groupId} ${epoch.epoch} ${sender}`;
            const keys = `${toBase64Url(media)} ${toBase64Url(data)}`;
            this.installed.set(name, keys);
            world.sawKeys(this, name, keys);
          }
        },
        onAcknowledge: (acknowledgement) => {
          for (const other of world.devices) {
            if (other === this || other.place !== this.place) continue;
            world.carry(this, () => other.session?.acknowledged(identity, acknowledgement), other);
          }
        },
        onSend: (epoch) => {
          this.sending = epoch;
        },
        onErase: ({ groupId, epoch }) => {
          for (const name of this.installed.keys()) {
            if (name.startsWith(`${groupId} ${epoch} `)) this.installed.delete(name);
          }
        },
        onState: (state) => {
          this.state = state;
        },
        onTrouble: (trouble) => this.troubles.push(trouble),
      },
    });
    world.delivery.setPresent(place, identity, true);
  }

  /** Leaves the place, as a device does that goes elsewhere or leaves for good. */
  exit(): void {
    this.session?.close();
    this.#vanish();
    this.world.delivery.forget(this.place, this.identity);
  }

  /** The page is loaded again: everything in its memory is lost. */
  async reload(): Promise<void> {
    this.#vanish();
    this.keys = await newSignatureKeys();
    this.enter(this.place);
  }

  sleep(): void {
    this.isAsleep = true;
  }

  wake(): void {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    this.world.delivery.setPresent(this.place, this.identity, true);
    const postponed = this.#postponed;
    this.#postponed = [];
    for (const act of postponed) act();
  }

  whenAwake(act: () => void): void {
    if (this.isAsleep) this.#postponed.push(act);
    else act();
  }

  #vanish(): void {
    this.life += 1;
    this.session = null;
    this.state = null;
    this.sending = null;
    this.underway = 0;
    this.#postponed = [];
    this.installed.clear();
  }

  #delivery(place: string | null): GroupDelivery {
    const { world, identity } = this;
    const { delivery } = world;
    const ask = <T>(act: () => T | Promise<T>, signal?: AbortSignal) =>
      world.ask(this, act, signal);
    return {
      statement: (key) => ask(() => delivery.statement(place, identity, key)),
      sendKeyPackage: (bytes) => ask(() => delivery.sendKeyPackage(place, identity, bytes)),
      create: (id) => ask(() => delivery.create(place, identity, id)),
      commit: (commit, signal) => ask(() => delivery.commit(place, identity, commit), signal),
      refuse: (refusal) => ask(() => delivery.refuse(place, identity, refusal)),
      messages: (id, after) => ask(() => delivery.messages(place, identity, id, after)),
    };
  }
}

/** Devices, the delivery service and the network between them, on a clock of their own. */
export class GroupWorld {
  readonly clock: SimClock;
  readonly random: () => number;
  readonly delivery: PlayedDelivery;
  readonly devices = new Set<SimDevice>();
  weather: Weather = calm;
  isServiceDown = false;
  /** Contradictions that were seen. */
  readonly faults: string[] = [];
  readonly #seen = new Map<string, string>();
  #computing = 0;
  #count = 0;

  private constructor(seed: number, key: StatementKey) {
    this.random = seededRandom(seed);
    this.clock = new SimClock(this.random);
    const delivery = new PlayedDelivery(key, this.clock.now);
    this.delivery = delivery;
    delivery.onChange = (place) => this.#tell(place);
  }

  static async open(seed: number): Promise<GroupWorld> {
    return new GroupWorld(seed, await newStatementKey());
  }

  async add(identity: string): Promise<SimDevice> {
    this.#count += 1;
    const keys = await newSignatureKeys();
    const device = new SimDevice(this, identity, keys, this.#count * 7919);
    this.devices.add(device);
    return device;
  }

  /** Takes a device out of the simulation. */
  drop(device: SimDevice): void {
    device.exit();
    this.devices.delete(device);
  }

  /** Everybody gets the same keys in an epoch, or something is very wrong. */
  sawKeys(device: SimDevice, name: string, keys: string): void {
    const known = this.#seen.get(name);
    if (known !== undefined && known !== keys) {
      this.faults.push(`${device.identity} has other keys for ${name}`);
    }
    this.#seen.set(name, keys);
  }

  /** The keys that honest devices had, by group, epoch and sender. */
  get seen(): ReadonlyMap<string, string> {
    return this.#seen;
  }

  /** Lets this much time pass. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    await this.#computed();
    while (this.clock.step(end)) await this.#computed();
  }

  /** Lets time pass until this holds. Throws when it does not within the time given. */
  async until(what: string, holds: () => boolean, within = 30_000): Promise<void> {
    const end = this.clock.now() + within;
    await this.#computed();
    while (!holds()) {
      if (!this.clock.step(end)) throw new Error(`${what}: not within ${within} ms`);
      await this.#computed();
    }
  }

  /** Carries something from a device to another, unless it gets lost. */
  carry(from: SimDevice, act: () => void, to: SimDevice): void {
    const { random } = from;
    if (random() < this.weather.lost) return;
    const times = random() < this.weather.repeated ? 2 : 1;
    const { life } = to;
    for (let time = 0; time < times; time += 1) {
      this.clock.after(this.#delay(random), () => {
        if (to.life === life) to.whenAwake(act);
      });
    }
  }

  /** A request of a device: each way takes its time, and either may be lost. */
  ask<T>(device: SimDevice, act: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const { random, life } = device;
    const isRequestLost = random() < this.weather.lost || device.isCutOff;
    const isAnswerLost = random() < this.weather.lost;
    const isRepeated = random() < this.weather.repeated;
    const [there, back] = [this.#delay(random), this.#delay(random)];
    device.underway += 1;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (finish: () => void) => {
        if (device.life !== life) return;
        device.whenAwake(() => {
          if (isSettled) return;
          isSettled = true;
          device.underway -= 1;
          finish();
        });
      };
      const fail = (error: ServiceError) => settle(() => reject(error));
      const noAnswer = () => fail(new ServiceError(0, "network", "no answer", null));
      signal?.addEventListener("abort", noAnswer);
      if (isRequestLost) {
        this.clock.after(requestTimeout, noAnswer);
        return;
      }
      const serve = async () => {
        if (isRepeated) await answerOf(act);
        const { value, error } = await answerOf(act);
        if (isAnswerLost) this.clock.after(requestTimeout, noAnswer);
        else if (error) this.clock.after(back, () => fail(error));
        else this.clock.after(back, () => settle(() => resolve(value as T)));
        this.#computing -= 1;
      };
      this.clock.after(there, () => {
        if (this.isServiceDown) {
          this.clock.after(back, () => fail(refusal(503, "unavailable")));
          return;
        }
        this.#computing += 1;
        void serve();
      });
    });
  }

  /** Tells everybody the state again, as when the streams are opened again. */
  retell(): void {
    for (const place of new Set([...this.devices].map(({ place }) => place))) this.#tell(place);
  }

  #tell(place: string | null): void {
    for (const device of this.devices) {
      if (device.place !== place || !device.session) continue;
      const part = this.delivery.partFor(place, device.identity);
      const { session } = device;
      if (this.isServiceDown) continue;
      // The message has the present state. It may arrive late, twice or not at all.
      const { random, life } = device;
      if (random() < this.weather.lost) continue;
      const arrive = () => {
        if (device.life === life) device.whenAwake(() => session.update(part));
      };
      const delay = this.#delay(random);
      if (random() < this.weather.repeated) {
        this.clock.after(delay, arrive);
        this.clock.after(delay + this.#delay(random) * 3, arrive);
        continue;
      }
      device.streamUntil = Math.max(device.streamUntil, this.clock.now() + delay);
      this.clock.after(device.streamUntil - this.clock.now(), arrive);
    }
  }

  #delay(random: () => number): number {
    return 2 + Math.floor(random() * this.weather.slowest);
  }

  /** Waits until no device computes any more, so that time may go on. */
  async #computed(): Promise<void> {
    const isComputing = () =>
      this.#computing > 0 || [...this.devices].some((device) => device.isComputing);
    let quiet = 0;
    while (quiet < 2) {
      await turn();
      quiet = isComputing() ? 0 : quiet + 1;
    }
  }
}

/** What the service answers. */
async function answerOf<T>(
  act: () => T | Promise<T>,
): Promise<{ value?: T; error?: ServiceError }> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error: error as ServiceError };
  }
}

/** Lets everything run that is ready to. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
