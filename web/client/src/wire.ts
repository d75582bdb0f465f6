/** The JSON of the meeting protocol (docs/reference/meeting-protocol.md), as it travels. */

export type Role = "host" | "participant";

export interface RoomInfo {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly url: string;
  readonly type: string;
  readonly encryption: "standard" | "strict";
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

/** What one of the room's own hosts changes; what is absent stays. */
export interface RoomChange {
  readonly locked?: boolean;
  readonly settings?: Partial<RoomSettings>;
}

export interface Door {
  readonly room: RoomInfo;
  readonly person: {
    readonly name: string;
    readonly role: Role;
    readonly avatar: string | null;
  } | null;
  readonly decision: "enter" | "knock" | "wait_for_host" | "refused";
  readonly reason: string | null;
  readonly message: string | null;
}

interface AnySeat {
  readonly identity: string;
  readonly ticket: string;
  readonly name: string;
  readonly role: Role;
  readonly avatar: string | null;
  readonly redirect_url: string | null;
}

/** A seat in the meeting, with what it takes to connect. */
export interface Seat extends AnySeat, MediaToken {
  readonly decision: "enter";
}

/** A place in the line before the door. */
export interface WaitingSeat extends AnySeat {
  readonly decision: "knock" | "wait_for_host";
}

export interface MediaToken {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
  readonly expires_in: number;
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
  /** When a host last muted this person; null when none did. */
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
}

/** Somebody who knocks. */
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

/** What comes over the event stream, by the name of the event. */
export type ServiceEvent =
  | { readonly type: "room"; readonly data: RoomInfo }
  | { readonly type: "you"; readonly data: You }
  | { readonly type: "people"; readonly data: readonly RosterEntry[] }
  | { readonly type: "door"; readonly data: DoorState }
  | { readonly type: "waiting"; readonly data: readonly Knocking[] }
  | { readonly type: "meeting"; readonly data: RunningMeeting | null }
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
