import { expect, test } from "vitest";
import { leaveWithPage } from "./page-leave.js";

function open() {
  const stopped: (boolean | undefined)[] = [];
  const room = {
    disconnect: async (stopTracks?: boolean) => void stopped.push(stopTracks),
  };
  const page = new EventTarget();
  const closing = new AbortController();
  leaveWithPage(room, page, closing.signal);
  return { room, page, closing, stopped };
}

test("a connection ends with its page", () => {
  const { page, stopped } = open();
  page.dispatchEvent(new Event("pagehide"));
  expect(stopped).toEqual([false]);
});

test("a connection goes on while the browser asks whether to leave", () => {
  const { page, stopped } = open();
  page.dispatchEvent(new Event("beforeunload"));
  expect(stopped).toEqual([]);
});

test("what the media library ends by itself leaves the tracks of the device as they are", async () => {
  const { room, stopped } = open();
  await room.disconnect();
  expect(stopped).toEqual([false]);
});

test("a connection that is over hears no more of its page", () => {
  const { page, closing, stopped } = open();
  closing.abort();
  page.dispatchEvent(new Event("pagehide"));
  expect(stopped).toEqual([]);
});
