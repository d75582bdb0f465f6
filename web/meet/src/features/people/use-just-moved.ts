import { useLayoutEffect, useRef } from "react";

/** How long a press may be meant for what was in its place before, in milliseconds. */
const settling = 500;

/**
 * Returns a function that says whether this place showed something else a moment ago. A press is
 * then probably the second one of a double click on what was there before. `what` is null while
 * nothing is there.
 */
export function useJustMoved(what: string | number | null): () => boolean {
  const shown = useRef(what);
  const changedAt = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    if (shown.current === what) return;
    if (shown.current !== null) changedAt.current = performance.now();
    shown.current = what;
  }, [what]);
  return () => performance.now() - changedAt.current < settling;
}
