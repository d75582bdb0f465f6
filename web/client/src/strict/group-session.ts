import { type Clock, pause } from "../clock.js";
import { isTemporary } from "../service-error.js";
import { EpochKeys, type EpochKeysEvents } from "./epoch-keys.js";
import { GroupDevice } from "./group-device.js";
import {
  type Move,
  planFor,
  type Situation,
  situationKey,
  situationOf,
  type View,
} from "./group-moves.js";
import type { EpochAcknowledgement, GroupDelivery, GroupPart } from "./group-protocol.js";
import type { GroupState, GroupTrouble } from "./group-state.js";
import { OfferBook } from "./offer-book.js";
import { type OwnStatementOptions, StatementInvalid } from "./own-statement.js";
import { Patience } from "./patience.js";
import { isRefused } from "./refused.js";

export interface GroupSessionEvents extends EpochKeysEvents {
  /** The group is in another epoch; null: this device is in no group. */
  readonly onState: (state: GroupState | null) => void;
  readonly onTrouble: (trouble: GroupTrouble) => void;
}

export interface GroupSessionOptions extends OwnStatementOptions {
  readonly delivery: GroupDelivery;
  readonly clock: Clock;
  readonly events: GroupSessionEvents;
}

/** How often a session checks its situation when nothing happens, in milliseconds. */
const idleTime = 60_000;
/** A device that cannot follow the group for this long, in milliseconds, stops sending. */
const holdAfter = 1000;
/** In these situations the group is still in the epoch that this device knows. */
const inEpoch: ReadonlySet<Situation["kind"]> = new Set([
  "ahead",
  "unlisted",
  "unanswered",
  "changing",
  "settled",
]);

/**
 * Keeps this device in the group of one place, from announcing it until leaving: finds out what the
 * situation is, and makes one move after the other.
 */
export class GroupSession {
  readonly #options: GroupSessionOptions;
  readonly #keys: EpochKeys;
  readonly #patience: Patience;
  readonly #offers = new OfferBook();
  readonly #device: GroupDevice;
  #part: GroupPart | null = null;
  #situationKey = "";
  #since = 0;
  /** How often this device has asked the service in this situation, for nothing. */
  #attempts = 0;
  #epoch = "";
  #epochBegan = 0;
  #cancelHold: (() => void) | null = null;
  #wake = new AbortController();
  #isClosed = false;
  #isBusy = true;

  constructor(options: GroupSessionOptions) {
    const { clock, events } = options;
    this.#options = options;
    this.#keys = new EpochKeys(clock, events);
    this.#patience = new Patience(clock);
    this.#device = new GroupDevice({
      ...options,
      keys: this.#keys,
      patience: this.#patience,
      offers: this.#offers,
      onState: events.onState,
      onTrouble: events.onTrouble,
    });
    void this.#run();
  }

  /** Whether the device is doing something, rather than waiting for a time or for news. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The part `group` of the event stream; null when there is none. */
  update(part: GroupPart | null): void {
    if (this.#isBack(part)) this.#device.doubt();
    const hasChanged = JSON.stringify(part) !== JSON.stringify(this.#part);
    this.#part = part;
    if (!hasChanged || this.#isClosed) return;
    // At once, because the loop may be busy with a request.
    this.#watchEpoch(situationOf(this.#view()));
    this.hurry();
  }

  /** Another device can open what is sent in this epoch. */
  acknowledged(identity: string, acknowledgement: EpochAcknowledgement): void {
    this.#keys.acknowledged(identity, acknowledgement);
  }

  /** Tries again now instead of waiting, because the network may be back. */
  hurry(): void {
    this.#patience.hurry();
    this.#wakeUp();
  }

  /** Leaves, and erases every secret. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopHold();
    this.#device.close();
    this.#keys.close();
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#isBusy = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isClosed) {
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      const { group, membership } = this.#device;
      await this.#offers.read((group && this.#part?.waiting) || [], membership);
      if (this.#isClosed) break;
      const { move, after, epochLasts } = planFor(this.#look());
      const { retryAt, rejoinAt } = this.#patience;
      const earliest = move.kind === "announce" ? rejoinAt : 0;
      const began = Math.max(this.#since, this.#epochBegan + epochLasts);
      const due = Math.max(began + after, retryAt, earliest);
      const now = clock.now();
      if (move.kind === "wait" || due > now) {
        this.#isBusy = this.#wake.signal.aborted;
        await pause(clock, Math.min(due - now, idleTime), this.#wake.signal);
        this.#isBusy = true;
        continue;
      }
      try {
        await this.#make(move);
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#isBusy = false;
  }

  #look(): Situation {
    const view = this.#view();
    const situation = situationOf(view);
    const now = this.#options.clock.now();
    const key = situationKey(situation, view);
    if (key !== this.#situationKey) {
      this.#situationKey = key;
      this.#since = now;
      this.#attempts = 0;
    }
    const epoch = `${view.group?.id} ${view.group?.epoch}`;
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#epochBegan = now;
    }
    this.#watchEpoch(situation);
    return situation;
  }

  #view(): View {
    const { me, place } = this.#options;
    const offers = this.#offers.valid;
    return { me, place, part: this.#part, offers, ...this.#device.view };
  }

  async #make(move: Move): Promise<void> {
    const { clock } = this.#options;
    switch (move.kind) {
      case "announce":
        await this.#device.announce(move.reason);
        this.#since = clock.now();
        // The service may not list this device for long: it asks less and less often.
        if (move.reason === "not_added") this.#rests();
        break;
      case "create":
        await this.#device.create();
        break;
      case "adopt":
        await this.#device.adopt(this.#part?.seq ?? 0);
        break;
      case "fetch":
        await this.#fetch();
        break;
      case "commit":
        await this.#device.commit(move.change);
        break;
      case "refuse":
        await this.#device.refuse(this.#part);
        break;
      case "send":
        await this.#device.send();
        break;
      case "check": {
        const part = this.#part;
        const isKept = await this.#device.check();
        this.#since = clock.now();
        // Nothing was lost, and the stream has not told more: it may be late for long.
        if (!isKept || part !== this.#part) break;
        this.#rests();
        break;
      }
      case "wait":
        break;
    }
  }

  /** Waits after a move that changed nothing: longer each time, until the situation changes. */
  #rests(): void {
    this.#patience.rests(this.#attempts);
    this.#attempts += 1;
  }

  /** Whether this part says that the group is in an earlier epoch than it was. */
  #isBack(part: GroupPart | null): boolean {
    const [before, own] = [this.#part, this.#view().group];
    if (!part || !before || !own || part.group_id !== own.id) return false;
    return before.group_id === own.id && before.epoch >= own.epoch && part.epoch < own.epoch;
  }

  async #fetch(): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#device.fetch(this.#part, clock.now() - this.#since);
    } catch (error) {
      // The time without the service does not count as time in which the group left us behind.
      this.#since = clock.now();
      throw error;
    }
  }

  /** Stops sending when the group has gone on: a removed member may know the old epoch's keys. */
  #watchEpoch({ kind }: Situation): void {
    if (inEpoch.has(kind)) {
      this.#stopHold();
      this.#keys.resume();
      return;
    }
    // Other situations say nothing about the epoch, so a device that stopped does not go on.
    if (kind !== "behind" && kind !== "replaced") return;
    this.#device.overtake();
    if (this.#cancelHold || !this.#keys.sending) return;
    this.#cancelHold = this.#options.clock.after(holdAfter, () => {
      this.#cancelHold = null;
      this.#keys.hold();
    });
  }

  #stopHold(): void {
    this.#cancelHold?.();
    this.#cancelHold = null;
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    const { onTrouble } = this.#options.events;
    if (isRefused(error, "ticket_invalid")) {
      onTrouble({ reason: "over", detail: "The seat is over." });
      this.close();
      return;
    }
    // A device on its way to another place is refused here, which is not a problem.
    if (!isTemporary(error) && !isRefused(error, "place_changed")) {
      const reason = error instanceof StatementInvalid ? "statement" : "service";
      onTrouble({ reason, detail: error instanceof Error ? error.message : String(error) });
    }
    this.#patience.failed();
  }
}
