/** What may be done about people, by whoever looks at the list. */
export type Powers = "none" | "cohost" | "host";

/** Acts on somebody, by identity. Whether they succeeded is seen in the list. */
export interface PeopleActs {
  readonly pin: (identity: string | null) => void;
  readonly mute: (identity: string) => void;
  readonly muteAll: () => void;
  readonly answer: (identity: string, decision: "admit" | "deny") => void;
  readonly admitAll: () => void;
  readonly remove: (identity: string) => void;
  readonly setCohost: (identity: string, cohost: boolean) => void;
  readonly setStage: (identity: string, onStage: boolean) => void;
}
