import { useCallback, useSyncExternalStore } from "react";

export const narrow = "(max-width: 47.5em)";
/** The panels' buttons do not fit beside the controls. */
export const tight = "(max-width: 62.4375em)";
/** A host's buttons, of which there are more, do not. */
export const crowded = "(max-width: 79.9375em)";

export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
