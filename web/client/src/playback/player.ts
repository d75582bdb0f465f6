import { type Observable, Value } from "../observable.js";
import { DamagedPart, type EncryptedFile, RecordingGone } from "./encrypted-file.js";
import {
  ahead,
  bufferedUntil,
  endOfEmpty,
  endOfNew,
  holesIn,
  PartTimes,
  type Range,
  reachesBeyond,
  surplus,
  withHoles,
} from "./part-times.js";

/** Why a recording cannot go on playing. */
export type PlayProblem =
  | { readonly kind: "damaged"; readonly part: number }
  /** It was deleted, or this person may no longer see it. */
  | { readonly kind: "gone" }
  /** The browser cannot play files of this kind. */
  | { readonly kind: "unsupported" }
  /** The file is intact, but the browser cannot decode it. */
  | { readonly kind: "undecodable" }
  | { readonly kind: "unreachable" };

/** The standard MediaSource, or that of iPhones, which decides itself when it takes more data. */
interface MediaSourceScope {
  readonly MediaSource?: typeof MediaSource;
  readonly ManagedMediaSource?: typeof MediaSource;
}

const nothingTried = { part: -1, until: -1 };

/**
 * Plays a recording in a video element: fetches the parts around the current time, verifies and
 * decrypts them, and removes what is far behind. So a recording of any length plays in bounded
 * memory, and seeking fetches only the parts it needs.
 */
export class RecordingPlayer {
  readonly #problem = new Value<PlayProblem | null>(null);
  readonly #video: HTMLVideoElement;
  readonly #file: EncryptedFile;
  readonly #end = new AbortController();
  #address = "";
  #media: MediaSource | null = null;
  #times = new PartTimes([]);
  /** The part after the last one given to the decoder; null at the beginning. */
  #next: number | null = null;
  /** A part that did not bring what comes after a time; none after one that did. */
  #tried = nothingTried;
  /** The file has nothing between this time and the part after the last one given to the decoder. */
  #joint = 0;
  /** Times for which the file has nothing, as far as its parts were read. */
  #holes: readonly Range[] = [];
  #isWorking = false;

  constructor(video: HTMLVideoElement, file: EncryptedFile) {
    this.#video = video;
    this.#file = file;
  }

  get problem(): Observable<PlayProblem | null> {
    return this.#problem;
  }

  async start(): Promise<void> {
    const { signal } = this.#end;
    try {
      const [first, starts] = await Promise.all([
        this.#file.read(0, signal),
        this.#file.starts(signal),
      ]);
      this.#times = new PartTimes(starts);
      // The reader of media files is large, and only playback needs it.
      const { mediaTypeOf } = await import("./media-type.js");
      const type = await mediaTypeOf(first);
      signal.throwIfAborted();
      await this.#open(type ?? this.#file.mimeType, first);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#end.abort();
    this.#video.removeAttribute("src");
    this.#video.load();
    URL.revokeObjectURL(this.#address);
  }

  async #open(type: string, first: Uint8Array<ArrayBuffer>): Promise<void> {
    const scope: MediaSourceScope = globalThis;
    const Source = scope.MediaSource ?? scope.ManagedMediaSource;
    if (!Source?.isTypeSupported(type)) {
      this.#problem.set({ kind: "unsupported" });
      return;
    }
    const { signal } = this.#end;
    const media = new Source();
    this.#media = media;
    // A managed source plays only if the picture cannot be sent to another screen.
    this.#video.disableRemotePlayback = true;
    this.#address = URL.createObjectURL(media);
    this.#video.src = this.#address;
    await happens(media, "sourceopen", signal);
    media.duration = this.#file.duration;
    const buffer = media.addSourceBuffer(type);
    await this.#append(buffer, 0, first, 0);
    for (const change of ["timeupdate", "seeking", "waiting", "play"]) {
      this.#video.addEventListener(change, () => void this.#work(), { signal });
    }
    this.#video.addEventListener(
      "error",
      () => this.#problem.set(this.#problem.get() ?? { kind: "undecodable" }),
      { signal },
    );
    await this.#work();
  }

  /** Reads on until enough is buffered. One run at a time; it decides again after each part. */
  async #work(): Promise<void> {
    if (this.#isWorking || this.#problem.get() !== null) return;
    this.#isWorking = true;
    try {
      while (await this.#step());
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isWorking = false;
    }
  }

  /** Fetches one more part if one is needed; returns whether to go on. */
  async #step(): Promise<boolean> {
    const media = this.#media;
    const buffer = media?.sourceBuffers[0];
    if (!media || !buffer) return false;
    const time = this.#video.currentTime;
    for (const { start, end } of surplus(rangesOf(buffer.buffered), time)) {
      await this.#remove(buffer, start, end);
    }
    const ranges = rangesOf(buffer.buffered);
    const gap = endOfEmpty(ranges, this.#holes, time);
    if (gap !== null) this.#video.currentTime = gap;
    const until = bufferedUntil(withHoles(ranges, this.#holes), gap ?? time);
    if (until - time >= ahead) return false;
    const part = this.#partFor(until);
    if (part >= this.#file.parts) {
      this.#finish(media, ranges, time);
      return false;
    }
    const plain = await this.#file.read(part, this.#end.signal);
    // The person may have sought elsewhere while the part was fetched.
    if (this.#video.currentTime < time || this.#video.currentTime > until + ahead) return true;
    await this.#append(buffer, part, plain, until);
    return true;
  }

  /**
   * The part that contains a time. A part that was just read and did not contain it is not read
   * again, and neither are those before it. One that did is read again when the browser or the
   * player has removed what it brought.
   */
  #partFor(until: number): number {
    const part = this.#times.partAt(until);
    const { part: last, until: before } = this.#tried;
    return part <= last && until === before && this.#next !== null ? this.#next : part;
  }

  /** Gives a part to the decoder, because of what comes after a time. */
  async #append(buffer: SourceBuffer, part: number, plain: Uint8Array<ArrayBuffer>, until: number) {
    const start = this.#times.startOf(part);
    const isNext = part === this.#next;
    if (!isNext) this.#startOver(buffer);
    this.#next = part + 1;
    const from = Math.max(until, isNext ? this.#joint : start);
    let end = await this.#learn(buffer, plain, from);
    if (!this.#goesOn(buffer, until) && (await this.#clear(buffer, from))) {
      end = await this.#learn(buffer, plain, from);
    }
    const known = withHoles(rangesOf(buffer.buffered), this.#holes);
    this.#joint = end ?? from;
    this.#tried = this.#goesOn(buffer, until) ? nothingTried : { part, until };
    this.#times.ends(part, bufferedUntil(known, end ?? start));
  }

  /**
   * Gives a part to the decoder, and notes the holes that it shows. The file has nothing between
   * `from` and this part. Returns where what the part brought ends; null if it brought nothing.
   */
  async #learn(buffer: SourceBuffer, plain: Uint8Array<ArrayBuffer>, from: number) {
    const before = rangesOf(buffer.buffered);
    if (plain.length > 0) await this.#give(buffer, plain);
    const after = rangesOf(buffer.buffered);
    this.#holes = [...this.#holes, ...holesIn(before, after, from)];
    const reached = bufferedUntil(withHoles(after, this.#holes), from);
    return endOfNew(before, after) ?? (reached > from ? reached : null);
  }

  #goesOn(buffer: SourceBuffer, time: number): boolean {
    return bufferedUntil(withHoles(rangesOf(buffer.buffered), this.#holes), time) > time;
  }

  /**
   * Removes what comes after a time; returns whether there was something. A part with
   * which playback does not go on may have only sound, or some of what it has was there before,
   * behind a hole. When it is given to the decoder again, it shows which.
   */
  async #clear(buffer: SourceBuffer, from: number): Promise<boolean> {
    if (!reachesBeyond(rangesOf(buffer.buffered), from)) return false;
    await this.#remove(buffer, from, Number.POSITIVE_INFINITY);
    this.#startOver(buffer);
    return true;
  }

  async #give(buffer: SourceBuffer, plain: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      buffer.appendBuffer(plain);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
      // This browser buffers less than we would: remove what was played.
      await this.#remove(buffer, 0, Math.max(1, this.#video.currentTime - 2));
      buffer.appendBuffer(plain);
    }
    await happens(buffer, "updateend", this.#end.signal);
  }

  async #remove(buffer: SourceBuffer, start: number, end: number): Promise<void> {
    buffer.remove(start, end);
    await happens(buffer, "updateend", this.#end.signal);
  }

  /** Prepares the decoder for a part that does not follow the last one. */
  #startOver(buffer: SourceBuffer): void {
    // abort fails on a source that has ended; setting any property opens it again.
    if (this.#media?.readyState === "ended") buffer.timestampOffset = 0;
    buffer.abort();
  }

  /** The last part is buffered, so the source ends here. */
  #finish(media: MediaSource, ranges: readonly Range[], time: number): void {
    if (media.readyState === "open") media.endOfStream();
    const last = ranges.at(-1);
    if (last && time > last.end) this.#video.currentTime = last.end;
  }

  #fail(error: unknown): void {
    if (this.#end.signal.aborted) return;
    if (error instanceof DamagedPart) this.#problem.set({ kind: "damaged", part: error.part });
    else if (error instanceof RecordingGone) this.#problem.set({ kind: "gone" });
    else if (error instanceof DOMException) this.#problem.set({ kind: "undecodable" });
    else this.#problem.set({ kind: "unreachable" });
  }
}

function rangesOf(buffered: TimeRanges): readonly Range[] {
  return Array.from({ length: buffered.length }, (_, i) => ({
    start: buffered.start(i),
    end: buffered.end(i),
  }));
}

/** Waits for an event of a source or a buffer; rejects on its error event. */
function happens(target: EventTarget, name: string, end: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    const { signal } = listening;
    const listen = (to: EventTarget, event: string, then: () => void) =>
      to.addEventListener(
        event,
        () => {
          listening.abort();
          then();
        },
        { signal },
      );
    listen(target, name, resolve);
    listen(target, "error", () => reject(new DOMException("The media cannot be decoded.")));
    listen(end, "abort", () => reject(end.reason));
  });
}
