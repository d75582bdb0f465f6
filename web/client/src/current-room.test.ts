import { expect, test } from "vitest";
import { CurrentRoom } from "./current-room.js";
import { Service } from "./service.js";
import { Mailbox } from "./testing/mailbox.js";
import type { RoomInfo } from "./wire.js";

const room = { id: "r", name: "Planning", locked: false } as RoomInfo;

/** A room whose service answers when the test says so. */
function play() {
  const asked = new Mailbox<(answer: Response) => void>();
  const service = new Service({
    baseUrl: "https://meet.example.com",
    fetch: () => new Promise<Response>((resolve) => asked.put(resolve)),
  });
  return { asked, current: new CurrentRoom(service, "t", room) };
}

test("the answer to a change updates the room", async () => {
  const { asked, current } = play();
  const changed = current.change({ locked: true });
  (await asked.next())(Response.json({ ...room, locked: true }));
  await changed;
  expect(current.info.get()?.locked).toBe(true);
});

test("an answer that is older than the stream's last event is ignored", async () => {
  const { asked, current } = play();
  const changed = current.change({ locked: true });
  const answer = await asked.next();
  // Somebody else unlocked the room again, and the stream said so before the answer came.
  current.take({ ...room, locked: true });
  current.take({ ...room, locked: false });
  answer(Response.json({ ...room, locked: true }));
  await changed;
  expect(current.info.get()?.locked).toBe(false);
});

test("when the answers to two changes cross, the later change counts", async () => {
  const { asked, current } = play();
  const changes = [current.change({ locked: true }), current.change({ locked: false })];
  const [first, second] = [await asked.next(), await asked.next()];
  second(Response.json({ ...room, locked: false }));
  await changes[1];
  first(Response.json({ ...room, locked: true }));
  await changes[0];
  expect(current.info.get()?.locked).toBe(false);
});
