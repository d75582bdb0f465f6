import type { Poll } from "@conclave/client";

/** Whether the person can vote in the poll and has not done so. */
export function waitsForVote(poll: Poll): boolean {
  return poll.status === "open" && !poll.voted;
}
