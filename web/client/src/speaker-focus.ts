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

/**
 * The order of the tiles. Everybody keeps their place, but a speaker from a later page changes
 * places with the person on the first page who was silent longest. `spoke` says when each person
 * last spoke, in any unit that grows.
 */
export function arrange(
  order: readonly string[],
  present: readonly string[],
  speaking: readonly string[],
  spoke: ReadonlyMap<string, number>,
  firstPage: number,
): readonly string[] {
  const next = order.filter((identity) => present.includes(identity));
  for (const identity of present) if (!next.includes(identity)) next.push(identity);
  for (const speaker of speaking) {
    const from = next.indexOf(speaker);
    if (from < firstPage) continue;
    const to = quietestOf(next.slice(0, firstPage), speaking, spoke);
    const other = next[to];
    if (to < 0 || other === undefined) continue;
    next[to] = speaker;
    next[from] = other;
  }
  return sameOrder(order, next) ? order : next;
}

function quietestOf(
  page: readonly string[],
  speaking: readonly string[],
  spoke: ReadonlyMap<string, number>,
): number {
  let quietest = -1;
  let earliest = Number.POSITIVE_INFINITY;
  for (const [index, identity] of page.entries()) {
    if (speaking.includes(identity)) continue;
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
