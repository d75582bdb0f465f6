/**
 * Many devices over a bad network, with a service that restarts. CONCLAVE_STORM_STEPS sets how many
 * steps the storm takes, and CONCLAVE_STORM_SEED its first seed.
 */
import type { ClientState } from "ts-mls";
import { mlsExporter } from "ts-mls/keySchedule.js";
import { processPrivateMessage } from "ts-mls/processMessages.js";
import { afterEach, expect, test, vi } from "vitest";
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import { calm, GroupWorld, type SimDevice } from "../testing/group-world.js";
import { seededRandom } from "../testing/sim-clock.js";
import { linkPskIndex } from "./link-secret.js";
import { cipherSuite } from "./mls-crypto.js";
import type * as joining from "./mls-join.js";
import { readMessage } from "./mls-suite.js";

declare const process: { readonly env: Record<string, string | undefined> };

const steps = Number(process.env["CONCLAVE_STORM_STEPS"] ?? 320);
const firstSeed = Number(process.env["CONCLAVE_STORM_SEED"] ?? 1);
const stepsPerSeed = 80;
/** After this many steps the storm stops, and every group must recover within restTime. */
const stepsPerRest = 20;
const restTime = 60_000;
const most = 8;
const places = [null, "breakout-1", "breakout-2"];
const linkSecret = new Uint8Array(16).fill(42);

/** Everything that devices knew when they joined: what somebody removed may have kept. */
const { hoard } = vi.hoisted(() => ({ hoard: [] as unknown[] }));

vi.mock("./mls-join.js", async (load) => {
  const real = await load<typeof joining>();
  const stateFromWelcome: typeof real.stateFromWelcome = async (about, suite) => {
    const state = await real.stateFromWelcome(about, suite);
    const { clientConfig, ...secrets } = state;
    hoard.push({ ...structuredClone(secrets), clientConfig });
    return state;
  };
  return { ...real, stateFromWelcome };
});

afterEach(() => {
  hoard.length = 0;
});

class Storm {
  readonly world: GroupWorld;
  readonly random: () => number;
  readonly #hasLinkSecret: boolean;
  #count = 0;

  constructor(world: GroupWorld, seed: number) {
    this.world = world;
    this.random = seededRandom(seed * 31 + 7);
    this.#hasLinkSecret = seed % 2 === 0;
  }

  get #devices(): SimDevice[] {
    return [...this.world.devices];
  }

  #pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.random() * from.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  }

  async step(): Promise<void> {
    const { world, random } = this;
    world.weather = this.#pick([
      calm,
      { lost: 0.05, repeated: 0.1, slowest: 80 },
      { lost: 0.2, repeated: 0.2, slowest: 400 },
    ]);
    await this.#act();
    // Many things happen at the same moment.
    if (random() < 0.4) await this.#act();
    if (random() < 0.2) await this.#act();
    await world.pass(random() < 0.5 ? random() * 60 : random() * 1500);
  }

  async #act(): Promise<void> {
    const { world, random } = this;
    const devices = this.#devices;
    const chance = random();
    if (devices.length < 2 || (chance < 0.3 && devices.length < most)) {
      this.#count += 1;
      // Random identities, so that their order is not the one in which the devices come.
      const device = await world.add(`guest_${Math.floor(random() * 1e6)}.${this.#count}`);
      if (this.#hasLinkSecret) device.linkSecret = linkSecret;
      device.enter(random() < 0.6 ? null : this.#pick(places));
      return;
    }
    const device = this.#pick(devices);
    if (chance < 0.45) world.drop(device);
    else if (chance < 0.6) this.#move(device);
    else if (chance < 0.7) await device.reload();
    else if (chance < 0.8) this.#nap(device);
    else if (chance < 0.85) this.#blink(device);
    else if (chance < 0.9) this.#restart();
    else if (chance < 0.95) device.isCutOff = !device.isCutOff;
  }

  #move(device: SimDevice): void {
    const to = this.#pick(places.filter((place) => place !== device.place));
    device.isCutOff = false;
    device.wake();
    device.exit();
    device.enter(to);
  }

  /** A device sleeps, and the service notices after a while. */
  #nap(device: SimDevice): void {
    const { world, random } = this;
    const { life, place } = device;
    device.sleep();
    world.clock.after(2000, () => {
      if (device.life !== life || !device.isAsleep) return;
      world.delivery.setPresent(place, device.identity, false);
    });
    world.clock.after(random() < 0.1 ? 3_600_000 : random() * 6000, () => {
      if (device.life === life && world.devices.has(device)) device.wake();
    });
  }

  /** For a moment, the service counts a device as gone. */
  #blink(device: SimDevice): void {
    const { world, random } = this;
    const { life, place } = device;
    world.delivery.setPresent(place, device.identity, false);
    world.clock.after(random() * 1500, () => {
      const isThere = device.life === life && world.devices.has(device);
      if (isThere && !device.isAsleep) world.delivery.setPresent(place, device.identity, true);
    });
  }

  #restart(): void {
    const { world, random } = this;
    world.isServiceDown = true;
    world.clock.after(random() * 3000, () => {
      world.isServiceDown = false;
      world.retell();
    });
  }

  /** The weather clears up, and everybody is there. */
  async rest(): Promise<void> {
    const { world } = this;
    world.weather = calm;
    world.isServiceDown = false;
    for (const device of this.#devices) {
      device.isCutOff = false;
      device.wake();
      world.delivery.setPresent(device.place, device.identity, true);
    }
    // What was still on its way comes first, and then the streams that were opened again.
    await world.pass(4000);
    world.retell();
    await world.until("everybody is in the group of their place", () => this.#isWell(), restTime);
    await world.pass(1500);
    expect(this.#isWell()).toBe(true);
    for (const device of this.#devices) {
      const { sending, state } = device;
      expect([sending?.groupId, sending?.epoch]).toEqual([state?.groupId, state?.epoch]);
    }
    expect(world.faults).toEqual([]);
  }

  /** Whether the devices of each place, and nobody else, are in one epoch with the same keys. */
  #isWell(): boolean {
    return places.every((place) => {
      const there = this.#devices.filter((device) => device.place === place);
      const names = there.map(({ identity }) => identity).sort();
      const [first] = there;
      return there.every(({ state, installed }) => {
        if (!state || state.groupId !== first?.state?.groupId) return false;
        if (state.epoch !== first.state.epoch) return false;
        const members = state.members.map(({ identity }) => identity).sort();
        const hasKeys = members.every((member) =>
          installed.has(`${state.groupId} ${state.epoch} ${member}`),
        );
        return hasKeys && members.join() === names.join();
      });
    });
  }
}

test(`a storm of ${steps} steps`, { timeout: 120_000 + steps * 500 }, async () => {
  for (let done = 0, seed = firstSeed; done < steps; seed += 1) {
    const world = await GroupWorld.open(seed);
    const storm = new Storm(world, seed);
    try {
      for (let step = 1; step <= stepsPerSeed && done < steps; step += 1) {
        await storm.step();
        done += 1;
        if (step % stepsPerRest === 0) await storm.rest();
      }
      await storm.rest();
      await checkHoard(world, storm.random);
    } catch (error) {
      throw new Error(`seed ${seed} (CONCLAVE_STORM_SEED=${seed}): ${error}`, { cause: error });
    }
  }
});

/**
 * Lets some removed devices use everything that they may have kept and overheard: what they knew
 * when they joined, and all commits of their group. None of it gives a key of a later epoch.
 */
async function checkHoard(world: GroupWorld, random: () => number): Promise<void> {
  const suite = await cipherSuite();
  let removed = 0;
  const hoarded = hoard.splice(0) as ClientState[];
  for (const start of hoarded.sort(() => random() - 0.5)) {
    if (removed === 3) break;
    const groupId = toBase64Url(start.groupContext.groupId);
    const log = world.delivery.overheard.get(groupId) ?? [];
    let state = start;
    let isOut = false;
    for (const { epoch, commit } of log) {
      if (BigInt(epoch) !== state.groupContext.epoch && !isOut) continue;
      const attempts = isOut ? disguises(state) : [state];
      for (const attempt of attempts) {
        const next = await follow(attempt, commit);
        if (next && next.groupActiveState.kind === "active") {
          expect(isOut, `somebody removed follows ${groupId} into epoch ${epoch + 1}`).toBe(false);
          state = next;
          continue;
        }
        if (isOut) continue;
        isOut = true;
        removed += 1;
        for (const disguise of disguises(state)) {
          const after = await follow(disguise, commit);
          const isFollowing = after?.groupActiveState.kind === "active";
          expect(isFollowing, `somebody removed follows ${groupId} out of ${epoch}`).toBe(false);
        }
      }
    }
    await expectNoLaterKeys(world, state, groupId, suite);
  }
}

/** The states of a device that pretends to be each member of its tree in turn. */
function disguises(state: ClientState): ClientState[] {
  return state.ratchetTree.flatMap((node, index) =>
    node?.nodeType === "leaf"
      ? [{ ...state, privatePath: { ...state.privatePath, leafIndex: index / 2 } }]
      : [],
  );
}

/** The state after a commit for a device that keeps all its secrets; null when it cannot follow. */
async function follow(state: ClientState, commit: string): Promise<ClientState | null> {
  const message = readMessage(fromBase64Url(commit));
  if (message.wireformat !== "mls_private_message") return null;
  const { clientConfig, ...secrets } = state;
  const copy = { ...structuredClone(secrets), clientConfig };
  try {
    const result = await processPrivateMessage(
      copy,
      message.privateMessage,
      linkPskIndex(linkSecret),
      await cipherSuite(),
    );
    return result.kind === "newState" ? result.newState : null;
  } catch {
    return null;
  }
}

async function expectNoLaterKeys(
  world: GroupWorld,
  state: ClientState,
  groupId: string,
  suite: Awaited<ReturnType<typeof cipherSuite>>,
): Promise<void> {
  const last = Number(state.groupContext.epoch);
  for (const [name, keys] of world.seen) {
    const [group, epoch, identity = ""] = name.split(" ");
    if (group !== groupId || Number(epoch) <= last) continue;
    const own = await mlsExporter(
      state.keySchedule.exporterSecret,
      "conclave media v1",
      new TextEncoder().encode(identity),
      32,
      suite,
    );
    expect(keys.split(" ")[0]).not.toBe(toBase64Url(own));
  }
}
