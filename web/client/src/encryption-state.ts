import type { Person } from "./roster.js";

/** How the meeting's sound and pictures are protected, as far as this device can tell. */
export type EncryptionState = "starting" | "encrypted" | "key_mismatch";

/**
 * One person whose frames do not open may hold the wrong key; when nobody's open, it is more
 * likely this device that does.
 */
export function encryptionState(isOn: boolean, people: readonly Person[]): EncryptionState {
  if (!isOn) return "starting";
  const others = people.filter((person) => !person.isMe && person.connected);
  const wrong = others.filter((person) => person.protection === "key_mismatch");
  return wrong.length > 0 && wrong.length === others.length ? "key_mismatch" : "encrypted";
}
