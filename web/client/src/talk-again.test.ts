import { expect, test } from "vitest";
import { chatTopic, type Envelopes } from "./envelope.js";
import { type Channel, Talk } from "./talk.js";
import { HandClock } from "./testing/hand-clock.js";
import { Mailbox } from "./testing/mailbox.js";

const me = "guest_me.a1b2c3";
const ada = "guest_ada.x7q2m1";
const bob = "guest_bob.k3v9p0";

interface Sent {
  readonly text: string;
  readonly to: readonly string[] | null;
}

/** Messages that everybody can read. */
const envelopes: Envelopes = {
  seal: async (_topic, _sender, message) => new TextEncoder().encode(JSON.stringify(message)),
  open: async (_topic, _sender, packet) => JSON.parse(new TextDecoder().decode(packet)) as unknown,
};

/** A device in the main room with Ada and Bob. */
function inMainRoom() {
  const clock = new HandClock();
  const channelOf = (place: string | null): Channel => ({ place, envelopes, group: null });
  const listed = [me, ada, bob];
  const sent = new Mailbox<Sent>();
  const state = { isConnected: true };
  const talk = new Talk({
    clock,
    me,
    nameOf: (identity) => identity,
    isListed: () => true,
    placeOf: (breakoutId) => ({ breakoutId, name: null }),
    listedIn: () => listed,
    allows: () => ({ chat: true, reactions: true }),
    send: async (_channel, _topic, packet, to) => {
      if (!state.isConnected) throw new Error("not connected");
      const { text } = JSON.parse(new TextDecoder().decode(packet)) as { text: string };
      sent.put({ text, to });
    },
  });
  talk.enter(channelOf(null));
  return { clock, talk, channelOf, listed, next: () => sent.next(), state };
}

test("somebody who comes back is sent what they were sent in the last minute, and nobody else", async () => {
  const { clock, talk, next } = inMainRoom();
  await talk.sendChat("one");
  expect(await next()).toEqual({ text: "one", to: null });
  clock.pass(1000);
  await talk.sendChat("two");
  await next();
  talk.reachable(null, ada);
  clock.pass(200);
  expect([await next(), await next()]).toEqual([
    { text: "one", to: [ada] },
    { text: "two", to: [ada] },
  ]);

  clock.pass(58_800); // a minute after the first
  talk.reachable(null, ada);
  clock.pass(200);
  expect(await next()).toEqual({ text: "two", to: [ada] });
  clock.pass(1000);
  talk.reachable(null, ada);
  clock.pass(200);
  await talk.sendChat("three");
  expect(await next()).toEqual({ text: "three", to: null });
});

test("people who come back together are sent a message in one packet", async () => {
  const { clock, talk, next } = inMainRoom();
  await talk.sendChat("one");
  await next();
  talk.reachable(null, ada);
  talk.reachable(null, bob);
  clock.pass(200);
  expect(await next()).toEqual({ text: "one", to: [ada, bob] });
});

test("somebody who comes later is not sent what was written before", async () => {
  const { clock, talk, listed, next } = inMainRoom();
  await talk.sendChat("one");
  await next();
  const cleo = "guest_cleo.p0o9i8";
  listed.push(cleo);
  talk.reachable(null, cleo);
  clock.pass(200);
  await talk.sendChat("two");
  expect(await next()).toEqual({ text: "two", to: null });
  talk.reachable(null, cleo);
  clock.pass(200);
  expect(await next()).toEqual({ text: "two", to: [cleo] });
});

test("a device that connects again repeats what it sent in this room, not in another", async () => {
  const { talk, channelOf, next } = inMainRoom();
  await talk.sendChat("for all");
  await next();
  talk.enter(channelOf("r1"));
  await talk.sendChat("for room 1");
  expect(await next()).toEqual({ text: "for room 1", to: null });
  talk.enter(channelOf("r1"));
  expect(await next()).toEqual({ text: "for room 1", to: [ada, bob] });
  talk.enter(channelOf(null));
  expect(await next()).toEqual({ text: "for all", to: [ada, bob] });
});

test("what cannot be repeated is repeated a second later", async () => {
  const { clock, talk, next, state } = inMainRoom();
  await talk.sendChat("one");
  await next();
  await talk.sendChat("two");
  await next();
  state.isConnected = false;
  talk.reachable(null, bob);
  clock.pass(200);
  await clock.started(1, 1000);
  state.isConnected = true;
  clock.pass(1000);
  expect([await next(), await next()]).toEqual([
    { text: "one", to: [bob] },
    { text: "two", to: [bob] },
  ]);
});

test("the newest ten messages are repeated, which is half of what a receiver takes at a time", async () => {
  const { clock, talk, next } = inMainRoom();
  for (let count = 1; count <= 11; count += 1) {
    await talk.sendChat(`message ${count}`);
    await next();
  }
  talk.reachable(null, ada);
  clock.pass(200);
  expect(await next()).toEqual({ text: "message 2", to: [ada] });
});

test("a packet names at most a hundred people", async () => {
  const { clock, talk, listed, next } = inMainRoom();
  listed.push(...Array.from({ length: 99 }, (_, index) => `guest_${index}.a`));
  await talk.sendChat("one");
  await next();
  for (const identity of listed) talk.reachable(null, identity);
  clock.pass(200);
  expect((await next()).to).toHaveLength(100);
  expect((await next()).to).toEqual(["guest_98.a"]);
});

test("a message that was not sent is not repeated", async () => {
  const { clock, talk, next, state } = inMainRoom();
  state.isConnected = false;
  await expect(talk.sendChat("one")).rejects.toThrow("not connected");
  state.isConnected = true;
  talk.reachable(null, ada);
  clock.pass(200);
  await talk.sendChat("two");
  expect(await next()).toEqual({ text: "two", to: null });
});

test("a message that arrives again is shown once", async () => {
  const { talk, channelOf } = inMainRoom();
  const packet = { id: "message 1", text: "once", sent_at: "2026-01-01T00:00:00Z" };
  for (let time = 0; time < 2; time += 1) {
    const sealed = await envelopes.seal(chatTopic, ada, packet);
    await talk.receive(channelOf(null), ada, chatTopic, sealed);
  }
  expect(talk.chat.get().map(({ text }) => text)).toEqual(["once"]);
});
