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
  /** What the breakout room is called; null in the main room, and while nobody has said. */
  readonly name: string | null;
}

/** Where this device is. */
export interface Whereabouts extends Place {
  /** Where it is being moved to; null while it is where it has to be. */
  readonly movingTo: Place | null;
}

export const mainRoom: Place = { breakoutId: null, name: null };

export interface BreakoutsOptions {
  readonly service: Service;
  readonly ticket: string;
  readonly clock: Clock;
  /** Where it outlasts a reload which announcement was dismissed. */
  readonly store: KeyValueStore;
  /** Moves the device: the service has said where it has to be. */
  readonly onPlace: (breakoutId: string | null) => void;
}

const dismissedKey = "conclave.announcement.dismissed";

/**
 * Breakout rooms as one person sees them. The service decides who is where; the device follows,
 * and `whereabouts` tells how far it has come.
 */
export class Breakouts {
  readonly #options: BreakoutsOptions;
  readonly #session = new Value<BreakoutSession | null>(null);
  readonly #whereabouts = new Value<Whereabouts>({ ...mainRoom, movingTo: null });
  readonly #announcement = new Value<Announcement | null>(null);
  readonly #countdown: Countdown;
  /** Names outlive their session, for as long as a device has not come back from it. */
  readonly #names = new Map<string, string>();
  #here: string | null = null;
  /** Undefined until the service has said. */
  #wanted: string | null | undefined;
  #lastAnnouncement: string | null;

  constructor(options: BreakoutsOptions) {
    this.#options = options;
    const { clock, service, store } = options;
    // The service repeats an announcement to a page that was reloaded soon after it.
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

  /** Seconds until the rooms close by themselves; null while nothing has been said of that. */
  get countdown(): Observable<number | null> {
    return this.#countdown.seconds;
  }

  /** The last thing that was announced, until it is dismissed. Each is shown once. */
  get announcement(): Observable<Announcement | null> {
    return this.#announcement;
  }

  dismiss(announcement: Announcement): void {
    if (this.#announcement.get()?.id !== announcement.id) return;
    this.#announcement.set(null);
    this.#options.store.setItem(dismissedKey, announcement.id);
  }

  /** Goes into the room that was given to one, or that one chooses where people may. Hosts visit any. */
  join(breakoutId: string): Promise<void> {
    return this.#options.service.joinBreakout(this.#options.ticket, breakoutId);
  }

  /** Goes back to the main room, where that is allowed. */
  returnToMain(): Promise<void> {
    return this.#options.service.returnFromBreakout(this.#options.ticket);
  }

  /** Hosts and co-hosts: opens rooms, and deals people out as planned. */
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

  /** Hosts and co-hosts: one more room; without a name it is called by its number. */
  addRoom(name = ""): Promise<void> {
    return this.#options.service.addBreakout(this.#options.ticket, name);
  }

  renameRoom(breakoutId: string, name: string): Promise<void> {
    return this.#options.service.renameBreakout(this.#options.ticket, breakoutId, name);
  }

  /** Hosts and co-hosts: closes one room; whoever is in it returns to the main room. */
  closeRoom(breakoutId: string): Promise<void> {
    return this.#options.service.closeBreakout(this.#options.ticket, breakoutId);
  }

  /** Hosts and co-hosts: says something to everybody, in whichever room. */
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
    for (const { id, name } of session?.rooms ?? []) this.#names.set(id, name);
    this.#session.set(session);
    this.#countdown.until(session?.ends_at ?? null);
    this.#wanted = session?.you.place ?? null;
    this.#look();
    this.#options.onPlace(this.#wanted);
  }

  takeAnnouncement(announcement: Announcement | null): void {
    // The service repeats the last one to a stream that begins, and says when it has grown old.
    if (announcement === null || announcement.id === this.#lastAnnouncement) return;
    this.#lastAnnouncement = announcement.id;
    this.#announcement.set(announcement);
  }

  /** The device is connected there now. */
  arrived(breakoutId: string | null): void {
    this.#here = breakoutId;
    this.#look();
  }

  close(): void {
    this.#countdown.close();
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

/** What an interface sees of it; the rest is how a meeting keeps it up to date. */
export type BreakoutRooms = Omit<
  Pick<Breakouts, keyof Breakouts>,
  "takeSession" | "takeAnnouncement" | "arrived" | "close" | "placeOf"
>;

function samePlace(a: Place, b: Place): boolean {
  return a.breakoutId === b.breakoutId && a.name === b.name;
}
