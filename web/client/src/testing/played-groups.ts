import { browserClock } from "../clock.js";
import { GroupHost } from "../strict/group-host.js";
import { Groups, type GroupWorkerPort } from "../strict/groups.js";
import type { PlaceKeys } from "../strict/place-keys.js";
import type { FromGroupWorker, ToGroupWorker } from "../strict/worker-messages.js";
import { newStatementKey, PlayedDelivery } from "./played-delivery.js";

/** A device in a strict meeting: its groups, with their worker in the same thread. */
export interface PlayedDevice {
  readonly groups: Groups;
  readonly port: GroupWorkerPort;
  /** What was sent to others, and whether they are reached. */
  isConnected: boolean;
  /** Whether its worker could not be loaded. */
  hasNoWorker: boolean;
  /** How often another device was in a later epoch than the stream showed. */
  overtaken: number;
  goTo: (place: string | null) => PlaceKeys;
}

/** Devices in a strict meeting that tell each other and the service everything at once. */
export async function playGroups() {
  const delivery = new PlayedDelivery(await newStatementKey());
  const devices = new Map<string, PlayedDevice>();
  delivery.onChange = (place) => {
    for (const [identity, { groups }] of devices) {
      const part = delivery.partFor(place, identity);
      if (part) groups.update(part);
    }
  };
  const add = (me: string): PlayedDevice => {
    const port = newPort(delivery, me);
    const groups = new Groups({
      createWorker: () => port,
      onWorkerFailed: () => {
        device.hasNoWorker = true;
      },
      onOvertaken: () => {
        device.overtaken += 1;
      },
      baseUrl: "https://meet.example.com",
      ticket: "t",
      me,
      linkSecret: null,
      clock: browserClock,
      ahead: () => -Date.now(),
      send: (place, topic, packet, to) => {
        if (!device.isConnected) return;
        for (const [identity, other] of devices) {
          const isMeant = identity !== me && (to?.includes(identity) ?? true);
          if (isMeant && other.isConnected) other.groups.receive(place, me, topic, packet);
        }
      },
    });
    const device: PlayedDevice = {
      groups,
      port,
      isConnected: true,
      hasNoWorker: false,
      overtaken: 0,
      goTo: (place) => {
        const keys = groups.enter(place);
        delivery.setPresent(place, me, true);
        return keys;
      },
    };
    devices.set(me, device);
    groups.start("room");
    return device;
  };
  return { delivery, add };
}

function newPort(delivery: PlayedDelivery, me: string): GroupWorkerPort {
  const port: GroupWorkerPort = {
    onmessage: null,
    onerror: null,
    postMessage: (message: ToGroupWorker) => void host.take(message),
    terminate: () => {},
  };
  const host = new GroupHost({
    clock: browserClock,
    newDelivery: (_start, place) => ({
      statement: (key) => delivery.statement(place, me, key),
      sendKeyPackage: async (bytes) => delivery.sendKeyPackage(place, me, bytes),
      create: async (id) => delivery.create(place, me, id),
      commit: (commit) => delivery.commit(place, me, commit),
      messages: async (id, after) => delivery.messages(place, me, id, after),
      refuse: async (refusal) => delivery.refuse(place, me, refusal),
    }),
    tell: (data: FromGroupWorker) => {
      port.onmessage?.call(port as Worker, { data } as MessageEvent);
    },
  });
  return port;
}

/** Resolves when this holds of the device's view. */
export function viewed(
  { groups: { view } }: PlayedDevice,
  holds: (view: ReturnType<Groups["view"]["get"]>) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(view.get())) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = view.subscribe(look);
    look();
  });
}
