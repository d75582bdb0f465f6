/** Where small things are remembered: the Storage of a browser fits, and so does a Map with two functions around it. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Remembers nothing, for where the browser forbids storage. */
export const forgetful: KeyValueStore = {
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/**
 * A browser's storage, or the forgetful one where the browser refuses it: some throw on the mere
 * mention of localStorage, others on writing.
 */
export function browserStore(kind: "local" | "session"): KeyValueStore {
  try {
    const store = kind === "local" ? window.localStorage : window.sessionStorage;
    const probe = "conclave.probe";
    store.setItem(probe, "1");
    store.removeItem(probe);
    return store;
  } catch {
    return forgetful;
  }
}
