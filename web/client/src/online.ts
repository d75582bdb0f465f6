/**
 * Calls the listener when the device has a network again, until the returned function is called.
 */
export function whenOnline(listener: () => void): () => void {
  if (typeof window === "undefined") return () => {};
  window.addEventListener("online", listener);
  return () => window.removeEventListener("online", listener);
}
