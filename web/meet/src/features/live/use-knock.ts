import type { Knocking } from "@conclave/client";
import { useEffect, useRef } from "react";

/** Calls `onKnock` when somebody new waits, and for those who waited already when one came in. */
export function useKnock(waiting: readonly Knocking[], onKnock: () => void): void {
  const known = useRef<ReadonlySet<string>>(new Set());
  const latest = useRef(onKnock);
  useEffect(() => {
    latest.current = onKnock;
  });
  useEffect(() => {
    const before = known.current;
    // An identity that was denied and knocks again left the list in between, and so is new.
    known.current = new Set(waiting.map(({ identity }) => identity));
    if (waiting.some(({ identity }) => !before.has(identity))) latest.current();
  }, [waiting]);
}
