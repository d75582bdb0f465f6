import { personOf } from "./identity.js";
import type { ChatMessage } from "./messages.js";

/** How many messages are kept, so that a flood does not fill the memory. */
const limit = 1000;

/**
 * The messages with one more, without one that is too many: the oldest of the person who wrote
 * most. Otherwise one person could push out what all others wrote, within two minutes.
 */
export function withMessage(
  messages: readonly ChatMessage[],
  message: ChatMessage,
): readonly ChatMessage[] {
  const next = [...messages, message];
  if (next.length <= limit) return next;
  const counts = new Map<string, number>();
  for (const { from } of next) counts.set(personOf(from), (counts.get(personOf(from)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const tooMany = next.findIndex(({ from }) => counts.get(personOf(from)) === most);
  return next.filter((_, index) => index !== tooMany);
}
