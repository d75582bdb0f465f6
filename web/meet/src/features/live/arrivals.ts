import type { Person } from "@conclave/client";

/** The names of the other people here, by identity. */
export type Known = ReadonlyMap<string, string>;

type Listed = Pick<Person, "identity" | "name" | "isMe">;

/**
 * The people who are here; null until the service has sent its list, which includes this person.
 * Before that, only the media server's list is known, which has no names.
 */
export function knownAmong(people: readonly Listed[]): Known | null {
  if (!people.some(({ isMe, name }) => isMe && name !== null)) return null;
  const known = new Map<string, string>();
  for (const { identity, name, isMe } of people) {
    if (!isMe && name !== null) known.set(identity, name);
  }
  return known;
}

/** Who came and who went between two lists. Nobody came before the first list. */
export function changesOf(before: Known | null, now: Known) {
  if (before === null) return { came: [], went: [] };
  const missing = (from: Known, other: Known) =>
    [...from].filter(([identity]) => !other.has(identity)).map(([, name]) => name);
  return { came: missing(now, before), went: missing(before, now) };
}
