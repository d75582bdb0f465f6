import { expect, test } from "vitest";
import { BannerQueue } from "./banner-queue";

test("one banner is shown at a time: the most pressing one, and of these the oldest", () => {
  const queue = new BannerQueue();
  const shown: (string | undefined)[] = [];
  queue.subscribe(() => shown.push(queue.first?.description));
  expect(queue.first).toBeNull();
  queue.join(Symbol("recording is sent"), "lasting");
  const waiting = queue.join(Symbol("someone waits"), "news");
  queue.join(Symbol("announcement"), "news");
  const countdown = queue.join(Symbol("rooms close"), "countdown");
  const muted = queue.join(Symbol("muted"), "passing");
  const lost = queue.join(Symbol("reconnecting"), "alarm");
  expect(shown).toEqual([
    ...["recording is sent", "someone waits", "someone waits"],
    ...["rooms close", "muted", "reconnecting"],
  ]);
  shown.length = 0;
  for (const leave of [lost, countdown, muted, waiting]) leave();
  expect(shown).toEqual(["muted", "muted", "someone waits", "announcement"]);
});
