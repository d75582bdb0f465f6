/**
 * Calls the listener when the device has a network again, until the returned function is called.
 */
export function whenOnline(listener: () => void): () => void {
  if (typeof window === "undefined") return () => {};
  window.addEventListener("online", listener);
  return () => window.removeEventListener("online", listener);
}

/**
 * Calls the listener when the page is seen again, until the returned function is called. Browsers
 * freeze pages that nobody looks at.
 */
export function whenSeen(listener: () => void): () => void {
  if (typeof document === "undefined") return () => {};
  const look = () => {
    if (document.visibilityState === "visible") listener();
  };
  document.addEventListener("visibilitychange", look);
  return () => document.removeEventListener("visibilitychange", look);
}
