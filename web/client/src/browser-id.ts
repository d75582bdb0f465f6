import type { KeyValueStore } from "./preferences.js";

const key = "conclave.browser";

/**
 * A random text by which the service recognises a guest's browser, so that a guest who left comes
 * back to what hosts gave them, and nobody votes twice. Made on first use. Null where the browser stores nothing, since a text
 * that changes with every visit identifies nobody.
 */
export function browserId(store: KeyValueStore): string | null {
  const kept = store.getItem(key);
  if (kept !== null) return kept;
  store.setItem(key, randomText());
  return store.getItem(key);
}

/** The text, if there is one already: a page that was only looked at keeps nothing. */
export function knownBrowserId(store: KeyValueStore): string | null {
  return store.getItem(key);
}

/** 32 random bytes as base64url. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
