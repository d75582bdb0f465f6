import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { noAnswer } from "../../member/outcome";
import type { Recording, RecordingsService } from "./recordings-service";
import { useRoomNames } from "./use-room-names";

test("the name of a room that could not be fetched is asked for again", async () => {
  vi.useFakeTimers();
  const answers = [noAnswer, { ok: true, value: { id: "1", name: "Planning" } }];
  const service = { rooms: async () => noAnswer, room: async () => answers.shift() };
  const recordings = [{ room_id: "1" }] as Recording[];
  let shown = "";
  const Page = () => {
    shown = useRoomNames(service as unknown as RecordingsService, recordings)("1");
    return null;
  };
  const change = await live(createElement(Page));
  expect([shown, answers.length]).toEqual(["", 1]);
  await change(() => void vi.advanceTimersByTime(10_000));
  expect(shown).toBe("Planning");
  // Once all names are known, nobody asks.
  await change(() => void vi.advanceTimersByTime(60_000));
  expect([answers.length, vi.getTimerCount()]).toEqual([0, 0]);
});
