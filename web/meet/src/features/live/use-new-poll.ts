import type { Poll } from "@conclave/client";
import { useEffect, useRef } from "react";

/**
 * Calls `onPoll` when a poll waits for the person's vote that did not before: it was asked, opened
 * again, or was there when they came in.
 */
export function useNewPoll(polls: readonly Poll[], onPoll: (poll: Poll) => void): void {
  const known = useRef<ReadonlySet<string>>(new Set());
  const latest = useRef(onPoll);
  useEffect(() => {
    latest.current = onPoll;
  });
  useEffect(() => {
    const before = known.current;
    const waiting = polls.filter(waitsForVote);
    known.current = new Set(waiting.map(({ id }) => id));
    const fresh = waiting.find(({ id }) => !before.has(id));
    if (fresh) latest.current(fresh);
  }, [polls]);
}

export function waitsForVote(poll: Poll): boolean {
  return poll.status === "open" && !poll.voted;
}
