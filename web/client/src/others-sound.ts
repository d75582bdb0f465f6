import type { Track } from "livekit-client";

/** Other people's sound of one connection. It is played once the device is in this room only. */
export class OthersSound {
  readonly #tracks = new Set<Track>();
  #isPlaying = false;

  /** The tracks that are played, or will be. */
  get tracks(): ReadonlySet<Track> {
    return this.#tracks;
  }

  /** Plays everything from now on. */
  play(): void {
    if (this.#isPlaying) return;
    this.#isPlaying = true;
    for (const track of this.#tracks) track.attach();
  }

  add(track: Track): void {
    this.#tracks.add(track);
    if (this.#isPlaying) track.attach();
  }

  remove(track: Track): void {
    if (!this.#tracks.delete(track)) return;
    for (const element of track.detach()) element.remove();
  }

  close(): void {
    for (const track of [...this.#tracks]) this.remove(track);
  }
}
