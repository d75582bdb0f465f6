/** The JSON of the meeting protocol (docs/reference/meeting-protocol.md), as it travels. */

import type { GroupPart } from "./strict/group-protocol.js";

export type Role = "host" | "participant";

export interface RoomInfo {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly url: string;
  readonly type: string;
  readonly encryption: "standard" | "strict";
  /** Who keeps the keys of this room's recordings. */
  readonly recordings: RecordingProtection;
  readonly locked: boolean;
  readonly settings: RoomSettings;
}

export interface RoomSettings {
  readonly access: "members" | "link";
  readonly admission: "direct" | "knock";
  readonly mute_on_entry: boolean;
  readonly camera_off_on_entry: boolean;
  readonly screen_share: "everyone" | "hosts";
  readonly reactions: boolean;
  readonly chat: boolean;
}

/** A change of the room by one of its own hosts. Absent fields stay as they are. */
export interface RoomChange {
  readonly locked?: boolean;
  readonly settings?: Partial<RoomSettings>;
}

export interface Door {
  /** Null for a stranger at a members' room, who may not know it. */
  readonly room: RoomInfo | null;
  readonly person: {
    readonly name: string;
    readonly role: Role;
    readonly avatar: string | null;
  } | null;
  /** Whether the visitor joins as the account that is signed in, under its name. */
  readonly signed_in: boolean;
  readonly decision: "enter" | "knock" | "wait_for_host" | "refused";
  readonly reason: string | null;
  readonly message: string | null;
  /** Whether the room is locked and the visitor, one of its own hosts, may unlock it. */
  readonly may_unlock: boolean;
  /** The current or next scheduled meeting, for those who may know it; null when there is none. */
  readonly next: Planned | null;
}

/** An occurrence of a scheduled meeting. */
export interface Planned {
  readonly title: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

/** A file that calendar programs import: text/calendar. */
export interface CalendarFile {
  readonly name: string;
  readonly text: string;
}

interface AnySeat {
  readonly identity: string;
  readonly ticket: string;
  readonly name: string;
  readonly role: Role;
  readonly avatar: string | null;
  readonly redirect_url: string | null;
}

/** A seat in the meeting, with what is needed to connect. */
export interface Seat extends AnySeat, MediaToken {
  readonly decision: "enter";
}

/** A place in the waiting room. */
export interface WaitingSeat extends AnySeat {
  readonly decision: "knock" | "wait_for_host";
}

export interface MediaToken {
  readonly server_url: string;
  readonly token: string;
  /** Null in a strict meeting, whose keys exist on the devices only. */
  readonly e2ee_passphrase: string | null;
  readonly expires_in: number;
  /** The breakout room it leads into; absent or null for the main room. */
  readonly breakout_id?: string | null;
}

export interface Rights {
  readonly microphone: boolean;
  readonly camera: boolean;
  readonly screen_share: boolean;
  readonly chat: boolean;
  readonly reactions: boolean;
}

export interface You {
  readonly identity: string;
  readonly name: string;
  readonly role: Role;
  readonly avatar: string | null;
  readonly hand_raised: boolean;
  readonly may: Rights;
  readonly cohost: boolean;
  readonly on_stage: boolean;
  /** When a host last muted this person; null if none did. */
  readonly muted_at: string | null;
}

export interface RosterEntry {
  readonly identity: string;
  readonly name: string;
  readonly role: Role;
  readonly avatar: string | null;
  readonly hand_raised: boolean;
  readonly hand_raised_at: string | null;
  readonly joined_at: string;
  readonly cohost: boolean;
  readonly on_stage: boolean;
  /** The breakout room the person was placed in; absent or null for the main room. */
  readonly breakout_id?: string | null;
}

/** A person who knocks. */
export interface Knocking {
  readonly identity: string;
  readonly name: string;
  readonly avatar: string | null;
  readonly since: string;
}

export interface RunningMeeting {
  readonly id: string;
  readonly started_at: string;
}

/** A person as breakout rooms list them; `id` is what `assign` takes. */
export interface BreakoutPerson {
  readonly id: string;
  readonly name: string;
  /** Whether they are in the meeting (when unassigned), or in this room (as its member). */
  readonly present: boolean;
}

export interface BreakoutMember extends BreakoutPerson {
  readonly can_return: boolean;
}

export interface BreakoutRoom {
  readonly id: string;
  readonly name: string;
  /**
   * Filled for hosts and co-hosts, for everybody if people choose their rooms, and in one's own
   * room.
   */
  readonly members: readonly BreakoutMember[];
}

/** Breakout rooms that are open, as one person sees them. */
export interface BreakoutSession {
  readonly id: string;
  /** `closing`: the rooms close at `ends_at`, within a minute. */
  readonly status: "open" | "closing";
  readonly auto_join: boolean;
  readonly allow_return: boolean;
  readonly self_select: boolean;
  readonly started_at: string;
  readonly ends_at: string | null;
  readonly you: {
    /** The room that this device belongs in; null: the main room. */
    readonly place: string | null;
    readonly assigned: string | null;
    readonly can_return: boolean;
    readonly may_choose: boolean;
  };
  readonly rooms: readonly BreakoutRoom[];
  readonly unassigned: readonly BreakoutPerson[];
}

export type PollResults = "live" | "after_vote" | "after_close";

export interface PollOption {
  readonly id: string;
  readonly label: string;
  /** Null for people who may not see counts. */
  readonly votes: number | null;
  /** The names of the people who picked it: for hosts, in polls that are not anonymous. */
  readonly voters?: readonly string[];
}

/** A poll as one person sees it. */
export interface Poll {
  readonly id: string;
  readonly question: string;
  readonly kind: "single" | "multiple";
  readonly anonymous: boolean;
  readonly results: PollResults;
  readonly status: "open" | "closed";
  readonly created_by: string;
  readonly created_at: string;
  readonly closed_at: string | null;
  /** Null for people who may not see counts. */
  readonly total_voters: number | null;
  readonly options: readonly PollOption[];
  readonly voted: boolean;
  /** An anonymous vote that was counted when the poll closed cannot be changed any more. */
  readonly final: boolean;
  /**
   * The ids of the options that the person picked. Only the person's device knows them in an
   * anonymous poll; absent if it does not.
   */
  readonly choice?: readonly string[];
}

/** A poll that a host starts. */
export interface NewPoll {
  readonly question: string;
  readonly options: readonly string[];
  readonly kind?: "single" | "multiple";
  readonly anonymous?: boolean;
  readonly results?: PollResults;
}

/** How a host opens breakout rooms. */
export interface BreakoutPlan {
  /** How many rooms, or their names. */
  readonly rooms: number | readonly string[];
  /** `auto` distributes everybody, `manual` follows `placements`, `none` lets people choose. */
  readonly assign: "auto" | "manual" | "none";
  /** `room` counts from 0. */
  readonly placements?: readonly { readonly participant: string; readonly room: number }[];
  readonly auto_join?: boolean;
  readonly allow_return?: boolean;
  readonly self_select?: boolean;
  readonly include_hosts?: boolean;
  readonly duration_seconds?: number | null;
}

/** A host's message to every room. Not end-to-end encrypted. */
export interface Announcement {
  readonly id: string;
  readonly message: string;
  /** The host's name; null if it came through the API. */
  readonly from: string | null;
  readonly at: string;
}

/** How the key of a recording is kept: by the service, or by members' devices alone. */
export type RecordingProtection = "workspace" | "end_to_end";

/** A recording that is being made in the media room that this device is in. */
export interface RunningRecording {
  readonly id: string;
  readonly started_at: string;
  /** The name of the person who records. */
  readonly by: string;
  /** Whether this device makes the recording. */
  readonly mine: boolean;
  readonly protection: RecordingProtection;
  /** Whether the recording device is not connected at the moment. */
  readonly away: boolean;
}

/** The service's answer to a device that begins to record. */
export interface RecordingUpload {
  readonly id: string;
  readonly protection: RecordingProtection;
  /** Lets the device upload the recording, even after its seat is over. */
  readonly upload_secret: string;
  readonly started_at: string;
}

/** A member's device that gets the key of an end_to_end recording. */
export interface RecordingDevice {
  readonly id: string;
  /** The uncompressed point of P-256, base64url. */
  readonly public_key: string;
}

/** The data of the event stream's events, by the name of the event. */
export type ServiceEvent =
  | { readonly type: "room"; readonly data: RoomInfo }
  | { readonly type: "you"; readonly data: You }
  | { readonly type: "people"; readonly data: readonly RosterEntry[] }
  | { readonly type: "door"; readonly data: DoorState }
  | { readonly type: "waiting"; readonly data: readonly Knocking[] }
  | { readonly type: "meeting"; readonly data: RunningMeeting | null }
  | { readonly type: "breakouts"; readonly data: { readonly session: BreakoutSession | null } }
  | { readonly type: "announcement"; readonly data: Announcement | null }
  | { readonly type: "polls"; readonly data: readonly Poll[] }
  | { readonly type: "recording"; readonly data: RunningRecording | null }
  | { readonly type: "group"; readonly data: GroupPart | null }
  | { readonly type: "restarting"; readonly data: { readonly message: string } }
  | { readonly type: "end"; readonly data: { readonly reason: ServiceEndReason } };

interface DoorState {
  readonly decision: "enter" | "knock" | "wait_for_host";
  readonly since: string | null;
}

export type ServiceEndReason =
  | "ended"
  | "removed"
  | "deleted"
  | "left"
  | "denied"
  | "expired"
  | "elsewhere";
