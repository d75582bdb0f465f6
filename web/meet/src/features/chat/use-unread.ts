import type { ChatMessage } from "@conclave/client";
import { useState } from "react";

/** How many messages of others arrived since the chat was last open. */
export function useUnread(messages: readonly ChatMessage[], isOpen: boolean): number {
  const [lastRead, setLastRead] = useState<ChatMessage | null>(null);
  const newest = messages[messages.length - 1] ?? null;
  if (isOpen && newest !== lastRead) setLastRead(newest);
  const read = lastRead === null ? -1 : messages.lastIndexOf(lastRead);
  return messages.slice(read + 1).filter((message) => !message.mine).length;
}
