import { DisconnectReason } from "livekit-client";
import { expect, test } from "vitest";
import { EncryptionWorkerFailed } from "./encryption-worker.js";
import { fakeLink } from "./testing/fake-link.js";

test("a move leaves the old room only when the new one is connected, and is never in both", async () => {
  const { link, connecting, entered, log, enter, answer, phases } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  expect(next.token).toBe("token for r1");
  expect(log).not.toContain("close main");
  next.goThrough();
  expect((await entered.next()).place).toBe("r1");
  expect(log).toEqual([
    ...["enter main", "publish microphone on in main", "begin main"],
    ...["close main", "enter r1", "publish microphone on in r1", "begin r1"],
  ]);
  expect(new Set(phases)).toEqual(new Set(["connected"]));
});

test("a move negotiates while the device connects, and sends only in the new room", async () => {
  const { link, connecting, entered, log, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  link.publish("screen", true, null);
  log.length = 0;
  next.events.onJoined();
  expect(log).toEqual(["publish microphone on in r1"]);
  next.goThrough();
  await entered.next();
  const published = ["publish microphone on in r1", "publish screen on in r1"];
  const inTheRoom = ["enter r1", ...published, "begin r1"];
  expect(log.slice(1)).toEqual(["close main", ...inTheRoom]);
});

test("the first connection negotiates nothing while it is made", async () => {
  const { connecting, log } = fakeLink();
  (await connecting.next()).events.onJoined();
  expect(log).toEqual([]);
});

test("a device publishes once it sees somebody", async () => {
  const { connecting, entered, log } = fakeLink();
  const connection = await connecting.next();
  let show = () => {};
  connection.picture = new Promise((resolve) => {
    show = resolve;
  });
  connection.goThrough();
  await entered.next();
  expect(log).toEqual(["enter main", "begin main"]);
  show();
  await connection.picture;
  expect(log.at(-1)).toBe("publish microphone on in main");
});

test("publishing that fails is tried again, unless it is no longer wanted", async () => {
  const { link, clock, connecting, entered, log } = fakeLink();
  const connection = await connecting.next();
  connection.isBusy = true;
  connection.goThrough();
  await entered.next();
  await clock.started();
  clock.pass(3000);
  const once = "publish microphone on in main";
  expect(log.filter((line) => line.startsWith("publish"))).toEqual([once, once]);

  connection.isBusy = true;
  link.publish("camera", true, null);
  await clock.started();
  link.publish("camera", false, null);
  clock.pass(3000);
  expect(log.slice(-2)).toEqual(["publish camera on in main", "publish camera off in main"]);
});

test("after a move the microphone is as the person set it last", async () => {
  const { link, connecting, entered, log, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  link.publish("microphone", false, null);
  next.goThrough();
  await entered.next();
  expect(log.at(-2)).toBe("publish microphone off in r1");
});

test("a device that is moved again during a move goes to the last room, and never enters the first", async () => {
  const { link, connecting, log, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const first = await connecting.next();
  link.moveTo("r2");
  await answer("r2");
  first.goThrough();
  const { connection, channel } = await enter();
  expect(connection.token).toBe("token for r2");
  expect(channel.place).toBe("r2");
  expect(log).toContain("close r1");
  expect(log).not.toContain("begin r1");
});

test("a device that is moved back during a move stays in its room, and requests nothing", async () => {
  const { link, connecting, asked, log, enter, answer } = fakeLink();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  await connecting.next();
  link.moveTo(null);
  link.moveTo("r2");
  await answer("r2");
  await enter();
  expect(log.indexOf("close r1")).toBeLessThan(log.indexOf("close main"));
  expect(connection.token).toBe("token for main");
  expect(asked.isEmpty).toBe(true);
});

test("a token that is newer than the stream decides the room", async () => {
  const { link, clock, connecting, log, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r2");
  await enter();
  // The stream still says r1, so the service is asked again, and answers the same.
  await answer("r2");
  link.moveTo("r2");
  clock.pass(10_000);
  expect(connecting.isEmpty).toBe(true);
  expect(log.filter((line) => line.startsWith("begin"))).toEqual(["begin main", "begin r2"]);
});

test("a move that is announced while an older answer is on its way begins without a pause", async () => {
  const { link, asked, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  const answerOnItsWay = await asked.next();
  link.moveTo("r2");
  answerOnItsWay(Response.json({ token: "token for main", breakout_id: null }));
  // The clock stands still, so a pause would never end.
  await answer("r2");
  expect((await enter()).channel.place).toBe("r2");
});

test("a token that is refused because the person was moved is replaced by a fresh one", async () => {
  const { link, clock, connecting, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  (await connecting.next()).refuse();
  const waiting = answer("r2");
  await clock.started();
  clock.pass(3000);
  await waiting;
  const { channel } = await enter();
  expect(channel.place).toBe("r2");
});

test("an attempt that hangs during a move ends after five seconds, and later ones after more", async () => {
  const { link, clock, connecting, enter, answer } = fakeLink();
  await enter();
  for (const place of ["r1", "r2"]) {
    link.moveTo(place);
    const given: number[] = [];
    let waiting = answer(place);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await waiting;
      const connection = await connecting.next();
      given.push(connection.patience);
      connection.refuse();
      waiting = answer(place);
      await clock.started();
      clock.pass(3000);
    }
    expect(given).toEqual([5000, 10_000, 15_000, 15_000]);
    await waiting;
    await enter();
  }
});

test("when joining and rejoining, a slow network gets more time from the first attempt", async () => {
  const { clock, connecting, enter, answer } = fakeLink();
  const first = await connecting.next();
  expect(first.patience).toBe(10_000);
  first.refuse();
  let waiting = answer(null);
  await clock.started();
  clock.pass(3000);
  await waiting;
  const { connection } = await enter();
  expect(connection.patience).toBe(15_000);
  connection.end();
  waiting = answer(null);
  await clock.started();
  clock.pass(3000);
  await waiting;
  expect((await connecting.next()).patience).toBe(10_000);
});

test("when a room closes, the device goes at once to the room of its next token", async () => {
  const { phases, enter, answer } = fakeLink("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.ROOM_DELETED);
  await answer(null);
  const { channel } = await enter();
  expect(channel.place).toBeNull();
  expect(phases).not.toContain("reconnecting");
});

test("a move goes on when the service ends the connection to the old room", async () => {
  const { link, connecting, entered, log, enter, answer } = fakeLink();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  connection.end(DisconnectReason.PARTICIPANT_REMOVED);
  next.goThrough();
  expect((await entered.next()).place).toBe("r1");
  expect(log.filter((line) => line === "begin r1")).toHaveLength(1);
});

test("when the network is lost during a move, the new room is tried again once it is back", async () => {
  const { link, clock, connecting, phases, enter, answer, asked } = fakeLink();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  connection.end();
  next.refuse();
  const fail = asked.next();
  await clock.started();
  clock.pass(3000);
  (await fail)(new Response("", { status: 502 }));
  const again = answer("r1");
  await clock.started(1, 1000);
  link.hurry();
  await again;
  const { channel } = await enter();
  expect(channel.place).toBe("r1");
  expect(phases.at(-1)).toBe("connected");
  expect(phases).toContain("reconnecting");
});

test("a request is sent again when it gets no answer or only a part of one", async () => {
  const { link, clock, asked, over, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await asked.next();
  await clock.started(1, 5000);
  clock.pass(5000);
  await clock.started(1, 500);
  clock.pass(500);
  const broken = new ReadableStream({ start: (body) => body.error(new Error("broken off")) });
  (await asked.next())(new Response(broken));
  await clock.started(1, 1000);
  clock.pass(1000);
  await answer("r1");
  const { channel } = await enter();
  expect(channel.place).toBe("r1");
  expect(over.isEmpty).toBe(true);
});

test("a move to the room that the device is in changes nothing", async () => {
  const { link, asked, log, enter } = fakeLink("r1");
  await enter();
  link.moveTo("r1");
  link.moveTo(null);
  await asked.next();
  expect(log).not.toContain("close r1");
});

test("a message sealed for one room is not sent to another", async () => {
  const { link, log, enter, answer } = fakeLink();
  const { channel: before } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const { channel } = await enter();
  await expect(link.send(before, "chat", new Uint8Array(), null)).rejects.toThrow("not connected");
  await link.send(channel, "chat", new Uint8Array(), null);
  expect(log.filter((line) => line.startsWith("send"))).toEqual(["send chat to r1"]);
});

test("a person who was removed learns why when the next token is refused", async () => {
  const { clock, over, enter, refuse } = fakeLink("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.PARTICIPANT_REMOVED);
  await refuse(401, "ticket_invalid");
  await clock.started(2, 1500);
  clock.pass(1500);
  expect(await over.next()).toBe("removed");
});

test("opening the same seat in another window ends the meeting in this one", async () => {
  const { over, enter } = fakeLink("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.DUPLICATE_IDENTITY);
  expect(await over.next()).toBe("elsewhere");
});

test("leaving while connecting gives the connection up", async () => {
  const { link, connecting, log, enter, answer } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  link.close();
  await next.ended;
  expect(log).toContain("close main");
  expect(log).not.toContain("enter r1");
});

test.each([
  [409, "room_locked"],
  [403, "admission_knock"],
])(
  "a person who may no longer enter before the first connection is refused: %i %s",
  async (status, code) => {
    const { connecting, clock, over, refuse } = fakeLink();
    (await connecting.next()).refuse();
    await clock.started();
    clock.pass(3000);
    await refuse(status, code);
    expect(await over.next()).toBe("refused");
  },
);

test("a device that is sent away as the room is locked is refused", async () => {
  const { over, enter, refuse } = fakeLink();
  const { connection } = await enter();
  connection.end(DisconnectReason.PARTICIPANT_REMOVED);
  await refuse(409, "room_locked");
  expect(await over.next()).toBe("refused");
});

test("a meeting whose encryption worker cannot be loaded ends and says so", async () => {
  const { connecting, over } = fakeLink();
  (await connecting.next()).refuse(new EncryptionWorkerFailed());
  expect(await over.next()).toBe("worker_failed");
});

test("a person who is in stays when the worker cannot be loaded again, as without a network", async () => {
  const { clock, connecting, enter, answer } = fakeLink();
  (await enter()).connection.end(undefined);
  await clock.started();
  clock.pass(3000);
  await answer(null);
  (await connecting.next()).refuse(new EncryptionWorkerFailed());
  await clock.started();
  clock.pass(3000);
  await answer(null);
  expect((await connecting.next()).token).toBe("token for main");
});

test("a person who was in the meeting and is refused has lost the seat", async () => {
  const { clock, over, enter, refuse } = fakeLink();
  (await enter()).connection.end(undefined);
  await clock.started();
  clock.pass(3000);
  await refuse(409, "room_locked");
  await clock.started(1, 1500);
  clock.pass(1500);
  expect(await over.next()).toBe("lost");
});

test("a track that waited for keys is published when the device may send", async () => {
  const { enter, log } = fakeLink();
  const { connection } = await enter();
  log.length = 0;
  connection.events.onMaySend();
  expect(log).toEqual(["publish microphone on in main"]);
});

test("a device that is sent elsewhere gives up the room it was entering", async () => {
  const { link, connecting, enter, answer, log } = fakeLink();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  await connecting.next();
  link.moveTo("r2");
  await answer("r2");
  (await connecting.next()).goThrough();
  expect(log).toContain("give up r1");
  expect(log).not.toContain("give up r2");
});

test("a service that takes the passphrase away is left, so that the person joins again", async () => {
  const { clock, connecting, asked, enter, over } = fakeLink();
  const { connection } = await enter();
  connection.end();
  await clock.started();
  clock.pass(3000);
  const token = { server_url: "", token: "t", e2ee_passphrase: null, expires_in: 600 };
  (await asked.next())(Response.json(token));
  expect(await over.next()).toBe("refused");
  expect(connecting.isEmpty).toBe(true);
});
