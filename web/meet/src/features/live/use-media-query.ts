import { useCallback, useSyncExternalStore } from "react";

export const narrow = "(width <= 47.5em)";
/** The panels' buttons do not fit beside the controls. */
export const tight = "(width < 62.5em)";
/** A host's buttons, of which there are more, do not. */
export const crowded = "(width < 80em)";

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
