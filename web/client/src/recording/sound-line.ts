/** How to place a block of sound at the right time. */
export interface Placement {
  /** How many frames of silence to add before it. */
  readonly silence: number;
  /** How many frames to make of it: slightly more or fewer than it has, if clocks drift apart. */
  readonly frames: number;
}

/** Sound that is late by more than this was interrupted; silence fills the gap. */
const gapSeconds = 0.1;
/** People do not notice less than this. */
const toleranceSeconds = 0.005;
/** How much a block is stretched or shortened: too little to hear. */
const slew = 0.004;
/** The same for sound that is so far ahead that lips and voice do not match. */
const fastSlew = 0.02;
const farSeconds = 0.02;
/**
 * How much longer sound takes to arrive here than pictures. Measured with claps: other people's
 * sound takes longer and one's own less, and both are within 80 ms of the picture.
 */
const wayOfSound = 0.055;
/**
 * The length of a window in which the fastest block is found. On an overloaded computer the source
 * loses a hundredth of its time and more, which a longer window would notice too late.
 */
const windowSeconds = 2;
/** After this long without sound its source has stopped, and the sound is not merely late. */
const stallSeconds = 0.5;

/**
 * Keeps the sound of a recording in step with real time, as the pictures are. The sound card has a
 * clock of its own, blocks arrive with varying delays, and a source may stop for a while. The
 * result depends only on which blocks came when. Times are in seconds since the start.
 */
export class SoundLine {
  readonly #rate: number;
  /** How many frames are in the recording so far. */
  #written = 0;
  /**
   * Arrival time minus the source's time, in frames, of the fastest block in this window and the
   * last.
   */
  #fastest = Number.POSITIVE_INFINITY;
  #fastestBefore = Number.POSITIVE_INFINITY;
  #windowEnds = 0;
  #lastHeard = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  get written(): number {
    return this.#written;
  }

  /** A block arrived. Its first frame has the number `first` at its source. */
  take(first: number, frames: number, arrived: number): Placement {
    this.#lastHeard = arrived;
    this.#measure(arrived * this.#rate - (first + frames), arrived);
    const delay = Math.min(this.#fastest, this.#fastestBefore) - wayOfSound * this.#rate;
    const missing = first + delay - this.#written;
    const isGap = missing > gapSeconds * this.#rate;
    if (isGap || this.#written === 0) {
      return this.#put({ silence: Math.max(0, Math.round(missing)), frames });
    }
    const isFar = Math.abs(missing) > farSeconds * this.#rate;
    const most = Math.max(1, Math.floor(frames * (isFar ? fastSlew : slew)));
    const isOff = Math.abs(missing) > toleranceSeconds * this.#rate;
    const change = isOff ? Math.max(-most, Math.min(most, Math.round(missing))) : 0;
    return this.#put({ silence: 0, frames: frames + change });
  }

  /** How much silence to add because the source has stopped; usually none. */
  stall(now: number): number {
    if (now - this.#lastHeard < stallSeconds) return 0;
    const silence = Math.round((now - stallSeconds / 2) * this.#rate) - this.#written;
    if (silence <= 0) return 0;
    // The source's time stands still until it goes on.
    this.#fastest = Number.POSITIVE_INFINITY;
    this.#fastestBefore = Number.POSITIVE_INFINITY;
    this.#put({ silence, frames: 0 });
    return silence;
  }

  /** How much silence to add at the end, so that the sound is as long as the pictures. */
  finish(now: number): number {
    const silence = Math.max(0, Math.round(now * this.#rate) - this.#written);
    this.#put({ silence, frames: 0 });
    return silence;
  }

  #measure(delay: number, now: number): void {
    if (now >= this.#windowEnds) {
      this.#fastestBefore = this.#fastest;
      this.#fastest = Number.POSITIVE_INFINITY;
      this.#windowEnds = now + windowSeconds;
    }
    this.#fastest = Math.min(this.#fastest, delay);
  }

  #put(placement: Placement): Placement {
    this.#written += placement.silence + placement.frames;
    return placement;
  }
}

/** The same sound with a few frames more or fewer. */
export function stretch(samples: Float32Array, frames: number): Float32Array {
  if (frames === samples.length) return samples;
  const result = new Float32Array(frames);
  const step = frames > 1 ? (samples.length - 1) / (frames - 1) : 0;
  for (let i = 0; i < frames; i += 1) {
    const at = i * step;
    const before = Math.floor(at);
    const from = samples[before] ?? 0;
    const to = samples[before + 1] ?? from;
    result[i] = from + (to - from) * (at - before);
  }
  return result;
}
