import { problemOf } from "./devices.js";
import { type Observable, Value } from "./observable.js";

/** A screen that is being shared: its picture, and its sound where the browser gives it. */
export interface ScreenCapture {
  readonly video: MediaStreamTrack;
  readonly audio: MediaStreamTrack | null;
}

/** The operating system does not let this browser record the screen, whatever the person chooses. */
export class ScreenBlocked extends Error {
  constructor() {
    super("The operating system does not let this browser record the screen.");
    this.name = "ScreenBlocked";
  }
}

/** The person's shared screen. The browser asks what to share each time; nothing is remembered. */
export class ScreenSource {
  readonly #capture = new Value<ScreenCapture | null>(null);
  /** Counts what ended sharing or asked for it, so that an answer that comes later is not used. */
  #requests = 0;
  #isClosed = false;

  get capture(): Observable<ScreenCapture | null> {
    return this.#capture;
  }

  static get isSupported(): boolean {
    return typeof globalThis.navigator?.mediaDevices?.getDisplayMedia === "function";
  }

  /**
   * Resolves false when the person closed the browser's question without sharing, or answered it
   * after sharing had been stopped: they chose what to show to the people who were there before.
   * Rejects with ScreenBlocked when the operating system refused.
   */
  async start(): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#requests += 1;
    const request = this.#requests;
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getDisplayMedia({
        video: { frameRate: { ideal: 15, max: 30 } },
        audio: true,
      });
    } catch (error) {
      if (isOfSystem(error)) throw new ScreenBlocked();
      if (error instanceof DOMException && error.name === "NotAllowedError") return false;
      throw error;
    }
    const [video] = stream.getVideoTracks();
    if (!video || request !== this.#requests) {
      for (const track of stream.getTracks()) track.stop();
      return false;
    }
    // Shared screens are mostly text, which has to stay sharp rather than fluid.
    video.contentHint = "detail";
    video.addEventListener("ended", () => {
      if (this.#capture.get()?.video === video) this.stop();
    });
    this.stop();
    this.#capture.set({ video, audio: stream.getAudioTracks()[0] ?? null });
    return true;
  }

  stop(): void {
    this.#requests += 1;
    const capture = this.#capture.get();
    if (!capture) return;
    this.#capture.set(null);
    capture.video.stop();
    capture.audio?.stop();
  }

  /** Stops sharing for good. */
  close(): void {
    this.#isClosed = true;
    this.stop();
  }
}

/** Tells a system that refuses from a person who cancels. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof DOMException)) return false;
  // Firefox finds no screen in a system that shows it none.
  return error.name === "NotFoundError" || problemOf(error) === "blocked_by_system";
}
