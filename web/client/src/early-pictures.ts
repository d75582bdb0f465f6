import type { Clock } from "./clock.js";
import { largestPage } from "./tile-layout.js";

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

  /**
   * Begins to play the track. A browser may use the same track again for another person; an element
   * that still shows the first person is dropped then.
   */
  readonly play = (track: MediaStreamTrack): void => {
    this.drop(track);
    if (track.kind !== "video" || this.#waiting.size >= largestPage) return;
    const element = document.createElement("video");
    element.autoplay = true;
    element.muted = true;
    element.playsInline = true;
    element.srcObject = new MediaStream([track]);
    element.play().catch(() => {}); // it plays once it is shown
    const cancel = this.#clock.after(longest, () => this.drop(track));
    this.#waiting.set(track, { element, cancel });
  };

  /** The element in which the track plays already, for the one who asks first; null if there is none. */
  take(track: MediaStreamTrack): HTMLVideoElement | null {
    const waiting = this.#waiting.get(track);
    this.#waiting.delete(track);
    waiting?.cancel();
    return waiting?.element ?? null;
  }

  /** Stops to play the track, unless its element was taken. */
  drop(track: MediaStreamTrack): void {
    const element = this.take(track);
    if (element) element.srcObject = null;
  }

  close(): void {
    for (const track of [...this.#waiting.keys()]) this.drop(track);
  }
}

interface Waiting {
  readonly element: HTMLVideoElement;
  readonly cancel: () => void;
}
