import type { Clock } from "./clock.js";

/** How long an element waits until somebody shows it, in milliseconds. */
const longest = 10_000;

/**
 * Plays pictures of others from the moment that their tracks are there, each in a video element that
 * is on no page yet. A browser gives an element only the frames that it decodes after the picture
 * was attached. An interface attaches it when it has drawn a tile, which on a busy page is often
 * after the first frame, so it would show nothing until the second.
 */
export class EarlyPictures {
  readonly #clock: Clock;
  readonly #waiting = new Map<MediaStreamTrack, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to play the track, until somebody takes its element. */
  play(track: MediaStreamTrack): void {
    if (track.kind !== "video" || this.#waiting.has(track)) return;
    const element = document.createElement("video");
    element.autoplay = true;
    element.muted = true;
    element.playsInline = true;
    element.srcObject = new MediaStream([track]);
    element.play().catch(() => {}); // it plays once it is shown
    const cancel = this.#clock.after(longest, () => this.#drop(track));
    this.#waiting.set(track, { element, cancel });
  }

  /** The element in which the track plays already, for the one who asks first; null if there is none. */
  take(track: MediaStreamTrack): HTMLVideoElement | null {
    const waiting = this.#waiting.get(track);
    this.#waiting.delete(track);
    waiting?.cancel();
    return waiting?.element ?? null;
  }

  close(): void {
    for (const track of [...this.#waiting.keys()]) this.#drop(track);
  }

  #drop(track: MediaStreamTrack): void {
    const element = this.take(track);
    if (element) element.srcObject = null;
  }
}

interface Waiting {
  readonly element: HTMLVideoElement;
  readonly cancel: () => void;
}
