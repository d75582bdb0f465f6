/** A stretch of the recording that is in memory, in seconds. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Sound and picture of a part end at slightly different times; so much of a gap is none. */
const slack = 0.1;

/** By how much an index may be wrong about a part's end before the file is believed less than it. */
const trust = 1;

/**
 * When each part begins. The recording's index says so for all parts, for the first ones or for
 * none; the rest is learned while parts are read in their order.
 */
export class PartTimes {
  readonly #starts: number[];

  /** An index that runs backwards is not believed. */
  constructor(indexed: readonly number[]) {
    const runsForwards = indexed.every((start, i) => start >= (indexed[i - 1] ?? 0));
    this.#starts = runsForwards && indexed.length > 0 ? [...indexed] : [0];
    this.#starts[0] = 0;
  }

  /** The last part that is known to begin at a moment or before it. */
  partAt(time: number): number {
    return Math.max(
      0,
      this.#starts.findLastIndex((start) => start <= time + slack),
    );
  }

  /** A part was read, and it ends here: there the next one begins. */
  ends(part: number, time: number): void {
    const next = part + 1;
    const known = this.#starts[next];
    if (next > this.#starts.length) return;
    if (known === undefined || Math.abs(known - time) < trust) this.#starts[next] = time;
  }

  startOf(part: number): number {
    return this.#starts[part] ?? 0;
  }
}

/** How far what is in memory goes on from a moment without a gap; the moment itself if it is not there. */
export function bufferedUntil(buffered: readonly Range[], time: number): number {
  let until = time;
  for (const { start, end } of buffered) {
    if (start <= until + slack && end > until) until = end;
  }
  return until;
}

/**
 * Where what is in memory begins shortly after a moment that is not: sound that begins later than
 * the picture leaves such a gap. Null where there is none to step over.
 */
export function endOfGap(buffered: readonly Range[], time: number): number | null {
  if (bufferedUntil(buffered, time) > time) return null;
  const next = buffered.find(({ start }) => start > time);
  return next && next.start - time <= 0.5 ? next.start : null;
}

/** How much is fetched ahead of the moment that is played, and kept around it. */
export const ahead = 30;
const behind = 30;

/** What is in memory and far from the moment that is played. */
export function surplus(buffered: readonly Range[], time: number): readonly Range[] {
  const from = time - behind;
  const to = time + 3 * ahead;
  return buffered
    .flatMap(({ start, end }) => [
      { start, end: Math.min(end, from) },
      { start: Math.max(start, to), end },
    ])
    .filter(({ start, end }) => end - start > 1);
}
