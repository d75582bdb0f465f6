import type { ChatMessage } from "@conclave/client";
import { useState } from "react";

/** How many messages of others arrived since the chat was last open. */
export function useUnread(messages: readonly ChatMessage[], isOpen: boolean): number {
  const [lastRead, setLastRead] = useState<ChatMessage | null>(null);
  const newest = messages[messages.length - 1] ?? null;
  if (isOpen && newest !== lastRead) setLastRead(newest);
  return unreadIn(messages, lastRead);
}

/**
 * How many messages of others came after the last one that was read; the time tells when that one is
 * not kept any more.
 */
export function unreadIn(messages: readonly ChatMessage[], lastRead: ChatMessage | null): number {
  const others = (from: readonly ChatMessage[]) => from.filter(({ mine }) => !mine).length;
  if (lastRead === null) return others(messages);
  const read = messages.lastIndexOf(lastRead);
  if (read >= 0) return others(messages.slice(read + 1));
  return others(messages.filter(({ sentAt }) => sentAt > lastRead.sentAt));
}
