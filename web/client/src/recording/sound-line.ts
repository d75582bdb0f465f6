/** What to do with a block of sound so that it stays where it belongs in time. */
export interface Placement {
  /** How many frames of silence come before it. */
  readonly silence: number;
  /** How many frames it becomes: a little more or fewer than it has, where clocks drift apart. */
  readonly frames: number;
}

/** Sound that is out of place by more than this was interrupted; what is missing is silence. */
const gapSeconds = 0.1;
/** Less than this nobody notices. */
const toleranceSeconds = 0.005;
/** By how much a block is stretched or squeezed: too little to be heard. */
const slew = 0.004;
/** The same for sound that is so far ahead that lips and voice do not agree. */
const fastSlew = 0.02;
const farSeconds = 0.02;
/**
 * How much longer sound takes than pictures, from being played until it arrives here. Measured with
 * claps: that of others takes longer, one's own less, and both stay within 80 ms of the picture.
 */
const wayOfSound = 0.055;
/**
 * Over how long a time the fastest way of a block is looked for. Where a computer is overloaded, the
 * source loses a hundredth of its time and more; a longer window would notice too late.
 */
const windowSeconds = 2;
/** After so long without any sound its source has stopped, and does not merely arrive late. */
const stallSeconds = 0.5;

/**
 * The clock of the sound card is not that of the pictures, blocks arrive sooner or later, and a
 * source may stop for a while. This keeps the sound of a recording in step with real time, as the
 * pictures are: a pure function of which blocks came when. Times are seconds since the start.
 */
export class SoundLine {
  readonly #rate: number;
  /** How many frames are in the recording so far. */
  #written = 0;
  /** Arrival less the source's own time, in frames: of the fastest block, in this window and the last. */
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

  /** A block came whose first frame is number `first` of its source. */
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

  /** How much silence to put in because the source has stopped; usually none. */
  stall(now: number): number {
    if (now - this.#lastHeard < stallSeconds) return 0;
    const silence = Math.round((now - stallSeconds / 2) * this.#rate) - this.#written;
    if (silence <= 0) return 0;
    // When the source goes on, its own time has stood still meanwhile.
    this.#fastest = Number.POSITIVE_INFINITY;
    this.#fastestBefore = Number.POSITIVE_INFINITY;
    this.#put({ silence, frames: 0 });
    return silence;
  }

  /** How much silence makes the sound as long as the pictures, at the end. */
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

/** The same sound in a few frames more or fewer. */
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
