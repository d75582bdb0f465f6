import type { Person } from "./roster.js";

/** The state of the meeting's media encryption, as far as this device can tell. */
export type EncryptionState = "starting" | "encrypted" | "key_mismatch";

/**
 * When one person's frames cannot be decrypted, that person may have the wrong key. When no frames
 * can be decrypted, this device is more likely to have it.
 */
export function encryptionState(isOn: boolean, people: readonly Person[]): EncryptionState {
  if (!isOn) return "starting";
  const others = people.filter((person) => !person.isMe && person.connected);
  const wrong = others.filter((person) => person.protection === "key_mismatch");
  return wrong.length > 0 && wrong.length === others.length ? "key_mismatch" : "encrypted";
}
