import type { KeyValueStore } from "@conclave/client/pre-join";

const key = "conclave.member";

/**
 * Whether a member was signed in on this device when a page last asked. Says only what to show until
 * the service has answered.
 */
export function wasMember(store: KeyValueStore): boolean {
  return store.getItem(key) !== null;
}

export function rememberMember(isMember: boolean, store: KeyValueStore): void {
  if (isMember) store.setItem(key, "1");
  else store.removeItem(key);
}
