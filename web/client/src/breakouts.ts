import type { Clock } from "./clock.js";
import { Countdown } from "./countdown.js";
import { type Observable, Value } from "./observable.js";
import type { KeyValueStore } from "./preferences.js";
import type { Service } from "./service.js";
import type { Announcement, BreakoutPlan, BreakoutSession } from "./wire.js";

/** One of the rooms that a meeting consists of while breakout rooms are open. */
export interface Place {
  /** Null: the main room. */
  readonly breakoutId: string | null;
  /** The breakout room's name; null in the main room, and while the name is not known. */
  readonly name: string | null;
}

/** Where this device is. */
export interface Whereabouts extends Place {
  /** Where it is moving to; null when it is where it should be. */
  readonly movingTo: Place | null;
}

export const mainRoom: Place = { breakoutId: null, name: null };

export interface BreakoutsOptions {
  readonly service: Service;
  readonly ticket: string;
  readonly clock: Clock;
  /** Keeps the id of the dismissed announcement across a reload. */
  readonly store: KeyValueStore;
  /** Moves the device to the room that the service placed it in. */
  readonly onPlace: (breakoutId: string | null) => void;
}

/** How long an announcement is shown, if it is not dismissed. */
const shownFor = 60_000;

const dismissedKey = "conclave.announcement.dismissed";

/**
 * Breakout rooms as one person sees them. The service decides who is in which room; the device
 * follows, and `whereabouts` shows where it is on its way.
 */
export class Breakouts {
  readonly #options: BreakoutsOptions;
  readonly #session = new Value<BreakoutSession | null>(null);
  readonly #whereabouts = new Value<Whereabouts>({ ...mainRoom, movingTo: null });
  readonly #announcement = new Value<Announcement | null>(null);
  readonly #countdown: Countdown;
  /** The rooms' names. They are kept after the session ends, until the device is back. */
  readonly #names = new Map<string, string>();
  #here: string | null = null;
  /** Undefined until the service says where the device belongs. */
  #wanted: string | null | undefined;
  #lastAnnouncement: string | null;
  #forgetTimer: () => void = () => {};

  constructor(options: BreakoutsOptions) {
    this.#options = options;
    const { clock, service, store } = options;
    // The service repeats a recent announcement to a page that reloads.
    this.#lastAnnouncement = store.getItem(dismissedKey);
    this.#countdown = new Countdown(clock, () => service.time.now());
  }

  /** The rooms that are open; null while there are none. */
  get session(): Observable<BreakoutSession | null> {
    return this.#session;
  }

  get whereabouts(): Observable<Whereabouts> {
    return this.#whereabouts;
  }

  /** Seconds until the rooms close by themselves; null when they have no end. */
  get countdown(): Observable<number | null> {
    return this.#countdown.seconds;
  }

  /**
   * The last announcement, until it is dismissed, the session ends or a minute has passed. Each is
   * shown once.
   */
  get announcement(): Observable<Announcement | null> {
    return this.#announcement;
  }

  dismiss(announcement: Announcement): void {
    if (this.#announcement.get()?.id !== announcement.id) return;
    this.#hideAnnouncement();
    this.#options.store.setItem(dismissedKey, announcement.id);
  }

  /**
   * Goes into the person's assigned room, or into one of their choice where that is allowed. Hosts
   * visit any room.
   */
  join(breakoutId: string): Promise<void> {
    return this.#options.service.joinBreakout(this.#options.ticket, breakoutId);
  }

  /** Goes back to the main room, where that is allowed. */
  returnToMain(): Promise<void> {
    return this.#options.service.returnFromBreakout(this.#options.ticket);
  }

  /** Hosts and co-hosts: opens rooms, and assigns people to them as planned. */
  open(plan: BreakoutPlan): Promise<void> {
    return this.#options.service.openBreakouts(this.#options.ticket, plan);
  }

  /** Hosts and co-hosts: sends a person into a room, or with null to the main room. */
  assign(person: string, breakoutId: string | null, canReturn?: boolean): Promise<void> {
    return this.#options.service.assignBreakout(this.#options.ticket, {
      participant: person,
      breakout_id: breakoutId,
      ...(canReturn === undefined ? {} : { can_return: canReturn }),
    });
  }

  /** Hosts and co-hosts: adds a room. Without a name it is called by its number. */
  addRoom(name = ""): Promise<void> {
    return this.#options.service.addBreakout(this.#options.ticket, name);
  }

  renameRoom(breakoutId: string, name: string): Promise<void> {
    return this.#options.service.renameBreakout(this.#options.ticket, breakoutId, name);
  }

  /** Hosts and co-hosts: closes one room. The people in it return to the main room. */
  closeRoom(breakoutId: string): Promise<void> {
    return this.#options.service.closeBreakout(this.#options.ticket, breakoutId);
  }

  /** Hosts and co-hosts: sends an announcement to everybody in every room. */
  announce(message: string): Promise<void> {
    return this.#options.service.announce(this.#options.ticket, message);
  }

  /** Hosts and co-hosts: closes all rooms, at once or 60 seconds after a warning. */
  end({ warn }: { readonly warn: boolean }): Promise<void> {
    return this.#options.service.endBreakouts(this.#options.ticket, warn);
  }

  placeOf(breakoutId: string | null): Place {
    if (breakoutId === null) return mainRoom;
    return { breakoutId, name: this.#names.get(breakoutId) ?? null };
  }

  takeSession(session: BreakoutSession | null): void {
    if (session?.id !== this.#session.get()?.id) this.#hideAnnouncement();
    for (const { id, name } of session?.rooms ?? []) this.#names.set(id, name);
    this.#session.set(session);
    this.#countdown.until(session?.ends_at ?? null);
    this.#wanted = session?.you.place ?? null;
    this.#look();
    this.#options.onPlace(this.#wanted);
  }

  takeAnnouncement(announcement: Announcement | null): void {
    // A new stream begins with the last announcement, and later says when that is out of date.
    if (announcement === null || announcement.id === this.#lastAnnouncement) return;
    this.#lastAnnouncement = announcement.id;
    this.#forgetTimer();
    this.#forgetTimer = this.#options.clock.after(shownFor, () => this.#hideAnnouncement());
    this.#announcement.set(announcement);
  }

  /** The device is connected to this room now. */
  arrived(breakoutId: string | null): void {
    this.#here = breakoutId;
    this.#look();
  }

  close(): void {
    this.#forgetTimer();
    this.#countdown.close();
  }

  #hideAnnouncement(): void {
    this.#forgetTimer();
    this.#announcement.set(null);
  }

  #look(): void {
    const isMoving = this.#wanted !== undefined && this.#wanted !== this.#here;
    const next: Whereabouts = {
      ...this.placeOf(this.#here),
      movingTo: isMoving ? this.placeOf(this.#wanted ?? null) : null,
    };
    const before = this.#whereabouts.get();
    const isSame =
      samePlace(before, next) &&
      (before.movingTo === next.movingTo ||
        (before.movingTo !== null &&
          next.movingTo !== null &&
          samePlace(before.movingTo, next.movingTo)));
    if (!isSame) this.#whereabouts.set(next);
  }
}

/**
 * The public side, for interfaces. The other methods are for the meeting that keeps it up to date.
 */
export type BreakoutRooms = Omit<
  Pick<Breakouts, keyof Breakouts>,
  "takeSession" | "takeAnnouncement" | "arrived" | "close" | "placeOf"
>;

function samePlace(a: Place, b: Place): boolean {
  return a.breakoutId === b.breakoutId && a.name === b.name;
}
