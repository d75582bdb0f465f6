import { toBase64Url } from "../client/src/recording/base64url";
import type { EpochRef } from "../client/src/strict/epoch-keys";
import type { EpochAcknowledgement } from "../client/src/strict/group-protocol";
import { GroupService } from "../client/src/strict/group-service";
import { newKeyPackage, newSignatureKeys } from "../client/src/strict/mls-suite";
import type { Seat } from "../client/src/wire";
import { Crowd } from "./crowd";
import { NodeDevice, takeSeats } from "./node-device";
import type { Room, ServiceUnderTest } from "./service";

/** One of the devices that compute, and when it began to send in each epoch. */
interface Computing {
  readonly device: NodeDevice;
  readonly sentIn: Map<number, number>;
}

/**
 * Many devices in a strict meeting, all with a seat, a media connection and a leaf in the group. Only
 * two of them compute: the first, which makes the commits, and one that follows. In a meeting every
 * device computes on a machine of its own; here they would wait for each other. When the one that
 * follows acknowledges an epoch, all idle ones do so at the same moment. Acknowledgements travel
 * within this process and not through the media server.
 */
export class StrictCrowd {
  readonly idle: Seat[];
  readonly #computing: readonly Computing[];
  readonly #held: Crowd;

  private constructor(idle: Seat[], computing: readonly Computing[], held: Crowd) {
    this.idle = idle;
    this.#computing = computing;
    this.#held = held;
  }

  /** A crowd of `size` devices in a room where `present` others are in the group already. */
  static async in(
    service: ServiceUnderTest,
    room: Room,
    size: number,
    present = 0,
  ): Promise<StrictCrowd> {
    const names = Array.from({ length: size }, (_, i) => `Device ${i + 1}`);
    const seats: Seat[] = [];
    for (const name of names) seats.push(...(await takeSeats(service, room, [name])));
    const held = await Crowd.hold(seats);
    const [first, second, ...idle] = seats as [Seat, Seat, ...Seat[]];
    const computing: Computing[] = [];
    const acknowledge = (from: Seat, said: EpochAcknowledgement) => {
      const isFollower = from === second;
      const others = isFollower ? [from, ...idle] : [from];
      for (const { identity } of others) {
        for (const { device } of computing) {
          if (device.identity !== identity) device.session.acknowledged(identity, said);
        }
      }
    };
    const begin = async (seat: Seat) => {
      const sentIn = new Map<number, number>();
      const device = await NodeDevice.at({
        ...{ service, room, seat },
        onAcknowledge: (said) => acknowledge(seat, said),
        onSend: (epoch: EpochRef | null) => epoch && sentIn.set(epoch.epoch, performance.now()),
      });
      computing.push({ device, sentIn });
      await until(() => device.state !== null);
    };
    await begin(first);
    await begin(second);
    for (const seat of idle) await waitToBeAdded(service, seat);
    const crowd = new StrictCrowd([...idle], computing, held);
    await crowd.agree(present + size);
    return crowd;
  }

  /** Waits until both computing devices are in an epoch with `size` members, and send in it. */
  async agree(size: number): Promise<void> {
    await until(() =>
      this.#computing.every(
        ({ device: { state }, sentIn }) =>
          state?.members.length === size && sentIn.has(state.epoch),
      ),
    );
  }

  /** When the last of the computing devices began to send in the epoch in which they are. */
  get switched(): number {
    return Math.max(
      ...this.#computing.map(
        ({ device: { state }, sentIn }) => sentIn.get(state?.epoch ?? -1) ?? 0,
      ),
    );
  }

  async leave(): Promise<void> {
    for (const { device } of this.#computing) device.close();
    await this.#held.disperse();
  }
}

/** Announces a device that only waits to be added. */
async function waitToBeAdded(service: ServiceUnderTest, seat: Seat): Promise<void> {
  const delivery = new GroupService({ baseUrl: service.url, ticket: seat.ticket, place: null });
  const keys = await newSignatureKeys();
  const { statement } = await delivery.statement(toBase64Url(keys.publicKey));
  const { bytes } = await newKeyPackage(statement, keys);
  await delivery.sendKeyPackage(toBase64Url(bytes));
}

async function until(holds: () => boolean): Promise<void> {
  const limit = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > limit) throw new Error("the devices do not agree");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
