/**
 * The worker of a recording: composes, encodes, encrypts, stores and uploads. Unlike a page's
 * timers, those of a worker are not slowed down in a hidden tab.
 */
import { browserClock } from "../clock.js";
import { FileStore } from "./file-store.js";
import { Film, type SoundBlock } from "./film.js";
import { FrameRate } from "./frame-rate.js";
import { NewestFrames } from "./newest-frames.js";
import { Painter } from "./painter.js";
import { PartCutter } from "./part-cutter.js";
import { partKey } from "./part-format.js";
import { PartPress } from "./part-press.js";
import { MemoryStore, type PartStore, StoreFull } from "./part-store.js";
import type { Scene } from "./scene.js";
import { pictureSize } from "./support.js";
import { UploadService } from "./upload-service.js";
import { Uploader } from "./uploader.js";
import type {
  FromWorker,
  ToStudio,
  ToWorker,
  WorkerFailure,
  WorkerStart,
} from "./worker-messages.js";

const scope = globalThis as unknown as {
  postMessage: (message: FromWorker) => void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};
const tell = (message: FromWorker) => scope.postMessage(message);

/**
 * Pictures are at multiples of this part of a second: fine enough for lips to match the voice, and
 * coarse enough for players that derive a frame rate.
 */
const timeGrid = 120;
/** A picture may be early by this part of its time, because another timer is not worth it. */
const timerSlack = 0.1;

/** How long to wait at the end for sound that is still on its way, in milliseconds. */
const lastSound = 200;

/** The one recording that this worker makes. */
class Studio {
  readonly #start: WorkerStart;
  readonly #frames = new NewestFrames();
  readonly #painter: Painter;
  readonly #film: Film;
  readonly #cutter: PartCutter;
  readonly #rate = new FrameRate();
  readonly #press: PartPress;
  readonly #uploader: Uploader;
  readonly #store: PartStore;
  #scene: Scene = { tiles: [], unseen: 0 };
  #origin = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;
  #isOver = false;

  private constructor(start: WorkerStart, store: PartStore, key: CryptoKey) {
    const { id, secret, baseUrl, format } = start;
    this.#start = start;
    this.#store = store;
    const canvas = new OffscreenCanvas(pictureSize.width, pictureSize.height);
    this.#painter = new Painter(canvas, this.#frames);
    this.#uploader = new Uploader({
      service: new UploadService({ baseUrl, id, secret }),
      store,
      note: { id, secret, parts: null },
      clock: browserClock,
      onStored: (parts) => tell({ type: "stored", parts }),
      onStopped: () => tell({ type: "stopped" }),
      onStalled: (isStalled) => tell({ type: "stalled", isStalled }),
      onEnd: (end) => tell({ type: "end", end }),
    });
    this.#press = new PartPress({
      id,
      key,
      store,
      onStored: () => this.#uploader.added(),
      onFailure: (error) => this.#fail(error),
    });
    this.#cutter = new PartCutter((part) => this.#press.add(part));
    this.#film = new Film(canvas, format, this.#cutter, (error) => this.#fail(error));
  }

  static async open(start: WorkerStart): Promise<Studio> {
    const { id, secret } = start;
    const store = await FileStore.open(id).catch(() => new MemoryStore());
    await store.note({ id, secret, parts: null });
    return new Studio(start, store, await partKey(start.key));
  }

  async begin(): Promise<void> {
    await this.#film.start();
    this.#uploader.start();
    this.#origin = performance.now();
    this.#start.sound.onmessage = ({ data }: MessageEvent<SoundBlock>) => {
      if (!this.#isOver) this.#film.addSound(data, this.#now);
    };
    this.#tick();
    tell({ type: "started" });
  }

  take(message: ToStudio): void {
    switch (message.type) {
      case "scene":
        this.#scene = message.scene;
        break;
      case "stream":
        this.#frames.follow(message.picture, message.frames);
        break;
      case "frame":
        if (this.#isOver) message.frame.close();
        else this.#frames.put(message.picture, message.frame);
        break;
      case "avatar":
        this.#painter.setAvatar(message.avatar, message.image);
        break;
      case "gone":
        this.#frames.drop(message.picture);
        break;
      case "stop":
        void this.#stop();
        break;
      case "hurry":
        this.#uploader.hurry();
        break;
    }
  }

  get #now(): number {
    return (performance.now() - this.#origin) / 1000;
  }

  /** Draws the picture that is due, and returns when the next one is. */
  #tick(): void {
    if (this.#isOver) return;
    const { perSecond } = this.#rate;
    const now = this.#now;
    tell({ type: "frames" });
    this.#film.keepSound(now);
    const isFree = !this.#film.isBusy;
    if (isFree) {
      this.#painter.draw(this.#scene);
      this.#film.addPicture(Math.floor(now * timeGrid) / timeGrid, 1 / perSecond);
    }
    this.#rate.due(isFree);
    // A timer may fire a little early.
    const due = (Math.floor(now * perSecond + timerSlack) + 1) / perSecond;
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, (due - this.#now) * 1000));
  }

  async #stop(): Promise<void> {
    if (this.#isOver || this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const end = this.#now;
    this.#film.endAt(end);
    await new Promise((resolve) => setTimeout(resolve, lastSound));
    if (this.#isOver) return; // it failed meanwhile
    this.#close();
    try {
      await this.#film.end(end);
      this.#cutter.end(Math.round(end * 1000));
    } catch {
      // What cannot be encoded any more is lost; the parts before it are kept.
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    const parts = await this.#press.close();
    tell({ type: "cut", parts });
    const { id, secret } = this.#start;
    // If the page is closed now, the next one knows that there are no more parts.
    await this.#store.note({ id, secret, parts }).catch(() => {});
    this.#uploader.finish(parts);
  }

  /** Ends a recording that cannot go on. The parts that it has are still uploaded. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#close();
    const failure: WorkerFailure = error instanceof StoreFull ? "device_storage" : "encoder";
    tell({ type: "failed", failure });
    void this.#finish();
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#start.sound.close();
    this.#frames.close();
  }
}

let studio: Promise<Studio> | null = null;

async function begin(start: WorkerStart): Promise<Studio> {
  const opened = await Studio.open(start);
  await opened.begin();
  return opened;
}

scope.onmessage = ({ data }) => {
  if (data.type === "start") {
    studio = begin(data);
    studio.catch(() => tell({ type: "failed", failure: "encoder" }));
    return;
  }
  void studio?.then((opened) => opened.take(data)).catch(() => {});
};
