import { useCallback, useSyncExternalStore } from "react";

export const narrow = "(max-width: 760px)";
/** The panels' buttons do not fit beside the controls. */
export const tight = "(max-width: 999px)";
/** A host's buttons, of which there are more, do not. */
export const crowded = "(max-width: 1279px)";

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
