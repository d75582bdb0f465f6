import { expect, test } from "vitest";
import { BannerQueue, type BannerRank } from "./banner-queue";

/** A queue, and what it shows of the banners that were added. */
function newQueue() {
  const queue = new BannerQueue();
  const ids: symbol[] = [];
  const shown = () => ids.filter((id) => queue.shows(id)).map((id) => id.description);
  const join = (name: string, rank: BannerRank) => {
    const id = Symbol(name);
    ids.push(id);
    return queue.join(id, rank);
  };
  return { queue, shown, join };
}

test("one banner is shown at a time: the most pressing one, and of these the oldest", () => {
  const { queue, shown, join } = newQueue();
  const seen: (string | undefined)[][] = [];
  queue.subscribe(() => seen.push(shown()));
  expect(shown()).toEqual([]);
  join("recording is sent", "lasting");
  const waiting = join("someone waits", "news");
  join("new poll", "news");
  const muted = join("muted", "passing");
  const lost = join("reconnecting", "alarm");
  for (const leave of [lost, muted, waiting]) leave();
  expect(seen).toEqual([
    ...[["recording is sent"], ["someone waits"], ["someone waits"], ["muted"], ["reconnecting"]],
    ...[["muted"], ["someone waits"], ["new poll"]],
  ]);
});
