import type { Clock } from "../clock.js";
import { type Observable, Value } from "../observable.js";
import { RateLimiter } from "../rate-limiter.js";
import type { GroupPart } from "./group-protocol.js";
import { type EpochAcknowledgement, epochTopic, readAcknowledgement } from "./group-protocol.js";
import type { GroupState, GroupTrouble } from "./group-state.js";
import { type GroupView, startingGroup } from "./group-view.js";
import { PlaceKeys } from "./place-keys.js";
import type { FromGroupWorker, ToGroupWorker } from "./worker-messages.js";

/** What the groups use of their worker. */
export type GroupWorkerPort = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

export interface GroupsOptions {
  readonly createWorker: () => GroupWorkerPort;
  /** The worker could not be loaded, so the device can never be in a group. */
  readonly onWorkerFailed: () => void;
  readonly baseUrl: string;
  readonly ticket: string;
  /** Another device is in a later epoch than the event stream shows; it may not be telling the truth. */
  readonly onOvertaken: () => void;
  /** The identity of this device. */
  readonly me: string;
  readonly linkSecret: Uint8Array<ArrayBuffer> | null;
  readonly clock: Clock;
  /** How much later it is at the service than on this device, in milliseconds. */
  readonly ahead: () => number;
  /** Sends to all others in the media room of this place, or to one, while the device is there. */
  readonly send: (
    place: string | null,
    topic: string,
    packet: Packet,
    to: readonly string[] | null,
  ) => void;
}

type Packet = Uint8Array<ArrayBuffer>;

/** The group of one place, as far as this page knows it. */
interface PlaceGroup {
  readonly keys: PlaceKeys;
  state: GroupState | null;
  trouble: GroupTrouble | null;
  /** What this device has acknowledged last. */
  acknowledged: EpochAcknowledgement | null;
}

/**
 * The groups of a strict meeting, one for each place that this device is in or goes to. Their
 * secrets are in a worker; this class is the page's side of it.
 */
export class Groups {
  readonly #options: GroupsOptions;
  readonly #places = new Map<string | null, PlaceGroup>();
  readonly #view = new Value<GroupView>(startingGroup);
  /** Bounds how many packets of one device are read, because each may ask for an answer. */
  readonly #limiter: RateLimiter;
  #worker: GroupWorkerPort | null = null;
  /** Whether the worker has said anything, so that it was loaded. */
  #hasAnswered = false;
  /** Which place the view is about. */
  #shown: string | null = null;
  #part: GroupPart | null = null;
  #isClosed = false;

  constructor(options: GroupsOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(options.clock);
  }

  get view(): Observable<GroupView> {
    return this.#view;
  }

  /** Starts the worker. All groups are of this room. */
  start(room: string): void {
    if (this.#worker || this.#isClosed) return;
    const { createWorker, baseUrl, ticket, me, linkSecret } = this.#options;
    this.#worker = createWorker();
    this.#worker.onmessage = ({ data }: MessageEvent<FromGroupWorker>) => this.#take(data);
    // A worker that could not be loaded does not say why.
    this.#worker.onerror = ({ message = "" }) => this.#broken(message);
    this.#post({ type: "start", baseUrl, ticket, me, room, linkSecret });
    for (const place of this.#places.keys()) this.#enterOne(place);
  }

  /** The device goes into a place; it may be in the one before for a moment longer. */
  enter(place: string | null): PlaceKeys {
    const known = this.#places.get(place);
    if (known) return known.keys;
    const keys = new PlaceKeys(this.#options.me, this.#options.clock);
    this.#places.set(place, { keys, state: null, trouble: null, acknowledged: null });
    // Until the first arrival the view is about where the device is going.
    if (this.#places.size === 1) this.#shown = place;
    this.#enterOne(place);
    return keys;
  }

  /** The device has arrived in this place, and leaves every other. */
  arrived(place: string | null): void {
    this.#shown = place;
    for (const other of [...this.#places.keys()]) if (other !== place) this.leave(other);
    this.#acknowledge(place, null);
    this.#look();
  }

  /** The device leaves a place, or gives up going there. */
  leave(place: string | null): void {
    const left = this.#places.get(place);
    if (!left) return;
    this.#places.delete(place);
    left.keys.close();
    this.#post({ type: "leave", place });
  }

  /** The part `group` of the event stream. */
  update(part: GroupPart | null): void {
    this.#part = part;
    this.#post({ type: "time", ahead: this.#options.ahead() });
    this.#post({ type: "part", part });
  }

  /** Another device has become reachable: what the two sent each other before is lost. */
  reachable(place: string | null, identity: string): void {
    this.#acknowledge(place, identity, true);
  }

  /** A packet of another device. */
  receive(place: string | null, identity: string, topic: string, packet: Uint8Array): void {
    if (topic !== epochTopic || !this.#limiter.allows(identity, topic)) return;
    const acknowledgement = readAcknowledgement(packet);
    if (!acknowledgement) return;
    this.#post({ type: "acknowledged", place, identity, acknowledgement });
    if (this.#isLater(place, acknowledgement)) this.#options.onOvertaken();
    if (acknowledgement.reply) this.#acknowledge(place, identity);
  }

  /** The network is back. */
  hurry(): void {
    this.#post({ type: "hurry" });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#worker?.terminate();
    for (const { keys } of this.#places.values()) keys.close();
    this.#places.clear();
  }

  #enterOne(place: string | null): void {
    this.#post({ type: "time", ahead: this.#options.ahead() });
    this.#post({ type: "enter", place });
    this.#post({ type: "part", part: this.#part });
  }

  #post(message: ToGroupWorker): void {
    if (!this.#isClosed) this.#worker?.postMessage(message);
  }

  #take(message: FromGroupWorker): void {
    this.#hasAnswered = true;
    const group = this.#places.get(message.place);
    if (!group || this.#isClosed) return;
    switch (message.type) {
      case "install":
        group.keys.install(message.epoch, message.senders);
        break;
      case "acknowledge":
        group.acknowledged = message.acknowledgement;
        this.#acknowledge(message.place, null);
        break;
      case "send":
        group.keys.send(message.epoch);
        break;
      case "erase":
        group.keys.erase(message.epoch);
        break;
      case "state":
        group.state = message.state;
        if (message.state) group.trouble = null;
        else group.acknowledged = null;
        break;
      case "trouble":
        group.trouble = message.trouble;
        break;
    }
    this.#look();
  }

  #isLater(place: string | null, { group_id, epoch }: EpochAcknowledgement): boolean {
    const part = this.#part;
    return part?.place === place && part.group_id === group_id && epoch > part.epoch;
  }

  #acknowledge(place: string | null, to: string | null, reply = false): void {
    const acknowledged = this.#places.get(place)?.acknowledged;
    if (!acknowledged) return;
    const said = reply ? { ...acknowledged, reply } : acknowledged;
    const packet = new TextEncoder().encode(JSON.stringify(said));
    this.#options.send(place, epochTopic, packet, to === null ? null : [to]);
  }

  /** Without its worker the device is in no group, and nothing may be sent any more. */
  #broken(detail: string): void {
    for (const group of this.#places.values()) {
      group.keys.close();
      group.state = null;
      group.trouble = { reason: "worker", detail };
    }
    this.#look();
    if (!this.#hasAnswered) this.#options.onWorkerFailed();
  }

  #look(): void {
    const shown = this.#places.get(this.#shown);
    if (!shown) return;
    const epoch = shown.state;
    const isSecure = epoch !== null && shown.keys.isSending;
    const trouble = epoch === null ? shown.trouble : null;
    const state = isSecure ? "secure" : trouble ? "trouble" : "starting";
    const before = this.#view.get();
    const isSame = before.state === state && before.trouble === trouble && before.epoch === epoch;
    if (!isSame) this.#view.set({ state, trouble, epoch });
  }
}
