import type { Place } from "./breakouts.js";

/** The messages that devices send each other in envelopes, and the checks on arrival. */

export const reactionEmoji = ["👍", "❤️", "😂", "😮", "👏", "🎉"] as const;
export type ReactionEmoji = (typeof reactionEmoji)[number];

export const chatTextLimit = 2000;

export interface ChatPacket {
  readonly id: string;
  readonly text: string;
  readonly sent_at: string;
}

export interface ChatMessage {
  readonly id: string;
  readonly from: string;
  /** The sender's name when the message arrived; null when it was not known. */
  readonly name: string | null;
  readonly text: string;
  readonly sentAt: number;
  readonly mine: boolean;
  /** The room it was sent in. Only the people in that room received it. */
  readonly place: Place;
}

export interface Reaction {
  readonly id: number;
  readonly from: string;
  readonly name: string | null;
  readonly emoji: ReactionEmoji;
}

/** Counted in code points, as everywhere in the service. */
export function textLength(text: string): number {
  return [...text].length;
}

/** The chat packet; null when the value is not one, for instance because its time is unreadable. */
export function readChat(value: unknown): ChatPacket | null {
  if (typeof value !== "object" || value === null) return null;
  const { id, text, sent_at } = value as Record<string, unknown>;
  if (typeof id !== "string" || id === "" || id.length > 64) return null;
  if (typeof text !== "string" || typeof sent_at !== "string") return null;
  const length = textLength(text);
  if (text.trim() === "" || length > chatTextLimit) return null;
  if (Number.isNaN(Date.parse(sent_at))) return null;
  return { id, text, sent_at };
}

export function readReaction(value: unknown): ReactionEmoji | null {
  if (typeof value !== "object" || value === null) return null;
  const { emoji } = value as Record<string, unknown>;
  return reactionEmoji.find((candidate) => candidate === emoji) ?? null;
}
