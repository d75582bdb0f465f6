import { type Observable, Value } from "./observable.js";

/** A screen that is being shared: its picture, and its sound where the browser gives it. */
export interface ScreenCapture {
  readonly video: MediaStreamTrack;
  readonly audio: MediaStreamTrack | null;
}

/** The person's shared screen. The browser asks what to share each time; nothing is remembered. */
export class ScreenSource {
  readonly #capture = new Value<ScreenCapture | null>(null);

  get capture(): Observable<ScreenCapture | null> {
    return this.#capture;
  }

  static get isSupported(): boolean {
    return typeof globalThis.navigator?.mediaDevices?.getDisplayMedia === "function";
  }

  /** Resolves false when the person closed the browser's question without sharing. */
  async start(): Promise<boolean> {
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getDisplayMedia({
        video: { frameRate: { ideal: 15, max: 30 } },
        audio: true,
      });
    } catch (error) {
      if (error instanceof DOMException && error.name === "NotAllowedError") return false;
      throw error;
    }
    const [video] = stream.getVideoTracks();
    if (!video) return false;
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
    const capture = this.#capture.get();
    if (!capture) return;
    this.#capture.set(null);
    capture.video.stop();
    capture.audio?.stop();
  }
}
