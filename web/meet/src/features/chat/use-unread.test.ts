import { type ChatMessage, mainRoom } from "@conclave/client";
import { expect, test } from "vitest";
import { unreadIn } from "./use-unread";

const message = (sentAt: number, mine = false): ChatMessage => ({
  id: String(sentAt),
  from: "guest_a.x",
  name: "Ada",
  text: "Hello",
  sentAt,
  mine,
  place: mainRoom,
});

const [first, own, last] = [message(1), message(2, true), message(3)];

test("messages of others are unread until they are seen", () => {
  expect(unreadIn([], null)).toBe(0);
  expect(unreadIn([first, own, last], null)).toBe(2);
  expect(unreadIn([first, own, last], first)).toBe(1);
  expect(unreadIn([first, own, last], last)).toBe(0);
});

test("what was read stays read when the last message of it is not kept any more", () => {
  const dropped = message(2);
  expect(unreadIn([first, last], dropped)).toBe(1);
});
