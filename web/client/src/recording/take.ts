import type { Whereabouts } from "../breakouts.js";
import { whenOnline } from "../online.js";
import type { RecordableMedia } from "../recordable-media.js";
import { Casting } from "./casting.js";
import { PictureSources, type WantedPicture } from "./picture-sources.js";
import type { RecorderOptions } from "./recorder.js";
import { type PictureKind, pictureId, type Scene } from "./scene.js";
import { SoundMixer } from "./sound-mixer.js";
import type { RecordingFormat } from "./support.js";
import { endOf, type TakeEnd } from "./take-end.js";
import type { UploadEnd } from "./uploader.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

export interface TakeOptions extends RecorderOptions {
  readonly upload: {
    readonly baseUrl: string;
    readonly id: string;
    readonly secret: string;
    readonly key: Uint8Array<ArrayBuffer>;
    readonly format: RecordingFormat;
  };
  /** Recording has ended. Called once. */
  readonly onEnd: (end: TakeEnd) => void;
  /** Nothing could be sent for a while, or something was sent again. */
  readonly onStalled: (isStalled: boolean) => void;
  /** The browser has not run the sound for a few seconds, or runs it. */
  readonly onSilent: (isSilent: boolean) => void;
  /**
   * Everything is sent, or nothing more can be sent; null if the device does not know. Called once,
   * after onEnd.
   */
  readonly onSent: (end: UploadEnd | null) => void;
}

/** One recording, from its first picture to the upload of its last part. */
export class Take {
  readonly #options: TakeOptions;
  readonly #worker: Worker;
  readonly #sources: PictureSources;
  readonly #casting = new Casting();
  readonly #undo: (() => void)[] = [];
  readonly #place: string | null;
  readonly #avatars = new Set<string>();
  #mixer: SoundMixer | null = null;
  #scene = "";
  #wasTold = false;
  #hasEnded = false;
  #isAbandoned = false;

  constructor(options: TakeOptions) {
    this.#options = options;
    this.#place = options.meeting.breakouts.whereabouts.get().breakoutId;
    this.#worker = options.createWorker();
    this.#sources = new PictureSources((message, transfer) => this.#post(message, transfer));
  }

  /** Resolves when the first picture is recorded. */
  async start(): Promise<void> {
    const { upload, soundWorkletUrl, onSilent } = this.#options;
    const sound = new MessageChannel();
    const mixer = await SoundMixer.open({ workletUrl: soundWorkletUrl, onSilent });
    this.#mixer = mixer;
    await new Promise<void>((resolve, reject) => {
      this.#worker.onerror = () => reject(new Error("The recording's worker did not start."));
      this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === "started") {
          mixer.begin(sound.port1);
          resolve();
        }
        if (data.type === "failed") reject(new Error("The browser could not begin to encode."));
      };
      this.#post({ type: "start", ...upload, sound: sound.port2 }, [sound.port2]);
      this.#look();
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    this.#worker.onerror = () => this.#crashed();
    this.#follow();
  }

  /**
   * Ends the recording; the worker still takes the sound that is on its way, and sends the rest.
   */
  end(end: TakeEnd): void {
    if (this.#hasEnded) return;
    this.#close();
    this.#post({ type: "stop" });
    this.#options.onEnd(end);
  }

  /** The recording could not begin. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#close();
    this.#closeMixer();
    this.#worker.terminate();
  }

  #close(): void {
    this.#hasEnded = true;
    for (const undo of this.#undo.splice(0)) undo();
    this.#sources.close();
  }

  #follow(): void {
    const { meeting } = this.#options;
    const look = () => this.#look();
    const judge = () => this.#judge();
    this.#undo.push(
      meeting.recordings.changes.subscribe(look),
      meeting.people.subscribe(look),
      meeting.recordings.running.subscribe(judge),
      meeting.breakouts.whereabouts.subscribe(judge),
      meeting.phase.subscribe(judge),
      meeting.you.subscribe(judge),
    );
    // Kept after the end, because the parts still to be sent wait for a network.
    const offline = whenOnline(() => this.#post({ type: "hurry" }));
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "end") offline();
    });
    look();
    judge();
  }

  /** Sends the worker the meeting as it is now. */
  #look(): void {
    const { meeting } = this.#options;
    const { breakoutId } = meeting.breakouts.whereabouts.get();
    if (this.#hasEnded || breakoutId !== this.#place) return;
    const recordable = meeting.recordings.recordable();
    const hasAudience = meeting.room.get()?.type === "webinar" && this.#place === null;
    const people = meeting.people.get();
    const scene = this.#casting.scene(people, recordable, hasAudience, performance.now());
    this.#mixer?.set(new Set([...recordable.values()].flatMap(({ sounds }) => sounds)));
    this.#sources.set(picturesOf(scene, recordable));
    const text = JSON.stringify(scene);
    if (text === this.#scene) return;
    this.#scene = text;
    this.#post({ type: "scene", scene });
    for (const { avatar } of scene.tiles) if (avatar) void this.#showAvatar(avatar);
  }

  /** Ends the recording if it may not go on. */
  #judge(): void {
    if (this.#hasEnded) return;
    const { meeting, upload } = this.#options;
    const running = meeting.recordings.running.get();
    // Until the event stream has shown this recording once, its absence means nothing.
    this.#wasTold ||= running?.id === upload.id;
    const end = endOf({
      phase: meeting.phase.get(),
      hasMoved: this.#isElsewhere(meeting.breakouts.whereabouts.get()),
      you: meeting.you.get(),
      running: this.#wasTold ? (running?.id ?? null) : upload.id,
      id: upload.id,
    });
    if (end) this.end(end);
  }

  /** A move counts as soon as it begins, because the service ends the recording then. */
  #isElsewhere({ breakoutId, movingTo }: Whereabouts): boolean {
    return (movingTo ? movingTo.breakoutId : breakoutId) !== this.#place;
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case "frames":
        this.#sources.grab();
        break;
      case "stopped":
        this.end("stopped");
        break;
      case "failed":
        this.#endsBy(message.failure);
        break;
      case "end":
        this.#endsBy(message.end === "done" || message.end === "over" ? "stopped" : message.end);
        this.#leave(message.end);
        break;
      case "stalled":
        this.#options.onStalled(message.isStalled);
        break;
      case "cut":
        this.#closeMixer();
        break;
      case "started":
      case "stored":
        break;
    }
  }

  /** The worker has ended the recording by itself. */
  #endsBy(end: TakeEnd): void {
    if (this.#hasEnded) return;
    this.#close();
    this.#options.onEnd(end);
  }

  /** The next page that is opened sends the stored parts. */
  #crashed(): void {
    this.#endsBy("encoder");
    this.#leave(null);
  }

  /** The upload has ended. If it ended during the recording, the sound is still open. */
  #leave(end: UploadEnd | null): void {
    this.#closeMixer();
    this.#worker.terminate();
    this.#options.onSent(end);
  }

  #closeMixer(): void {
    this.#mixer?.close();
    this.#mixer = null;
  }

  async #showAvatar(avatar: string): Promise<void> {
    if (this.#avatars.has(avatar)) return;
    this.#avatars.add(avatar);
    const image = await this.#options.drawAvatar?.(avatar).catch(() => null);
    if (image) this.#post({ type: "avatar", avatar, image }, [image]);
  }

  #post(message: ToWorker, transfer: Transferable[] = []): void {
    if (!this.#isAbandoned) this.#worker.postMessage(message, transfer);
  }
}

/** The pictures that a scene shows, with their sources. */
function picturesOf(
  scene: Scene,
  recordable: ReadonlyMap<string, RecordableMedia>,
): ReadonlyMap<string, WantedPicture> {
  const wanted = new Map<string, WantedPicture>();
  for (const { picture, identity, width, height } of scene.tiles) {
    const kinds: readonly PictureKind[] = ["screen", "camera"];
    const kind = kinds.find((one) => pictureId(identity, one) === picture);
    const video = kind && recordable.get(identity)?.[kind];
    if (picture !== null && video) wanted.set(picture, { video, width, height });
  }
  return wanted;
}
