/** A stretch of the recording that is in memory, in seconds. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Sound and picture of a part end at slightly different times, so a gap this small does not count.
 */
const slack = 0.1;

/** How far a part's end in the file may be from the index. Beyond that the index counts. */
const trust = 1;

/**
 * When each part begins. The recording's index has the times of all parts, of the first ones or of
 * none; the others are learned while the parts are read in order.
 */
export class PartTimes {
  readonly #starts: number[];

  /** An index whose times run backwards is ignored. */
  constructor(indexed: readonly number[]) {
    const runsForwards = indexed.every((start, i) => start >= (indexed[i - 1] ?? 0));
    this.#starts = runsForwards && indexed.length > 0 ? [...indexed] : [0];
    this.#starts[0] = 0;
  }

  /** The last part that is known to begin at or before a time. */
  partAt(time: number): number {
    return Math.max(
      0,
      this.#starts.findLastIndex((start) => start <= time + slack),
    );
  }

  /** A part was read and ends at this time, where the next one begins. */
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

/** The end of the buffered stretch around a time; the time itself if it is not buffered. */
export function bufferedUntil(buffered: readonly Range[], time: number): number {
  let until = time;
  for (const { start, end } of buffered) {
    if (start <= until + slack && end > until) until = end;
  }
  return until;
}

/**
 * The holes that a part shows: times for which the file has nothing, because the computer slept
 * or could not keep up while it recorded. `before` and `after` are what was buffered before the part
 * and with it, and the file has nothing between `from` and the part.
 */
export function holesIn(
  before: readonly Range[],
  after: readonly Range[],
  from: number,
): readonly Range[] {
  const had = (time: number) =>
    before.some(({ start, end }) => start - slack <= time && time <= end + slack);
  return after.flatMap(({ start: end }, i) => {
    const previous = after[i - 1]?.end ?? 0;
    const isInPart = i > 0 && !had(previous);
    const start = isInPart ? previous : Math.max(previous, from);
    const isKnown = isInPart || previous <= from + slack;
    return isKnown && end - start > slack && !had(end) ? [{ start, end }] : [];
  });
}

/** The end of the new stretches that a part brought; null if it brought none. */
export function endOfNew(before: readonly Range[], after: readonly Range[]): number | null {
  const had = (time: number) => before.some(({ start, end }) => start <= time && time <= end);
  return after.findLast(({ end }) => !had(end))?.end ?? null;
}

/** The stretches and the holes between them, in their order. */
export function withHoles(buffered: readonly Range[], holes: readonly Range[]): readonly Range[] {
  return [...buffered, ...holes].sort((a, b) => a.start - b.start);
}

/** The end of the hole that a time is in or just before; null if there is none. */
export function endOfHole(holes: readonly Range[], time: number): number | null {
  const hole = holes.find(({ start, end }) => start - slack <= time && time < end - slack);
  return hole?.end ?? null;
}

/**
 * Where a buffered stretch begins shortly after a time that is not buffered. Sound that begins
 * later than the picture leaves such a gap. Null when there is no small gap to skip.
 */
export function endOfGap(buffered: readonly Range[], time: number): number | null {
  if (bufferedUntil(buffered, time) > time) return null;
  const next = buffered.find(({ start }) => start > time);
  return next && next.start - time <= 0.5 ? next.start : null;
}

/** Where to go on from a time for which nothing is buffered; null to stay there. */
export function endOfEmpty(
  buffered: readonly Range[],
  holes: readonly Range[],
  time: number,
): number | null {
  const isThere = buffered.some(({ start, end }) => start <= time && time + slack < end);
  return isThere ? null : (endOfHole(holes, time) ?? endOfGap(buffered, time));
}

/** Whether something is buffered after a time. */
export function reachesBeyond(buffered: readonly Range[], time: number): boolean {
  return buffered.some(({ end }) => end > time + slack);
}

/** How many seconds are fetched ahead of the current time, and kept around it. */
export const ahead = 30;
const behind = 30;

/** The buffered stretches that are far from the current time. */
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
