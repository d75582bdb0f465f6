import type { Knocking } from "@conclave/client";
import { useState } from "react";

/** The marked people, by identity, with the time since which they waited when they were marked. */
export type Marks = ReadonlyMap<string, string>;

type Knock = Pick<Knocking, "identity" | "since">;

export interface WaitingMarks {
  readonly marked: Marks;
  readonly mark: (knocks: readonly Knock[]) => void;
  readonly unmark: (knock: Knock) => void;
}

/**
 * Marks people for as long as they wait: somebody who knocks again is not marked, even if no list
 * without them came in between.
 */
export function useWaitingMarks(waiting: readonly Knock[]): WaitingMarks {
  const [marked, setMarked] = useState<Marks>(new Map());
  const kept = stillWaiting(marked, waiting);
  if (kept !== marked) setMarked(kept);
  return {
    marked: kept,
    mark: (knocks) => setMarked((before) => new Map([...before, ...knocks.map(entryOf)])),
    unmark: ({ identity, since }) =>
      setMarked(
        (before) => new Map([...before].filter((one) => one[0] !== identity || one[1] !== since)),
      ),
  };
}

function entryOf({ identity, since }: Knock): [string, string] {
  return [identity, since];
}

/** Those of the marked people who still wait; the same map if all of them do. */
export function stillWaiting(marked: Marks, waiting: readonly Knock[]): Marks {
  const kept = waiting.filter(({ identity, since }) => marked.get(identity) === since);
  return kept.length === marked.size ? marked : new Map(kept.map(entryOf));
}
