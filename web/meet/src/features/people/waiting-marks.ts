import type { Knocking } from "@conclave/client";
import { useState } from "react";

export interface WaitingMarks {
  /** The identities of the marked people. */
  readonly marked: ReadonlySet<string>;
  readonly mark: (identities: readonly string[]) => void;
  readonly unmark: (identity: string) => void;
}

type Waiting = readonly Pick<Knocking, "identity">[];

/** Marks people for as long as they wait: somebody who knocks again is not marked. */
export function useWaitingMarks(waiting: Waiting): WaitingMarks {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const kept = stillWaiting(marked, waiting);
  if (kept !== marked) setMarked(kept);
  return {
    marked: kept,
    mark: (identities) => setMarked((before) => new Set([...before, ...identities])),
    unmark: (identity) =>
      setMarked((before) => new Set([...before].filter((one) => one !== identity))),
  };
}

/** Those of the marked people who wait; the same set if all of them do. */
export function stillWaiting(marked: ReadonlySet<string>, waiting: Waiting): ReadonlySet<string> {
  const here = new Set(waiting.map(({ identity }) => identity));
  const kept = [...marked].filter((identity) => here.has(identity));
  return kept.length === marked.size ? marked : new Set(kept);
}
