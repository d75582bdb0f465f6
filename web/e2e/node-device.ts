import { browserClock } from "../client/src/clock";
import { EventStream } from "../client/src/event-stream";
import { Service } from "../client/src/service";
import type { EpochRef } from "../client/src/strict/epoch-keys";
import type { EpochAcknowledgement, GroupDelivery } from "../client/src/strict/group-protocol";
import { GroupService } from "../client/src/strict/group-service";
import { GroupSession } from "../client/src/strict/group-session";
import type { GroupState, GroupTrouble } from "../client/src/strict/group-state";
import { newSignatureKeys, type SignatureKeys } from "../client/src/strict/mls-suite";
import type { GroupPart, Seat } from "../client/src/wire";
import { Crowd } from "./crowd";
import type { Room, ServiceUnderTest } from "./service";

/** Takes seats in the main room of a strict meeting, without a page. */
export function takeSeats(
  service: ServiceUnderTest,
  room: Room,
  names: readonly string[],
): Promise<readonly Seat[]> {
  const { url: baseUrl } = service;
  return Promise.all(
    names.map(async (name) => {
      const response = await fetch(`${baseUrl}/meet/v1/join`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ code: room.code, name, strict: 1 }),
      });
      if (!response.ok) throw new Error(`join: ${await response.text()}`);
      return (await response.json()) as Seat;
    }),
  );
}

/** Keys that a device was given, 32 bytes each. */
export interface GivenKeys {
  readonly epoch: EpochRef;
  readonly identity: string;
  readonly media: Buffer;
}

export interface NodeDeviceOptions {
  readonly service: ServiceUnderTest;
  readonly room: Room;
  readonly seat: Seat;
  readonly linkSecret?: Uint8Array | null;
  /** Whether it stays listed in a group that it cannot be in, as a modified device may. */
  readonly staysListed?: boolean;
  readonly onAcknowledge?: (acknowledgement: EpochAcknowledgement) => void;
  readonly onSend?: (epoch: EpochRef | null) => void;
}

/**
 * A device's side of the group of a strict meeting, with the code that runs in a page's worker. It
 * keeps every key that it gets. Its seat must be in the media room: see `Crowd.hold`.
 */
export class NodeDevice {
  readonly identity: string;
  readonly delivery: GroupDelivery;
  readonly session: GroupSession;
  readonly keys: GivenKeys[] = [];
  readonly troubles: GroupTrouble[] = [];
  state: GroupState | null = null;
  part: GroupPart | null = null;
  readonly #stream: EventStream;

  private constructor(options: NodeDeviceOptions, signatureKeys: SignatureKeys) {
    const { service, room, seat, linkSecret, onAcknowledge, onSend } = options;
    const { ticket, identity } = seat;
    const place = { baseUrl: service.url, ticket, place: null };
    this.identity = identity;
    const delivery = new GroupService(place);
    this.delivery = options.staysListed ? { ...delivery, refuse: async () => {} } : delivery;
    this.session = new GroupSession({
      delivery: this.delivery,
      clock: browserClock,
      serviceNow: browserClock.now,
      me: identity,
      room: room.id,
      place: null,
      signatureKeys,
      linkSecret: linkSecret ?? null,
      events: {
        onInstall: (epoch, senders) => {
          for (const sender of senders) {
            this.keys.push({ epoch, identity: sender.identity, media: Buffer.from(sender.media) });
          }
        },
        onAcknowledge: (acknowledgement) => onAcknowledge?.(acknowledgement),
        onSend: (epoch) => onSend?.(epoch),
        onErase: () => {},
        onState: (state) => {
          this.state = state;
        },
        onTrouble: (trouble) => this.troubles.push(trouble),
      },
    });
    this.#stream = new EventStream({
      service: new Service({ baseUrl: service.url }),
      ticket,
      clock: browserClock,
      onEvent: (event) => {
        if (event.type !== "group") return;
        this.part = event.data;
        this.session.update(event.data);
      },
      onRefused: () => this.close(),
      onLive: () => {},
    });
  }

  static async at(options: NodeDeviceOptions): Promise<NodeDevice> {
    return new NodeDevice(options, await newSignatureKeys());
  }

  /** A device of the service that comes into the meeting, and its seat in the media room. */
  static async in(
    service: ServiceUnderTest,
    room: Room,
    name: string,
  ): Promise<{ device: NodeDevice; crowd: Crowd }> {
    const seats = await takeSeats(service, room, [name]);
    const crowd = await Crowd.hold(seats);
    const [seat] = seats as [Seat];
    return { device: await NodeDevice.at({ service, room, seat, staysListed: true }), crowd };
  }

  close(): void {
    this.session.close();
    this.#stream.close();
  }
}
