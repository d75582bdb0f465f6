import { expect, test } from "vitest";
import { chatTextLimit, readChat, readReaction } from "./messages.js";

const chat = { id: "a", text: "hello", sent_at: "2026-01-01T00:00:00.000Z" };

test("reads a chat message, and nothing that merely resembles one", () => {
  expect(readChat(chat)).toEqual(chat);
  expect(readChat({ ...chat, text: "👋".repeat(chatTextLimit) })).not.toBeNull();
  const wrong = [
    null,
    "hello",
    { ...chat, text: "  " },
    { ...chat, text: "👋".repeat(chatTextLimit + 1) },
    { ...chat, text: 5 },
    { ...chat, id: "" },
    { ...chat, id: "x".repeat(65) },
    { ...chat, sent_at: "yesterday" },
  ];
  for (const value of wrong) expect(readChat(value)).toBeNull();
});

test("knows the six reactions and no other", () => {
  expect(readReaction({ emoji: "🎉" })).toBe("🎉");
  expect(readReaction({ emoji: "🦊" })).toBeNull();
  expect(readReaction(null)).toBeNull();
});
