import { expect, test } from "vitest";
import { RateLimiter } from "./rate-limiter.js";
import { HandClock } from "./testing/hand-clock.js";

const ada = "guest_ada.x7q2m1";

function letThrough(limiter: RateLimiter, sender: string, kind: string, attempts: number): number {
  let through = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (limiter.allows(sender, kind)) through += 1;
  }
  return through;
}

test("lets twenty messages of a person through every two seconds", () => {
  const clock = new HandClock();
  const limiter = new RateLimiter(clock);
  expect(letThrough(limiter, ada, "chat", 10_000)).toBe(20);
  clock.pass(1999);
  expect(letThrough(limiter, ada, "chat", 1)).toBe(0);
  clock.pass(1);
  expect(letThrough(limiter, ada, "chat", 10_000)).toBe(20);
});

test("each person and each kind has a limit of its own", () => {
  const limiter = new RateLimiter(new HandClock());
  expect(letThrough(limiter, ada, "chat", 100)).toBe(20);
  expect(letThrough(limiter, "guest_ben.k3v9p0", "chat", 1)).toBe(1);
  expect(letThrough(limiter, ada, "reaction", 1)).toBe(1);
});

test("the devices of one person share a limit", () => {
  const limiter = new RateLimiter(new HandClock());
  expect(letThrough(limiter, "user_ada.x7q2m1", "chat", 15)).toBe(15);
  expect(letThrough(limiter, "user_ada.k3v9p0", "chat", 15)).toBe(5);
});

test("a clock that is set back does not block anybody", () => {
  const clock = new HandClock();
  const limiter = new RateLimiter(clock);
  clock.pass(3_600_000);
  expect(letThrough(limiter, ada, "chat", 100)).toBe(20);
  clock.pass(-3_600_000);
  expect(letThrough(limiter, ada, "chat", 1)).toBe(1);
});
