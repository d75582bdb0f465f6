import type { MeetingPolls, NewPoll } from "@conclave/client";
import type { Value } from "@conclave/client/pre-join";
import type { Draft } from "./draft";

/**
 * Starts a poll, and then forgets its draft. A host who cancelled meanwhile may be writing the next
 * one, which stays.
 */
export async function startPoll(
  polls: Pick<MeetingPolls, "ask">,
  draft: Value<Draft | null>,
  poll: NewPoll,
): Promise<void> {
  let isCancelled = false;
  const stop = draft.subscribe(() => {
    if (draft.get() === null) isCancelled = true;
  });
  try {
    await polls.ask(poll);
  } finally {
    stop();
  }
  if (!isCancelled) draft.set(null);
}
