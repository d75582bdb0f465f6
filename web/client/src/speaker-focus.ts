/** Decides who has the focus and who is on the first page, without tiles jumping about. */

/**
 * A person keeps the focus at least this long, in milliseconds, so that an "mhm" does not take it.
 */
export const holdFocus = 2000;

export interface Focus {
  readonly identity: string | null;
  readonly since: number;
}

export const noFocus: Focus = { identity: null, since: Number.NEGATIVE_INFINITY };

/**
 * The next focus of the speaker layout. It stays during silence, moves to a speaker when the
 * focused person does not speak, and moves to the first person when the focused one has left.
 */
export function nextFocus(
  focus: Focus,
  present: readonly string[],
  speaking: readonly string[],
  now: number,
): Focus {
  const isThere = focus.identity !== null && present.includes(focus.identity);
  const speaker = speaking.find((identity) => present.includes(identity)) ?? null;
  if (!isThere) {
    const identity = speaker ?? present[0] ?? null;
    return identity === focus.identity ? focus : { identity, since: now };
  }
  if (speaker === null || (focus.identity !== null && speaking.includes(focus.identity))) {
    return focus;
  }
  return now - focus.since < holdFocus ? focus : { identity: speaker, since: now };
}

/** Who is there, and what decides about their places. */
export interface Company {
  readonly present: readonly string[];
  readonly speaking: readonly string[];
  /** People whose camera is on. */
  readonly seen: readonly string[];
  /** When each person last spoke, in any unit that grows. */
  readonly spoke: ReadonlyMap<string, number>;
}

/**
 * The order of the tiles. Everybody keeps their place, with two exceptions. A speaker from a later
 * page changes places with the person on the first page who was silent longest. And a person with a
 * camera changes places with one who has none and has never spoken, so that pictures are not behind
 * empty tiles.
 */
export function arrange(
  order: readonly string[],
  { present, speaking, seen, spoke }: Company,
  firstPage: number,
): readonly string[] {
  const next = order.filter((identity) => present.includes(identity));
  for (const identity of present) if (!next.includes(identity)) next.push(identity);
  const bringForward = (who: string, stay: readonly string[]) => {
    const from = next.indexOf(who);
    if (from < firstPage) return;
    const to = quietestOf(next.slice(0, firstPage), stay, spoke);
    const other = next[to];
    if (to < 0 || other === undefined) return;
    next[to] = who;
    next[from] = other;
  };
  for (const speaker of speaking) bringForward(speaker, speaking);
  for (const person of seen) bringForward(person, [...seen, ...spoke.keys()]);
  return sameOrder(order, next) ? order : next;
}

function quietestOf(
  page: readonly string[],
  stay: readonly string[],
  spoke: ReadonlyMap<string, number>,
): number {
  let quietest = -1;
  let earliest = Number.POSITIVE_INFINITY;
  for (const [index, identity] of page.entries()) {
    if (stay.includes(identity)) continue;
    const last = spoke.get(identity) ?? Number.NEGATIVE_INFINITY;
    // Of those who never spoke, the later places are given up first.
    if (last < earliest || (last === earliest && index > quietest)) {
      earliest = last;
      quietest = index;
    }
  }
  return quietest;
}

function sameOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((identity, index) => identity === b[index]);
}
