import type { RosterEntry } from "../wire.js";

/** Somebody in the meeting, in the main room. */
export function rosterEntry(identity: string, more: Partial<RosterEntry> = {}): RosterEntry {
  return {
    identity,
    name: identity.toUpperCase(),
    role: "participant",
    avatar: null,
    hand_raised: false,
    hand_raised_at: null,
    joined_at: "2026-01-01T00:00:00.000Z",
    cohost: false,
    on_stage: false,
    breakout_id: null,
    ...more,
  };
}
