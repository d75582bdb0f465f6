/**
 * A store for small texts. A browser's Storage fits, and so does a Map with two functions around
 * it.
 */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Stores nothing, for browsers that forbid storage. */
export const forgetful: KeyValueStore = {
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/**
 * A browser's storage, or one that stores nothing where the browser refuses: some browsers throw
 * when a script reads `localStorage`, others when it writes.
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
