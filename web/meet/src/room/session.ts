import type { EndReason, Meeting } from "@conclave/client";
import {
  browserStore,
  type CalendarFile,
  Entrance,
  type KeyValueStore,
  LocalMedia,
  type LookUp,
  leadsToAudience,
  type RoomInfo,
  type RoomSettings,
  readLinkSecret,
  type Seat,
  ServiceError,
  type SourcesOn,
  Value,
  type WaitingRoom,
  type WaitingSeat,
  type WaitingState,
} from "@conclave/client/pre-join";
import { connectionTestPath } from "./address";
import type { MeetingEntry } from "./enter";
import { LastVisitor, type Visitor } from "./last-visitor";
import type { LeaveGuard } from "./leave-guard";
import { type Refusal, refusalFrom, refusalOf } from "./refusal";
import type { Attempt, Scene } from "./scene";

type WaitingEnd = Extract<WaitingState, { kind: "over" }>["reason"];

/** Loads the code that only the meeting needs, once; the pre-join page does not wait for it. */
type LoadMeeting = () => Promise<Pick<MeetingEntry, "prepare" | "wait" | "enter">>;

export interface SessionOptions {
  readonly code: string;
  readonly joinSecret: string | null;
  /** The secret part of the link, as it stands there; null if the link has none. */
  readonly linkSecret: string | null;
  readonly baseUrl: string;
  /** A look-up of this room that began before; null if none did. */
  readonly firstLook: Promise<LookUp> | null;
  readonly loadMeeting: LoadMeeting;
  /** Goes to another address, for a redirect_url. */
  readonly goTo: (url: string) => void;
  readonly guard: LeaveGuard;
  /** Whether this browser can encrypt a meeting. */
  readonly canMeet: boolean;
}

/** The state machine of one room's page. React only draws its current scene. */
export class Session {
  readonly #options: SessionOptions;
  readonly #entrance: Entrance;
  readonly #preferences: KeyValueStore = browserStore("local");
  readonly #last = new LastVisitor(this.#preferences);
  readonly #passing: KeyValueStore = browserStore("session");
  readonly #scene = new Value<Scene>({ kind: "looking" });
  /** How microphone and camera were in the last meeting on this page. */
  #lastSources: SourcesOn = { microphone: true, camera: true };
  #isOver = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const lasting = this.#preferences;
    this.#entrance = new Entrance({ ...options, store: this.#passing, lasting });
    void this.lookUp(options.firstLook);
  }

  /** The room's code, which is the path of its page. */
  get code(): string {
    return this.#options.code;
  }

  /** The secret part of the link. It is in the address bar, in memory, and nowhere else. */
  get linkSecret(): string | null {
    return this.#options.linkSecret;
  }

  /** The page that tests this visitor's connection. */
  get connectionTest(): string {
    return connectionTestPath(this.#options);
  }

  /** Asks before the person leaves a running call. */
  get guard(): LeaveGuard {
    return this.#options.guard;
  }

  get scene(): Value<Scene> {
    return this.#scene;
  }

  /** The name and avatar that were last used on this device. */
  get remembered(): Visitor {
    return this.#last.get();
  }

  /** Looks up the room, and shows the page before the meeting or why there is none. */
  async lookUp(begun: Promise<LookUp> | null = null): Promise<void> {
    const { linkSecret, canMeet } = this.#options;
    if (!canMeet) {
      this.#scene.set({ kind: "refused", reason: "browser", message: null });
      return;
    }
    if (linkSecret !== null && readLinkSecret(linkSecret) === null) {
      this.#scene.set({ kind: "refused", reason: "link_damaged", message: null });
      return;
    }
    this.#scene.set({ kind: "looking" });
    try {
      const lookUp = await (begun ?? this.#entrance.lookUp());
      if (lookUp.decision === "refused" && !lookUp.may_unlock) {
        this.#scene.set({ kind: "refused", ...refusalOf(lookUp) });
        return;
      }
      this.#openPreJoin(lookUp);
      // Load the rest while the person types a name and looks at the preview.
      void this.#prepare(lookUp.room).catch(() => {});
    } catch (error) {
      this.#scene.set({ kind: "refused", ...refusalFrom(error) });
    }
  }

  /** Updates the names of the people inside. The rest of the page stays as the person left it. */
  async lookInside(): Promise<void> {
    const lookUp = await this.#lookAgain();
    const scene = this.#scene.get();
    if (lookUp === null || scene.kind !== "pre-join") return;
    this.#scene.set({ ...scene, lookUp: { ...scene.lookUp, inside: lookUp.inside } });
  }

  async #prepare(room: RoomInfo | null): Promise<void> {
    const entry = await this.#options.loadMeeting();
    if (room) entry.prepare(room.encryption);
  }

  /** The next meeting as a calendar file; null if it cannot be fetched. */
  async calendarFile(): Promise<CalendarFile | null> {
    try {
      return await this.#entrance.calendarFile();
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  join(visitor: Visitor): Promise<void> {
    return this.#join(visitor, false);
  }

  async #join(visitor: Visitor, isSecond: boolean): Promise<void> {
    const scene = this.#scene.get();
    if (scene.kind !== "pre-join" || scene.joining) return;
    this.#last.remember(visitor, scene.lookUp);
    this.#scene.set({ ...scene, joining: true, refusal: null });
    const attempt: Attempt = { ...scene, visitor, isSecond };
    try {
      if (scene.lookUp.may_unlock) await this.#entrance.unlock();
      const seat = await this.#entrance.takeSeat(visitor);
      if (seat.decision === "enter") await this.#enter(seat, attempt, scene.lookUp.room);
      else await this.#wait(seat, attempt);
    } catch (error) {
      const refusal = refusalFrom(error);
      // The room was locked meanwhile: look it up again to learn whether the person may unlock it.
      const isLocked = refusal.reason === "room_locked";
      const lookUp = (isLocked ? await this.#lookAgain() : null) ?? attempt.lookUp;
      this.#backToPreJoin({ ...attempt, lookUp }, refusal);
    }
  }

  /** Looks up the room again; null if that fails. */
  async #lookAgain(): Promise<LookUp | null> {
    try {
      return await this.#entrance.lookUp();
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  /** Asks again, after an hour in which nobody answered. */
  async askAgain(): Promise<void> {
    const scene = this.#scene.get();
    if (scene.kind === "waiting" && scene.hasExpired) await this.#joinAnew(scene.attempt);
  }

  /** Stops waiting. */
  async stopWaiting(): Promise<void> {
    const scene = this.#scene.get();
    if (scene.kind !== "waiting") return;
    await scene.waitingRoom.leave();
    // After an hour the service has forgotten the person, so there is no place to give up.
    if (scene.hasExpired) this.#leaveLine(scene.attempt);
  }

  /** Rejoins in one click, with the same name, microphone and camera as before. */
  rejoin(name: string): Promise<void> {
    return this.#comeAgain(name, false);
  }

  async #comeAgain(name: string, isSecond: boolean): Promise<void> {
    await this.lookUp();
    const scene = this.#scene.get();
    // Never unlock a room unless the person asks for it.
    if (scene.kind === "pre-join" && !scene.lookUp.may_unlock) {
      await this.#join({ name, avatar: this.remembered.avatar }, isSecond);
    }
  }

  /** Ends everything for good, on a page that cannot show it any more. */
  end(): void {
    this.#isOver = true;
    const scene = this.#scene.get();
    if (scene.kind === "pre-join") scene.media.close();
    if (scene.kind === "waiting") {
      scene.attempt.media.close();
      void scene.waitingRoom.leave();
    }
    if (scene.kind === "in") {
      this.guard.close();
      void scene.meeting.leave();
    }
  }

  /**
   * `known` is the room from the last look-up; null for a stranger at a members' room until now.
   */
  async #enter(seat: Seat, attempt: Attempt, known: RoomInfo | null): Promise<void> {
    const { media } = attempt;
    const { linkSecret } = this.#options;
    const entry = await this.#options.loadMeeting();
    const room = known ?? (await this.#lookAgain())?.room ?? null;
    if (this.#isOver) return;
    const rules = this.#entryRules(room);
    if (rules.mute_on_entry) void media.setMicrophone(false);
    if (rules.camera_off_on_entry) void media.setCamera(false);
    const meeting = entry.enter({
      baseUrl: this.#options.baseUrl,
      seat,
      linkSecret: linkSecret === null ? null : readLinkSecret(linkSecret),
      localMedia: media,
      room,
      seats: this.#entrance.seats,
      lasting: this.#preferences,
      passing: this.#passing,
    });
    this.guard.open();
    this.#scene.set({ kind: "in", meeting });
    this.#followEnd(meeting, attempt);
  }

  async #wait(seat: WaitingSeat, attempt: Attempt): Promise<void> {
    const { baseUrl } = this.#options;
    const { seats } = this.#entrance;
    const entry = await this.#options.loadMeeting();
    if (this.#isOver) return;
    const waitingRoom = entry.wait({ baseUrl, seat, room: attempt.lookUp.room, seats });
    this.#scene.set({ kind: "waiting", waitingRoom, attempt, hasExpired: false });
    const unsubscribe = waitingRoom.state.subscribe(() => {
      const state = waitingRoom.state.get();
      if (state.kind === "waiting") return;
      unsubscribe();
      if (state.kind === "over") this.#waitedInVain(state.reason, waitingRoom, attempt);
      else {
        this.#enter(state.seat, attempt, waitingRoom.room.get()).catch((error) =>
          this.#backToPreJoin(attempt, refusalFrom(error)),
        );
      }
    });
  }

  #waitedInVain(reason: WaitingEnd, waitingRoom: WaitingRoom, attempt: Attempt): void {
    switch (reason) {
      case "denied":
        void this.#denied(attempt);
        break;
      case "expired":
        this.#scene.set({ kind: "waiting", waitingRoom, attempt, hasExpired: true });
        break;
      case "lost":
        void this.#joinAnew(attempt);
        break;
      case "left":
        this.#leaveLine(attempt);
        break;
      case "ended":
      case "removed":
      case "deleted":
      case "elsewhere":
        attempt.media.close();
        this.#scene.set({ kind: "out", reason, name: attempt.visitor.name, next: null });
        break;
    }
  }

  /** Who was denied may ask once more. The service knows whether they have done that. */
  async #denied(attempt: Attempt): Promise<void> {
    if (this.#isOver) return;
    const denied: Refusal = { reason: "denied", message: null };
    this.#backToPreJoin(attempt, denied);
    const lookUp = await this.#lookAgain();
    const scene = this.#scene.get();
    // The person may have asked again meanwhile.
    if (scene.kind !== "pre-join" || scene.refusal !== denied) return;
    if (lookUp?.decision === "refused") this.#scene.set({ ...scene, refusal: refusalOf(lookUp) });
  }

  /** Goes back to the pre-join page, with the name and devices that the person had chosen. */
  #backToPreJoin({ lookUp, media }: Attempt, refusal: Refusal | null): void {
    this.#scene.set({ kind: "pre-join", lookUp, media, refusal, joining: false });
  }

  async #joinAnew(attempt: Attempt): Promise<void> {
    this.#backToPreJoin(attempt, null);
    await this.#join(attempt.visitor, attempt.isSecond);
  }

  #leaveLine({ media }: Attempt): void {
    media.close();
    void this.lookUp();
  }

  #openPreJoin(lookUp: LookUp): void {
    if (this.#isOver) return;
    const media = new LocalMedia({ store: this.#preferences });
    const refusal = lookUp.decision === "refused" ? refusalOf(lookUp) : null;
    this.#scene.set({ kind: "pre-join", lookUp, media, refusal, joining: false });
    void media.refreshDevices();
    if (leadsToAudience(lookUp)) return;
    const wanted = this.#entrance.seats.sources ?? this.#lastSources;
    const entry = this.#entryRules(lookUp.room);
    if (wanted.microphone && !entry.mute_on_entry) void media.setMicrophone(true);
    if (wanted.camera && !entry.camera_off_on_entry) void media.setCamera(true);
  }

  /**
   * What the room asks of those who come in. A person who comes back to their seat, as after a
   * reload, has been in already.
   */
  #entryRules(room: RoomInfo | null): Partial<RoomSettings> {
    return this.#entrance.seats.sources === null ? (room?.settings ?? {}) : {};
  }

  #followEnd(meeting: Meeting, attempt: Attempt): void {
    const { microphone, camera } = meeting.localMedia;
    const remember = () => {
      if (meeting.phase.get().kind === "ended") return;
      const isUnmuted = microphone.get().on && !meeting.localMedia.isTalking;
      this.#lastSources = { microphone: isUnmuted, camera: camera.get().on };
      this.#entrance.seats.keepSources(this.#lastSources);
    };
    remember();
    let { visitor } = attempt;
    const takeName = () => {
      const name = meeting.you.get()?.name ?? visitor.name;
      if (name === visitor.name) return;
      visitor = { ...visitor, name };
      this.#last.remember(visitor, attempt.lookUp);
    };
    const forget = [
      microphone.subscribe(remember),
      camera.subscribe(remember),
      meeting.you.subscribe(takeName),
    ];
    const check = () => {
      const phase = meeting.phase.get();
      if (phase.kind !== "ended") return;
      for (const stop of [...forget, unsubscribe]) stop();
      this.#ended(phase.reason, meeting.redirectUrl, { ...attempt, visitor });
    };
    const unsubscribe = meeting.phase.subscribe(check);
    check();
  }

  #ended(reason: EndReason, redirectUrl: string | null, { visitor, isSecond }: Attempt): void {
    this.guard.close();
    if (reason === "refused" && !isSecond) {
      // Something changed in between, such as a lock: show what the service says now.
      void this.#comeAgain(visitor.name, true);
      return;
    }
    const { unsent } = this.guard;
    const next = reason === "elsewhere" || reason === "refused" ? null : redirectUrl;
    if (next !== null && unsent.isDone) {
      this.#options.goTo(next);
      return;
    }
    this.guard.tidy();
    const out: Scene = { kind: "out", reason, name: visitor.name, next };
    this.#scene.set(out);
    unsent.whenSent(() => {
      if (this.#scene.get() === out && unsent.isDone) this.goOn();
    });
  }

  /** Goes to the redirect_url of a person whose meeting is over; nowhere if they have none. */
  goOn(): void {
    const scene = this.#scene.get();
    if (scene.kind === "out" && scene.next !== null) this.#options.goTo(scene.next);
  }
}
