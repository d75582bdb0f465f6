import type { EndReason, Meeting, MeetingOptions } from "@conclave/client";
import {
  browserStore,
  type Door,
  Entrance,
  type KeyValueStore,
  LocalMedia,
  leadsToAudience,
  ServiceError,
  Value,
} from "@conclave/client/door";

/** What a person sees of a room, from opening its link to having left it. */
export type Scene =
  | { readonly kind: "looking" }
  | { readonly kind: "refused"; readonly reason: string; readonly message: string | null }
  | {
      readonly kind: "door";
      readonly door: Door;
      readonly media: LocalMedia;
      /** A refusal that came on trying to enter. */
      readonly refusal: { readonly reason: string; readonly message: string | null } | null;
      readonly joining: boolean;
    }
  | { readonly kind: "in"; readonly meeting: Meeting }
  | { readonly kind: "out"; readonly reason: EndReason; readonly name: string };

export interface Visitor {
  readonly name: string;
  readonly avatar: string | null;
}

const nameKey = "conclave.name";
const avatarKey = "conclave.avatar";

/** Loads what only the meeting needs; the pre-join page does not wait for it. */
type LoadMeeting = () => Promise<
  (options: Omit<MeetingOptions, "createEncryptionWorker">) => Meeting
>;

export interface SessionOptions {
  readonly code: string;
  readonly joinSecret: string | null;
  readonly baseUrl: string;
  readonly loadMeeting: LoadMeeting;
  /** Goes to another address, for a redirect_url. */
  readonly goTo: (url: string) => void;
}

/** The life of one room's page. React only draws the scene it is in. */
export class Session {
  readonly #options: SessionOptions;
  readonly #entrance: Entrance;
  readonly #preferences: KeyValueStore = browserStore("local");
  readonly #scene = new Value<Scene>({ kind: "looking" });
  #wantedSources = { microphone: true, camera: true };

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#entrance = new Entrance({ ...options, store: browserStore("session") });
    void this.lookUp();
  }

  get scene(): Value<Scene> {
    return this.#scene;
  }

  /** Who this person was last time, on this device. */
  get remembered(): Visitor {
    return {
      name: this.#preferences.getItem(nameKey) ?? "",
      avatar: this.#preferences.getItem(avatarKey),
    };
  }

  async lookUp(): Promise<void> {
    this.#scene.set({ kind: "looking" });
    try {
      const door = await this.#entrance.lookUp();
      if (door.decision === "refused") {
        this.#scene.set({ kind: "refused", ...refusalOf(door) });
        return;
      }
      this.#openDoor(door);
      // The person now types a name and looks at the preview: time enough to fetch the rest.
      void this.#options.loadMeeting().catch(() => {});
    } catch (error) {
      this.#scene.set({ kind: "refused", ...refusalFrom(error) });
    }
  }

  async join(visitor: Visitor): Promise<void> {
    const scene = this.#scene.get();
    if (scene.kind !== "door" || scene.joining) return;
    this.#remember(visitor);
    this.#scene.set({ ...scene, joining: true, refusal: null });
    try {
      const [seat, enter] = await Promise.all([
        this.#entrance.takeSeat(visitor),
        this.#options.loadMeeting(),
      ]);
      const meeting = enter({
        baseUrl: this.#options.baseUrl,
        seat,
        localMedia: scene.media,
        room: scene.door.room,
        seats: this.#entrance.seats,
      });
      this.#scene.set({ kind: "in", meeting });
      this.#followEnd(meeting, visitor);
    } catch (error) {
      this.#scene.set({ ...scene, joining: false, refusal: refusalFrom(error) });
    }
  }

  /** One click back: the same name, microphone and camera as before. */
  async rejoin(name: string): Promise<void> {
    await this.lookUp();
    if (this.#scene.get().kind === "door") {
      await this.join({ name, avatar: this.remembered.avatar });
    }
  }

  #openDoor(door: Door): void {
    const { mute_on_entry, camera_off_on_entry } = door.room.settings;
    const media = new LocalMedia({ store: this.#preferences });
    this.#scene.set({ kind: "door", door, media, refusal: null, joining: false });
    void media.refreshDevices();
    if (leadsToAudience(door)) return;
    if (this.#wantedSources.microphone && !mute_on_entry) void media.setMicrophone(true);
    if (this.#wantedSources.camera && !camera_off_on_entry) void media.setCamera(true);
  }

  #followEnd(meeting: Meeting, visitor: Visitor): void {
    const { microphone, camera } = meeting.localMedia;
    const remember = () => {
      if (meeting.phase.get().kind === "ended") return;
      this.#wantedSources = { microphone: microphone.get().on, camera: camera.get().on };
    };
    remember();
    const forget = [microphone.subscribe(remember), camera.subscribe(remember)];
    const check = () => {
      const phase = meeting.phase.get();
      if (phase.kind !== "ended") return;
      for (const stop of [...forget, unsubscribe]) stop();
      if (meeting.redirectUrl !== null && phase.reason !== "elsewhere") {
        this.#options.goTo(meeting.redirectUrl);
        return;
      }
      this.#scene.set({ kind: "out", reason: phase.reason, name: visitor.name });
    };
    const unsubscribe = meeting.phase.subscribe(check);
    check();
  }

  #remember({ name, avatar }: Visitor): void {
    this.#preferences.setItem(nameKey, name);
    if (avatar === null) this.#preferences.removeItem(avatarKey);
    else this.#preferences.setItem(avatarKey, avatar);
  }
}

function refusalOf(door: Door): { reason: string; message: string | null } {
  return { reason: door.reason ?? "unknown", message: door.message };
}

function refusalFrom(error: unknown): { reason: string; message: string | null } {
  if (error instanceof ServiceError) return { reason: error.code, message: error.message };
  return { reason: "unknown", message: null };
}
