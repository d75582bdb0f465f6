import { personOf } from "../identity.js";
import type { SaidCommit } from "../strict/group-protocol.js";

export interface LoggedCommit {
  readonly seq: number;
  readonly epoch: number;
  readonly commit: string;
  readonly welcome: string | null;
  readonly added: ReadonlySet<string>;
  readonly from: string;
  readonly said: SaidCommit;
  readonly madeAt: number;
}

/** What a device said against a group. */
interface Refused {
  readonly groupId: string;
  /** Who sent the message that it could not take. */
  readonly author: string | null;
}

/** How long a refusal still counts once its device is in the group again, in milliseconds. */
const refusalFor = 60_000;

/** How long a turn to make the next group is, in milliseconds. */
const turnFor = 10_000;

/** How much of the log is kept: commits, characters, and milliseconds in any case. */
const mostCommits = 256;
const mostSize = 16 << 20;
const keptFor = 10_000;

/** What the service keeps of one place. */
export class PlayedPlace {
  groupId: string | null = null;
  epoch = 0;
  seq = 0;
  founder: string | null = null;
  /** The devices that a commit added, present or not, with the time. */
  readonly added = new Map<string, number>();
  readonly keyPackages = new Map<string, string>();
  readonly present = new Set<string>();
  /** What devices said that they cannot be in, by the device's identity. */
  readonly refusals = new Map<string, Refused>();
  /** When the last group ended. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** How many groups have left out a device, by its identity. */
  readonly passed = new Map<string, number>();
  /** Devices that have been in the present group. */
  readonly been = new Set<string>();
  /** Devices that may not make a group, nor be added. */
  readonly barred = new Set<string>();
  /** All commits of the group. The service has deleted those before the number `keptFrom`. */
  log: LoggedCommit[] = [];
  keptFrom = 0;
}

export function membersOf(there: PlayedPlace): string[] {
  return [...there.added.keys()].filter((one) => there.present.has(one));
}

/** Those that wait to be added, in the order in which they make the next group. */
export function waitingIn(there: PlayedPlace): { identity: string; key_package: string }[] {
  const passed = (one: string) => there.passed.get(one) ?? 0;
  return [...there.keyPackages]
    .filter(([one]) => there.present.has(one) && !isBarred(there, one))
    .sort(([a], [b]) => passed(b) - passed(a) || (a < b ? -1 : 1))
    .map(([identity, key_package]) => ({ identity, key_package }));
}

/** The device is a member from now on. */
export function join(there: PlayedPlace, identity: string, now: number): void {
  there.keyPackages.delete(identity);
  there.added.set(identity, now);
  there.been.add(identity);
}

/** Ends a membership. A refusal that has stopped counting does not count again. */
export function leave(there: PlayedPlace, identity: string, now: number): void {
  if (hasRegained(there, identity, now)) there.refusals.delete(identity);
  there.added.delete(identity);
}

/**
 * Whether a device must leave the next group to others: they were left out of more groups, and
 * their turn is not over.
 */
export function comesLater(there: PlayedPlace, identity: string, now: number): boolean {
  const passed = (one: string) => there.passed.get(one) ?? 0;
  /** By person: how many groups left out the device that comes first. */
  const before = new Map<string, number>();
  for (const one of there.present) {
    const person = personOf(one);
    const isBefore = passed(one) > passed(identity) && person !== personOf(identity);
    if (!isBefore || isBarred(there, one)) continue;
    before.set(person, Math.max(before.get(person) ?? 0, passed(one)));
  }
  const since = now - there.endedAt;
  return since < new Set(before.values()).size * turnFor && since > -turnFor;
}

/** A device of this person makes a group: the counts of all their devices start at zero. */
export function beginAnew({ passed }: PlayedPlace, person: string): void {
  for (const one of [...passed.keys()]) if (personOf(one) === person) passed.delete(one);
}

/** Whether a device is barred, and another present device is not. */
export function isBarred({ present, barred }: PlayedPlace, identity: string): boolean {
  return barred.has(identity) && [...present].some((one) => !barred.has(one));
}

/** Bars the authors whose messages most of those here refuse. */
export function barBlamed(there: PlayedPlace, now: number): void {
  const { people, blames } = refusalsIn(there, now);
  for (const author of blames.values()) {
    if (author === null || !there.present.has(author)) continue;
    if (2 * blaming(blames, author) > people) there.barred.add(author);
  }
}

/** Ends the group if it has no member any more, or most of those here cannot be in it. */
export function endIfOver(there: PlayedPlace, now: number): void {
  const isOver = isUnwanted(there, now);
  if (there.groupId === null || (membersOf(there).length > 0 && !isOver)) return;
  if (isOver) barBlamed(there, now);
  countPassed(there, now);
  there.groupId = null;
  there.founder = null;
  there.epoch = 0;
  there.seq += 1;
  there.endedAt = now;
  there.added.clear();
  there.been.clear();
}

/**
 * Deletes commits that are too many or too large together, unless they or the next ones are new.
 */
export function prune(there: PlayedPlace, now: number): void {
  const newestFirst = there.log.filter(({ seq }) => seq >= there.keptFrom).reverse();
  const isNew = ({ madeAt }: LoggedCommit) => Math.abs(now - madeAt) < keptFor;
  let size = 0;
  for (const [i, commit] of newestFirst.entries()) {
    size += commit.commit.length + (commit.welcome?.length ?? 0);
    const next = newestFirst[i - 1];
    if (!next || isNew(commit) || isNew(next) || (i < mostCommits && size <= mostSize)) continue;
    there.keptFrom = commit.seq + 1;
    return;
  }
}

/** Notes that the group has ended: each device here that it left out gets one more count. */
function countPassed(there: PlayedPlace, now: number): void {
  for (const one of new Set([...there.present, ...there.been])) {
    const waits = there.keyPackages.has(one) && !there.been.has(one);
    if (!isOfFounder(there, one) && (waits || refuses(there, one, now))) {
      if (there.present.has(one)) there.passed.set(one, (there.passed.get(one) ?? 0) + 1);
    } else if (there.been.has(one)) {
      there.passed.delete(one);
    }
  }
}

/** Whether a device belongs to the person who made the group. */
function isOfFounder({ founder }: PlayedPlace, identity: string): boolean {
  return founder !== null && personOf(identity) === personOf(founder);
}

function refuses(there: PlayedPlace, identity: string, now: number): boolean {
  const refused = there.refusals.get(identity);
  return refused?.groupId === there.groupId && !hasRegained(there, identity, now);
}

/** Whether a device has been in the group for so long that it can be in it. */
function hasRegained({ added }: PlayedPlace, identity: string, now: number): boolean {
  const since = added.get(identity);
  return since !== undefined && now - since >= refusalFor;
}

/**
 * Whether most of those here cannot be in the group. A refusal counts only if more of them blame
 * its author than blame the device that refuses.
 */
function isUnwanted(there: PlayedPlace, now: number): boolean {
  const { people, blames } = refusalsIn(there, now);
  const counted = [...blames].filter(
    ([person, author]) => blaming(blames, author) > blaming(blames, person),
  );
  return 2 * counted.length > people;
}

/**
 * Counts who is here, and lists the author that each device blames that cannot join, or null. Each
 * device counts as a person here, because no test has two devices of one that refuse.
 */
function refusalsIn(
  there: PlayedPlace,
  now: number,
): { people: number; blames: Map<string, string | null> } {
  const here = [...there.present].filter((one) => !isBarred(there, one));
  const blames = new Map<string, string | null>();
  for (const one of here) {
    const refused = there.refusals.get(one);
    if (refused && refuses(there, one, now)) blames.set(one, refused.author);
  }
  return { people: here.length, blames };
}

/** How many blame this author, or nobody. */
function blaming(blames: ReadonlyMap<string, string | null>, author: string | null): number {
  return [...blames.values()].filter((one) => one === author).length;
}
