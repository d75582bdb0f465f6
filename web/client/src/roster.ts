import type { Role, RosterEntry } from "./wire.js";

/** A picture that can be shown: a camera or a shared screen. */
export interface VideoView {
  /** Changes when the picture comes from another track, so that a tile attaches it again. */
  readonly id: string;
  /** Shows the picture in a video element until the returned function is called. */
  readonly attach: (element: HTMLVideoElement) => () => void;
  /** The media server has stopped sending it because the connection is too slow. */
  readonly paused: boolean;
}

export type Quality = "unknown" | "excellent" | "good" | "poor" | "lost";

/**
 * How a person's media is protected. `key_mismatch`: it arrives, but this device's key does not
 * decrypt it. `unencrypted`: the person's device sends unencrypted media, which is not played.
 */
export type Protection = "encrypted" | "key_mismatch" | "unencrypted";

/** What the media server shows of a person. Names and roles come from the service instead. */
export interface MediaPerson {
  readonly identity: string;
  readonly microphone: boolean;
  readonly camera: VideoView | null;
  readonly screen: VideoView | null;
  readonly speaking: boolean;
  readonly quality: Quality;
  readonly protection: Protection;
}

/** One person in the meeting, as the service and the media server know them together. */
export interface Person extends MediaPerson {
  /** Null until the service says who this is. */
  readonly name: string | null;
  /** A co-host has the role `host` for this meeting. */
  readonly role: Role;
  readonly cohost: boolean;
  /** In a webinar: was invited to the stage. Hosts may always speak. */
  readonly onStage: boolean;
  readonly avatar: string | null;
  readonly handRaised: boolean;
  readonly handRaisedAt: string | null;
  readonly joinedAt: string | null;
  /** Since when a host shows the person large to everybody; null when none does. */
  readonly spotlitAt: string | null;
  readonly isMe: boolean;
  /** Whether the media server sees the person; false for a moment while they connect. */
  readonly connected: boolean;
  /** The breakout room the person was placed in; null: the main room. */
  readonly breakoutId: string | null;
  /** Whether the person is in the same room as this device, or about to be. */
  readonly isHere: boolean;
}

const silent: Omit<MediaPerson, "identity"> = {
  microphone: false,
  camera: null,
  screen: null,
  speaking: false,
  quality: "unknown",
  protection: "encrypted",
};

export interface Onlooker {
  readonly identity: string;
  /** The breakout room this device is in; null: the main room. */
  readonly breakoutId: string | null;
}

/**
 * Everybody in the meeting, in the service's order, oldest first; then people known only to the
 * media server, without a name. A person who did not change stays the same object, so that an
 * interface draws only what changed.
 */
export function mergeRoster(
  entries: readonly RosterEntry[],
  media: ReadonlyMap<string, MediaPerson>,
  me: Onlooker,
  previous: readonly Person[],
): readonly Person[] {
  const before = new Map(previous.map((person) => [person.identity, person]));
  const listed = new Set(entries.map((entry) => entry.identity));
  const merged = entries.map((entry) => known(entry, media.get(entry.identity), me));
  for (const [identity, person] of media) {
    if (!listed.has(identity)) merged.push(stranger(person, me));
  }
  const next = merged.map((person) => {
    const old = before.get(person.identity);
    return old && samePerson(old, person) ? old : person;
  });
  const same = next.length === previous.length && next.every((person, i) => person === previous[i]);
  return same ? previous : next;
}

function known(entry: RosterEntry, media: MediaPerson | undefined, me: Onlooker): Person {
  const isMe = entry.identity === me.identity;
  const breakoutId = entry.breakout_id ?? null;
  return {
    ...(media ?? { ...silent, identity: entry.identity }),
    name: entry.name,
    role: entry.role,
    cohost: entry.cohost,
    onStage: entry.on_stage,
    avatar: entry.avatar,
    handRaised: entry.hand_raised,
    handRaisedAt: entry.hand_raised_at,
    joinedAt: entry.joined_at,
    spotlitAt: entry.spotlit_at ?? null,
    isMe,
    connected: media !== undefined,
    breakoutId,
    isHere: isMe || media !== undefined || breakoutId === me.breakoutId,
  };
}

function stranger(media: MediaPerson, me: Onlooker): Person {
  return {
    ...media,
    name: null,
    role: "participant",
    cohost: false,
    onStage: false,
    avatar: null,
    handRaised: false,
    handRaisedAt: null,
    joinedAt: null,
    spotlitAt: null,
    isMe: media.identity === me.identity,
    connected: true,
    breakoutId: me.breakoutId,
    isHere: true,
  };
}

function samePerson(a: Person, b: Person): boolean {
  for (const key of Object.keys(a) as (keyof Person)[]) if (a[key] !== b[key]) return false;
  return true;
}

/** Whether a person in a webinar is on stage, not in the audience. */
export function isSpeaker(person: Pick<Person, "role" | "onStage">): boolean {
  return person.role === "host" || person.onStage;
}

/** Whether this is one of the room's own hosts, who have more rights than a co-host. */
export function isOwnHost(person: { readonly role: Role; readonly cohost: boolean }): boolean {
  return person.role === "host" && !person.cohost;
}

/** The people in the spotlight, in the order in which hosts put them there. */
export function spotlit(people: readonly Person[]): readonly Person[] {
  return people
    .filter((person) => person.spotlitAt !== null)
    .sort((a, b) => (a.spotlitAt ?? "").localeCompare(b.spotlitAt ?? ""));
}

/** The people with a raised hand, in the order in which they raised it. */
export function raisedHands(people: readonly Person[]): readonly Person[] {
  return people
    .filter((person) => person.handRaised)
    .sort((a, b) => (a.handRaisedAt ?? "").localeCompare(b.handRaisedAt ?? ""));
}
