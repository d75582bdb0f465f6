import type { Person } from "./roster.js";
import type { GroupView } from "./strict/group-view.js";

/**
 * The state of the meeting's media encryption, as far as this device can tell. `incomplete`, in
 * strict meetings: somebody's media arrives that this device has no key for.
 */
export type EncryptionState = "starting" | "encrypted" | "incomplete" | "key_mismatch";

/**
 * When one person's frames cannot be decrypted, that person may have the wrong key. When no frames
 * can be decrypted, this device is more likely to have it. A strict meeting counts as encrypted only
 * while this device is in its group and everything that arrives is decrypted.
 */
export function encryptionState(
  { isEncrypted, group }: { readonly isEncrypted: boolean; readonly group: GroupView | null },
  people: readonly Person[],
): EncryptionState {
  if (!isEncrypted || (group && group.state !== "secure")) return "starting";
  const others = people.filter((person) => !person.isMe && person.connected);
  const wrong = others.filter((person) => person.protection !== "encrypted");
  if (group) return wrong.length > 0 ? "incomplete" : "encrypted";
  const mismatched = wrong.filter((person) => person.protection === "key_mismatch");
  return mismatched.length > 0 && mismatched.length === others.length
    ? "key_mismatch"
    : "encrypted";
}
