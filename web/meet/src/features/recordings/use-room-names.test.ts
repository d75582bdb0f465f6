import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { noAnswer } from "../../member/outcome";
import type { Recording, RecordingsService } from "./recordings-service";
import { useRoomNames } from "./use-room-names";

const noRooms = { ok: true, value: { data: [] } };

test("the name of a room that could not be fetched is asked for again", async () => {
  vi.useFakeTimers();
  const answers = [noAnswer, { ok: true, value: { id: "1", name: "Planning" } }];
  const service = { rooms: async () => noRooms, room: async () => answers.shift() };
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
  vi.useRealTimers();
});

test("nothing is asked after a failure, and nothing more once the person is signed out", async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const codes = ["rate_limited", "sign_in_required"];
  const service = {
    rooms: async () => noRooms,
    room: async (id: string) => {
      asked.push(id);
      return { ok: false, code: codes.shift() };
    },
  };
  const recordings = [{ room_id: "1" }, { room_id: "2" }] as Recording[];
  const Page = () => {
    useRoomNames(service as unknown as RecordingsService, recordings);
    return null;
  };
  const change = await live(createElement(Page));
  expect(asked).toEqual(["1"]);
  await change(() => void vi.advanceTimersByTime(10_000));
  expect([asked, vi.getTimerCount()]).toEqual([["1", "1"], 0]);
  vi.useRealTimers();
});
