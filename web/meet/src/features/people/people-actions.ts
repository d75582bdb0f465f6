/** What the person may do about other people. */
export type Powers = "none" | "cohost" | "host";

/** Answers a person who knocks. */
export type Answer = (identity: string, decision: "admit" | "deny") => void;

/**
 * The actions about a person, by identity. The list shows whether an action succeeded. They stay the
 * same objects for the whole meeting, or every row of a long list would be drawn with each change.
 */
export interface PeopleActions {
  readonly pin: (identity: string | null) => void;
  /** Changes one's own name. Resolves to what the person is told if that fails. */
  readonly rename: (name: string) => Promise<string | null>;
  readonly mute: (identity: string) => void;
  readonly muteAll: () => void;
  readonly askToUnmute: (identity: string) => void;
  readonly stopCamera: (identity: string) => void;
  readonly lowerHand: (identity: string) => void;
  readonly lowerAllHands: () => void;
  readonly admitAll: () => void;
  /** Shows the person large to everybody, or ends that. */
  readonly setSpotlight: (identity: string, lit: boolean) => void;
  readonly remove: (identity: string) => void;
  readonly setCohost: (identity: string, cohost: boolean) => void;
  readonly setStage: (identity: string, onStage: boolean) => void;
  /** Into a breakout room, or with null to the main room. */
  readonly moveTo: (identity: string, breakoutId: string | null) => void;
}

/** A room that people can be in. */
export interface RoomName {
  /** A breakout room's id; null: the main room. */
  readonly id: string | null;
  readonly name: string;
}
