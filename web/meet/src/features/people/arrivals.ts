import type { Knocking, Person } from "@conclave/client";

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

/** Somebody who has begun to wait, and how many others wait. */
export interface Knock {
  readonly name: string;
  readonly others: number;
}

/**
 * The knock to tell of, when a list of people who wait follows one with these identities; null if
 * nobody is new. Several can be: a host who comes in finds everybody who has knocked before. The
 * first stands for them, because one sentence with a number is heard and a list of names is not.
 */
export function knockIn(
  waiting: readonly Pick<Knocking, "identity" | "name">[],
  before: ReadonlySet<string>,
): Knock | null {
  const first = waiting.find(({ identity }) => !before.has(identity));
  return first ? { name: first.name, others: waiting.length - 1 } : null;
}

type Raising = Listed & Pick<Person, "handRaised">;

/** The identities of those who have a hand up. */
export function handsUp(people: readonly Raising[]): ReadonlySet<string> {
  return new Set(people.filter(({ handRaised }) => handRaised).map(({ identity }) => identity));
}

/**
 * The names of the others who have put up a hand since these had theirs up. The hands that were up
 * when one came in, before there was a list, are no news.
 */
export function newHands(
  people: readonly Raising[],
  before: ReadonlySet<string> | null,
): readonly string[] {
  if (before === null) return [];
  return namesOf(people.filter(({ identity, handRaised }) => handRaised && !before.has(identity)));
}

type Sharing = Listed & Pick<Person, "screen">;

/** Who shares a screen, and when the others who did were last seen to share one. */
export interface Screens {
  readonly now: ReadonlySet<string>;
  /** In milliseconds. */
  readonly lastSeen: ReadonlyMap<string, number>;
}

export const noScreens: Screens = { now: new Set(), lastSeen: new Map() };

/**
 * A screen that is seen again this soon, in milliseconds, is no news: its person, or oneself, was
 * reconnecting, or somebody switches it on and off.
 */
const sameScreenFor = 30_000;

/** Who shares a screen by now, and the names of the others who have begun to. */
export function followScreens(
  people: readonly Sharing[],
  before: Screens,
  time: number,
): { readonly screens: Screens; readonly begun: readonly string[] } {
  const sharing = people.filter(({ screen, name }) => screen !== null && name !== null);
  const lastSeen = new Map(before.lastSeen);
  for (const identity of before.now) lastSeen.set(identity, time);
  const isNew = ({ identity }: Sharing) => {
    const seen = lastSeen.get(identity);
    return seen === undefined || time - seen > sameScreenFor;
  };
  const screens = { now: new Set(sharing.map(({ identity }) => identity)), lastSeen };
  return { screens, begun: namesOf(sharing.filter(isNew)) };
}

/** The names of the others. */
function namesOf(people: readonly Listed[]): readonly string[] {
  return people.flatMap(({ name, isMe }) => (name === null || isMe ? [] : [name]));
}
