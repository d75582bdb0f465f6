/**
 * What one device of a group does next: functions of what it knows, without clock or network. The
 * rules are those of docs/reference/meeting-protocol.md, "Strict rooms".
 */
import type { GroupPart } from "./group-protocol.js";

/** A key package of a waiting device that was checked. */
export interface Offer {
  /** base64url. */
  readonly signatureKey: string;
  /** Whether a commit that added the device and changed more failed. It is then added alone. */
  readonly isDoubted?: boolean;
}

export interface MemberLeaf {
  readonly index: number;
  readonly identity: string;
  /** base64url. */
  readonly signatureKey: string;
}

/** The group as this device is in it. */
export interface OwnGroup {
  /** base64url. */
  readonly id: string;
  readonly epoch: number;
  /** The number of the newest message that this device has taken. */
  readonly seq: number;
  readonly leaves: readonly MemberLeaf[];
}

/** All that a decision depends on. */
export interface View {
  readonly me: string;
  readonly place: string | null;
  readonly part: GroupPart | null;
  readonly group: OwnGroup | null;
  /** The service's key that verified this device's statement; null before the first. */
  readonly serviceKey: string | null;
  /** Whether this device has the private keys of a key package that it sent to the service. */
  readonly hasKeyPackage: boolean;
  /** A group that this device asked to create, without having heard an answer. */
  readonly candidate: string | null;
  /** The group that this device cannot join, because of the link secret. */
  readonly barredFrom: string | null;
  /** While in no group, this device has fetched all messages up to this number. */
  readonly fetched: number;
  /** The service said that the group is in another epoch. */
  readonly isBehind: boolean;
  /** Whether the service may have lost what brought this device into its epoch. */
  readonly isDoubtful: boolean;
  /** Whether this device has yet to tell the service that it cannot be in the group. */
  readonly isRefusing: boolean;
  /** Whether a commit of this device waits for an answer. */
  readonly isUnanswered: boolean;
  /** The valid key packages, by their text. */
  readonly offers: ReadonlyMap<string, Offer>;
}

/** The devices that a commit adds and removes. */
export interface Change {
  readonly adds: readonly { readonly identity: string; readonly keyPackage: string }[];
  readonly removes: readonly MemberLeaf[];
}

export type Situation =
  /** The stream tells nothing about this place: the device is not in it. */
  | { readonly kind: "outside" }
  /** The service has no key package of this device. */
  | { readonly kind: "unannounced" }
  /** The service signs with another key now, and new devices accept no statement of the old one. */
  | { readonly kind: "outdated" }
  /** There is no group yet. `rank` waiting devices come before this one in creating it. */
  | { readonly kind: "founding"; readonly rank: number }
  /** The group that this device asked for exists. */
  | { readonly kind: "founded" }
  /** The device waits to be added. */
  | { readonly kind: "waiting" }
  /** The device sent a key package, but the stream does not list it as waiting. */
  | { readonly kind: "unknown" }
  /** The device was added, and has not joined yet. */
  | { readonly kind: "invited"; readonly hasNews: boolean }
  /** The device has yet to tell the service that it cannot be in the group. */
  | { readonly kind: "refusing" }
  /** The device cannot join this group because of the link secret. */
  | { readonly kind: "barred" }
  /** The place has another group, or none. */
  | { readonly kind: "replaced"; readonly isCertain: boolean }
  /** The group is in a later epoch. */
  | { readonly kind: "behind" }
  /**
   * The stream is late: answers to its requests told the device of a newer epoch. The members that
   * come before this one in asking the service need `turn` milliseconds.
   */
  | { readonly kind: "ahead"; readonly turn: number }
  /** The service may have lost what brought the device into its epoch. */
  | { readonly kind: "doubtful"; readonly turn: number }
  /** The service does not count the device as a member any more. */
  | { readonly kind: "unlisted" }
  | { readonly kind: "unanswered" }
  /** A commit must add or remove somebody. `rank` present members come first in sending it. */
  | { readonly kind: "changing"; readonly rank: number; readonly change: Change }
  | { readonly kind: "settled" };

export type Move =
  | { readonly kind: "wait" }
  /** Sends a new key package. After that the device is in no group. */
  | { readonly kind: "announce"; readonly reason: AnnounceReason }
  | { readonly kind: "create" }
  | { readonly kind: "adopt" }
  | { readonly kind: "fetch" }
  | { readonly kind: "commit"; readonly change: Change }
  | { readonly kind: "send" }
  /** Asks whether the service still has what brought this device into its epoch. */
  | { readonly kind: "check" }
  /** Tells the service that this device cannot be in the group, which ends when most say so. */
  | { readonly kind: "refuse" };

/** `lost`: the device could not follow the group. */
export type AnnounceReason = "new" | "outdated" | "lost" | "not_added" | "removed" | "replaced";

/** The next move of a device, and when it makes it. Times are in milliseconds. */
export interface Plan {
  readonly move: Move;
  /** How long the device waits before the move. */
  readonly after: number;
  /** The wait begins when the group's epoch is this old, at the earliest. */
  readonly epochLasts: number;
}

/** How long a device waits for each one that comes before it, in milliseconds. */
export const rankPause = 500;
/** Before it makes a group, it waits for so many. Those who come first may be unable to. */
export const mostWaitedFor = 4;
/**
 * An epoch must be this old before devices are added, so that those that come together cost one
 * commit. A device that comes to an older epoch is added at once.
 */
export const gatherTime = 300;
/** A device that cannot follow the group for this long joins again. */
export const lostAfter = 3000;
/** A member that the stream omits for this long was removed; before, the stream may be late. */
const unlistedAfter = 1000;
/** When the stream is this late, the service may have lost what the stream does not show. */
const lateAfter = 1000;
/** Of the devices that may have lost something together, each asks this long after the one before. */
const checkPause = 20;
/** However many they are, the last one asks this long after the first, at most. */
const checksWithin = 2000;
/** A device that nobody adds for this long refuses the group: the others cannot or will not. */
const notAddedAfter = 20_000;
/** The most devices that one commit adds, because requests have a limit. The next adds more. */
const addsAtOnce = 64;

export function situationOf(view: View): Situation {
  const { part, group, me } = view;
  // The service takes a key package from any device with a seat, before it is connected.
  if (!part && !group && !view.hasKeyPackage) return { kind: "unannounced" };
  if (!part || part.place !== view.place) return { kind: "outside" };
  const isOutdated = view.serviceKey !== null && view.serviceKey !== part.service_key;
  if (isOutdated) return { kind: "outdated" };
  if (!group) return situationWithoutGroup(view, part);
  if (part.group_id !== group.id) return { kind: "replaced", isCertain: part.seq > group.seq };
  if (view.isBehind || part.epoch > group.epoch) return { kind: "behind" };
  if (view.isDoubtful) return { kind: "doubtful", turn: turnOf(group, me) };
  // The answer to its own commit may reach the device before the stream does.
  if (part.epoch < group.epoch) return { kind: "ahead", turn: turnOf(group, me) };
  if (!part.members.includes(me)) return { kind: "unlisted" };
  if (view.isUnanswered) return { kind: "unanswered" };
  const change = changeFor(part, group, me, view.offers);
  if (change.adds.length + change.removes.length === 0) return { kind: "settled" };
  return { kind: "changing", rank: rankOf(part, group, me), change };
}

function situationWithoutGroup(view: View, part: GroupPart): Situation {
  const { me } = view;
  if (view.isRefusing) return { kind: "refusing" };
  if (part.group_id !== null && part.group_id === view.candidate) return { kind: "founded" };
  if (part.group_id !== null && part.group_id === view.barredFrom) return { kind: "barred" };
  if (!view.hasKeyPackage) return { kind: "unannounced" };
  const waiting = part.waiting.map(({ identity }) => identity);
  if (part.group_id === null && part.members.length === 0 && waiting.includes(me)) {
    return { kind: "founding", rank: waiting.indexOf(me) };
  }
  if (part.members.includes(me)) return { kind: "invited", hasNews: part.seq > view.fetched };
  return { kind: waiting.includes(me) ? "waiting" : "unknown" };
}

/** While this key stays the same, the situation has not changed and the device goes on waiting. */
export function situationKey(situation: Situation, { group, part }: View): string {
  const where = `${situation.kind} ${part?.group_id} ${group?.id} ${group?.epoch}`;
  if (situation.kind !== "changing") return where;
  return `${where} ${situation.change.removes.length > 0}`;
}

export function planFor(situation: Situation): Plan {
  const at = (move: Move, after = 0, epochLasts = 0): Plan => ({ move, after, epochLasts });
  switch (situation.kind) {
    case "unannounced":
      return at({ kind: "announce", reason: "new" });
    case "outdated":
      return at({ kind: "announce", reason: "outdated" });
    case "founding":
      return at({ kind: "create" }, Math.min(situation.rank, mostWaitedFor) * rankPause);
    case "founded":
      return at({ kind: "adopt" });
    case "waiting":
      return at({ kind: "refuse" }, notAddedAfter);
    case "refusing":
      return at({ kind: "refuse" });
    case "unknown":
      return at({ kind: "announce", reason: "not_added" }, lostAfter);
    case "invited":
      return situation.hasNews
        ? at({ kind: "fetch" })
        : at({ kind: "announce", reason: "lost" }, lostAfter);
    case "replaced":
      return at({ kind: "announce", reason: "replaced" }, situation.isCertain ? 0 : lostAfter);
    case "behind":
      return at({ kind: "fetch" });
    case "ahead":
      return at({ kind: "check" }, lateAfter + situation.turn);
    case "doubtful":
      return at({ kind: "check" }, situation.turn);
    case "unlisted":
      return at({ kind: "announce", reason: "removed" }, unlistedAfter);
    case "unanswered":
      return at({ kind: "send" });
    case "changing": {
      const { rank, change } = situation;
      // A removal is not delayed: people who left must not be able to read on.
      const gather = change.removes.length > 0 ? 0 : gatherTime;
      return at({ kind: "commit", change }, rank * rankPause, gather);
    }
    case "outside":
    case "barred":
    case "settled":
      return at({ kind: "wait" }, Number.POSITIVE_INFINITY);
  }
}

/** How long so many devices take to ask the service, one after the other, in milliseconds. */
export function checksTake(devices: number): number {
  return Math.min(devices * checkPause, checksWithin);
}

/** In how many milliseconds it is this device's turn to ask the service. Turns follow the order of identities. */
function turnOf({ leaves }: OwnGroup, me: string): number {
  const before = leaves.filter(({ identity }) => identity < me).length;
  return (before * checksTake(leaves.length)) / leaves.length;
}

/** The number of present members whose leaves are before this device's. */
function rankOf(part: GroupPart, group: OwnGroup, me: string): number {
  const present = new Set(part.members);
  const before = [...group.leaves].sort((a, b) => a.index - b.index);
  const own = before.findIndex(({ identity }) => identity === me);
  return before.slice(0, own).filter(({ identity }) => present.has(identity)).length;
}

/** The additions and removals that make the group agree with the stream. */
function changeFor(
  part: GroupPart,
  group: OwnGroup,
  me: string,
  offers: ReadonlyMap<string, Offer>,
): Change {
  const members = new Set(part.members);
  const waiting = new Map(part.waiting.map((one) => [one.identity, one.key_package]));
  // A device that waits although it has a leaf came back with a new key package.
  const removes = group.leaves.filter(
    ({ identity }) => identity !== me && (!members.has(identity) || waiting.has(identity)),
  );
  const taken = new Set(group.leaves.map(({ signatureKey }) => signatureKey));
  const adds: { identity: string; keyPackage: string }[] = [];
  const doubted: { identity: string; keyPackage: string }[] = [];
  for (const [identity, keyPackage] of waiting) {
    const offer = offers.get(keyPackage);
    if (!offer || identity === me || adds.length === addsAtOnce) continue;
    // A group cannot have one key twice. The key is free again once the old leaf is removed.
    if (taken.has(offer.signatureKey)) continue;
    taken.add(offer.signatureKey);
    (offer.isDoubted ? doubted : adds).push({ identity, keyPackage });
  }
  if (adds.length + removes.length > 0) return { adds, removes };
  return { adds: doubted.slice(0, 1), removes };
}
