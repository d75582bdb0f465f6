import {
  type Device,
  type DeviceKind,
  type DeviceList,
  type DeviceProblem,
  groupDevices,
  noDevices,
  problemOf,
} from "./devices.js";
import { type Observable, Value } from "./observable.js";
import type { KeyValueStore } from "./preferences.js";

/** The person's microphone or camera. */
export interface LocalSource {
  /** What the person wants. Reconnections and device changes do not alter it. */
  readonly on: boolean;
  /** The running track; null while it is being opened, when it is off, or when it failed. */
  readonly track: MediaStreamTrack | null;
  readonly problem: DeviceProblem | null;
}

export type SourceKind = "microphone" | "camera";

/** An attempt to go back to a device. */
interface Return {
  readonly id: string;
  readonly over: Promise<void>;
}

export interface LocalMediaOptions {
  readonly store: KeyValueStore;
  /** Given by tests; navigator.mediaDevices otherwise. Undefined on a page without HTTPS. */
  readonly mediaDevices?: MediaDevices | undefined;
}

const off: LocalSource = { on: false, track: null, problem: null };

/**
 * The person's own microphone and camera, from the preview to the end of the meeting. The meeting
 * uses the tracks of the preview, so that the browser asks for nothing twice. It works without the
 * media library, so that a pre-join page loads fast.
 */
export class LocalMedia {
  readonly #microphone = new Value<LocalSource>(off);
  readonly #camera = new Value<LocalSource>(off);
  readonly #devices = new Value<DeviceList>(noDevices);
  readonly #chosen: Record<DeviceKind, Value<string>>;
  readonly #store: KeyValueStore;
  readonly #mediaDevices: MediaDevices | undefined;
  readonly #onDeviceChange = () => void this.#devicesChanged();
  /** Counts requests per source, so that only the browser's latest answer is used. */
  readonly #requests: Record<SourceKind, number> = { microphone: 0, camera: 0 };
  /** The choice for which the running track was opened. */
  readonly #opened: Record<SourceKind, string> = { microphone: "", camera: "" };
  /** The chosen device in whose place the browser's default is used, because it was not plugged in. */
  readonly #missing: Record<SourceKind, string | null> = { microphone: null, camera: null };
  /** The latest attempt to go back to the chosen device. */
  readonly #returns: Record<SourceKind, Return | null> = { microphone: null, camera: null };
  #isTalking = false;
  #isClosed = false;

  constructor(options: LocalMediaOptions) {
    this.#store = options.store;
    this.#mediaDevices =
      "mediaDevices" in options ? options.mediaDevices : globalThis.navigator?.mediaDevices;
    const remembered = (kind: DeviceKind) => new Value(this.#store.getItem(deviceKey(kind)) ?? "");
    this.#chosen = {
      microphone: remembered("microphone"),
      camera: remembered("camera"),
      speaker: remembered("speaker"),
    };
    this.#mediaDevices?.addEventListener?.("devicechange", this.#onDeviceChange);
  }

  get microphone(): Observable<LocalSource> {
    return this.#microphone;
  }

  get camera(): Observable<LocalSource> {
    return this.#camera;
  }

  get devices(): Observable<DeviceList> {
    return this.#devices;
  }

  /** The device in use, by id; empty means the browser's default. */
  chosen(kind: DeviceKind): Observable<string> {
    return this.#chosen[kind];
  }

  setMicrophone(on: boolean): Promise<void> {
    this.#isTalking = false;
    return this.#set("microphone", on);
  }

  /** Push-to-talk: the microphone is on while the key is held. Does nothing if it is on anyway. */
  async talk(isHeld: boolean): Promise<void> {
    // Letting go mutes only a microphone that holding the key has switched on.
    if (isHeld ? this.#microphone.get().on : !this.#isTalking) return;
    this.#isTalking = isHeld;
    await this.#set("microphone", isHeld);
  }

  /** Whether the microphone is on only while the push-to-talk key is held. */
  get isTalking(): boolean {
    return this.#isTalking;
  }

  setCamera(on: boolean): Promise<void> {
    return this.#set("camera", on);
  }

  /** Uses another device, now and in later meetings. */
  async choose(kind: DeviceKind, id: string): Promise<void> {
    this.#chosen[kind].set(id);
    this.#store.setItem(deviceKey(kind), id);
    if (kind === "speaker" || this.#isClosed) return;
    const source = this.#source(kind);
    if (source.get().on) await this.#open(kind);
    else this.#release(kind);
  }

  async refreshDevices(): Promise<void> {
    try {
      const found = await this.#mediaDevices?.enumerateDevices();
      if (found) this.#devices.set(groupDevices(found));
    } catch {
      // Without permission to list devices the choice stays with the browser's default.
    }
  }

  /** Lets go of the microphone and the camera for good. */
  close(): void {
    this.#isClosed = true;
    this.#mediaDevices?.removeEventListener?.("devicechange", this.#onDeviceChange);
    for (const kind of ["microphone", "camera"] as const) {
      this.#requests[kind] += 1;
      this.#release(kind);
      this.#source(kind).set(off);
    }
  }

  #source(kind: SourceKind): Value<LocalSource> {
    return kind === "microphone" ? this.#microphone : this.#camera;
  }

  async #set(kind: SourceKind, on: boolean): Promise<void> {
    if (this.#isClosed) return;
    const source = this.#source(kind);
    if (on) {
      const { track } = source.get();
      const isChosen = this.#opened[kind] === this.#chosen[kind].get();
      if (track && track.readyState === "live" && isChosen) {
        track.enabled = true;
        source.set({ on: true, track, problem: null });
        return;
      }
      await this.#open(kind);
      return;
    }
    this.#requests[kind] += 1;
    const { track, problem } = source.get();
    if (kind === "camera") {
      // Closes the device itself, so that the light beside the lens goes out.
      source.set({ on: false, track: null, problem });
      track?.stop();
      return;
    }
    // The microphone stays open but silent, or push-to-talk would lose the first word.
    if (track) track.enabled = false;
    source.set({ on: false, track, problem });
  }

  async #open(kind: SourceKind): Promise<void> {
    const source = this.#source(kind);
    this.#requests[kind] += 1;
    const request = this.#requests[kind];
    source.update((current) => ({ ...current, on: true, problem: null }));
    const id = this.#chosen[kind].get();
    try {
      const track = await this.#capture(kind, id);
      if (request !== this.#requests[kind]) {
        track.stop();
        return;
      }
      this.#opened[kind] = id;
      this.#take(kind, track);
    } catch (error) {
      if (request !== this.#requests[kind]) return;
      this.#release(kind);
      source.set({ on: false, track: null, problem: problemOf(error) });
    }
    await this.refreshDevices();
    this.#goBack(kind); // if it was plugged in meanwhile
  }

  /** Uses this track from now on. */
  #take(kind: SourceKind, track: MediaStreamTrack): void {
    const source = this.#source(kind);
    const before = source.get().track;
    this.#watch(kind, track);
    source.set({ on: true, track, problem: null });
    if (before && before !== track) before.stop();
  }

  async #devicesChanged(): Promise<void> {
    await this.refreshDevices();
    this.#goBack("microphone");
    this.#goBack("camera");
  }

  /**
   * Goes back to the chosen device if it is there again, once an earlier attempt for it is over. An
   * attempt may last for ever: the browser may ask the person, who need not answer. So an attempt
   * never waits for an attempt with another device.
   */
  #goBack(kind: SourceKind): void {
    const id = this.#chosen[kind].get();
    const latest = this.#returns[kind];
    const earlier = latest?.id === id ? latest.over : Promise.resolve();
    this.#returns[kind] = { id, over: earlier.then(() => this.#tryChosen(kind, id)) };
  }

  /**
   * Opens this chosen device, in whose place another is used. That one goes on until then, and also if
   * the chosen one cannot be opened. A device that is off is never switched on.
   */
  async #tryChosen(kind: SourceKind, id: string): Promise<void> {
    const isBack = this.#devices.get()[kind].some((device) => device.id === id);
    if (this.#missing[kind] !== id || !isBack || !this.#mediaDevices) return;
    const source = this.#source(kind);
    const before = source.get();
    if (!before.on) {
      this.#release(kind); // opened when it is switched on
      return;
    }
    if (before.track?.readyState !== "live") return; // what opens it tries again
    const track = await firstTrack(this.#mediaDevices, kind, id).catch((error: unknown) => {
      // Some browsers ask the person for each device. After a refusal they ask again only when a
      // device has to be opened anyway.
      const isRefused = ["blocked", "blocked_by_system"].includes(problemOf(error));
      if (isRefused && this.#missing[kind] === id) this.#missing[kind] = null;
      return null;
    });
    if (!track) return;
    const isWanted = this.#missing[kind] === id && this.#chosen[kind].get() === id;
    const { on, track: current } = source.get();
    if (isWanted && on && current === before.track) {
      this.#requests[kind] += 1;
      this.#missing[kind] = null;
      this.#opened[kind] = id;
      this.#take(kind, track);
      return;
    }
    track.stop();
    if (isWanted && !on) this.#release(kind);
  }

  async #capture(kind: SourceKind, id: string): Promise<MediaStreamTrack> {
    const mediaDevices = this.#mediaDevices;
    if (!mediaDevices) throw new DOMException("This page is not secure.", "SecurityError");
    this.#missing[kind] = null;
    try {
      return await firstTrack(mediaDevices, kind, id);
    } catch (error) {
      // The remembered device is not plugged in today: take the browser's default instead.
      if (id === "" || problemOf(error) !== "missing") throw error;
      this.#missing[kind] = id;
      return firstTrack(mediaDevices, kind, "");
    }
  }

  /** Unplugging a device ends its track: report that, and try the next device. */
  #watch(kind: SourceKind, track: MediaStreamTrack): void {
    track.addEventListener?.("ended", () => {
      const source = this.#source(kind);
      if (source.get().track !== track) return;
      if (source.get().on) void this.#open(kind);
      else source.set({ ...source.get(), track: null });
    });
  }

  #release(kind: SourceKind): void {
    const source = this.#source(kind);
    const { track } = source.get();
    if (!track) return;
    source.set({ ...source.get(), track: null });
    track.stop();
  }
}

/** The label of a device, or a number while the browser keeps the label secret. */
export function deviceLabel(device: Device, index: number, fallback: string): string {
  return device.label === "" ? `${fallback} ${index + 1}` : device.label;
}

function deviceKey(kind: DeviceKind): string {
  return `conclave.device.${kind}`;
}

async function firstTrack(
  mediaDevices: MediaDevices,
  kind: SourceKind,
  id: string,
): Promise<MediaStreamTrack> {
  const stream = await mediaDevices.getUserMedia(constraintsFor(kind, id));
  const [track] = stream.getTracks();
  if (!track) throw new DOMException("The browser opened no device.", "NotFoundError");
  return track;
}

function constraintsFor(kind: SourceKind, id: string): MediaStreamConstraints {
  const device = id === "" ? {} : { deviceId: { exact: id } };
  if (kind === "microphone") {
    return {
      audio: { ...device, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    };
  }
  return {
    video: { ...device, width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
  };
}
