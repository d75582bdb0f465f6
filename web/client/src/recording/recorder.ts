import type { Meeting } from "../meeting.js";
import { type Observable, Value } from "../observable.js";
import type { RecordingDevice } from "../wire.js";
import { toBase64Url } from "./base64url.js";
import { wrapRecordingKey } from "./key-wrap.js";
import { newRecordingKey } from "./part-format.js";
import { mimeTypeOf, RecordingUnsupported, recordingSupport } from "./support.js";
import { Take } from "./take.js";
import type { TakeEnd } from "./take-end.js";
import { holdUpload } from "./upload-lock.js";
import { UploadService } from "./upload-service.js";

/** Why a recording ended. `stopped`: somebody stopped it, here or elsewhere. */
export type RecordingEnd = TakeEnd;

export type RecorderState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "recording"; readonly id: string };

/** The parts of a meeting that a recorder uses. */
export type RecordedMeeting = Pick<
  Meeting,
  "recordings" | "people" | "room" | "you" | "phase" | "breakouts"
>;

export interface RecorderOptions {
  readonly meeting: RecordedMeeting;
  /** Makes the worker of `@conclave/client/recording/worker`; each recording has one. */
  readonly createWorker: () => Worker;
  /** The address of `@conclave/client/recording/sound-worklet` as a separate script. */
  readonly soundWorkletUrl: string | URL;
  /** Draws an avatar for people without a camera. Without it, their initials are shown. */
  readonly drawAvatar?: (avatar: string) => Promise<ImageBitmap | null>;
}

/** How many wrapped keys go into one request. */
const wrapsAtOnce = 100;

/** Records a meeting on this device. One recording at a time. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #state = new Value<RecorderState>({ kind: "idle" });
  readonly #ended = new Value<RecordingEnd | null>(null);
  readonly #sending = new Value(0);
  readonly #isStalled = new Value(false);
  readonly #isSilent = new Value(false);
  readonly #stalled = new Set<Take>();
  #take: Take | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get state(): Observable<RecorderState> {
    return this.#state;
  }

  /**
   * Why the last recording of this device ended, or why its end could not be sent; null before
   * that, and when another one begins.
   */
  get ended(): Observable<RecordingEnd | null> {
    return this.#ended;
  }

  /** How many recordings of this device have ended and are still being sent. */
  get sending(): Observable<number> {
    return this.#sending;
  }

  /** Whether nothing could be sent for a while. The parts wait here, and are tried again. */
  get isStalled(): Observable<boolean> {
    return this.#isStalled;
  }

  /** Whether the recording has no sound, because the browser finds no device to play sound on. */
  get isSilent(): Observable<boolean> {
    return this.#isSilent;
  }

  /** Begins to record. Call it from a click, or the browser makes no sound. */
  async start(): Promise<void> {
    if (this.#state.get().kind !== "idle") return;
    this.#state.set({ kind: "starting" });
    this.#ended.set(null);
    try {
      await this.#begin();
    } catch (error) {
      this.#state.set({ kind: "idle" });
      throw error;
    }
  }

  /** Ends the recording of this device. The rest of it is sent in the background. */
  stop(): void {
    if (this.#state.get().kind === "recording") this.#take?.end("stopped");
  }

  async #begin(): Promise<void> {
    const { meeting } = this.#options;
    const { format, obstacle } = await recordingSupport();
    if (!format) throw new RecordingUnsupported(obstacle);
    const room = meeting.room.get();
    // The service must not get keys of a strict room, even if it asks for them.
    const isShared = room?.recordings === "workspace" && room.encryption !== "strict";
    const key = newRecordingKey();
    const devices = isShared ? [] : await meeting.recordings.devices();
    const upload = await meeting.recordings.begin({
      mime_type: mimeTypeOf(format),
      ...(isShared ? { key: toBase64Url(key) } : {}),
    });
    const { baseUrl } = meeting.recordings;
    const { id, upload_secret: secret } = upload;
    const release = holdUpload(id);
    const service = new UploadService({ baseUrl, id, secret });
    const take = new Take({
      ...this.#options,
      upload: { baseUrl, id, secret, key, format },
      onEnd: (end) => this.#ends(take, end),
      onStalled: (isStalled) => this.#stalls(take, isStalled),
      onSilent: (isSilent) => {
        if (this.#take === take) this.#isSilent.set(isSilent);
      },
      onSent: (end) => {
        release();
        this.#stalls(take, false);
        // An upload that fails is reported even if the recording ended long before, and before
        // `sending` says that there is nothing more to wait for.
        if (end !== null && end !== "done" && end !== "over") this.#ended.set(end);
        this.#sending.update((count) => count - 1);
      },
    });
    // Set before it starts, because it may end at once.
    this.#take = take;
    try {
      await putWraps(service, key, id, devices);
      await take.start();
    } catch (error) {
      this.#take = null;
      this.#isSilent.set(false);
      take.abandon();
      release();
      await service.finish(0).catch(() => {});
      throw error;
    }
    if (this.#take === take) this.#state.set({ kind: "recording", id });
  }

  #stalls(take: Take, isStalled: boolean): void {
    if (isStalled) this.#stalled.add(take);
    else this.#stalled.delete(take);
    this.#isStalled.set(this.#stalled.size > 0);
  }

  #ends(take: Take, end: RecordingEnd): void {
    if (this.#take !== take) return;
    this.#take = null;
    this.#isSilent.set(false);
    this.#sending.update((count) => count + 1);
    this.#ended.set(end);
    this.#state.set({ kind: "idle" });
  }
}

/** Sent before the first part, so that members can open the recording whatever happens later. */
async function putWraps(
  service: UploadService,
  key: Uint8Array<ArrayBuffer>,
  id: string,
  devices: readonly RecordingDevice[],
): Promise<void> {
  for (let first = 0; first < devices.length; first += wrapsAtOnce) {
    const some = devices.slice(first, first + wrapsAtOnce);
    const wraps = some.map(async (device) => ({
      device_id: device.id,
      ...(await wrapRecordingKey(key, id, device)),
    }));
    // Skips a device whose public key is not valid.
    const settled = await Promise.allSettled(wraps);
    const made = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    if (made.length > 0) await service.putWraps(made);
  }
}
